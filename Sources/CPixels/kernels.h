// Included once for each instruction set, with VS_NAME naming its functions.
#include "features.h"
#include "rows.h"
#include "samples.h"
#include "sums.h"

static const vs_kernels VS_NAME(kernels) = {
    VS_NAME(sum_rows), VS_NAME(sum_wide_rows), VS_NAME(sum_float_rows), VS_NAME(filter), VS_NAME(convert),
    VS_NAME(transpose), VS_NAME(average_blocks), VS_NAME(narrow), VS_NAME(interleave), VS_NAME(sample),
    VS_NAME(write_luma), VS_NAME(laplacian), VS_NAME(classify), VS_NAME(add_shifts),
};
