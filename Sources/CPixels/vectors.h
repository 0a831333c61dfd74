// For CPixels and CNetwork. The compiler splits these vectors for instruction sets with narrower ones.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VS_BODY static inline __attribute__((always_inline))

typedef uint8_t u8x8 __attribute__((vector_size(8)));
typedef uint8_t u8x64 __attribute__((vector_size(64)));
typedef uint16_t u16x32 __attribute__((vector_size(64)));
typedef uint16_t u16x64 __attribute__((vector_size(128)));
typedef float f32x4 __attribute__((vector_size(16)));
typedef float f32x8 __attribute__((vector_size(32)));
typedef float f32x16 __attribute__((vector_size(64)));
typedef float f32x32 __attribute__((vector_size(128)));
typedef float f32x64 __attribute__((vector_size(256)));
typedef int32_t i32x8 __attribute__((vector_size(32)));
typedef int32_t i32x16 __attribute__((vector_size(64)));
typedef uint32_t u32x16 __attribute__((vector_size(64)));

// Macros, because a vector passed to a function has a different calling convention with each instruction set.
#define VS_LOAD(type, address) \
    ({ \
        type loaded; \
        memcpy(&loaded, (address), sizeof loaded); \
        loaded; \
    })
#define VS_STORE(address, value) \
    do { \
        __typeof__(value) stored = (value); \
        memcpy((address), &stored, sizeof stored); \
    } while (0)
