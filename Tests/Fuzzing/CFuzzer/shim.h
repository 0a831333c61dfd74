// libFuzzer as a library: https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library
#ifndef VIDSCAN_CFUZZER_SHIM_H
#define VIDSCAN_CFUZZER_SHIM_H

#include <stddef.h>
#include <stdint.h>

// Reads the options of the command line and feeds inputs until it is done. 0, or what the process is to end with.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*feed)(const uint8_t *bytes, size_t count));

#endif
