// The functions cover what Swift cannot import: macros with casts, arrays and unions in structures, and structures that
// differ between FFmpeg 5.1 and later versions.
#ifndef VIDSCAN_CFFMPEG_SHIM_H
#define VIDSCAN_CFFMPEG_SHIM_H

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/cpu.h>
#include <libavformat/avformat.h>
#include <libavutil/audio_fifo.h>
#include <libavutil/avstring.h>
#include <libavutil/eval.h>
#include <libavutil/imgutils.h>
#include <libavutil/md5.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

static inline int vs_averror(int e) { return AVERROR(e); }
static inline int vs_averror_eof(void) { return AVERROR_EOF; }
static inline int vs_averror_exit(void) { return AVERROR_EXIT; }
static inline int vs_averror_invalid_data(void) { return AVERROR_INVALIDDATA; }
static inline int vs_averror_not_implemented(void) { return AVERROR_PATCHWELCOME; }
static inline int64_t vs_nopts(void) { return AV_NOPTS_VALUE; }

// FFmpeg 6.1 moved a stream's side data into its codec parameters, and FFmpeg 8 removed the old accessor.
static inline const int32_t *vs_stream_display_matrix(const AVStream *stream) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
    const AVPacketSideData *data = av_packet_side_data_get(
        stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    return data && data->size >= 36 ? (const int32_t *)data->data : NULL;
#else
    size_t size = 0;
    const uint8_t *data = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
    return data && size >= 36 ? (const int32_t *)data : NULL;
#endif
}

// Still images store it as EXIF.
static inline const int32_t *vs_frame_display_matrix(const AVFrame *frame) {
    const AVFrameSideData *data = av_frame_get_side_data(frame, AV_FRAME_DATA_DISPLAYMATRIX);
    return data && data->size >= 36 ? (const int32_t *)data->data : NULL;
}

// A union that includes pointers.
static inline int64_t vs_option_integer(const AVOption *option) { return option->default_val.i64; }
static inline double vs_option_number(const AVOption *option) { return option->default_val.dbl; }
static inline const char *vs_option_text(const AVOption *option) { return option->default_val.str; }

// The array of pads is opaque to Swift.
static inline int vs_pad_type(const AVFilter *filter, int is_output, int index) {
    return avfilter_pad_get_type(is_output ? filter->outputs : filter->inputs, index);
}

// libavutil lists the options of an object. A pointer to a pointer to the class serves as that object.
static inline const AVOption *vs_next_option(const AVClass *class, const AVOption *previous) {
    return av_opt_next(&class, previous);
}

static inline const AVOption *vs_find_option(const AVClass *class, const char *name) {
    return av_opt_find(&class, name, NULL, 0, AV_OPT_SEARCH_FAKE_OBJ);
}

// In the stream's time base; 0 if unknown. FFmpeg 6 renamed the member, and FFmpeg 7 removed the old name.
static inline int64_t vs_frame_duration(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    return frame->duration;
#else
    return frame->pkt_duration;
#endif
}

// Swift imports planes and strides as tuples, which have no address in a frame.
static inline int vs_scale(struct SwsContext *context, const AVFrame *source, AVFrame *target) {
    return sws_scale(context, (const uint8_t *const *)source->data, source->linesize, 0, source->height, target->data,
                     target->linesize);
}

// FFmpeg 6 changed how the functions of the queue take the planes.
static inline int vs_write_samples(AVAudioFifo *queue, const AVFrame *frame, int skipped) {
    uint8_t *planes[64];
    int channels = frame->ch_layout.nb_channels, is_planar = av_sample_fmt_is_planar(frame->format);
    if (channels > 64) return AVERROR(EINVAL);
    int offset = skipped * av_get_bytes_per_sample(frame->format) * (is_planar ? 1 : channels);
    for (int i = 0; i < (is_planar ? channels : 1); i++) planes[i] = frame->extended_data[i] + offset;
    return av_audio_fifo_write(queue, (void **)planes, frame->nb_samples - skipped);
}

static inline int vs_read_samples(AVAudioFifo *queue, const AVFrame *frame) {
    return av_audio_fifo_read(queue, (void **)frame->extended_data, frame->nb_samples);
}

// Row by row, without padding.
static inline int vs_copy_pixels(uint8_t *target, int size, const AVFrame *frame) {
    return av_image_copy_to_buffer(target, size, (const uint8_t *const *)frame->data, frame->linesize,
                                   (enum AVPixelFormat)frame->format, frame->width, frame->height, 1);
}

#endif
