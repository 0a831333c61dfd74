#include "COpenVINO.h"

#include <dlfcn.h>
#include <stdlib.h>

const char *vs_load_openvino(const char *path, vs_openvino *functions) {
    // Some virtual machines announce tile registers (AMX) that they lack, and the library would end the program with an
    // illegal instruction. Only bfloat16 uses them. The user's own choice counts.
    setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16", 0);
    // The library finds its dependencies beside itself.
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
    // POSIX, but not C, lets a function's address travel as an object's.
#define VIDSCAN_LOOK_UP(result, name, parameters) \
    *(void **)&functions->name = dlsym(library, "ov_" #name); \
    if (!functions->name) return dlerror();
    VIDSCAN_OPENVINO_FUNCTIONS(VIDSCAN_LOOK_UP)
#undef VIDSCAN_LOOK_UP
    return NULL;
}
