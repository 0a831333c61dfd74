#include "COpenVINO.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

const char *vs_load_openvino(const char *path, vs_openvino *functions) {
    // Some virtual machines announce tile registers (AMX) that they lack, and the library would end the program with an
    // illegal instruction. Only bfloat16 uses them. A value that the user has set takes precedence.
    setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16", 0);
    // The library finds its dependencies beside itself.
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
    // POSIX, but not C, lets a function's address be stored as an object's.
#define VIDSCAN_LOOK_UP(result, name, parameters) \
    *(void **)&functions->name = dlsym(library, "ov_" #name); \
    if (!functions->name) return dlerror();
    VIDSCAN_OPENVINO_FUNCTIONS(VIDSCAN_LOOK_UP)
    return NULL;
}

int vs_compile_openvino(
    vs_openvino functions, const ov_core_t *core, const ov_model_t *model, int threads, ov_compiled_model_t **result) {
    char count[12];
    snprintf(count, sizeof count, "%d", threads);
    const ov_property_t properties[] = {
        {"NUM_STREAMS", count}, {"INFERENCE_NUM_THREADS", count}, {"INFERENCE_PRECISION_HINT", "f32"},
        {"ENABLE_CPU_PINNING", "NO"},
    };
    return functions.core_compile_model_props(core, model, "CPU", 4, properties, result);
}
