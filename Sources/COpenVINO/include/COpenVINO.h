// The functions of OpenVINO's C API that vidscan calls, looked up at run time: neither a build nor a user of the library needs
// OpenVINO's headers, a linker flag or a library path. scripts/check_openvino compares the declarations with OpenVINO's own.
#ifndef VIDSCAN_COPENVINO_H
#define VIDSCAN_COPENVINO_H

#include <stddef.h>
#include <stdint.h>

typedef struct ov_core ov_core_t;
typedef struct ov_model ov_model_t;
typedef struct ov_compiled_model ov_compiled_model_t;
typedef struct ov_infer_request ov_infer_request_t;
typedef struct ov_tensor ov_tensor_t;

typedef struct ov_version {
    const char *buildNumber;
    const char *description;
} ov_version_t;

typedef struct {
    const char *key;
    const void *value;
} ov_property_t;

// FUNCTION(result, name without ov_, parameters). A status is 0 on success, else negative.
#define VIDSCAN_OPENVINO_FUNCTIONS(FUNCTION) \
    FUNCTION(int, get_openvino_version, (ov_version_t *)) \
    FUNCTION(void, version_free, (ov_version_t *)) \
    FUNCTION(const char *, get_last_err_msg, (void)) \
    FUNCTION(void, free, (const char *)) \
    FUNCTION(int, core_create, (ov_core_t **)) \
    FUNCTION(void, core_free, (ov_core_t *)) \
    FUNCTION(int, core_get_property, (const ov_core_t *, const char *device, const char *key, char **value)) \
    FUNCTION(int, core_read_model, (const ov_core_t *, const char *path, const char *weights, ov_model_t **)) \
    FUNCTION(int, core_compile_model_props, \
        (const ov_core_t *, const ov_model_t *, const char *device, size_t count, const ov_property_t *, \
            ov_compiled_model_t **)) \
    FUNCTION(void, model_free, (ov_model_t *)) \
    FUNCTION(int, compiled_model_create_infer_request, (const ov_compiled_model_t *, ov_infer_request_t **)) \
    FUNCTION(void, compiled_model_free, (ov_compiled_model_t *)) \
    FUNCTION(int, infer_request_get_input_tensor_by_index, (const ov_infer_request_t *, size_t, ov_tensor_t **)) \
    FUNCTION(int, infer_request_get_output_tensor_by_index, (const ov_infer_request_t *, size_t, ov_tensor_t **)) \
    FUNCTION(int, infer_request_infer, (ov_infer_request_t *)) \
    FUNCTION(void, infer_request_free, (ov_infer_request_t *)) \
    FUNCTION(int, tensor_data, (const ov_tensor_t *, void **)) \
    FUNCTION(int, tensor_get_byte_size, (const ov_tensor_t *, size_t *)) \
    FUNCTION(void, tensor_free, (ov_tensor_t *))

/// After a successful load, all functions are there.
typedef struct vs_openvino {
#define VIDSCAN_MEMBER(result, name, parameters) result(*name) parameters;
    VIDSCAN_OPENVINO_FUNCTIONS(VIDSCAN_MEMBER)
#undef VIDSCAN_MEMBER
} vs_openvino;

/// Loads the library for good. NULL on success, else the reason, valid until the thread next calls the dynamic linker.
const char *vs_load_openvino(const char *path, vs_openvino *functions);

/// Compiles a model, which then computes with 32-bit floats, on `threads` threads. Returns the status.
int vs_compile_openvino(
    vs_openvino functions, const ov_core_t *, const ov_model_t *, int threads, ov_compiled_model_t **);

#endif
