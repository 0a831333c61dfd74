#include "CPixels.h"
#include "vectors.h"

#define VS_LANES 16

// The offset of each upper left sample in a patch, and the weights of its neighbours.
typedef struct {
    int32_t offset[VS_LANES];
    f32x16 right, lower;
} vs_positions;

// The same results with and without fused multiply-adds.
#pragma STDC FP_CONTRACT OFF

#define VS_NAME(name) name##_baseline
#include "kernels.h"
#undef VS_NAME

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#define VS_NAME(name) name##_avx2
#include "kernels.h"
#pragma clang attribute pop
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
