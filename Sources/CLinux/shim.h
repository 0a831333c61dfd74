// Linux calls that Swift's C library module leaves out.
#ifndef VIDSCAN_CLINUX_SHIM_H
#define VIDSCAN_CLINUX_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// renameat2 is declared only under _GNU_SOURCE, which a module's header cannot set; syscall() is variadic.
// Exchanges two names in a folder in one step, so that no reader ever finds neither.
static inline int vs_exchange(int folder, const char *a, const char *b) {
    const unsigned int exchange = 1 << 1; /* RENAME_EXCHANGE */
    return (int)syscall(SYS_renameat2, folder, a, folder, b, exchange);
}

// Renames within a folder unless the new name exists.
static inline int vs_rename_to_free(int folder, const char *a, const char *b) {
    const unsigned int no_replace = 1 << 0; /* RENAME_NOREPLACE */
    return (int)syscall(SYS_renameat2, folder, a, folder, b, no_replace);
}

// M_ARENA_MAX is a macro that the importer does not see. Each thread would otherwise keep a heap of its own, and with it
// memory that others freed.
static inline void vs_limit_heaps(int count) { mallopt(M_ARENA_MAX, count); }

/// Gives the system back what was freed and lies in the heaps.
static inline void vs_trim_heaps(void) { malloc_trim(0); }

/// A pipe that no program started meanwhile inherits; both ends in `ends`. 0, or -1 with errno.
static inline int vs_pipe(int ends[2]) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }

/// A file in memory that no program started meanwhile inherits. Its descriptor, or -1 with errno.
static inline int vs_memory_file(const char *name) {
    const unsigned int close_on_exec = 1; /* MFD_CLOEXEC */
    return (int)syscall(SYS_memfd_create, name, close_on_exec);
}

/// Whether the process may write only files up to a certain size. The importer does not see RLIM_INFINITY.
static inline int vs_file_size_is_limited(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

/// Ends this process when the one that started it ends. 0, or -1 with errno.
static inline int vs_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL); }

/// Names the calling thread, for debuggers and `top`. The kernel keeps the first 15 bytes.
static inline void vs_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

#endif
