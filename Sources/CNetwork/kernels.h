// vs_network_kernels, included once for each instruction set: VS_NAME names its functions, VS_REGISTERS its registers.

// As in layers.h.
#pragma STDC FP_CONTRACT ON

static void VS_NAME(image_conv3x3)(vs_linear layer, const float *image, ptrdiff_t side, float *output) {
    const ptrdiff_t result = side / 2;
    for (ptrdiff_t y = 0; y < result; y++) {
        const ptrdiff_t rows = y < result - 1 ? 3 : 2;
        const float *source = image + 2 * y * side;
        float *result_row = output + ((y + 1) * (result + 2) + 1) * lanes;
        ptrdiff_t x = 0;
        for (; x + 6 <= result - 1; x += 6) {
            vs_image_conv3x3_tile(&layer, source + 2 * x, side, result_row + x * lanes, rows, 3, 6);
        }
        for (; x < result - 1; x++) {
            vs_image_conv3x3_tile(&layer, source + 2 * x, side, result_row + x * lanes, rows, 3, 1);
        }
        vs_image_conv3x3_tile(&layer, source + 2 * x, side, result_row + x * lanes, rows, 2, 1);
    }
}

static void VS_NAME(image_inverted_residual)(
    vs_inverted_residual block, const float *image, ptrdiff_t width, ptrdiff_t height, float *scratch, float *output) {
    vs_inverted_residual_body(&block, image, width / 2, height / 2, scratch, output, 1, VS_REGISTERS);
}

static void VS_NAME(separable)(vs_separable block, const float *input, ptrdiff_t side, float *scratch, float *output) {
    const ptrdiff_t channels = block.depthwise.channels, stride = block.depthwise.stride;
    const ptrdiff_t result = side / stride, row_values = (side + 2) * channels;
    const ptrdiff_t band = vs_separable_band(result, channels, result);
    // Windows of stride 2 do not reach into the border before the first pixel.
    const ptrdiff_t begin = stride == 2 ? 1 : 0;
    const vs_target target = {
        .layer = &block.pointwise, .output = output, .residual = input, .residual_channels = channels,
        .pooled_width = stride == 2 ? side + 2 : 0,
    };
    vs_position positions[vs_most_pixels];
    for (ptrdiff_t y = 0; y < result; y += band) {
        const ptrdiff_t rows = vs_lesser(result - y, band);
        for (ptrdiff_t row = 0; row < rows; row++) {
            const float *source = input + ((y + row) * stride + begin) * row_values + begin * channels;
            const float *rows_read[3] = {source, source + row_values, source + 2 * row_values};
            vs_depthwise_row(&block.depthwise, rows_read, result, 0, scratch + row * result * channels);
            for (ptrdiff_t x = 0; x < result; x++) {
                positions[row * result + x] = (vs_position){
                    vs_row_offset(result, y + row) + (int32_t)x,
                    vs_row_offset(side, (y + row) * stride) + (int32_t)(x * stride),
                };
            }
        }
        vs_products(scratch, vs_pixel(channels), rows * result, &target, positions, VS_REGISTERS);
    }
}

static void VS_NAME(inverted_residual)(
    vs_inverted_residual block, const float *input, ptrdiff_t width, ptrdiff_t height, float *scratch, float *output) {
    vs_inverted_residual_body(&block, input, width, height, scratch, output, 0, VS_REGISTERS);
}

static void VS_NAME(pointwise)(
    vs_linear layer, const float *input, ptrdiff_t channels, ptrdiff_t width, ptrdiff_t height,
    const float *addend, float *output) {
    const vs_target target = {.layer = &layer, .output = output, .addend = addend};
    for (ptrdiff_t y = 0; y < height; y++) {
        const int32_t offset = vs_row_offset(width, y);
        vs_row(input + offset * channels, vs_pixel(channels), width, &target, offset, 1, VS_REGISTERS);
    }
}

static void VS_NAME(conv3x3)(
    vs_linear layer, const float *input, ptrdiff_t channels, ptrdiff_t width, ptrdiff_t height, float *output) {
    const vs_target target = {.layer = &layer, .output = output};
    const vs_window window = {channels, (width + 2) * channels, 9};
    for (ptrdiff_t y = 0; y < height; y++) {
        vs_row(input + y * window.row, window, width, &target, vs_row_offset(width, y), 1, VS_REGISTERS);
    }
}

static void VS_NAME(deconvolution)(
    const vs_linear *layers, const float *input, ptrdiff_t channels, ptrdiff_t width, ptrdiff_t height, float *output) {
    for (ptrdiff_t y = 0; y < height; y++) {
        const float *values = input + vs_row_offset(width, y) * channels;
        for (int part = 0; part < 4; part++) {
            const vs_target target = {.layer = layers + part, .output = output};
            const int32_t first = vs_row_offset(2 * width, 2 * y + part / 2) + part % 2;
            vs_row(values, vs_pixel(channels), width, &target, first, 2, VS_REGISTERS);
        }
    }
}

