// The layers of the networks that run for nearly every sample: face detector, face mesh and expressions.
//
// Values are 32-bit floats. Unless a function says otherwise, a picture is a tensor of (height + 2) × (width + 2) × channels
// values, channels last (a multiple of 16), with a border of zeros one pixel wide that only the caller writes.
//
// Every function adds its terms in one fixed order, with fused multiply-adds, and gives the same bits with every instruction
// set that has these (AVX2 and later). No function allocates memory or fails. Inputs and outputs must not overlap.
#pragma once

#include <stddef.h>

typedef enum {
    VS_LINEAR,
    VS_RELU,
    // Negative values times the channel's slope.
    VS_PRELU,
} vs_activation;

// output = activation(weights · input + bias): the part of every convolution that mixes channels.
typedef struct {
    // A 1 × 1 convolution may leave the last channels of its input tensor unused. 'outputs' is a multiple of 16.
    ptrdiff_t inputs, outputs;
    // [outputs / 16][inputs][16] and [outputs]
    const float *weights, *bias;
    vs_activation activation;
    // [outputs], only with VS_PRELU.
    const float *slopes;
} vs_linear;

// Convolves each channel with weights of its own, 3 × 3.
typedef struct {
    // 'channels' is a multiple of 16, and 'stride' is 1 or 2.
    ptrdiff_t channels, stride;
    // [3 rows][3 columns][channels] and [channels]
    const float *weights, *bias;
} vs_depthwise;

// A separable convolution with a residual: output = activation(pointwise(depthwise(input)) + input).
//
// With stride 2, the output has half the width and height, the maximum of each 2 × 2 cell of the input is added, and the
// windows begin at the cell's first pixel. With stride 1, they are centred on the pixel. Missing input channels count as 0.
typedef struct {
    vs_depthwise depthwise;
    vs_linear pointwise;
} vs_separable;

// The inverted residual of MobileNetV2: output = projection(relu(depthwise(expansion(input)))), plus the input if it is
// a residual. Windows are centred on the pixel; with stride 2, on the first pixel of each 2 × 2 cell.
typedef struct {
    vs_linear expansion;
    vs_depthwise depthwise;
    vs_linear projection;
    // Then the input has the output's channels.
    int is_residual;
} vs_inverted_residual;

// A 3 × 3 convolution with stride 2 and ReLU, without fused multiply-adds. The input needs a border only above and on the
// left, the output none.
typedef struct {
    // 'outputs' is a multiple of 8.
    ptrdiff_t inputs, outputs;
    // Of the output. Of the input, 2 · rows + 1 rows and 2 · columns + 1 columns are read, with the border.
    ptrdiff_t rows, columns;
    // In floats.
    ptrdiff_t input_stride, output_stride;
    // [3 rows][3 columns][inputs][outputs] and [outputs]
    const float *weights, *bias;
} vs_strided_conv3x3;

// Values between two layers are computed in bands of rows that stay in a cache, in floats: the first level's for
// separable convolutions (24 KiB), the second level's for inverted residuals (384 KiB).
enum { vs_first_cache = 6144, vs_second_cache = 98304 };
// The pixels of a band that fit in the first cache with the fewest channels.
enum { vs_most_pixels = vs_first_cache / 16 };

