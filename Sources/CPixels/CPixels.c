#include "CPixels.h"

// The same results with and without fused multiply-adds.
#pragma STDC FP_CONTRACT OFF

#include "looks.h"
#include "networks.h"
#include "rows.h"
#include "samples.h"
#include "sums.h"

// Compiles every body for one instruction set.
#define VS_KERNELS(set, target) \
    target static void sum_rows_##set( \
        const uint8_t *source, ptrdiff_t stride, ptrdiff_t width, const uint16_t *weights, ptrdiff_t taps, float *sums) { \
        vs_sum_rows_body(source, stride, width, weights, taps, sums); \
    } \
    target static void sum_wide_rows_##set( \
        const uint16_t *source, ptrdiff_t stride, ptrdiff_t width, const uint16_t *weights, ptrdiff_t taps, float unit, \
        float *sums) { \
        vs_sum_wide_rows_body(source, stride, width, weights, taps, unit, sums); \
    } \
    target static void sum_float_rows_##set( \
        const float *source, ptrdiff_t stride, ptrdiff_t width, const float *weights, ptrdiff_t taps, float *sums) { \
        vs_sum_float_rows_body(source, stride, width, weights, taps, sums); \
    } \
    target static void filter_##set(const float *samples, const vs_filter *filter, float *outputs) { \
        vs_filter_body(samples, filter, outputs); \
    } \
    target static void convert_##set( \
        const float *luma, const float *blue, const float *red, ptrdiff_t count, const vs_color *color, float *r, \
        float *g, float *b) { \
        vs_convert_body(luma, blue, red, count, color, r, g, b); \
    } \
    target static void transpose_##set( \
        const float *source, ptrdiff_t source_stride, ptrdiff_t rows, ptrdiff_t columns, float *result, \
        ptrdiff_t result_stride) { \
        vs_transpose_body(source, source_stride, rows, columns, result, result_stride); \
    } \
    target static void average_blocks_##set( \
        const float *sums, ptrdiff_t block, ptrdiff_t count, int32_t divisor, uint8_t *result) { \
        vs_average_blocks_body(sums, block, count, divisor, result); \
    } \
    target static void narrow_##set(const uint16_t *source, ptrdiff_t count, int32_t depth, uint8_t *result) { \
        vs_narrow_body(source, count, depth, result); \
    } \
    target static void interleave_##set( \
        const uint8_t *first, const uint8_t *second, ptrdiff_t count, uint8_t *result) { \
        vs_interleave_body(first, second, count, result); \
    } \
    target static void sample_##set( \
        const vs_patch *luma, const vs_patch *chroma, ptrdiff_t count, const vs_color *color, float *r, float *g, \
        float *b) { \
        vs_sample_body(luma, chroma, count, color, r, g, b); \
    } \
    target static void write_luma_##set( \
        const float *r, const float *g, const float *b, ptrdiff_t count, float *luma, float *lanes) { \
        vs_write_luma_body(r, g, b, count, luma, lanes); \
    } \
    target static void laplacian_##set( \
        const float *above, const float *row, const float *below, ptrdiff_t count, float *edges, float *squares) { \
        vs_laplacian_body(above, row, below, count, edges, squares); \
    } \
    target static void classify_##set( \
        const float *r, const float *g, const float *b, ptrdiff_t count, float *luma, int32_t *levels, \
        int32_t *colors) { \
        vs_classify_body(r, g, b, count, luma, levels, colors); \
    } \
    target static void add_shifts_##set(const vs_shifts *shifts, float *sums) { \
        vs_add_shifts_body(shifts, sums); \
    } \
    target static void convolve_##set(const float *source, const vs_convolution *layer, float *result) { \
        vs_convolve_body(source, layer, result); \
    } \
    target static void add_products_##set( \
        const float *values, ptrdiff_t count, const float *weights, ptrdiff_t width, float *sums) { \
        vs_add_products_body(values, count, weights, width, sums); \
    } \
    static const vs_kernels kernels_##set = { \
        sum_rows_##set, sum_wide_rows_##set, sum_float_rows_##set, filter_##set, convert_##set, transpose_##set, \
        average_blocks_##set, narrow_##set, interleave_##set, sample_##set, \
        write_luma_##set, laplacian_##set, classify_##set, add_shifts_##set, \
        convolve_##set, add_products_##set, \
    };

VS_KERNELS(baseline, )
#if defined(__x86_64__)
VS_KERNELS(avx2, __attribute__((target("avx2"))))
#endif

const vs_kernels *vs_kernels_for(vs_instruction_set set) {
    if (set == VS_BASELINE) return &kernels_baseline;
#if defined(__x86_64__)
    if (set == VS_AVX2 && __builtin_cpu_supports("avx2")) return &kernels_avx2;
#endif
    return NULL;
}

const vs_kernels *vs_best_kernels(void) {
    const vs_kernels *kernels = vs_kernels_for(VS_AVX2);
    return kernels ? kernels : &kernels_baseline;
}
