// OpenSSL's digests, which use the processor's instructions for them.
#ifndef VIDSCAN_CCRYPTO_SHIM_H
#define VIDSCAN_CCRYPTO_SHIM_H

#include <openssl/evp.h>

#endif
