VS_BODY float VS_NAME(clamp)(float value) {
    float positive = value > 0 ? value : 0;
    return positive < 255 ? positive : 255;
}

VS_BODY void VS_NAME(convert)(
    const float *restrict luma, const float *restrict blue, const float *restrict red, ptrdiff_t count,
    const vs_color *color, float *restrict r, float *restrict g, float *restrict b) {
    const vs_color k = *color;
    for (ptrdiff_t i = 0; i < count; i++) {
        float y = (luma[i] - k.luma_offset) * k.luma_scale;
        float cb = blue[i] - 128;
        float cr = red[i] - 128;
        r[i] = VS_NAME(clamp)(y + k.red_from_cr * cr);
        g[i] = VS_NAME(clamp)(y + k.green_from_cb * cb + k.green_from_cr * cr);
        b[i] = VS_NAME(clamp)(y + k.blue_from_cb * cb);
    }
}

VS_BODY void VS_NAME(transpose)(
    const float *restrict source, ptrdiff_t source_stride, ptrdiff_t rows, ptrdiff_t columns, float *restrict target,
    ptrdiff_t target_stride) {
    // Squares of 4 × 4 floats, then the remaining ones singly.
    const ptrdiff_t square_rows = rows / 4 * 4, square_columns = columns / 4 * 4;
    for (ptrdiff_t column = 0; column < square_columns; column += 4) {
        for (ptrdiff_t row = 0; row < square_rows; row += 4) {
            const float *from = source + row * source_stride + column;
            float *to = target + column * target_stride + row;
            f32x4 a = VS_LOAD(f32x4, from), b = VS_LOAD(f32x4, from + source_stride);
            f32x4 c = VS_LOAD(f32x4, from + 2 * source_stride), d = VS_LOAD(f32x4, from + 3 * source_stride);
            f32x4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
            VS_STORE(to, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
            VS_STORE(to + target_stride, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
            ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
            cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
            VS_STORE(to + 2 * target_stride, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
            VS_STORE(to + 3 * target_stride, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
        }
    }
    for (ptrdiff_t column = 0; column < columns; column++) {
        for (ptrdiff_t row = column < square_columns ? square_rows : 0; row < rows; row++) {
            target[column * target_stride + row] = source[row * source_stride + column];
        }
    }
}

VS_BODY void VS_NAME(narrow)(
    const uint16_t *restrict source, ptrdiff_t count, int32_t depth, uint8_t *restrict target) {
    const int32_t shift = depth - 8, half = 1 << (shift - 1);
    for (ptrdiff_t i = 0; i < count; i++) {
        // The largest values, and those of a damaged file, round to more.
        int32_t level = (source[i] + half) >> shift;
        target[i] = (uint8_t)(level < 255 ? level : 255);
    }
}

VS_BODY void VS_NAME(interleave)(
    const uint8_t *restrict first, const uint8_t *restrict second, ptrdiff_t count, uint8_t *restrict target) {
    for (ptrdiff_t i = 0; i < count; i++) {
        target[2 * i] = first[i];
        target[2 * i + 1] = second[i];
    }
}
