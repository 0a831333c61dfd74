// The layers of a small convolutional network whose convolutions are separable.
//
// Values are floats. A tensor is square and has its channels last, which are a multiple of 16: (side + 2) × (side + 2) ×
// channels, with a border of zeros that nothing but its maker writes. side × channels is at most VS_SCRATCH_VALUES. All sums are in one order, of fused multiply-adds, so
// that every processor that has these (AVX2 and later) gives the same results. No function allocates memory or fails.
#ifndef CNETWORK_H
#define CNETWORK_H

#include <stddef.h>

// A 3 × 3 convolution of each channel, a 1 × 1 convolution, the sum with the input, and a rectification with a slope for
// negative values: output = PReLU(input + pointwise(depthwise(input))).
//
// With stride 2 the output is half as wide and high, and the input is added as the maxima of its 2 × 2 cells; channels
// that it has not are 0. The windows begin at the cell's first pixel then, and are centred on the pixel with stride 1.
typedef struct {
    ptrdiff_t inputs;
    ptrdiff_t outputs;
    ptrdiff_t stride;
    // 3 rows × 3 columns × inputs.
    const float *depthwise;
    const float *depthwise_bias;
    // inputs × outputs.
    const float *pointwise;
    const float *pointwise_bias;
    const float *slopes;
} vs_block;

// The number of values of a block's scratch memory.
#define VS_SCRATCH_VALUES 6144

typedef struct {
    // A 3 × 3 convolution with stride 2 of three planes to 16 channels, and PReLU. Windows begin at pixels of even
    // numbers; beyond the picture is 0.
    //
    // input: 3 × side × side, without border; side is even. weights: 3 rows × 3 columns × 3 planes × 16. output: a tensor of
    // half the side.
    void (*stem)(
        const float *input, ptrdiff_t side, const float *weights, const float *bias, const float *slopes, float *output);

    // side: of the input tensor, a multiple of the stride. scratch: VS_SCRATCH_VALUES values.
    void (*block)(const vs_block *block, const float *input, ptrdiff_t side, float *scratch, float *output);

    // A 1 × 1 convolution with PReLU. weights: inputs × outputs.
    void (*pointwise)(
        const float *input, ptrdiff_t side, ptrdiff_t inputs, const float *weights, const float *bias,
        const float *slopes, ptrdiff_t outputs, float *output);

    // A product with a matrix. input: inputs values without border. weights: inputs × outputs; outputs is a multiple of 16.
    void (*dense)(
        const float *input, ptrdiff_t inputs, const float *weights, const float *bias, ptrdiff_t outputs, float *output);

    // Reads a tensor between its pixels, bilinearly. The pixel (x, y) of the output, of which there are grid × grid, is read
    // at matrix · (x + ½, y + ½, 1) − ½, in pixels of the input; beyond the centres of the outermost pixels is 0.
    //
    // matrix: 2 rows × 3 columns.
    void (*sample)(
        const float *input, ptrdiff_t side, ptrdiff_t channels, const float *matrix, ptrdiff_t grid, float *output);
} vs_network_kernels;

typedef enum { VS_NETWORK_BASELINE, VS_NETWORK_AVX2, VS_NETWORK_AVX512 } vs_network_set;

// Returns the functions for an instruction set, or NULL if the processor does not have it.
const vs_network_kernels *vs_network_kernels_for(vs_network_set set);

// Returns the fastest functions that the processor can run.
const vs_network_kernels *vs_best_network_kernels(void);

#endif