static void VS_NAME(fully_connected)(vs_linear layer, const float *input, float *output) {
    const vs_target target = {.layer = &layer, .output = output};
    const vs_position position = {0, 0};
    // The sums of one pixel in four vectors fit in the registers of every instruction set.
    vs_products(input, vs_pixel(layer.inputs), 1, &target, &position, 32);
}

static void VS_NAME(grid_sample)(
    const float *input, ptrdiff_t side, ptrdiff_t channels, const float *matrix, ptrdiff_t grid, float *output) {
    const ptrdiff_t width = (side + 2) * channels;
    const float last = (float)(side - 1);
    for (ptrdiff_t row = 0; row < grid; row++) {
        for (ptrdiff_t column = 0; column < grid; column++) {
            const float u = (float)column + 0.5f, v = (float)row + 0.5f;
            const float x = matrix[0] * u + matrix[1] * v + matrix[2] - 0.5f;
            const float y = matrix[3] * u + matrix[4] * v + matrix[5] - 0.5f;
            float *pixel = output + ((row + 1) * (grid + 2) + column + 1) * channels;
            // Also true if a coordinate is not a number.
            if (!(x >= 0 && y >= 0 && x <= last && y <= last)) {
                memset(pixel, 0, (size_t)channels * sizeof *pixel);
                continue;
            }
            const ptrdiff_t left = (ptrdiff_t)x, top = (ptrdiff_t)y;
            const float right_fraction = x - (float)left, bottom_fraction = y - (float)top;
            // On the last row or column, the neighbour is the border, whose fraction is 0.
            const float *source = input + (top + 1) * width + (left + 1) * channels;
            for (ptrdiff_t channel = 0; channel < channels; channel += lanes) {
                const float *corner = source + channel;
                const f32x16 above =
                    VS_LOAD16(corner) * (1 - right_fraction) + VS_LOAD16(corner + channels) * right_fraction;
                const f32x16 below = VS_LOAD16(corner + width) * (1 - right_fraction)
                    + VS_LOAD16(corner + width + channels) * right_fraction;
                VS_STORE(pixel + channel, above * (1 - bottom_fraction) + below * bottom_fraction);
            }
        }
    }
}

// As in expressions.h.
#pragma STDC FP_CONTRACT OFF

static void VS_NAME(strided_conv3x3)(const vs_strided_conv3x3 *layer, const float *input, float *output) {
    ptrdiff_t channel = 0;
    for (; channel <= layer->outputs - 24; channel += 24) vs_strided_channels(input, layer, channel, 3, output);
    for (; channel <= layer->outputs - 16; channel += 16) vs_strided_channels(input, layer, channel, 2, output);
    for (; channel < layer->outputs; channel += 8) vs_strided_channels(input, layer, channel, 1, output);
}

static void VS_NAME(add_products)(
    const float *restrict values, ptrdiff_t count, const float *restrict weights, ptrdiff_t width, float *restrict sums) {
    // Loads and stores the sums once for four inputs.
    ptrdiff_t input = 0;
    for (; input <= count - 4; input += 4) {
        const float a = values[input], b = values[input + 1], c = values[input + 2], d = values[input + 3];
        const float *row = weights + input * width;
        ptrdiff_t output = 0;
        for (; output <= width - 16; output += 16) {
            f32x16 sum = VS_LOAD16(sums + output);
            sum += VS_LOAD16(row + output) * a;
            sum += VS_LOAD16(row + output + width) * b;
            sum += VS_LOAD16(row + output + 2 * width) * c;
            sum += VS_LOAD16(row + output + 3 * width) * d;
            VS_STORE(sums + output, sum);
        }
        for (; output < width; output++) {
            float sum = sums[output];
            sum += row[output] * a;
            sum += row[output + width] * b;
            sum += row[output + 2 * width] * c;
            sum += row[output + 3 * width] * d;
            sums[output] = sum;
        }
    }
    for (; input < count; input++) {
        for (ptrdiff_t output = 0; output < width; output++) {
            sums[output] += weights[input * width + output] * values[input];
        }
    }
}

static const vs_network_kernels VS_NAME(kernels) = {
    VS_NAME(image_conv3x3), VS_NAME(image_inverted_residual), VS_NAME(separable), VS_NAME(inverted_residual),
    VS_NAME(pointwise), VS_NAME(conv3x3), VS_NAME(deconvolution), VS_NAME(fully_connected), VS_NAME(grid_sample),
    VS_NAME(strided_conv3x3), VS_NAME(add_products),
};