static inline ptrdiff_t vs_lesser(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static inline ptrdiff_t vs_greater(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

// The output rows computed at a time. width: of the output.
static inline ptrdiff_t vs_separable_band(ptrdiff_t width, ptrdiff_t channels, ptrdiff_t height) {
    return vs_greater(vs_lesser(vs_first_cache / (width * channels), height), 1);
}

// In floats. side: of the input tensor.
static inline ptrdiff_t vs_separable_scratch(vs_separable block, ptrdiff_t side) {
    const ptrdiff_t width = side / block.depthwise.stride, channels = block.depthwise.channels;
    return vs_separable_band(width, channels, width) * width * channels;
}

// The output rows computed at a time. width, height: of the expansion.
static inline ptrdiff_t vs_inverted_band(const vs_depthwise *layer, ptrdiff_t width, ptrdiff_t height) {
    // One band needs band · stride rows of the expansion, and the rows that it shares with the next band.
    const ptrdiff_t rows = vs_second_cache / ((width + 2) * layer->channels);
    const ptrdiff_t fitting = (rows - (3 - layer->stride)) / layer->stride;
    const ptrdiff_t band = vs_lesser(fitting, vs_most_pixels / (width / layer->stride));
    return vs_greater(vs_lesser(band, height / layer->stride), 1);
}

// In floats. width, height: of the input tensor, or half of the image's.
static inline ptrdiff_t vs_inverted_scratch(vs_inverted_residual block, ptrdiff_t width, ptrdiff_t height) {
    const vs_depthwise *layer = &block.depthwise;
    const ptrdiff_t band = vs_inverted_band(layer, width, height);
    const ptrdiff_t expanded = (band * layer->stride + 3 - layer->stride) * (width + 2);
    return (expanded + band * (width / layer->stride)) * layer->channels;
}

typedef struct {
    // A 3 × 3 convolution with stride 2 of an image. The layer has 3 rows × 3 columns × 3 planes inputs, 16 outputs and
    // PReLU. Windows begin at even coordinates; pixels beyond the image count as 0. image: [3 planes][side][side],
    // without border; side is even. output: a tensor of half the side.
    void (*image_conv3x3)(vs_linear layer, const float *image, ptrdiff_t side, float *output);

    // An inverted residual of an image: [3 planes][height][width], without border; both are even. The expansion is a 3
    // × 3 convolution with stride 2 at even coordinates, with 3 planes × 3 rows × 3 columns inputs and a multiple of 32
    // outputs. The depthwise convolution has stride 1. scratch: vs_inverted_scratch(block, width / 2, height / 2).
    void (*image_inverted_residual)(
        vs_inverted_residual block, const float *image, ptrdiff_t width, ptrdiff_t height, float *scratch,
        float *output);

    // side: of the input, a multiple of the stride, at most vs_most_pixels · stride. scratch: vs_separable_scratch.
    void (*separable)(vs_separable block, const float *input, ptrdiff_t side, float *scratch, float *output);

    // width, height: of the input, multiples of the stride. scratch: vs_inverted_scratch.
    void (*inverted_residual)(
        vs_inverted_residual block, const float *input, ptrdiff_t width, ptrdiff_t height, float *scratch,
        float *output);

    // A 1 × 1 convolution. channels: of the input. addend: NULL, or a tensor of the output's shape, added after the
    // activation; it may be the output itself.
    void (*pointwise)(
        vs_linear layer, const float *input, ptrdiff_t channels, ptrdiff_t width, ptrdiff_t height,
        const float *addend, float *output);

    // The layer has 3 rows × 3 columns × n inputs, n at most the input's channels, and a multiple of 32 outputs.
    void (*conv3x3)(
        vs_linear layer, const float *input, ptrdiff_t channels, ptrdiff_t width, ptrdiff_t height, float *output);

    // A transposed 2 × 2 convolution with stride 2. layers: for the output's pixels at (even row, even column), (even,
    // odd), (odd, even) and (odd, odd). width, height: of the input.
    void (*deconvolution)(
        const vs_linear *layers, const float *input, ptrdiff_t channels, ptrdiff_t width, ptrdiff_t height,
        float *output);

    // Without activation. input: [inputs]. output: [outputs].
    void (*fully_connected)(vs_linear layer, const float *input, float *output);

    // Samples a square tensor at the points of a grid, bilinearly. The output's pixel (x, y), of grid × grid, is read
    // at matrix · (x + ½, y + ½, 1) − ½ in pixels of the input, whose first pixel has its centre at (0, 0). Points
    // beyond the centres of the outermost pixels give 0. matrix: [2 rows][3 columns].
    void (*grid_sample)(
        const float *input, ptrdiff_t side, ptrdiff_t channels, const float *matrix, ptrdiff_t grid, float *output);

    // input, output: the first values read and written.
    void (*strided_conv3x3)(const vs_strided_conv3x3 *layer, const float *input, float *output);

    // sums[width] += values[count] · weights[count][width], value by value, without fused multiply-adds; any width.
    void (*add_products)(const float *values, ptrdiff_t count, const float *weights, ptrdiff_t width, float *sums);
} vs_network_kernels;

typedef enum { VS_NETWORK_BASELINE, VS_NETWORK_AVX2, VS_NETWORK_AVX512 } vs_network_set;

// NULL if the processor lacks the instruction set.
const vs_network_kernels *vs_network_kernels_for(vs_network_set set);

const vs_network_kernels *vs_best_network_kernels(void);
