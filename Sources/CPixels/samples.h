// Clamps before it addresses, so that no map leads out of the patch.
VS_BODY void VS_NAME(locate)(const vs_patch *patch, int32_t channels, const i32x16 *outputs, vs_positions *positions) {
    // Unsigned, because a map that leads far away may overflow.
    u32x16 lane = (u32x16)*outputs;
    i32x16 x = (i32x16)(lane * (uint32_t)patch->step_x + (uint32_t)patch->x);
    i32x16 y = (i32x16)(lane * (uint32_t)patch->step_y + (uint32_t)patch->y);
    const i32x16 zero = {0};
    x = __builtin_elementwise_min(__builtin_elementwise_max(x, zero), zero + ((patch->width - 1) << 16));
    y = __builtin_elementwise_min(__builtin_elementwise_max(y, zero), zero + ((patch->height - 1) << 16));
    VS_STORE(positions->offset, (y >> 16) * patch->stride + (x >> 16) * channels);
    positions->right = __builtin_convertvector((x >> 8) & 255, f32x16) * (1.0f / 256);
    positions->lower = __builtin_convertvector((y >> 8) & 255, f32x16) * (1.0f / 256);
}

// Exact: the values have at most 24 bits.
#define VS_INTERPOLATE(upper_left, upper_right, lower_left, lower_right, positions) \
    ({ \
        f32x16 a = __builtin_convertvector(upper_left, f32x16); \
        f32x16 b = __builtin_convertvector(lower_left, f32x16); \
        a += (positions).right * (__builtin_convertvector(upper_right, f32x16) - a); \
        b += (positions).right * (__builtin_convertvector(lower_right, f32x16) - b); \
        a + (positions).lower * (b - a); \
    })

#define VS_CLAMPED(value) \
    __builtin_elementwise_min(__builtin_elementwise_max((value), (f32x16){0}), (f32x16){0} + 255.0f)

VS_BODY void VS_NAME(sample_block)(
    const vs_patch *luma, const vs_patch *chroma, const i32x16 *outputs, const vs_color *color, float *r, float *g,
    float *b) {
    vs_positions at;
    int32_t upper[VS_LANES], lower[VS_LANES];

    VS_NAME(locate)(luma, 1, outputs, &at);
#pragma clang loop unroll(full) vectorize(disable)
    for (int lane = 0; lane < VS_LANES; lane++) {
        uint16_t pair;
        memcpy(&pair, luma->base + at.offset[lane], sizeof pair);
        upper[lane] = pair;
        memcpy(&pair, luma->base + at.offset[lane] + luma->stride, sizeof pair);
        lower[lane] = pair;
    }
    i32x16 u = VS_LOAD(i32x16, upper), l = VS_LOAD(i32x16, lower);
    f32x16 y = VS_INTERPOLATE(u & 255, u >> 8, l & 255, l >> 8, at);

    VS_NAME(locate)(chroma, 2, outputs, &at);
#pragma clang loop unroll(full) vectorize(disable)
    for (int lane = 0; lane < VS_LANES; lane++) {
        memcpy(&upper[lane], chroma->base + at.offset[lane], 4);
        memcpy(&lower[lane], chroma->base + at.offset[lane] + chroma->stride, 4);
    }
    u = VS_LOAD(i32x16, upper);
    l = VS_LOAD(i32x16, lower);
    f32x16 cb = VS_INTERPOLATE(u & 255, (u >> 16) & 255, l & 255, (l >> 16) & 255, at);
    f32x16 cr = VS_INTERPOLATE((u >> 8) & 255, (u >> 24) & 255, (l >> 8) & 255, (l >> 24) & 255, at);

    y = (y - color->luma_offset) * color->luma_scale;
    cb -= 128.0f;
    cr -= 128.0f;
    VS_STORE(r, VS_CLAMPED(y + color->red_from_cr * cr));
    VS_STORE(g, VS_CLAMPED(y + color->green_from_cb * cb + color->green_from_cr * cr));
    VS_STORE(b, VS_CLAMPED(y + color->blue_from_cb * cb));
}

VS_BODY void VS_NAME(sample)(
    const vs_patch *luma, const vs_patch *chroma, ptrdiff_t count, const vs_color *color, float *r, float *g, float *b
) {
    const i32x16 lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    ptrdiff_t column = 0;
    for (; column <= count - VS_LANES; column += VS_LANES) {
        i32x16 outputs = lanes + (int32_t)column;
        VS_NAME(sample_block)(luma, chroma, &outputs, color, r + column, g + column, b + column);
    }
    if (column < count) {
        float rest[3][VS_LANES];
        i32x16 outputs = lanes + (int32_t)column;
        VS_NAME(sample_block)(luma, chroma, &outputs, color, rest[0], rest[1], rest[2]);
        size_t size = (size_t)(count - column) * sizeof(float);
        memcpy(r + column, rest[0], size);
        memcpy(g + column, rest[1], size);
        memcpy(b + column, rest[2], size);
    }
}
