#include "CFFmpegLog.h"

#include <libavutil/log.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// FFmpeg 7 removed the number that the threads of a decoder know. There, a packet's own number reaches its frame.
#define THREADS_KNOW_NUMBERS (LIBAVCODEC_VERSION_MAJOR < 61)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static _Thread_local char first_error[200];

// More packets than any decoder works on at once.
enum { CAPACITY = 256 };

// The packets, by sending number, about which a decoder has reported errors.
typedef struct {
    // Decoder threads log, and the thread that receives frames asks.
    pthread_mutex_t mutex;
    // The oldest are lost when nobody asks.
    int64_t packets[CAPACITY];
    size_t count;
} error_list;

static void add(error_list *list, int64_t number) {
    pthread_mutex_lock(&list->mutex);
    if (list->count == 0 || list->packets[list->count - 1] != number) {
        if (list->count == CAPACITY) {
            memmove(list->packets, list->packets + 1, (CAPACITY - 1) * sizeof *list->packets);
            list->count--;
        }
        list->packets[list->count++] = number;
    }
    pthread_mutex_unlock(&list->mutex);
}

// Marks the decoders that are watched among those of the whole process, whose 'opaque' is not ours. Decoders never call it.
static int mark(AVCodecContext *decoder, AVPacket *packet, int flags) { return AVERROR(ENOSYS); }

// Swift cannot take the va_list of a log callback.
static void keep_error(void *context, int level, const char *format, va_list arguments) {
#if THREADS_KNOW_NUMBERS
    // When a decoder conceals an error, libav does not log an error. Every context of libav begins with its class.
    int is_error = level <= AV_LOG_ERROR || strncmp(format, "concealing ", 11) == 0;
    if (is_error && context != NULL && *(const AVClass **)context == avcodec_get_class()) {
        const AVCodecContext *decoder = context;
        if (decoder->get_encode_buffer == mark) add(decoder->opaque, decoder->reordered_opaque);
    }
#endif
    if (level > AV_LOG_ERROR || first_error[0] != 0) return;
    vsnprintf(first_error, sizeof first_error, format, arguments);
    first_error[strcspn(first_error, "\r\n")] = 0;
}

void vs_keep_errors(void) {
    av_log_set_callback(keep_error);
    first_error[0] = 0;
}

const char *vs_kept_error(void) { return first_error; }

static int get_cleared_buffer(AVCodecContext *decoder, AVFrame *frame, int flags) {
    int result = avcodec_default_get_buffer2(decoder, frame, flags);
    for (int i = 0; result >= 0 && i < AV_NUM_DATA_POINTERS && frame->buf[i]; i++)
        memset(frame->buf[i]->data, 0, frame->buf[i]->size);
    return result;
}

int vs_prepare_decoder(AVCodecContext *decoder) {
    error_list *list = calloc(1, sizeof *list);
    if (list == NULL) return AVERROR(ENOMEM);
    pthread_mutex_init(&list->mutex, NULL);
    // Every thread's copy of the context has these, too.
    decoder->opaque = list;
    decoder->get_encode_buffer = mark;
    decoder->get_buffer2 = get_cleared_buffer;
#if FF_API_THREAD_SAFE_CALLBACKS
    decoder->thread_safe_callbacks = 1;
#endif
#if !THREADS_KNOW_NUMBERS
    decoder->flags |= AV_CODEC_FLAG_COPY_OPAQUE;
#endif
    return 0;
}

void vs_free_codec(AVCodecContext **context) {
#if THREADS_KNOW_NUMBERS
    // Without a first picture, closing SVT-AV1 never returns. Its memory is leaked instead.
    if (*context && (*context)->codec_id == AV_CODEC_ID_AV1 && av_codec_is_encoder((*context)->codec) &&
        (*context)->frame_number == 0) return;
#endif
    error_list *list = *context ? (*context)->opaque : NULL;
    // Ends the threads, which use the list.
    avcodec_free_context(context);
    if (list == NULL) return;
    pthread_mutex_destroy(&list->mutex);
    free(list);
}

#if THREADS_KNOW_NUMBERS
void vs_number_packet(AVCodecContext *decoder, AVPacket *packet, int64_t number) { decoder->reordered_opaque = number; }
int64_t vs_packet_number(const AVFrame *frame) { return frame->reordered_opaque; }
#else
int64_t vs_packet_number(const AVFrame *frame) { return (intptr_t)frame->opaque; }
void vs_number_packet(AVCodecContext *decoder, AVPacket *packet, int64_t number) {
    packet->opaque = (void *)(intptr_t)number;
}
#endif

int64_t vs_take_error(AVCodecContext *decoder, AVFrame *frame) {
    error_list *list = decoder->opaque;
#if !THREADS_KNOW_NUMBERS
    if (frame->decode_error_flags != 0) add(list, vs_packet_number(frame));
    // The caller asks until there is none.
    frame->decode_error_flags = 0;
#endif
    int64_t number = -1;
    pthread_mutex_lock(&list->mutex);
    if (list->count > 0) number = list->packets[--list->count];
    pthread_mutex_unlock(&list->mutex);
    return number;
}
