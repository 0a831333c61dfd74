// The bodies of the layers, which CNetwork.c compiles for each instruction set.
#ifndef VIDSCAN_LAYERS_H
#define VIDSCAN_LAYERS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "CNetwork.h"

#define VS_BODY static inline __attribute__((always_inline))
// Loops over vectors in registers: they are only there if the compiler unrolls the loops.
#define VS_UNROLL _Pragma("clang loop unroll(full)")

// The compiler splits it into what the instruction set has.
typedef float f32x16 __attribute__((vector_size(64)));
typedef int32_t i32x16 __attribute__((vector_size(64)));
enum { lanes = 16 };

#define VS_LOAD(address) \
    ({ \
        f32x16 loaded; \
        memcpy(&loaded, (address), sizeof loaded); \
        loaded; \
    })
#define VS_STORE(address, value) \
    do { \
        f32x16 stored = (value); \
        memcpy((address), &stored, sizeof stored); \
    } while (0)
// Where the condition holds, `first`, otherwise `second`.
#define VS_SELECT(condition, first, second) ({ \
    const i32x16 chosen = (condition); \
    const f32x16 these = (first), those = (second); \
    (f32x16)((chosen & (i32x16)these) | (~chosen & (i32x16)those)); \
})
#define VS_RECTIFY(value, slopes) ({ \
    const f32x16 whole = (value); \
    VS_SELECT(whole < 0, whole * (slopes), whole); \
})
// Negative values become 0.
#define VS_CLIP(value) ({ \
    const f32x16 unclipped = (value); \
    (f32x16)((unclipped > 0) & (i32x16)unclipped); \
})
#define VS_MAX(a, b) ({ \
    const f32x16 left = (a), right = (b); \
    VS_SELECT(left < right, right, left); \
})

// MARK: Products

// Where the results of a product go, and what is added to them.
typedef struct {
    const vs_product *layer;
    // A tensor.
    float *output;
    // Added before the rectification: NULL, or a tensor with these channels.
    const float *residual;
    ptrdiff_t residual_channels;
    // 0 adds a pixel of the residual, otherwise the maximum of four; it is the residual's width with its border then.
    ptrdiff_t pooled_width;
    // Added after the rectification: NULL, or a tensor of the output's shape.
    const float *sum;
} vs_target;

// Where a pixel is, in pixels from the beginning of a tensor.
typedef struct {
    int32_t output;
    // Of the residual: the pixel, or the first of four.
    int32_t residual;
} vs_place;

// The most pixels that are multiplied together.
enum { most_places = VS_BLOCK_SCRATCH / lanes };

// Completes 16 channels of a pixel.
VS_BODY void vs_finish(const vs_target *target, vs_place place, ptrdiff_t channel, f32x16 *sum) {
    f32x16 value = *sum;
    if (target->residual && channel < target->residual_channels) {
        const float *source = target->residual + place.residual * target->residual_channels + channel;
        f32x16 added = VS_LOAD(source);
        if (target->pooled_width) {
            const float *below = source + target->pooled_width * target->residual_channels;
            added = VS_MAX(added, VS_LOAD(source + target->residual_channels));
            added = VS_MAX(added, VS_LOAD(below));
            added = VS_MAX(added, VS_LOAD(below + target->residual_channels));
        }
        value += added;
    }
    if (target->layer->activation == VS_SLOPES) {
        value = VS_RECTIFY(value, VS_LOAD(target->layer->slopes + channel));
    } else if (target->layer->activation == VS_CLIPS) {
        value = VS_CLIP(value);
    }
    const ptrdiff_t position = place.output * target->layer->outputs + channel;
    if (target->sum) value += VS_LOAD(target->sum + position);
    VS_STORE(target->output + position, value);
}

// The products of `pixels` pixels, `step` values apart, with `vectors` vectors of columns of the weights.
VS_BODY void vs_tile(
    const float *values, ptrdiff_t step, const vs_target *target, const vs_place *places, ptrdiff_t channel,
    const int pixels, const int vectors) {
    const vs_product *layer = target->layer;
    const ptrdiff_t inputs = layer->inputs;
    const float *weights = layer->weights + channel * inputs;
    f32x16 sums[12][4];
    VS_UNROLL for (int p = 0; p < pixels; p++) {
        VS_UNROLL for (int v = 0; v < vectors; v++) sums[p][v] = VS_LOAD(layer->bias + channel + v * lanes);
    }
    for (ptrdiff_t i = 0; i < inputs; i++) {
        f32x16 row[4];
        VS_UNROLL for (int v = 0; v < vectors; v++) row[v] = VS_LOAD(weights + (v * inputs + i) * lanes);
        VS_UNROLL for (int p = 0; p < pixels; p++) {
            VS_UNROLL for (int v = 0; v < vectors; v++) sums[p][v] += values[p * step + i] * row[v];
        }
    }
    VS_UNROLL for (int p = 0; p < pixels; p++) {
        VS_UNROLL for (int v = 0; v < vectors; v++) vs_finish(target, places[p], channel + v * lanes, &sums[p][v]);
    }
}

