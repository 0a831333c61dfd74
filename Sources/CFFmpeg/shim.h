// The FFmpeg libraries as Swift sees them. Only what the importer cannot read stands here as a static inline: macros
// that are expressions, variadic functions, and structures whose layout differs between FFmpeg 5.1 and later ones.
#ifndef VIDSCAN_CFFMPEG_SHIM_H
#define VIDSCAN_CFFMPEG_SHIM_H

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavutil/avstring.h>
#include <libavutil/display.h>
#include <libavutil/eval.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/md5.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libavutil/sha.h>
#include <libswscale/swscale.h>

// AVERROR(e) and the tags made from four characters are macros with casts, which are not imported.
static inline int vs_averror(int e) { return AVERROR(e); }
static inline int vs_averror_eof(void) { return AVERROR_EOF; }
static inline int vs_averror_exit(void) { return AVERROR_EXIT; }
static inline int64_t vs_nopts(void) { return AV_NOPTS_VALUE; }

// Frames carry the display matrix of pictures (EXIF), streams that of containers. The stream's side data moved into its
// codec parameters in FFmpeg 6.1, and the old accessor is gone in 8.
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

// Before FFmpeg 6.1 codec parameters have no side data, and a copy of them takes none along.
static inline void vs_remove_coded_side_data(AVCodecParameters *parameters) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 30, 101)
    av_packet_side_data_free(&parameters->coded_side_data, &parameters->nb_coded_side_data);
#else
    (void)parameters;
#endif
}

static inline const int32_t *vs_frame_display_matrix(const AVFrame *frame) {
    const AVFrameSideData *data = av_frame_get_side_data(frame, AV_FRAME_DATA_DISPLAYMATRIX);
    return data && data->size >= 36 ? (const int32_t *)data->data : NULL;
}

// The default of an option lies in a union that also holds pointers.
static inline int64_t vs_option_integer(const AVOption *option) { return option->default_val.i64; }
static inline double vs_option_number(const AVOption *option) { return option->default_val.dbl; }
static inline const char *vs_option_text(const AVOption *option) { return option->default_val.str; }
static inline AVRational vs_option_rational(const AVOption *option) { return option->default_val.q; }

// The pads' media types are asked for through an opaque array. A pad that there is not has no type.
static inline int vs_pad_type(const AVFilter *filter, int is_output, int index) {
    return avfilter_pad_get_type(is_output ? filter->outputs : filter->inputs, index);
}

// A class's options are listed through a pretended object: a pointer to a pointer to the class.
static inline const AVOption *vs_next_option(const AVClass *class, const AVOption *previous) {
    return av_opt_next(&class, previous);
}

static inline const AVOption *vs_find_option(const AVClass *class, const char *name) {
    return av_opt_find(&class, name, NULL, 0, AV_OPT_SEARCH_FAKE_OBJ);
}

// In the stream's time base; 0 when unknown. The field was renamed in FFmpeg 6, and the old name is gone in 7.
static inline int64_t vs_frame_duration(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    return frame->duration;
#else
    return frame->pkt_duration;
#endif
}

#endif
