// The steps from which kernels.h builds the layers of the detector and the mesh.
#pragma once

#include "../CPixels/vectors.h"
#include "CNetwork.h"

// Adds products with one rounding wherever the processor can.
#pragma STDC FP_CONTRACT ON

// Vectors in arrays stay in registers only if the compiler unrolls the loops over them.
#define VS_UNROLL _Pragma("clang loop unroll(full)")

enum { lanes = 16 };

#define VS_LOAD16(address) VS_LOAD(f32x16, address)
#define VS_SELECT(condition, first, second) ({ \
    const i32x16 chosen = (condition); \
    const f32x16 these = (first), those = (second); \
    (f32x16)((chosen & (i32x16)these) | (~chosen & (i32x16)those)); \
})
#define VS_PRELU_OF(value, slopes) ({ \
    const f32x16 whole = (value); \
    VS_SELECT(whole < 0, whole * (slopes), whole); \
})
#define VS_RELU_OF(value) ({ \
    const f32x16 unclipped = (value); \
    (f32x16)((unclipped > 0) & (i32x16)unclipped); \
})
#define VS_MAX(a, b) ({ \
    const f32x16 left = (a), right = (b); \
    VS_SELECT(left < right, right, left); \
})

// MARK: Products

typedef struct {
    const vs_linear *layer;
    float *output;
    // Added before the activation: NULL, or a tensor with these channels.
    const float *residual;
    ptrdiff_t residual_channels;
    // 0 adds a pixel of the residual; otherwise adds the maximum of four, in a residual of this width with its border.
    ptrdiff_t pooled_width;
    // Added after the activation: NULL, or a tensor of the output's shape.
    const float *addend;
} vs_target;

// In pixels from the beginning of a tensor. In the residual: the pixel, or the first of four.
typedef struct {
    int32_t output, residual;
} vs_position;

// Completes 16 channels of a pixel.
VS_BODY void vs_epilogue(const vs_target *target, vs_position position, ptrdiff_t channel, f32x16 *sum) {
    f32x16 value = *sum;
    if (target->residual && channel < target->residual_channels) {
        const float *source = target->residual + position.residual * target->residual_channels + channel;
        f32x16 added = VS_LOAD16(source);
        if (target->pooled_width) {
            const float *below = source + target->pooled_width * target->residual_channels;
            added = VS_MAX(added, VS_LOAD16(source + target->residual_channels));
            added = VS_MAX(added, VS_LOAD16(below));
            added = VS_MAX(added, VS_LOAD16(below + target->residual_channels));
        }
        value += added;
    }
    if (target->layer->activation == VS_PRELU) {
        value = VS_PRELU_OF(value, VS_LOAD16(target->layer->slopes + channel));
    } else if (target->layer->activation == VS_RELU) {
        value = VS_RELU_OF(value);
    }
    const ptrdiff_t offset = position.output * target->layer->outputs + channel;
    if (target->addend) value += VS_LOAD16(target->addend + offset);
    VS_STORE(target->output + offset, value);
}

// What is read for each output: a pixel, or 3 × 3 of them.
typedef struct {
    // From a pixel to the next one, and to the one below, in values.
    ptrdiff_t step, row;
    // 1 or 9.
    int taps;
} vs_window;

// The products of the windows of neighbouring pixels with 'vectors' vectors of columns of the weights.
VS_BODY void vs_tile(
    const float *values, const vs_window window, const vs_target *target, const vs_position *positions,
    ptrdiff_t channel, const int pixels, const int vectors) {
    const vs_linear *layer = target->layer;
    const ptrdiff_t inputs = layer->inputs, used = inputs / window.taps;
    const float *weights = layer->weights + channel * inputs;
    f32x16 sums[12][4];
    VS_UNROLL for (int p = 0; p < pixels; p++) {
        VS_UNROLL for (int v = 0; v < vectors; v++) sums[p][v] = VS_LOAD16(layer->bias + channel + v * lanes);
    }
    for (int tap = 0; tap < window.taps; tap++) {
        const float *source = values + tap / 3 * window.row + tap % 3 * window.step;
        for (ptrdiff_t i = 0; i < used; i++, weights += lanes) {
            f32x16 row[4];
            VS_UNROLL for (int v = 0; v < vectors; v++) row[v] = VS_LOAD16(weights + v * inputs * lanes);
            VS_UNROLL for (int p = 0; p < pixels; p++) {
                VS_UNROLL for (int v = 0; v < vectors; v++) sums[p][v] += source[p * window.step + i] * row[v];
            }
        }
    }
    VS_UNROLL for (int p = 0; p < pixels; p++) {
        VS_UNROLL for (int v = 0; v < vectors; v++) vs_epilogue(target, positions[p], channel + v * lanes, &sums[p][v]);
    }
}