// The products of pixels with `vectors` vectors of columns. `most` pixels fit in the registers.
VS_BODY void vs_columns(
    const float *values, ptrdiff_t step, ptrdiff_t count, const vs_target *target, const vs_place *places,
    ptrdiff_t channel, const int vectors, const int most) {
    ptrdiff_t done = 0;
    for (; count - done >= most; done += most) {
        vs_tile(values + done * step, step, target, places + done, channel, most, vectors);
    }
    for (; count - done >= 4; done += 4) {
        vs_tile(values + done * step, step, target, places + done, channel, 4, vectors);
    }
    for (; count - done >= 2; done += 2) {
        vs_tile(values + done * step, step, target, places + done, channel, 2, vectors);
    }
    if (count > done) vs_tile(values + done * step, step, target, places + done, channel, 1, vectors);
}

// The products of up to `most_places` pixels, `registers` being the number of the instruction set's vector registers.
VS_BODY void vs_products(
    const float *values, ptrdiff_t step, ptrdiff_t count, const vs_target *target, const vs_place *places,
    const int registers) {
    const ptrdiff_t channels = target->layer->outputs;
    ptrdiff_t channel = 0;
    if (registers > 16) {
        for (; channels - channel >= 4 * lanes; channel += 4 * lanes) {
            vs_columns(values, step, count, target, places, channel, 4, 6);
        }
        for (; channels - channel >= 2 * lanes; channel += 2 * lanes) {
            vs_columns(values, step, count, target, places, channel, 2, 6);
        }
        if (channel < channels) vs_columns(values, step, count, target, places, channel, 1, 12);
    } else {
        for (; channel < channels; channel += lanes) vs_columns(values, step, count, target, places, channel, 1, 6);
    }
}

// The products of a row of pixels. first: the place of its first pixel. output_step: to the next one.
VS_BODY void vs_row(
    const float *values, ptrdiff_t step, ptrdiff_t width, const vs_target *target, vs_place first, int32_t output_step,
    const int registers) {
    vs_place places[most_places];
    for (ptrdiff_t x = 0; x < width; x += most_places) {
        const ptrdiff_t count = width - x < most_places ? width - x : most_places;
        for (ptrdiff_t i = 0; i < count; i++) {
            places[i] = (vs_place){
                first.output + (int32_t)(x + i) * output_step, first.residual + (int32_t)(x + i),
            };
        }
        vs_products(values + x * step, step, count, target, places, registers);
    }
}

// The place of a row's first pixel in a tensor of this width.
VS_BODY int32_t vs_row_place(ptrdiff_t width, ptrdiff_t row) { return (int32_t)((row + 1) * (width + 2) + 1); }

VS_BODY void vs_pointwise_body(
    const vs_product *layer, const float *input, ptrdiff_t channels, ptrdiff_t width, ptrdiff_t height,
    const float *sum, float *output, const int registers) {
    const vs_target target = {.layer = layer, .output = output, .sum = sum};
    for (ptrdiff_t y = 0; y < height; y++) {
        const int32_t place = vs_row_place(width, y);
        vs_row(input + place * channels, channels, width, &target, (vs_place){place, 0}, 1, registers);
    }
}

VS_BODY void vs_enlarge_body(
    const vs_product *layers, const float *input, ptrdiff_t channels, ptrdiff_t width, ptrdiff_t height, float *output,
    const int registers) {
    for (ptrdiff_t y = 0; y < height; y++) {
        const float *values = input + vs_row_place(width, y) * channels;
        for (int part = 0; part < 4; part++) {
            const vs_target target = {.layer = layers + part, .output = output};
            const vs_place first = {vs_row_place(2 * width, 2 * y + part / 2) + part % 2, 0};
            vs_row(values, channels, width, &target, first, 2, registers);
        }
    }
}

