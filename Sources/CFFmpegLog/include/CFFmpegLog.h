// libav tells the cause of an error to its log only ("moov atom not found"), and returns a code that says less. So its log
// prints nothing here, and the first error of each thread is kept until it is asked for.
#ifndef VIDSCAN_CLIBAVLOG_H
#define VIDSCAN_CLIBAVLOG_H

// From now on libav's log is kept instead of printed; forgets what this thread has kept.
void vs_keep_errors(void);

// The first error libav logged on this thread since then; empty when there was none.
const char *vs_kept_error(void);

#endif
