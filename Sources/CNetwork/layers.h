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
#define VS_MAX(a, b) ({ \
    const f32x16 left = (a), right = (b); \
    VS_SELECT(left < right, right, left); \
})

// MARK: Pointwise convolution

// The output of a pointwise convolution, and what is added to it. Both are tensors.
typedef struct {
    float *output;
    ptrdiff_t output_channels;
    // The width and height of the output.
    ptrdiff_t side;
    // NULL adds nothing.
    const float *input;
    ptrdiff_t input_channels;
    ptrdiff_t stride;
    const float *bias;
    const float *slopes;
} vs_target;

// Where a pixel of the output is.
typedef struct {
    // In pixels from the beginning of the output.
    int32_t output;
    // The same for the pixel of the input, or the first of four, that is added.
    int32_t input;
} vs_place;

// The most pixels that are convolved together.
enum { most_places = VS_SCRATCH_VALUES / lanes };

VS_BODY void vs_find_places(const vs_target *target, ptrdiff_t first_row, ptrdiff_t rows, vs_place *places) {
    for (ptrdiff_t row = first_row; row < first_row + rows; row++) {
        for (ptrdiff_t column = 0; column < target->side; column++) {
            *places++ = (vs_place){
                (int32_t)((row + 1) * (target->side + 2) + column + 1),
                (int32_t)((row * target->stride + 1) * (target->side * target->stride + 2) + column * target->stride + 1),
            };
        }
    }
}

// Completes 16 channels of a pixel.
VS_BODY void vs_finish(const vs_target *target, vs_place place, ptrdiff_t channel, f32x16 *sum) {
    f32x16 value = *sum;
    if (target->input && channel < target->input_channels) {
        const float *source = target->input + place.input * target->input_channels + channel;
        f32x16 added = VS_LOAD(source);
        if (target->stride == 2) {
            const float *below = source + (2 * target->side + 2) * target->input_channels;
            added = VS_MAX(added, VS_LOAD(source + target->input_channels));
            added = VS_MAX(added, VS_LOAD(below));
            added = VS_MAX(added, VS_LOAD(below + target->input_channels));
        }
        value += added;
    }
    VS_STORE(
        target->output + place.output * target->output_channels + channel,
        VS_RECTIFY(value, VS_LOAD(target->slopes + channel)));
}

// The products of `pixels` neighbouring pixels with `vectors` vectors of columns of the weights.
VS_BODY void vs_tile(
    const float *values, ptrdiff_t inputs, const float *weights, const vs_target *target, const vs_place *places,
    ptrdiff_t channel, const int pixels, const int vectors) {
    f32x16 sums[12][2];
    VS_UNROLL for (int p = 0; p < pixels; p++) {
        VS_UNROLL for (int v = 0; v < vectors; v++) sums[p][v] = VS_LOAD(target->bias + channel + v * lanes);
    }
    for (ptrdiff_t i = 0; i < inputs; i++) {
        f32x16 row[2];
        VS_UNROLL for (int v = 0; v < vectors; v++) {
            row[v] = VS_LOAD(weights + i * target->output_channels + channel + v * lanes);
        }
        VS_UNROLL for (int p = 0; p < pixels; p++) {
            VS_UNROLL for (int v = 0; v < vectors; v++) sums[p][v] += values[p * inputs + i] * row[v];
        }
    }
    VS_UNROLL for (int p = 0; p < pixels; p++) {
        VS_UNROLL for (int v = 0; v < vectors; v++) vs_finish(target, places[p], channel + v * lanes, &sums[p][v]);
    }
}

// The products of all pixels of `values` with `vectors` vectors of columns. `most` pixels fit in the registers.
VS_BODY void vs_columns(
    const float *values, ptrdiff_t count, ptrdiff_t inputs, const float *weights, const vs_target *target,
    const vs_place *places, ptrdiff_t channel, const int vectors, const int most) {
    ptrdiff_t done = 0;
    for (; count - done >= most; done += most) {
        vs_tile(values + done * inputs, inputs, weights, target, places + done, channel, most, vectors);
    }
    for (; count - done >= 4; done += 4) {
        vs_tile(values + done * inputs, inputs, weights, target, places + done, channel, 4, vectors);
    }
    for (; count - done >= 3; done += 3) {
        vs_tile(values + done * inputs, inputs, weights, target, places + done, channel, 3, vectors);
    }
    for (; count > done; done++) {
        vs_tile(values + done * inputs, inputs, weights, target, places + done, channel, 1, vectors);
    }
}