// `pixels` neighbouring pixels of a 3 × 3 convolution, and `vectors` vectors of each.
//
// window: the first window's first pixel. used: how many of its channels have weights.
VS_BODY void vs_window_tile(
    const float *window, ptrdiff_t width, ptrdiff_t channels, const vs_target *target, vs_place place,
    ptrdiff_t channel, const int pixels, const int vectors) {
    const vs_product *layer = target->layer;
    const ptrdiff_t used = layer->inputs / 9;
    const float *weights = layer->weights + channel * layer->inputs;
    f32x16 sums[6][2];
    VS_UNROLL for (int p = 0; p < pixels; p++) {
        VS_UNROLL for (int v = 0; v < vectors; v++) sums[p][v] = VS_LOAD(layer->bias + channel + v * lanes);
    }
    for (ptrdiff_t tap = 0; tap < 9; tap++) {
        const float *values = window + (tap / 3 * (width + 2) + tap % 3) * channels;
        for (ptrdiff_t i = 0; i < used; i++, weights += lanes) {
            f32x16 row[2];
            VS_UNROLL for (int v = 0; v < vectors; v++) row[v] = VS_LOAD(weights + v * layer->inputs * lanes);
            VS_UNROLL for (int p = 0; p < pixels; p++) {
                VS_UNROLL for (int v = 0; v < vectors; v++) sums[p][v] += values[p * channels + i] * row[v];
            }
        }
    }
    VS_UNROLL for (int p = 0; p < pixels; p++) {
        const vs_place own = {place.output + p, 0};
        VS_UNROLL for (int v = 0; v < vectors; v++) vs_finish(target, own, channel + v * lanes, &sums[p][v]);
    }
}

VS_BODY void vs_window_body(
    const vs_product *layer, const float *input, ptrdiff_t channels, ptrdiff_t width, ptrdiff_t height, float *output,
    const int registers) {
    const vs_target target = {.layer = layer, .output = output};
    const int vectors = registers > 16 ? 2 : 1;
    for (ptrdiff_t y = 0; y < height; y++) {
        const float *windows = input + y * (width + 2) * channels;
        const int32_t place = vs_row_place(width, y);
        for (ptrdiff_t channel = 0; channel < layer->outputs; channel += vectors * lanes) {
            ptrdiff_t x = 0;
            for (; x + 6 <= width; x += 6) {
                vs_window_tile(
                    windows + x * channels, width, channels, &target, (vs_place){place + (int32_t)x, 0}, channel, 6,
                    vectors);
            }
            for (; x < width; x++) {
                vs_window_tile(
                    windows + x * channels, width, channels, &target, (vs_place){place + (int32_t)x, 0}, channel, 1,
                    vectors);
            }
        }
    }
}

// MARK: Depthwise convolution

