// Linux calls that Swift's C library module leaves out.
#ifndef VIDSCAN_CSYSTEM_SHIM_H
#define VIDSCAN_CSYSTEM_SHIM_H

#include <fcntl.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <unistd.h>

// renameat2 is declared only under _GNU_SOURCE, which a module's header cannot set; syscall() is variadic.
// Exchanges two paths in one step, so that no reader ever finds neither.
static inline int vs_exchange(const char *a, const char *b) {
    const unsigned int exchange = 1 << 1; /* RENAME_EXCHANGE */
    return (int)syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, exchange);
}

// M_ARENA_MAX is a macro that the importer does not see. Each thread would otherwise keep a heap of its own, and with it
// memory that others freed.
static inline void vs_limit_heaps(int count) { mallopt(M_ARENA_MAX, count); }

#endif
