// ITU-R BT.601, added in this order.
#define VS_LUMA(r, g, b) ((r) * 0.299f + (g) * 0.587f + (b) * 0.114f)

VS_BODY void VS_NAME(write_luma)(
    const float *r, const float *g, const float *b, ptrdiff_t count, float *luma, float *lanes) {
    f32x8 sums = {0};
    ptrdiff_t i = 0;
    for (; i <= count - 8; i += 8) {
        const f32x8 value = VS_LUMA(VS_LOAD(f32x8, r + i), VS_LOAD(f32x8, g + i), VS_LOAD(f32x8, b + i));
        VS_STORE(luma + i, value);
        sums += value;
    }
    VS_STORE(lanes, sums);
    for (; i < count; i++) luma[i] = VS_LUMA(r[i], g[i], b[i]);
}

VS_BODY void VS_NAME(laplacian)(
    const float *above, const float *row, const float *below, ptrdiff_t count, float *edges, float *squares) {
    f32x8 sums = {0}, squared = {0};
    for (ptrdiff_t i = 0; i <= count - 8; i += 8) {
        const f32x8 edge = VS_LOAD(f32x8, above + i) + VS_LOAD(f32x8, below + i) + VS_LOAD(f32x8, row + i - 1)
            + VS_LOAD(f32x8, row + i + 1) - VS_LOAD(f32x8, row + i) * 4.0f;
        sums += edge;
        squared += edge * edge;
    }
    VS_STORE(edges, sums);
    VS_STORE(squares, squared);
}

// Every second of 15 values.
#define VS_LOAD_EVEN(address) \
    __builtin_shufflevector( \
        VS_LOAD(f32x8, address), VS_LOAD(f32x8, (address) + 7), 0, 2, 4, 6, 9, 11, 13, 15)

// Clamped, so that no value leads out of a histogram.
#define VS_BIN(value, last) \
    __builtin_elementwise_min(__builtin_elementwise_max((value), (i32x8){0}), (i32x8){0} + (last))

// The bins cover the middle of the range. 'scale': their number over the sum of the colours.
#define VS_CHROMA_BIN(value, scale) VS_BIN(__builtin_convertvector((value) * (scale) * 2.0f, i32x8) - 2, 9)

#define VS_CLASSIFY(r, g, b, luma, levels, colors) \
    do { \
        const f32x8 value = VS_LUMA(r, g, b), amount = (r) + (g) + (b); \
        const f32x8 scale = 10.0f / __builtin_elementwise_max(amount, (f32x8){0} + 60.0f); \
        const i32x8 color = VS_CHROMA_BIN(r, scale) * 10 + VS_CHROMA_BIN(g, scale); \
        const i32x8 isDark = amount <= 60.0f; \
        VS_STORE(luma, value); \
        VS_STORE(levels, VS_BIN(__builtin_convertvector(value, i32x8) >> 4, 15)); \
        VS_STORE(colors, (isDark & 100) | (~isDark & color)); \
    } while (0)

VS_BODY void VS_NAME(classify)(
    const float *r, const float *g, const float *b, ptrdiff_t count, float *luma, int32_t *levels, int32_t *colors) {
    ptrdiff_t i = 0;
    for (; i <= count - 8; i += 8) {
        const f32x8 red = VS_LOAD_EVEN(r + 2 * i), green = VS_LOAD_EVEN(g + 2 * i), blue = VS_LOAD_EVEN(b + 2 * i);
        VS_CLASSIFY(red, green, blue, luma + i, levels + i, colors + i);
    }
    if (i < count) {
        float rest[3][8] = {{0}}, values[8];
        int32_t bins[2][8];
        for (ptrdiff_t lane = 0; lane < count - i; lane++) {
            rest[0][lane] = r[2 * (i + lane)];
            rest[1][lane] = g[2 * (i + lane)];
            rest[2][lane] = b[2 * (i + lane)];
        }
        const f32x8 red = VS_LOAD(f32x8, rest[0]), green = VS_LOAD(f32x8, rest[1]), blue = VS_LOAD(f32x8, rest[2]);
        VS_CLASSIFY(red, green, blue, values, bins[0], bins[1]);
        const size_t size = (size_t)(count - i) * 4;
        memcpy(luma + i, values, size);
        memcpy(levels + i, bins[0], size);
        memcpy(colors + i, bins[1], size);
    }
}

VS_BODY void VS_NAME(add_shifts)(
    const float *first, ptrdiff_t rows, ptrdiff_t columns, const float *second, ptrdiff_t stride,
    const int32_t *offset, const float *inside, float *sums) {
    f32x16 a = {0}, b = {0}, aa = {0}, bb = {0}, ab = {0};
    for (ptrdiff_t row = 0; row < rows; row++, first += columns, second += stride) {
        for (ptrdiff_t column = 0; column < columns; column++) {
            const f32x16 p = VS_LOAD(f32x16, inside + offset[column]) * first[column];
            const f32x16 q = VS_LOAD(f32x16, second + offset[column]);
            a += p;
            b += q;
            aa += p * p;
            bb += q * q;
            ab += p * q;
        }
    }
    VS_STORE(sums, a);
    VS_STORE(sums + 16, b);
    VS_STORE(sums + 32, aa);
    VS_STORE(sums + 48, bb);
    VS_STORE(sums + 64, ab);
}