VS_BODY ptrdiff_t vs_least(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
VS_BODY ptrdiff_t vs_most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

// One row of the output. rows: three rows of the input, each from where the first window begins.
VS_BODY void vs_depthwise_row(
    const vs_depthwise *layer, const float *const *rows, ptrdiff_t width, const int clips, float *result) {
    const ptrdiff_t channels = layer->channels, step = layer->stride * channels;
    // So many pixels that what they read is read in almost the order in which it lies in memory.
    const ptrdiff_t most = vs_most(2048 / step, 4);
    for (ptrdiff_t begin = 0; begin < width; begin += most) {
        const ptrdiff_t end = vs_least(begin + most, width);
        for (ptrdiff_t channel = 0; channel < channels; channel += lanes) {
            f32x16 weights[9];
            VS_UNROLL for (int tap = 0; tap < 9; tap++) {
                weights[tap] = VS_LOAD(layer->weights + tap * channels + channel);
            }
            const f32x16 bias = VS_LOAD(layer->bias + channel);
            ptrdiff_t place = begin * step + channel;
            for (ptrdiff_t x = begin; x < end; x++, place += step) {
                f32x16 sum = bias;
                VS_UNROLL for (int tap = 0; tap < 9; tap++) {
                    sum += VS_LOAD(rows[tap / 3] + place + tap % 3 * channels) * weights[tap];
                }
                VS_STORE(result + x * channels + channel, clips ? VS_CLIP(sum) : sum);
            }
        }
    }
}

VS_BODY void vs_block_body(
    const vs_block *block, const float *input, ptrdiff_t side, float *scratch, float *output, const int registers) {
    const ptrdiff_t channels = block->depthwise.channels, stride = block->depthwise.stride;
    const ptrdiff_t result = side / stride, row_values = (side + 2) * channels;
    // So many rows that what passes between the two convolutions stays in the first cache.
    const ptrdiff_t band = vs_least(vs_most(VS_BLOCK_SCRATCH / (result * channels), 1), result);
    // Windows of stride 2 do not reach into the border before the first pixel.
    const ptrdiff_t begin = stride == 2 ? 1 : 0;
    const vs_target target = {
        .layer = &block->product, .output = output, .residual = input, .residual_channels = channels,
        .pooled_width = stride == 2 ? side + 2 : 0,
    };
    vs_place places[most_places];
    for (ptrdiff_t y = 0; y < result; y += band) {
        const ptrdiff_t rows = vs_least(result - y, band);
        for (ptrdiff_t row = 0; row < rows; row++) {
            const float *source = input + ((y + row) * stride + begin) * row_values + begin * channels;
            const float *rows_read[3] = {source, source + row_values, source + 2 * row_values};
            vs_depthwise_row(&block->depthwise, rows_read, result, 0, scratch + row * result * channels);
            for (ptrdiff_t x = 0; x < result; x++) {
                places[row * result + x] = (vs_place){
                    vs_row_place(result, y + row) + (int32_t)x,
                    vs_row_place(side, (y + row) * stride) + (int32_t)(x * stride),
                };
            }
        }
        vs_products(scratch, channels, rows * result, &target, places, registers);
    }
}

// MARK: Inverted residual

// `pixels` neighbouring pixels of a 3 × 3 convolution of a picture with stride 2, and `vectors` vectors of each.
//
// width, height: of the convolution. x, y: the first pixel. first_column: the first one of the windows that lies in the
// picture, 0 or 1.
VS_BODY void vs_picture_tile(
    const vs_target *target, const float *picture, ptrdiff_t width, ptrdiff_t height, ptrdiff_t x, ptrdiff_t y,
    ptrdiff_t channel, const int first_column, const int pixels, const int vectors) {
    const vs_product *layer = target->layer;
    f32x16 sums[6][2];
    VS_UNROLL for (int p = 0; p < pixels; p++) {
        VS_UNROLL for (int v = 0; v < vectors; v++) sums[p][v] = VS_LOAD(layer->bias + channel + v * lanes);
    }
    for (ptrdiff_t line = 0; line < 9; line++) {
        const ptrdiff_t row = 2 * y + line % 3 - 1;
        // Windows reach beyond the first row.
        if (row < 0) continue;
        const float *source = picture + (line / 3 * 2 * height + row) * 2 * width + 2 * x - 1;
        VS_UNROLL for (int column = first_column; column < 3; column++) {
            f32x16 weights[2];
            VS_UNROLL for (int v = 0; v < vectors; v++) {
                weights[v] = VS_LOAD(layer->weights + (channel + v * lanes) * 27 + (line * 3 + column) * lanes);
            }
            VS_UNROLL for (int p = 0; p < pixels; p++) {
                VS_UNROLL for (int v = 0; v < vectors; v++) sums[p][v] += source[2 * p + column] * weights[v];
            }
        }
    }
    VS_UNROLL for (int p = 0; p < pixels; p++) {
        VS_UNROLL for (int v = 0; v < vectors; v++) {
            vs_finish(target, (vs_place){(int32_t)(x + p) + 1, 0}, channel + v * lanes, &sums[p][v]);
        }
    }
}

// A row of a 3 × 3 convolution of a picture with stride 2. width, height: of the convolution.
VS_BODY void vs_picture_row(
    const vs_product *layer, const float *picture, ptrdiff_t width, ptrdiff_t height, ptrdiff_t y, float *result,
    const int registers) {
    const vs_target target = {.layer = layer, .output = result};
    const int vectors = registers > 16 ? 2 : 1;
    for (ptrdiff_t channel = 0; channel < layer->outputs; channel += vectors * lanes) {
        vs_picture_tile(&target, picture, width, height, 0, y, channel, 1, 1, vectors);
        ptrdiff_t x = 1;
        for (; x + 6 <= width; x += 6) {
            vs_picture_tile(&target, picture, width, height, x, y, channel, 0, 6, vectors);
        }
        for (; x < width; x++) vs_picture_tile(&target, picture, width, height, x, y, channel, 0, 1, vectors);
    }
}

// A row of the expansion, with its border; beyond the picture it is 0.
VS_BODY void vs_expand_row(
    const vs_inverted *block, const float *input, ptrdiff_t width, ptrdiff_t height, ptrdiff_t input_channels,
    ptrdiff_t row, float *result, const int reads_picture, const int registers) {
    const ptrdiff_t channels = block->depthwise.channels;
    const size_t pixel = (size_t)channels * sizeof *result;
    if (row < 0 || row >= height) {
        memset(result, 0, (size_t)(width + 2) * pixel);
        return;
    }
    memset(result, 0, pixel);
    memset(result + (width + 1) * channels, 0, pixel);
    if (reads_picture) {
        vs_picture_row(&block->expansion, input, width, height, row, result, registers);
        return;
    }
    const vs_target target = {.layer = &block->expansion, .output = result};
    vs_row(
        input + vs_row_place(width, row) * input_channels, input_channels, width, &target, (vs_place){1, 0}, 1,
        registers);
}

// width, height: of the expansion.
VS_BODY void vs_inverted_body(
    const vs_inverted *block, const float *input, ptrdiff_t width, ptrdiff_t height, float *scratch, float *output,
    const int reads_picture, const int registers) {
    const ptrdiff_t channels = block->depthwise.channels, stride = block->depthwise.stride;
    const ptrdiff_t result_width = width / stride, result_height = height / stride;
    const ptrdiff_t row_values = (width + 2) * channels;
    // The input's channels are filled up to a multiple of 16; those of a residual are the output's.
    const ptrdiff_t input_channels = (block->expansion.inputs + lanes - 1) / lanes * lanes;
    // So many rows that what passes between the three convolutions stays in the second cache.
    ptrdiff_t band = (98304 / row_values - (3 - stride)) / stride;
    band = vs_least(vs_least(band, most_places / result_width), result_height);
    band = vs_most(band, 1);
    const ptrdiff_t kept = 3 - stride;
    // The rows of the expansion take turns in the places of the scratch memory.
    const ptrdiff_t row_places = band * stride + kept;
    float *convolved = scratch + row_places * row_values;
    const vs_target target = {
        .layer = &block->projection, .output = output, .residual = block->is_residual ? input : NULL,
        .residual_channels = input_channels,
    };
    ptrdiff_t known = 0;
    for (ptrdiff_t y = 0; y < result_height; y += band) {
        const ptrdiff_t rows = vs_least(result_height - y, band);
        const ptrdiff_t needed = (rows - 1) * stride + 3, first = y * stride - 1;
        for (ptrdiff_t row = known; row < needed; row++) {
            vs_expand_row(
                block, input, width, height, input_channels, first + row,
                scratch + (first + row + 1) % row_places * row_values, reads_picture, registers);
        }
        known = kept;
        for (ptrdiff_t row = 0; row < rows; row++) {
            const float *rows_read[3];
            for (ptrdiff_t i = 0; i < 3; i++) {
                rows_read[i] = scratch + ((y + row) * stride + i) % row_places * row_values;
            }
            vs_depthwise_row(
                &block->depthwise, rows_read, result_width, 1, convolved + row * result_width * channels);
        }
        vs_place places[most_places];
        for (ptrdiff_t begin = 0; begin < rows * result_width; begin += most_places) {
            const ptrdiff_t count = vs_least(rows * result_width - begin, most_places);
            for (ptrdiff_t i = 0; i < count; i++) {
                const ptrdiff_t row = (begin + i) / result_width, column = (begin + i) % result_width;
                const int32_t place = vs_row_place(result_width, y + row) + (int32_t)column;
                places[i] = (vs_place){place, place};
            }
            vs_products(convolved + begin * channels, channels, count, &target, places, registers);
        }
    }
}

// MARK: Stem

// `pixels` neighbouring pixels of the output, from windows of `rows` × `columns`.
VS_BODY void vs_stem_tile(
    const float *input, ptrdiff_t side, const float *weights, const float *bias, const float *slopes, float *output,
    const ptrdiff_t rows, const int columns, const int pixels) {
    f32x16 sums[6];
    VS_UNROLL for (int p = 0; p < pixels; p++) sums[p] = VS_LOAD(bias);
    for (ptrdiff_t y = 0; y < rows; y++) {
        VS_UNROLL for (int x = 0; x < columns; x++) {
            VS_UNROLL for (int plane = 0; plane < 3; plane++) {
                const f32x16 weight = VS_LOAD(weights + ((y * 3 + x) * 3 + plane) * lanes);
                const float *values = input + (plane * side + y) * side + x;
                VS_UNROLL for (int p = 0; p < pixels; p++) sums[p] += values[2 * p] * weight;
            }
        }
    }
    const f32x16 slope = VS_LOAD(slopes);
    VS_UNROLL for (int p = 0; p < pixels; p++) VS_STORE(output + p * lanes, VS_RECTIFY(sums[p], slope));
}

VS_BODY void vs_stem_body(
    const float *input, ptrdiff_t side, const float *weights, const float *bias, const float *slopes, float *output) {
    const ptrdiff_t result = side / 2;
    for (ptrdiff_t y = 0; y < result; y++) {
        const ptrdiff_t rows = y < result - 1 ? 3 : 2;
        const float *source = input + 2 * y * side;
        float *place = output + ((y + 1) * (result + 2) + 1) * lanes;
        ptrdiff_t x = 0;
        for (; x + 6 <= result - 1; x += 6) {
            vs_stem_tile(source + 2 * x, side, weights, bias, slopes, place + x * lanes, rows, 3, 6);
        }
        for (; x < result - 1; x++) {
            vs_stem_tile(source + 2 * x, side, weights, bias, slopes, place + x * lanes, rows, 3, 1);
        }
        vs_stem_tile(source + 2 * x, side, weights, bias, slopes, place + x * lanes, rows, 2, 1);
    }
}

// MARK: Dense

VS_BODY void vs_dense_columns(
    const vs_product *layer, const float *input, float *output, ptrdiff_t column, const int vectors) {
    const float *weights = layer->weights + column * layer->inputs;
    f32x16 sums[8];
    VS_UNROLL for (int v = 0; v < vectors; v++) sums[v] = VS_LOAD(layer->bias + column + v * lanes);
    for (ptrdiff_t i = 0; i < layer->inputs; i++) {
        VS_UNROLL for (int v = 0; v < vectors; v++) {
            sums[v] += input[i] * VS_LOAD(weights + (v * layer->inputs + i) * lanes);
        }
    }
    VS_UNROLL for (int v = 0; v < vectors; v++) VS_STORE(output + column + v * lanes, sums[v]);
}

VS_BODY void vs_dense_body(const vs_product *layer, const float *input, float *output) {
    ptrdiff_t column = 0;
    for (; layer->outputs - column >= 8 * lanes; column += 8 * lanes) {
        vs_dense_columns(layer, input, output, column, 8);
    }
    for (; column < layer->outputs; column += lanes) vs_dense_columns(layer, input, output, column, 1);
}

// MARK: Sampling

VS_BODY void vs_sample_body(
    const float *input, ptrdiff_t side, ptrdiff_t channels, const float *matrix, ptrdiff_t grid, float *output) {
    const ptrdiff_t width = (side + 2) * channels;
    const float last = (float)(side - 1);
    for (ptrdiff_t row = 0; row < grid; row++) {
        for (ptrdiff_t column = 0; column < grid; column++) {
            const float u = (float)column + 0.5f, v = (float)row + 0.5f;
            const float x = matrix[0] * u + matrix[1] * v + matrix[2] - 0.5f;
            const float y = matrix[3] * u + matrix[4] * v + matrix[5] - 0.5f;
            float *place = output + ((row + 1) * (grid + 2) + column + 1) * channels;
            // Also if a coordinate is not a number.
            if (!(x >= 0 && y >= 0 && x <= last && y <= last)) {
                memset(place, 0, (size_t)channels * sizeof *place);
                continue;
            }
            const ptrdiff_t left = (ptrdiff_t)x, top = (ptrdiff_t)y;
            const float right_share = x - (float)left, bottom_share = y - (float)top;
            // On the last row or column, the neighbour is the border, whose share is 0.
            const float *source = input + (top + 1) * width + (left + 1) * channels;
            for (ptrdiff_t channel = 0; channel < channels; channel += lanes) {
                const float *corner = source + channel;
                const f32x16 above =
                    VS_LOAD(corner) * (1 - right_share) + VS_LOAD(corner + channels) * right_share;
                const f32x16 below =
                    VS_LOAD(corner + width) * (1 - right_share) + VS_LOAD(corner + width + channels) * right_share;
                VS_STORE(place + channel, above * (1 - bottom_share) + below * bottom_share);
            }
        }
    }
}

#endif