// 'most' pixels fit in the registers.
VS_BODY void vs_columns(
    const float *values, const vs_window window, ptrdiff_t count, const vs_target *target, const vs_position *positions,
    ptrdiff_t channel, const int vectors, const int most) {
    const ptrdiff_t step = window.step;
    ptrdiff_t done = 0;
    for (; count - done >= most; done += most) {
        vs_tile(values + done * step, window, target, positions + done, channel, most, vectors);
    }
    for (; count - done >= 4; done += 4) {
        vs_tile(values + done * step, window, target, positions + done, channel, 4, vectors);
    }
    for (; count - done >= 2; done += 2) {
        vs_tile(values + done * step, window, target, positions + done, channel, 2, vectors);
    }
    if (count > done) vs_tile(values + done * step, window, target, positions + done, channel, 1, vectors);
}

// Up to 'vs_most_pixels' pixels. registers: the instruction set's vector registers.
VS_BODY void vs_products(
    const float *values, const vs_window window, ptrdiff_t count, const vs_target *target, const vs_position *positions,
    const int registers) {
    const ptrdiff_t channels = target->layer->outputs;
    ptrdiff_t channel = 0;
    if (registers > 16) {
        for (; channels - channel >= 4 * lanes; channel += 4 * lanes) {
            vs_columns(values, window, count, target, positions, channel, 4, 6);
        }
        for (; channels - channel >= 2 * lanes; channel += 2 * lanes) {
            vs_columns(values, window, count, target, positions, channel, 2, 6);
        }
        if (channel < channels) vs_columns(values, window, count, target, positions, channel, 1, 12);
    } else {
        for (; channel < channels; channel += lanes) vs_columns(values, window, count, target, positions, channel, 1, 6);
    }
}

// Without a residual. first: the position of the row's first pixel. output_step: to the next one.
VS_BODY void vs_row(
    const float *values, const vs_window window, ptrdiff_t width, const vs_target *target, int32_t first,
    int32_t output_step, const int registers) {
    vs_position positions[vs_most_pixels];
    for (ptrdiff_t x = 0; x < width; x += vs_most_pixels) {
        const ptrdiff_t count = vs_lesser(width - x, vs_most_pixels);
        for (ptrdiff_t i = 0; i < count; i++) positions[i] = (vs_position){first + (int32_t)(x + i) * output_step, 0};
        vs_products(values + x * window.step, window, count, target, positions, registers);
    }
}

VS_BODY vs_window vs_pixel(ptrdiff_t channels) { return (vs_window){channels, 0, 1}; }

// The position of a row's first pixel.
VS_BODY int32_t vs_row_offset(ptrdiff_t width, ptrdiff_t row) { return (int32_t)((row + 1) * (width + 2) + 1); }

// MARK: Depthwise convolution

