// The OpenVINO C API as Swift sees it.
#ifndef VIDSCAN_COPENVINO_SHIM_H
#define VIDSCAN_COPENVINO_SHIM_H

#include <openvino/c/openvino.h>

#endif
