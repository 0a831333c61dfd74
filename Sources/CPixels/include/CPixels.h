// The inner loops over pixels, compiled for several instruction sets.
//
// Every instruction set gives the same results, bit for bit: integers, or floats added in a fixed order without contraction
// to fused multiply-adds. Memory that a kernel writes must not overlap what it reads.
#ifndef VIDSCAN_CPIXELS_H
#define VIDSCAN_CPIXELS_H

#include <stddef.h>
#include <stdint.h>

// The horizontal filter of a row: the weighted sum of consecutive samples for each output.
typedef struct {
    // The number of outputs, rounded up to a multiple of 8.
    ptrdiff_t count;
    // The number of taps of every output, as a multiple of 4. Outputs with fewer have weights of 0.
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

// An image of 8-bit samples and the map from a row of outputs to its samples, in 16.16 fixed point; (0, 0) is the centre
// of the first sample. Outputs outside repeat the border.
typedef struct {
    // 'channels' interleaved values per sample. One more row and one more column than 'height' and 'width' are readable.
    const uint8_t *base;
    // Bytes from one row to the next.
    int32_t stride;
    // In samples, 1 to 32767.
    int32_t width, height;
    // The position of the first output, and the step to the next.
    int32_t x, y, step_x, step_y;
} vs_patch;

typedef struct {
    // Adds weighted rows of 8-bit samples: 'taps' rows from 'source' on. The weights sum to at most 257.
    // Reads no byte outside the rows' 'width' bytes.
    void (*sum_rows)(
        const uint8_t *source, ptrdiff_t stride, ptrdiff_t width, const uint16_t *weights, ptrdiff_t taps, float *sums);

    // The same for rows of 16-bit samples in native byte order. 'stride' is in bytes. The sums are multiplied by 'unit'.
    void (*sum_wide_rows)(
        const uint16_t *source, ptrdiff_t stride, ptrdiff_t width, const uint16_t *weights, ptrdiff_t taps, float unit,
        float *sums);

    // Adds weighted rows of floats. 'stride' is in floats.
    void (*sum_float_rows)(
        const float *source, ptrdiff_t stride, ptrdiff_t width, const float *weights, ptrdiff_t taps, float *sums);

    // Applies the filter to a row. 'samples' has room for the taps of every output; the values there are finite.
    void (*filter)(const float *samples, const vs_filter *filter, float *outputs);

    // Converts a row from Y'CbCr to R'G'B'.
    void (*convert)(
        const float *luma, const float *blue, const float *red, ptrdiff_t count, const vs_color *color,
        float *r, float *g, float *b);

    // Transposes 'rows' rows of 'columns' floats. The strides are in floats.
    void (*transpose)(
        const float *source, ptrdiff_t source_stride, ptrdiff_t rows, ptrdiff_t columns, float *target,
        ptrdiff_t target_stride);

    // Averages blocks of the columns' sums: 'block' columns each. 'divisor', at most 65536, is the number of samples in a
    // block. Rounds to the nearest integer, half up. Works on 8 blocks at a time, so that 'sums' has room for 'count'
    // blocks, rounded up to a multiple of 8, and three more columns, and 'target' for as many bytes as blocks.
    void (*average_blocks)(const float *sums, ptrdiff_t block, ptrdiff_t count, int32_t divisor, uint8_t *target);

    // Rounds samples of 'depth' bits, 9 to 16, to 8 bits, half up.
    void (*narrow)(const uint16_t *source, ptrdiff_t count, int32_t depth, uint8_t *target);

    // Interleaves two rows of bytes.
    void (*interleave)(const uint8_t *first, const uint8_t *second, ptrdiff_t count, uint8_t *target);

    // Interpolates a row of 'count' outputs between the four nearest samples, in steps of 1/256, and converts it to R'G'B'.
    // The chroma patch has two channels, Cb and Cr. Reads nothing outside the patches, whatever the map.
    void (*sample)(
        const vs_patch *luma, const vs_patch *chroma, ptrdiff_t count, const vs_color *color, float *r, float *g, float *b);
} vs_kernels;

typedef enum { VS_BASELINE, VS_AVX2 } vs_instruction_set;

// The kernels for an instruction set; NULL if this processor lacks it.
const vs_kernels *vs_kernels_for(vs_instruction_set set);

// The kernels for the best instruction set of this processor.
const vs_kernels *vs_best_kernels(void);

#endif
