// libav writes the cause of an error ("moov atom not found") only to its log, and returns a code that says less. So the
// log prints nothing here, and keeps the first error of each thread.
#ifndef VIDSCAN_CFFMPEGLOG_H
#define VIDSCAN_CFFMPEGLOG_H

#include <libavcodec/avcodec.h>
#include <stdint.h>

// From now on, keeps libav's log instead of printing it. Clears what this thread has kept.
void vs_keep_errors(void);

// The first error on this thread since then, or "".
const char *vs_kept_error(void);

// From now on, notes which packets a decoder reports errors about: before FFmpeg 7 by the log, because decode_error_flags
// may be set after the frame has come out, or never; from FFmpeg 7 on by the flags, because the log lacks the packet.
// What the decoder leaves out of a damaged frame is 0, and not what an earlier frame left in its memory.
int vs_prepare_decoder(AVCodecContext *decoder);

// Frees a decoder, watched or not, or an encoder.
void vs_free_codec(AVCodecContext **context);

// Numbers the packet that is sent next, from 0.
void vs_number_packet(AVCodecContext *decoder, AVPacket *packet, int64_t number);

int64_t vs_packet_number(const AVFrame *frame);

// Returns and forgets the number of a packet of a watched decoder that had an error; -1 when there is none. When a frame
// has been received, the errors of its packet and of all before it are known.
int64_t vs_take_error(AVCodecContext *decoder, AVFrame *frame);

#endif
