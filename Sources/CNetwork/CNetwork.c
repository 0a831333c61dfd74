#include "CNetwork.h"

// Adds products with one rounding wherever the processor can.
#pragma STDC FP_CONTRACT ON

#include "layers.h"
#include "expressions.h"

// Compiles every body for one instruction set with this number of vector registers.
#define VS_NETWORK_KERNELS(set, target, registers) \
    target static void image_conv3x3_##set( \
        const float *image, ptrdiff_t side, const float *weights, const float *bias, const float *slopes, \
        float *output) { \
        vs_image_conv3x3_body(image, side, weights, bias, slopes, output); \
    } \
    target static void image_inverted_residual_##set( \
        const vs_inverted_residual *block, const float *image, ptrdiff_t width, ptrdiff_t height, float *scratch, \
        float *output) { \
        vs_inverted_residual_body(block, image, width / 2, height / 2, scratch, output, 1, registers); \
    } \
    target static void separable_##set( \
        const vs_separable *block, const float *input, ptrdiff_t side, float *scratch, float *output) { \
        vs_separable_body(block, input, side, scratch, output, registers); \
    } \
    target static void inverted_residual_##set( \
        const vs_inverted_residual *block, const float *input, ptrdiff_t width, ptrdiff_t height, float *scratch, \
        float *output) { \
        vs_inverted_residual_body(block, input, width, height, scratch, output, 0, registers); \
    } \
    target static void pointwise_##set( \
        const vs_linear *layer, const float *input, ptrdiff_t channels, ptrdiff_t width, ptrdiff_t height, \
        const float *addend, float *output) { \
        vs_pointwise_body(layer, input, channels, width, height, addend, output, registers); \
    } \
    target static void conv3x3_##set( \
        const vs_linear *layer, const float *input, ptrdiff_t channels, ptrdiff_t width, ptrdiff_t height, \
        float *output) { \
        vs_conv3x3_body(layer, input, channels, width, height, output, registers); \
    } \
    target static void deconvolution_##set( \
        const vs_linear *layers, const float *input, ptrdiff_t channels, ptrdiff_t width, ptrdiff_t height, \
        float *output) { \
        vs_deconvolution_body(layers, input, channels, width, height, output, registers); \
    } \
    target static void fully_connected_##set(const vs_linear *layer, const float *input, float *output) { \
        vs_fully_connected_body(layer, input, output); \
    } \
    target static void grid_sample_##set( \
        const float *input, ptrdiff_t side, ptrdiff_t channels, const float *matrix, ptrdiff_t grid, float *output) { \
        vs_grid_sample_body(input, side, channels, matrix, grid, output); \
    } \
    target static void strided_conv3x3_##set(const vs_strided_conv3x3 *layer, const float *input, float *output) { \
        vs_strided_conv3x3_body(input, layer, output); \
    } \
    target static void add_products_##set( \
        const float *values, ptrdiff_t count, const float *weights, ptrdiff_t width, float *sums) { \
        vs_add_products_body(values, count, weights, width, sums); \
    } \
    static const vs_network_kernels kernels_##set = { \
        image_conv3x3_##set, image_inverted_residual_##set, separable_##set, inverted_residual_##set, pointwise_##set, \
        conv3x3_##set, deconvolution_##set, fully_connected_##set, grid_sample_##set, strided_conv3x3_##set, \
        add_products_##set, \
    };

VS_NETWORK_KERNELS(baseline, , 16)
#if defined(__x86_64__)
VS_NETWORK_KERNELS(avx2, __attribute__((target("avx2,fma"))), 16)
VS_NETWORK_KERNELS(avx512, __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,fma"))), 32)
#endif

const vs_network_kernels *vs_network_kernels_for(vs_network_set set) {
    if (set == VS_NETWORK_BASELINE) return &kernels_baseline;
#if defined(__x86_64__)
    if (set == VS_NETWORK_AVX2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return &kernels_avx2;
    }
    if (set == VS_NETWORK_AVX512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
        return &kernels_avx512;
    }
#endif
    return NULL;
}

const vs_network_kernels *vs_best_network_kernels(void) {
    const vs_network_kernels *kernels = vs_network_kernels_for(VS_NETWORK_AVX512);
    if (!kernels) kernels = vs_network_kernels_for(VS_NETWORK_AVX2);
    return kernels ? kernels : &kernels_baseline;
}
