// OpenSSL's SHA-256, which uses the processor's instructions for it. These functions keep no state in the process: it may exit
// while a thread computes a digest, and then OpenSSL frees what its newer interface needs.
#ifndef VIDSCAN_CCRYPTO_SHIM_H
#define VIDSCAN_CCRYPTO_SHIM_H

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#endif
