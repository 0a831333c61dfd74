VS_BODY void VS_NAME(sum_rows)(
    const uint8_t *source, ptrdiff_t stride, ptrdiff_t width, const uint16_t *weights, ptrdiff_t taps, float *sums) {
    if (width < 64) {
        for (ptrdiff_t column = 0; column < width; column++) {
            uint16_t sum = 0;
            for (ptrdiff_t tap = 0; tap < taps; tap++) {
                sum = (uint16_t)(sum + source[tap * stride + column] * weights[tap]);
            }
            sums[column] = sum;
        }
        return;
    }
    for (ptrdiff_t column = 0; column < width; column += 64) {
        // The last block overlaps the one before, so that nothing behind the row is read.
        const ptrdiff_t first = column < width - 64 ? column : width - 64;
        // 64 columns, whose sums stay in registers.
        u16x64 sum = {0};
        for (ptrdiff_t tap = 0; tap < taps; tap++) {
            const uint8_t *row = source + first + tap * stride;
            // The next call usually reads the rows below, too far away for the processor to prefetch by itself. An
            // address outside the plane does no harm, but as a pointer it would be undefined.
            __builtin_prefetch((const void *)((uintptr_t)row + (uintptr_t)(taps * stride)));
            sum += __builtin_convertvector(VS_LOAD(u8x64, row), u16x64) * weights[tap];
        }
        VS_STORE(sums + first, __builtin_convertvector(sum, f32x64));
    }
}

// Floats hold the sums of 16-bit samples times weights in 1/256 exactly, and every processor multiplies them fast.
VS_BODY void VS_NAME(sum_wide_rows)(
    const uint16_t *source, ptrdiff_t stride, ptrdiff_t width, const uint16_t *weights, ptrdiff_t taps, float unit,
    float *sums) {
    if (width < 32) {
        for (ptrdiff_t column = 0; column < width; column++) {
            float sum = 0;
            for (ptrdiff_t tap = 0; tap < taps; tap++) {
                sum += (float)((const uint16_t *)((const uint8_t *)source + tap * stride))[column] * (float)weights[tap];
            }
            sums[column] = sum * unit;
        }
        return;
    }
    for (ptrdiff_t column = 0; column < width; column += 32) {
        const ptrdiff_t first = column < width - 32 ? column : width - 32;
        f32x32 sum = {0};
        for (ptrdiff_t tap = 0; tap < taps; tap++) {
            const uint8_t *row = (const uint8_t *)(source + first) + tap * stride;
            __builtin_prefetch((const void *)((uintptr_t)row + (uintptr_t)(taps * stride)));
            sum += __builtin_convertvector(VS_LOAD(u16x32, row), f32x32) * (float)weights[tap];
        }
        VS_STORE(sums + first, sum * unit);
    }
}

VS_BODY void VS_NAME(sum_float_rows)(
    const float *source, ptrdiff_t stride, ptrdiff_t width, const float *weights, ptrdiff_t taps, float *sums) {
    ptrdiff_t column = 0;
    for (; column <= width - 32; column += 32) {
        f32x32 sum = {0};
        for (ptrdiff_t tap = 0; tap < taps; tap++) {
            sum += VS_LOAD(f32x32, source + tap * stride + column) * weights[tap];
        }
        VS_STORE(sums + column, sum);
    }
    for (; column < width; column++) {
        float sum = 0;
        for (ptrdiff_t tap = 0; tap < taps; tap++) sum += source[tap * stride + column] * weights[tap];
        sums[column] = sum;
    }
}

// Four pairs of outputs: in each vector, the lower four products belong to one output, the upper four to the one four
// further. Transposes each half, adding on the way, and returns the eight sums in order.
#define VS_ADD_INTERLEAVED(a, b) \
    (__builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13) + __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15))
#define VS_ADD_LANES(pairs) \
    ({ \
        f32x8 low = VS_ADD_INTERLEAVED((pairs)[0], (pairs)[1]); \
        f32x8 high = VS_ADD_INTERLEAVED((pairs)[2], (pairs)[3]); \
        __builtin_shufflevector(low, high, 0, 1, 8, 9, 4, 5, 12, 13) \
            + __builtin_shufflevector(low, high, 2, 3, 10, 11, 6, 7, 14, 15); \
    })

// Four floats of one output, then four of another.
#define VS_LOAD_PAIR(low, high) \
    __builtin_shufflevector(VS_LOAD(f32x4, low), VS_LOAD(f32x4, high), 0, 1, 2, 3, 4, 5, 6, 7)

VS_BODY void VS_NAME(filter_taps)(const float *samples, const vs_filter *filter, const ptrdiff_t taps, float *outputs) {
    const float *weights = filter->weights;
    const int32_t *first = filter->first;
    for (ptrdiff_t left = filter->count; left > 0; left -= 8) {
        f32x8 sums[4] = {{0}, {0}, {0}, {0}};
        for (ptrdiff_t tap = 0; tap < taps; tap += 4) {
#pragma clang loop unroll(full)
            for (int pair = 0; pair < 4; pair++) {
                f32x8 values = VS_LOAD_PAIR(samples + first[pair] + tap, samples + first[pair + 4] + tap);
                f32x8 products = values * VS_LOAD(f32x8, weights);
                sums[pair] = tap == 0 ? products : sums[pair] + products;
                weights += 8;
            }
        }
        VS_STORE(outputs, VS_ADD_LANES(sums));
        outputs += 8;
        first += 8;
    }
}

VS_BODY void VS_NAME(filter)(const float *samples, const vs_filter *filter, float *outputs) {
    // The compiler unrolls the loops for the usual numbers.
    switch (filter->taps) {
    case 4: VS_NAME(filter_taps)(samples, filter, 4, outputs); break;
    case 8: VS_NAME(filter_taps)(samples, filter, 8, outputs); break;
    default: VS_NAME(filter_taps)(samples, filter, filter->taps, outputs);
    }
}

VS_BODY void VS_NAME(average_blocks)(
    const float *sums, ptrdiff_t block, ptrdiff_t count, int32_t divisor, uint8_t *target) {
    const f32x8 half = (f32x8){0} + (float)divisor * 0.5f;
    const f32x8 whole = (f32x8){0} + (float)divisor;
    for (ptrdiff_t output = 0; output < count; output += 8) {
        const float *first = sums + output * block;
        f32x8 totals[4] = {{0}, {0}, {0}, {0}};
        for (ptrdiff_t column = 0; column < block; column += 4) {
            const ptrdiff_t rest = block - column;
            const float b = rest > 1, c = rest > 2, d = rest > 3;
            const f32x8 inside = {1, b, c, d, 1, b, c, d};
#pragma clang loop unroll(full)
            for (int pair = 0; pair < 4; pair++) {
                const float *start = first + pair * block + column;
                totals[pair] += VS_LOAD_PAIR(start, start + 4 * block) * inside;
            }
        }
        // Exact for 8-bit samples in blocks of up to 181 × 181: a total needs 23 bits, and a quotient below an integer is
        // further from it than two floats are from each other. Deeper samples may round to more than 255.
        f32x8 quotients = __builtin_elementwise_min((VS_ADD_LANES(totals) + half) / whole, (f32x8){0} + 255.0f);
        VS_STORE(target + output, __builtin_convertvector(__builtin_convertvector(quotients, i32x8), u8x8));
    }
}
