#include "CFFmpegLog.h"

#include <libavutil/log.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char first_error[200];

// A log callback is given a va_list, which Swift cannot take.
static void keep_first_error(void *context, int level, const char *format, va_list arguments) {
    (void)context;
    if (level > AV_LOG_ERROR || first_error[0] != 0) return;
    vsnprintf(first_error, sizeof first_error, format, arguments);
    first_error[strcspn(first_error, "\r\n")] = 0;
}

void vs_keep_errors(void) {
    av_log_set_callback(keep_first_error);
    first_error[0] = 0;
}

const char *vs_kept_error(void) { return first_error; }
