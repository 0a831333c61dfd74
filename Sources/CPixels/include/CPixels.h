// The inner loops over pixels. Every instruction set gives the same bits: integers, or floats added in a fixed order
// without fused multiply-adds. Memory that a kernel writes must not overlap memory that it reads.
#pragma once

#include <stddef.h>
#include <stdint.h>

// A weighted sum of consecutive samples for each output.
typedef struct {
    // Outputs, rounded up to a multiple of 8.
    ptrdiff_t count;
    // Of every output, a multiple of 4. Outputs with fewer have weights of 0.
    ptrdiff_t taps;
    // The first sample of each output.
    const int32_t *first;
    // For each 8 outputs and each 4 of their taps, 32 weights: those of outputs 0, 4, 1, 5, 2, 6, 3 and 7.
    const float *weights;
} vs_filter;

// From Y'CbCr code values to R'G'B' in 0...255.
typedef struct {
    float luma_offset, luma_scale, red_from_cr, green_from_cb, green_from_cr, blue_from_cb;
} vs_color;

// 8-bit samples, and the map from a row of outputs to them in 16.16 fixed point; (0, 0) is the first one's centre.
// Outputs outside repeat the border.
typedef struct {
    // 'channels' interleaved values per sample. One row and one column beyond 'height' and 'width' are readable.
    const uint8_t *base;
    // In bytes.
    int32_t stride;
    // In samples, 1 to 32767.
    int32_t width, height;
    // The first output, and the step to the next.
    int32_t x, y, step_x, step_y;
} vs_patch;

typedef struct {
    // Adds 'taps' weighted rows of 8-bit samples; the weights sum to at most 257. Reads no byte outside the rows.
    void (*sum_rows)(
        const uint8_t *source, ptrdiff_t stride, ptrdiff_t width, const uint16_t *weights, ptrdiff_t taps, float *sums);

    // The same for 16-bit samples in native byte order. 'stride' is in bytes. Multiplies the sums by 'unit'.
    void (*sum_wide_rows)(
        const uint16_t *source, ptrdiff_t stride, ptrdiff_t width, const uint16_t *weights, ptrdiff_t taps, float unit,
        float *sums);

    // 'stride' is in floats.
    void (*sum_float_rows)(
        const float *source, ptrdiff_t stride, ptrdiff_t width, const float *weights, ptrdiff_t taps, float *sums);

    // 'samples' has room for the taps of every output; the values there are finite.
    void (*filter)(const float *samples, const vs_filter *filter, float *outputs);

    void (*convert)(
        const float *luma, const float *blue, const float *red, ptrdiff_t count, const vs_color *color,
        float *r, float *g, float *b);

    // The strides are in floats.
    void (*transpose)(
        const float *source, ptrdiff_t source_stride, ptrdiff_t rows, ptrdiff_t columns, float *target,
        ptrdiff_t target_stride);

    // Averages blocks of 'block' columns' sums, rounded half up. 'divisor', at most 65536: the samples in a block.
    // Works on 8 blocks at a time: 'sums' has room for 'count' blocks, rounded up to a multiple of 8, and three more
    // columns, and 'target' for as many bytes as blocks.
    void (*average_blocks)(const float *sums, ptrdiff_t block, ptrdiff_t count, int32_t divisor, uint8_t *target);

    // Rounds samples of 'depth' bits, 9 to 16, to 8 bits, half up.
    void (*narrow)(const uint16_t *source, ptrdiff_t count, int32_t depth, uint8_t *target);

    void (*interleave)(const uint8_t *first, const uint8_t *second, ptrdiff_t count, uint8_t *target);

    // Interpolates 'count' outputs between the four nearest samples, in steps of 1/256, and converts them to R'G'B'.
    // The chroma patch has two channels, Cb and Cr. Never reads outside the patches.
    void (*sample)(
        const vs_patch *luma, const vs_patch *chroma, ptrdiff_t count, const vs_color *color, float *r, float *g, float *b);

    // Writes luma (ITU-R BT.601). 'lanes' gets 8 sums: those of every eighth pixel, up to the last multiple of 8.
    void (*write_luma)(const float *r, const float *g, const float *b, ptrdiff_t count, float *luma, float *lanes);

    // Sums the Laplacian, and its square, in 8 lanes like 'write_luma'. Reads one pixel more on both sides.
    void (*laplacian)(
        const float *above, const float *row, const float *below, ptrdiff_t count, float *edges, float *squares);

    // Takes every second pixel of a row, 'count' pixels: writes the luma, its bin of 16, and the bin of 10 × 10 of
    // red's and green's chromaticity; 100 for a dark pixel. Reads up to the last of these pixels.
    void (*classify)(
        const float *r, const float *g, const float *b, ptrdiff_t count, float *luma, int32_t *levels, int32_t *colors);

    // Sums two pictures where they overlap, for 16 shifts of the second one: 16 sums each of the first picture, the
    // second one, the squares of the first, those of the second, and the products. Adds column by column, then row by
    // row. 'stride', of the second one, is in floats. For each column of the first one, the 16 floats from 'offset' on
    // are what the shifts put on it; 0 outside. 'inside': like a row of the second one, 1 inside it, 0 outside.
    void (*add_shifts)(
        const float *first, ptrdiff_t rows, ptrdiff_t columns, const float *second, ptrdiff_t stride,
        const int32_t *offset, const float *inside, float *sums);
} vs_kernels;

typedef enum { VS_BASELINE, VS_AVX2 } vs_instruction_set;

// NULL if this processor lacks the instruction set.
const vs_kernels *vs_kernels_for(vs_instruction_set set);

const vs_kernels *vs_best_kernels(void);
