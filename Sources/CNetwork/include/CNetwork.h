// The layers of small convolutional networks whose convolutions are separable.
//
// Values are floats. A tensor has its channels last, which are a multiple of 16: (height + 2) × (width + 2) × channels, with a
// border of zeros that nothing but its maker writes. All sums are in one order, of fused multiply-adds, so that every
// processor that has these (AVX2 and later) gives the same results. No function allocates memory or fails.
#ifndef CNETWORK_H
#define CNETWORK_H

#include <stddef.h>

// What becomes of negative values.
typedef enum {
    VS_KEEPS,
    // They become 0 (ReLU).
    VS_CLIPS,
    // They are multiplied by a slope of their channel (PReLU).
    VS_SLOPES,
} vs_activation;

// A product of each pixel's channels with a matrix.
typedef struct {
    // May be fewer than the channels of the tensor that is read.
    ptrdiff_t inputs;
    // A multiple of 16, which is the number of channels of the tensor that is written.
    ptrdiff_t outputs;
    // outputs / 16 × inputs × 16: for each 16 outputs, a matrix of their own.
    const float *weights;
    const float *bias;
    vs_activation activation;
    // Only for VS_SLOPES.
    const float *slopes;
} vs_product;

// A 3 × 3 convolution of each channel by itself.
typedef struct {
    // A multiple of 16.
    ptrdiff_t channels;
    // 1 or 2.
    ptrdiff_t stride;
    // 3 rows × 3 columns × channels.
    const float *weights;
    const float *bias;
} vs_depthwise;

// A separable convolution with a residual: output = product(depthwise(input)) + input, rectified as the product says.
//
// With stride 2 the output is half as wide and high, and the input is added as the maxima of its 2 × 2 cells. Channels that
// the input has not are 0. Windows begin at the cell's first pixel with stride 2, and are centred on the pixel with stride 1.
typedef struct {
    vs_depthwise depthwise;
    vs_product product;
} vs_block;

// The inverted residual of MobileNetV2: output = projection(ReLU(depthwise(expansion(input)))) + input. Windows are centred
// on the pixel, with stride 2 on the cell's first pixel.
typedef struct {
    vs_product expansion;
    vs_depthwise depthwise;
    vs_product projection;
    // Whether the input is added.
    int is_residual;
} vs_inverted;

// The number of values of scratch memory that a block takes if its input's side × channels is at most that.
#define VS_BLOCK_SCRATCH 6144

// The number of values of scratch memory that any other function takes for tensors of this width.
//
// channels: the most channels of a depthwise convolution.
static inline ptrdiff_t vs_scratch(ptrdiff_t width, ptrdiff_t channels) { return 212992 + 4 * (width + 2) * channels; }

typedef struct {
    // A 3 × 3 convolution with stride 2 of three planes to 16 channels, and PReLU. Windows begin at pixels of even
    // numbers; beyond the picture is 0.
    //
    // input: 3 × side × side, without border; side is even. weights: 3 rows × 3 columns × 3 planes × 16. output: a tensor of
    // half the side.
    void (*stem)(
        const float *input, ptrdiff_t side, const float *weights, const float *bias, const float *slopes, float *output);

    // A block that reads a picture: its expansion is a 3 × 3 convolution with stride 2 of three planes, whose windows are
    // centred on pixels of even numbers. The depthwise convolution has stride 1.
    //
    // input: 3 × height × width, without border; both are even. The expansion's inputs are 3 planes × 3 rows × 3 columns, and
    // its outputs a multiple of 32.
    void (*first)(
        const vs_inverted *block, const float *input, ptrdiff_t width, ptrdiff_t height, float *scratch, float *output);

    // side: of the input tensor, which is square; a multiple of the stride. scratch: VS_BLOCK_SCRATCH values.
    void (*block)(const vs_block *block, const float *input, ptrdiff_t side, float *scratch, float *output);

    // width, height: of the input tensor; multiples of the stride.
    void (*inverted)(
        const vs_inverted *block, const float *input, ptrdiff_t width, ptrdiff_t height, float *scratch, float *output);

    // A 1 × 1 convolution. sum: NULL, or a tensor of the output's shape that is added after the rectification; it may be the
    // output. channels: of the input tensor.
    void (*pointwise)(
        const vs_product *layer, const float *input, ptrdiff_t channels, ptrdiff_t width, ptrdiff_t height,
        const float *sum, float *output);

    // A 3 × 3 convolution. layer: its inputs are 3 rows × 3 columns × as many channels of the input tensor as there are then,
    // and its outputs a multiple of 32.
    void (*window)(
        const vs_product *layer, const float *input, ptrdiff_t channels, ptrdiff_t width, ptrdiff_t height,
        float *output);

    // A transposed 2 × 2 convolution with stride 2. layers: of the output's pixels in even rows and columns, even rows and
    // odd columns, odd rows and even columns, odd rows and columns. width, height: of the input tensor.
    void (*enlarge)(
        const vs_product *layers, const float *input, ptrdiff_t channels, ptrdiff_t width, ptrdiff_t height,
        float *output);

    // A product of a list of numbers with a matrix. The layer keeps negative values.
    void (*dense)(const vs_product *layer, const float *input, float *output);

    // Reads a square tensor between its pixels, bilinearly. The pixel (x, y) of the output, of which there are grid × grid,
    // is read at matrix · (x + ½, y + ½, 1) − ½, in pixels of the input; beyond the centres of the outermost pixels is 0.
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
