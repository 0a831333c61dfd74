#include "CNetwork.h"

// Products are added with one rounding wherever the processor can.
#pragma STDC FP_CONTRACT ON

#include "layers.h"

// Compiles every body for one instruction set.
#define VS_NETWORK_KERNELS(set, target, registers) \
    target static void stem_##set( \
        const float *input, ptrdiff_t side, const float *weights, const float *bias, const float *slopes, \
        float *output) { \
        vs_stem_body(input, side, weights, bias, slopes, output); \
    } \
    target static void first_##set( \
        const vs_inverted *block, const float *input, ptrdiff_t width, ptrdiff_t height, float *scratch, \
        float *output) { \
        vs_inverted_body(block, input, width / 2, height / 2, scratch, output, 1, registers); \
    } \
    target static void block_##set( \
        const vs_block *block, const float *input, ptrdiff_t side, float *scratch, float *output) { \
        vs_block_body(block, input, side, scratch, output, registers); \
    } \
    target static void inverted_##set( \
        const vs_inverted *block, const float *input, ptrdiff_t width, ptrdiff_t height, float *scratch, \
        float *output) { \
        vs_inverted_body(block, input, width, height, scratch, output, 0, registers); \
    } \
    target static void pointwise_##set( \
        const vs_product *layer, const float *input, ptrdiff_t channels, ptrdiff_t width, ptrdiff_t height, \
        const float *sum, float *output) { \
        vs_pointwise_body(layer, input, channels, width, height, sum, output, registers); \
    } \
    target static void window_##set( \
        const vs_product *layer, const float *input, ptrdiff_t channels, ptrdiff_t width, ptrdiff_t height, \
        float *output) { \
        vs_window_body(layer, input, channels, width, height, output, registers); \
    } \
    target static void enlarge_##set( \
        const vs_product *layers, const float *input, ptrdiff_t channels, ptrdiff_t width, ptrdiff_t height, \
        float *output) { \
        vs_enlarge_body(layers, input, channels, width, height, output, registers); \
    } \
    target static void dense_##set(const vs_product *layer, const float *input, float *output) { \
        vs_dense_body(layer, input, output); \
    } \
    target static void sample_##set( \
        const float *input, ptrdiff_t side, ptrdiff_t channels, const float *matrix, ptrdiff_t grid, float *output) { \
        vs_sample_body(input, side, channels, matrix, grid, output); \
    } \
    static const vs_network_kernels kernels_##set = { \
        stem_##set, first_##set, block_##set, inverted_##set, pointwise_##set, window_##set, enlarge_##set, \
        dense_##set, sample_##set, \
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
