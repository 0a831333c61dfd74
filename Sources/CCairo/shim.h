// Cairo as Swift sees it; all that is used of it is imported as it stands.
#ifndef VIDSCAN_CCAIRO_SHIM_H
#define VIDSCAN_CCAIRO_SHIM_H

#include <cairo.h>

#endif
