// Linux calls that Swift's C library module leaves out. Includes no system header, so that all types belong to that
// module. Functions with a result return 0, or -1 with errno.
#ifndef VIDSCAN_CLINUX_H
#define VIDSCAN_CLINUX_H

// Exchanges two names in one step, so that a reader always finds both.
int vs_exchange(int folder, const char *a, const char *b);

// Fails if the new name exists.
int vs_rename_to_free(int folder, const char *a, const char *b);

// Otherwise each thread keeps its own heap, which holds on to memory that other threads have freed.
void vs_limit_heaps(int count);

// Returns the heaps' freed memory to the system.
void vs_trim_heaps(void);

// Programs started meanwhile do not inherit the pipe.
int vs_pipe(int ends[2]);

// Ends this process when the one that started it ends.
int vs_die_with_parent(void);

// For debuggers and `top`. The kernel keeps the first 15 bytes.
void vs_name_thread(const char *name);

#endif