// rows: three rows of the input, each from where the first window begins.
VS_BODY void vs_depthwise_row(
    const vs_depthwise *layer, const float *const *rows, ptrdiff_t width, const int has_relu, float *result) {
    const ptrdiff_t channels = layer->channels, step = layer->stride * channels;
    // Enough pixels to read memory almost in order.
    const ptrdiff_t most = vs_greater(2048 / step, 4);
    for (ptrdiff_t begin = 0; begin < width; begin += most) {
        const ptrdiff_t end = vs_lesser(begin + most, width);
        for (ptrdiff_t channel = 0; channel < channels; channel += lanes) {
            f32x16 weights[9];
            VS_UNROLL for (int tap = 0; tap < 9; tap++) {
                weights[tap] = VS_LOAD16(layer->weights + tap * channels + channel);
            }
            const f32x16 bias = VS_LOAD16(layer->bias + channel);
            ptrdiff_t offset = begin * step + channel;
            for (ptrdiff_t x = begin; x < end; x++, offset += step) {
                f32x16 sum = bias;
                VS_UNROLL for (int tap = 0; tap < 9; tap++) {
                    sum += VS_LOAD16(rows[tap / 3] + offset + tap % 3 * channels) * weights[tap];
                }
                VS_STORE(result + x * channels + channel, has_relu ? VS_RELU_OF(sum) : sum);
            }
        }
    }
}

// MARK: Inverted residual

// Neighbouring pixels of a 3 × 3 convolution of an image with stride 2. width, height: of the convolution. x, y: the
// first pixel. first_column: the windows' first column inside the image, 0 or 1.
VS_BODY void vs_expansion_tile(
    const vs_target *target, const float *image, ptrdiff_t width, ptrdiff_t height, ptrdiff_t x, ptrdiff_t y,
    ptrdiff_t channel, const int first_column, const int pixels, const int vectors) {
    const vs_linear *layer = target->layer;
    f32x16 sums[6][2];
    VS_UNROLL for (int p = 0; p < pixels; p++) {
        VS_UNROLL for (int v = 0; v < vectors; v++) sums[p][v] = VS_LOAD16(layer->bias + channel + v * lanes);
    }
    for (ptrdiff_t line = 0; line < 9; line++) {
        const ptrdiff_t row = 2 * y + line % 3 - 1;
        // Windows reach beyond the first row.
        if (row < 0) continue;
        const float *source = image + (line / 3 * 2 * height + row) * 2 * width + 2 * x - 1;
        VS_UNROLL for (int column = first_column; column < 3; column++) {
            f32x16 weights[2];
            VS_UNROLL for (int v = 0; v < vectors; v++) {
                weights[v] = VS_LOAD16(layer->weights + (channel + v * lanes) * 27 + (line * 3 + column) * lanes);
            }
            VS_UNROLL for (int p = 0; p < pixels; p++) {
                VS_UNROLL for (int v = 0; v < vectors; v++) sums[p][v] += source[2 * p + column] * weights[v];
            }
        }
    }
    VS_UNROLL for (int p = 0; p < pixels; p++) {
        VS_UNROLL for (int v = 0; v < vectors; v++) {
            vs_epilogue(target, (vs_position){(int32_t)(x + p) + 1, 0}, channel + v * lanes, &sums[p][v]);
        }
    }
}

// A row of the expansion, with its border; beyond the image it is 0.
VS_BODY void vs_expand_row(
    const vs_inverted_residual *block, const float *input, ptrdiff_t width, ptrdiff_t height, ptrdiff_t input_channels,
    ptrdiff_t row, float *result, const int reads_image, const int registers) {
    const ptrdiff_t channels = block->depthwise.channels;
    const size_t pixel = (size_t)channels * sizeof *result;
    if (row < 0 || row >= height) {
        memset(result, 0, (size_t)(width + 2) * pixel);
        return;
    }
    memset(result, 0, pixel);
    memset(result + (width + 1) * channels, 0, pixel);
    const vs_target target = {.layer = &block->expansion, .output = result};
    if (!reads_image) {
        vs_row(
            input + vs_row_offset(width, row) * input_channels, vs_pixel(input_channels), width, &target,
            1, 1, registers);
        return;
    }
    const int vectors = registers > 16 ? 2 : 1;
    for (ptrdiff_t channel = 0; channel < block->expansion.outputs; channel += vectors * lanes) {
        vs_expansion_tile(&target, input, width, height, 0, row, channel, 1, 1, vectors);
        ptrdiff_t x = 1;
        for (; x + 6 <= width; x += 6) {
            vs_expansion_tile(&target, input, width, height, x, row, channel, 0, 6, vectors);
        }
        for (; x < width; x++) vs_expansion_tile(&target, input, width, height, x, row, channel, 0, 1, vectors);
    }
}

