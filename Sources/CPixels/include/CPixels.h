// The inner loops over pixels, and over what is computed from them, compiled for several instruction sets.
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

// A convolution with 3 × 3 taps and a stride of 2. The channels of a pixel lie side by side.
typedef struct {
    // Channels of a pixel. 'outputs' is a multiple of 8.
    ptrdiff_t inputs, outputs;
    // Pixels of the result. The source has 2 · rows + 1 rows and 2 · columns + 1 columns, with the border.
    ptrdiff_t rows, columns;
    // Floats from one row to the next.
    ptrdiff_t source_stride, target_stride;
    // 3 rows × 3 columns × inputs × outputs.
    const float *weights;
    // One for each output.
    const float *bias;
} vs_convolution;

// Two pictures, and 16 shifts of the second one.
typedef struct {
    ptrdiff_t rows, columns;
    // The first picture; from one row to the next, 'first_stride' floats.
    const float *first;
    ptrdiff_t first_stride;
    // The second picture. For each column of the first one, 16 floats from 'offset' on are what the shifts put on it; 0
    // outside the picture.
    const float *second;
    ptrdiff_t second_stride;
    const int32_t *offset;
    // Like a row of the second picture: 1 inside it, 0 outside.
    const float *inside;
} vs_shifts;

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

    // Writes the luma of a row of pixels: ITU-R BT.601. 'lanes' gets 8 sums: those of every eighth pixel, up to the last
    // multiple of 8.
    void (*write_luma)(const float *r, const float *g, const float *b, ptrdiff_t count, float *luma, float *lanes);

    // Sums the Laplacian, and its square, of 'count' pixels of a row, of which every eighth is added to the same of 8 sums,
    // up to the last multiple of 8. Reads one pixel more on both sides.
    void (*laplacian)(
        const float *above, const float *row, const float *below, ptrdiff_t count, float *edges, float *squares);

    // Takes every second pixel of a row, 'count' pixels: writes the luma, which of 16 bins of luma it is in, and which
    // of 10 × 10 bins of red's and green's chromaticity; 100 for a dark pixel. Reads up to the last of these pixels.
    void (*classify)(
        const float *r, const float *g, const float *b, ptrdiff_t count, float *luma, int32_t *levels, int32_t *colors);

    // Sums two pictures where they overlap, for 16 shifts: 16 sums of the first picture, 16 of the second one, 16 of the
    // squares of the first, 16 of those of the second, and 16 of the products. Adds column by column, then row by row.
    void (*add_shifts)(const vs_shifts *shifts, float *sums);

    // Convolves a picture, and replaces negative values by 0.
    void (*convolve)(const float *source, const vs_convolution *layer, float *target);

    // Adds to each of 'width' sums the products of the values with a column of weights, in order; 'count' values, 'count' ×
    // 'width' weights.
    void (*add_products)(const float *values, ptrdiff_t count, const float *weights, ptrdiff_t width, float *sums);
} vs_kernels;

typedef enum { VS_BASELINE, VS_AVX2 } vs_instruction_set;

// The kernels for an instruction set; NULL if this processor lacks it.
const vs_kernels *vs_kernels_for(vs_instruction_set set);

// The kernels for the best instruction set of this processor.
const vs_kernels *vs_best_kernels(void);

#endif
