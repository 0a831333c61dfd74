// The layers of the expression networks. Every output adds its terms to the bias in the order of the inputs.
#pragma once

#include "layers.h"

// Each product and each sum is rounded, as in the arithmetic with which these networks were measured.
#pragma STDC FP_CONTRACT OFF

// 'pixels' neighbouring outputs with 8 · 'vectors' channels each, whose sums stay in registers.
VS_BODY void vs_strided_tile(
    const float *source, const vs_strided_conv3x3 *layer, ptrdiff_t channel, const int pixels, const int vectors,
    float *target
) {
    const ptrdiff_t outputs = layer->outputs, step = 2 * layer->inputs, length = 3 * layer->inputs;
    const float *weights = layer->weights + channel;
    f32x8 sums[4][4];
    VS_UNROLL for (int pixel = 0; pixel < pixels; pixel++) {
        VS_UNROLL for (int vector = 0; vector < vectors; vector++) {
            sums[pixel][vector] = VS_LOAD(f32x8, layer->bias + channel + 8 * vector);
        }
    }
    for (int row = 0; row < 3; row++) {
        // Three neighbours with all of their channels lie side by side.
        const float *values = source + row * layer->input_stride;
        for (ptrdiff_t input = 0; input < length; input++) {
            f32x8 rows[4];
            VS_UNROLL for (int vector = 0; vector < vectors; vector++) rows[vector] = VS_LOAD(f32x8, weights + 8 * vector);
            weights += outputs;
            VS_UNROLL for (int pixel = 0; pixel < pixels; pixel++) {
                const f32x8 value = (f32x8){0} + values[pixel * step + input];
                VS_UNROLL for (int vector = 0; vector < vectors; vector++) sums[pixel][vector] += value * rows[vector];
            }
        }
    }
    VS_UNROLL for (int pixel = 0; pixel < pixels; pixel++) {
        VS_UNROLL for (int vector = 0; vector < vectors; vector++) {
            VS_STORE(
                target + pixel * outputs + channel + 8 * vector,
                __builtin_elementwise_max(sums[pixel][vector], (f32x8){0}));
        }
    }
}

VS_BODY void vs_strided_channels(
    const float *source, const vs_strided_conv3x3 *layer, ptrdiff_t channel, const int vectors, float *target
) {
    for (ptrdiff_t row = 0; row < layer->rows; row++) {
        const float *from = source + 2 * row * layer->input_stride;
        float *to = target + row * layer->output_stride;
        ptrdiff_t column = 0;
        for (; column <= layer->columns - 4; column += 4) {
            vs_strided_tile(
                from + 2 * column * layer->inputs, layer, channel, 4, vectors, to + column * layer->outputs);
        }
        for (; column < layer->columns; column++) {
            vs_strided_tile(
                from + 2 * column * layer->inputs, layer, channel, 1, vectors, to + column * layer->outputs);
        }
    }
}