// width, height: of the expansion.
VS_BODY void vs_inverted_residual_body(
    const vs_inverted_residual *block, const float *input, ptrdiff_t width, ptrdiff_t height, float *scratch, float *output,
    const int reads_image, const int registers) {
    const ptrdiff_t channels = block->depthwise.channels, stride = block->depthwise.stride;
    const ptrdiff_t result_width = width / stride, result_height = height / stride;
    const ptrdiff_t row_values = (width + 2) * channels;
    // The input's channels are padded to a multiple of 16; those of a residual are the output's.
    const ptrdiff_t input_channels = (block->expansion.inputs + lanes - 1) / lanes * lanes;
    const ptrdiff_t band = vs_inverted_band(&block->depthwise, width, height);
    const ptrdiff_t kept = 3 - stride;
    // The rows of the expansion take turns in the scratch memory.
    const ptrdiff_t kept_rows = band * stride + kept;
    float *convolved = scratch + kept_rows * row_values;
    const vs_target target = {
        .layer = &block->projection, .output = output, .residual = block->is_residual ? input : NULL,
        .residual_channels = input_channels,
    };
    ptrdiff_t known = 0;
    for (ptrdiff_t y = 0; y < result_height; y += band) {
        const ptrdiff_t rows = vs_lesser(result_height - y, band);
        const ptrdiff_t needed = (rows - 1) * stride + 3, first = y * stride - 1;
        for (ptrdiff_t row = known; row < needed; row++) {
            vs_expand_row(
                block, input, width, height, input_channels, first + row,
                scratch + (first + row + 1) % kept_rows * row_values, reads_image, registers);
        }
        known = kept;
        for (ptrdiff_t row = 0; row < rows; row++) {
            const float *rows_read[3];
            for (ptrdiff_t i = 0; i < 3; i++) {
                rows_read[i] = scratch + ((y + row) * stride + i) % kept_rows * row_values;
            }
            vs_depthwise_row(&block->depthwise, rows_read, result_width, 1, convolved + row * result_width * channels);
        }
        vs_position positions[vs_most_pixels];
        for (ptrdiff_t begin = 0; begin < rows * result_width; begin += vs_most_pixels) {
            const ptrdiff_t count = vs_lesser(rows * result_width - begin, vs_most_pixels);
            for (ptrdiff_t i = 0; i < count; i++) {
                const ptrdiff_t row = (begin + i) / result_width, column = (begin + i) % result_width;
                const int32_t offset = vs_row_offset(result_width, y + row) + (int32_t)column;
                positions[i] = (vs_position){offset, offset};
            }
            vs_products(convolved + begin * channels, vs_pixel(channels), count, &target, positions, registers);
        }
    }
}

// MARK: Stem

// Neighbouring pixels of the output, from windows of 'rows' × 'columns'.
VS_BODY void vs_image_conv3x3_tile(
    const vs_linear *layer, const float *input, ptrdiff_t side, float *output, const ptrdiff_t rows, const int columns,
    const int pixels) {
    f32x16 sums[6];
    VS_UNROLL for (int p = 0; p < pixels; p++) sums[p] = VS_LOAD16(layer->bias);
    for (ptrdiff_t y = 0; y < rows; y++) {
        VS_UNROLL for (int x = 0; x < columns; x++) {
            VS_UNROLL for (int plane = 0; plane < 3; plane++) {
                const f32x16 weight = VS_LOAD16(layer->weights + ((y * 3 + x) * 3 + plane) * lanes);
                const float *values = input + (plane * side + y) * side + x;
                VS_UNROLL for (int p = 0; p < pixels; p++) sums[p] += values[2 * p] * weight;
            }
        }
    }
    const f32x16 slope = VS_LOAD16(layer->slopes);
    VS_UNROLL for (int p = 0; p < pixels; p++) VS_STORE(output + p * lanes, VS_PRELU_OF(sums[p], slope));
}