// The 1 × 1 convolution of pixels, `registers` being the number of vectors that the instruction set's registers hold.
VS_BODY void vs_products(
    const float *values, ptrdiff_t count, ptrdiff_t inputs, const float *weights, const vs_target *target,
    const vs_place *places, const int registers) {
    ptrdiff_t channel = 0;
    if (registers > 16) {
        for (; target->output_channels - channel >= 2 * lanes; channel += 2 * lanes) {
            vs_columns(values, count, inputs, weights, target, places, channel, 2, 6);
        }
        for (; channel < target->output_channels; channel += lanes) {
            vs_columns(values, count, inputs, weights, target, places, channel, 1, 12);
        }
    } else {
        for (; channel < target->output_channels; channel += lanes) {
            vs_columns(values, count, inputs, weights, target, places, channel, 1, 6);
        }
    }
}

VS_BODY void vs_pointwise_body(
    const float *input, ptrdiff_t side, ptrdiff_t inputs, const float *weights, const float *bias, const float *slopes,
    ptrdiff_t outputs, float *output, const int registers) {
    const vs_target target = {output, outputs, side, NULL, inputs, 1, bias, slopes};
    vs_place places[most_places];
    for (ptrdiff_t row = 0; row < side; row++) {
        vs_find_places(&target, row, 1, places);
        vs_products(
            input + ((row + 1) * (side + 2) + 1) * inputs, side, inputs, weights, &target, places, registers);
    }
}

// MARK: Depthwise convolution

// One row of the output. first: the first of three rows of the input, from where the first window begins.
VS_BODY void vs_depthwise_row(
    const vs_block *block, const float *first, ptrdiff_t row_values, ptrdiff_t width, float *result) {
    const ptrdiff_t channels = block->inputs;
    for (ptrdiff_t channel = 0; channel < channels; channel += lanes) {
        f32x16 weights[9];
        VS_UNROLL for (int tap = 0; tap < 9; tap++) {
            weights[tap] = VS_LOAD(block->depthwise + tap * channels + channel);
        }
        const f32x16 bias = VS_LOAD(block->depthwise_bias + channel);
        const float *window = first + channel;
        for (ptrdiff_t x = 0; x < width; x++, window += block->stride * channels) {
            f32x16 sum = bias;
            VS_UNROLL for (int tap = 0; tap < 9; tap++) {
                sum += VS_LOAD(window + (tap / 3) * row_values + (tap % 3) * channels) * weights[tap];
            }
            VS_STORE(result + x * channels + channel, sum);
        }
    }
}

// Rows that are convolved together, so that what passes between the two convolutions stays in the first cache.
static inline ptrdiff_t vs_band_rows(ptrdiff_t side, ptrdiff_t channels) {
    const ptrdiff_t rows = VS_SCRATCH_VALUES / (side * channels);
    return rows < 1 ? 1 : rows < side ? rows : side;
}

VS_BODY void vs_block_body(
    const vs_block *block, const float *input, ptrdiff_t side, float *scratch, float *output, const int registers) {
    const ptrdiff_t result = side / block->stride, row_values = (side + 2) * block->inputs;
    const ptrdiff_t band = vs_band_rows(result, block->inputs);
    // Windows of stride 2 do not reach into the border before the first pixel.
    const ptrdiff_t begin = block->stride == 2 ? 1 : 0;
    const vs_target target = {
        output, block->outputs, result, input, block->inputs, block->stride, block->pointwise_bias, block->slopes,
    };
    vs_place places[most_places];
    for (ptrdiff_t y = 0; y < result; y += band) {
        const ptrdiff_t rows = result - y < band ? result - y : band;
        for (ptrdiff_t row = 0; row < rows; row++) {
            vs_depthwise_row(
                block, input + ((y + row) * block->stride + begin) * row_values + begin * block->inputs, row_values,
                result, scratch + row * result * block->inputs);
        }
        vs_find_places(&target, y, rows, places);
        vs_products(scratch, rows * result, block->inputs, block->pointwise, &target, places, registers);
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
    const float *input, ptrdiff_t inputs, const float *weights, const float *bias, ptrdiff_t outputs, float *output,
    ptrdiff_t column, const int vectors) {
    f32x16 sums[8];
    VS_UNROLL for (int v = 0; v < vectors; v++) sums[v] = VS_LOAD(bias + column + v * lanes);
    for (ptrdiff_t i = 0; i < inputs; i++) {
        VS_UNROLL for (int v = 0; v < vectors; v++) {
            sums[v] += input[i] * VS_LOAD(weights + i * outputs + column + v * lanes);
        }
    }
    VS_UNROLL for (int v = 0; v < vectors; v++) VS_STORE(output + column + v * lanes, sums[v]);
}

VS_BODY void vs_dense_body(
    const float *input, ptrdiff_t inputs, const float *weights, const float *bias, ptrdiff_t outputs, float *output) {
    ptrdiff_t column = 0;
    for (; outputs - column >= 8 * lanes; column += 8 * lanes) {
        vs_dense_columns(input, inputs, weights, bias, outputs, output, column, 8);
    }
    for (; column < outputs; column += lanes) {
        vs_dense_columns(input, inputs, weights, bias, outputs, output, column, 1);
    }
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
