#include "CNetwork.h"

#include "layers.h"
#include "expressions.h"

#define VS_NAME(name) name##_baseline
#define VS_REGISTERS 16
#include "kernels.h"
#undef VS_NAME

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#define VS_NAME(name) name##_avx2
#include "kernels.h"
#undef VS_NAME
#undef VS_REGISTERS
#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,fma"))), apply_to = function)
#define VS_NAME(name) name##_avx512
#define VS_REGISTERS 32
#include "kernels.h"
#pragma clang attribute pop
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
