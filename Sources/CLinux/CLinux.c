#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int vs_exchange(int folder, const char *a, const char *b) { return renameat2(folder, a, folder, b, RENAME_EXCHANGE); }

int vs_rename_to_free(int folder, const char *a, const char *b) {
    return renameat2(folder, a, folder, b, RENAME_NOREPLACE);
}

void vs_limit_heaps(int count) { mallopt(M_ARENA_MAX, count); }

void vs_trim_heaps(void) { malloc_trim(0); }

int vs_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int vs_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL); }

void vs_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
