// libav tells the cause of an error to its log only ("moov atom not found"), and returns a code that says less. So its log
// prints nothing here, and the first error of each thread is kept until it is asked for.
#ifndef VIDSCAN_CLIBAVLOG_H
#define VIDSCAN_CLIBAVLOG_H

#include <libavcodec/avcodec.h>
#include <stdint.h>

// From now on libav's log is kept instead of printed; forgets what this thread has kept.
void vs_keep_errors(void);

// The first error libav logged on this thread since then; empty when there was none.
const char *vs_kept_error(void);

// Which packets a decoder has reported errors about. Before FFmpeg 7, the log says it; a frame's decode_error_flags are not
// reliable, because a frame may be given out before the thread that decodes it has set them, and some decoders never set them.
// From FFmpeg 7 on, the flags say it, because the log does not show the packet any more.
typedef struct vs_error_list vs_error_list;

// NULL when memory runs out. The list must live as long as the decoder.
vs_error_list *vs_watch_errors(AVCodecContext *decoder);

// Frees a list whose decoder is gone.
void vs_free_errors(vs_error_list *list);

// Numbers the packet that is sent next, from 0.
void vs_number_packet(AVCodecContext *decoder, AVPacket *packet, int64_t number);

// The number of a frame's packet.
int64_t vs_packet_number(const AVFrame *frame);

// The number of a packet that had an error; forgets it. -1 when there is none. When a frame has been received, the errors of
// its packet and of all before it are known.
int64_t vs_take_error(vs_error_list *list, AVFrame *frame);

#endif
