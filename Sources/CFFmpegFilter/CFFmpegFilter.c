#include "CFFmpegFilter.h"

#include <dlfcn.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <pthread.h>
#include <stdio.h>

// Result, result if the function cannot be loaded, name, parameters, arguments. They are defined below under libavfilter's
// own names, so the compiler compares the parameters with its headers.
#define VIDSCAN_FILTER_FUNCTIONS(FUNCTION) \
    FUNCTION(unsigned, 0, avfilter_version, (void), ()) \
    FUNCTION(const AVFilter *, NULL, avfilter_get_by_name, (const char *name), (name)) \
    FUNCTION(const AVFilter *, NULL, av_filter_iterate, (void **state), (state)) \
    FUNCTION(unsigned, 0, avfilter_filter_pad_count, (const AVFilter *filter, int is_output), (filter, is_output)) \
    FUNCTION(enum AVMediaType, AVMEDIA_TYPE_UNKNOWN, avfilter_pad_get_type, (const AVFilterPad *pads, int index), \
        (pads, index)) \
    FUNCTION(const AVClass *, NULL, avfilter_get_class, (void), ()) \
    FUNCTION(AVFilterGraph *, NULL, avfilter_graph_alloc, (void), ()) \
    FUNCTION(int, AVERROR(ENOSYS), avfilter_graph_create_filter, \
        (AVFilterContext **context, const AVFilter *filter, const char *name, const char *arguments, void *opaque, \
            AVFilterGraph *graph), \
        (context, filter, name, arguments, opaque, graph)) \
    FUNCTION(int, AVERROR(ENOSYS), avfilter_link, \
        (AVFilterContext *source, unsigned source_pad, AVFilterContext *target, unsigned target_pad), \
        (source, source_pad, target, target_pad)) \
    FUNCTION(int, AVERROR(ENOSYS), avfilter_graph_parse_ptr, \
        (AVFilterGraph *graph, const char *text, AVFilterInOut **inputs, AVFilterInOut **outputs, void *log), \
        (graph, text, inputs, outputs, log)) \
    FUNCTION(int, AVERROR(ENOSYS), avfilter_graph_parse2, \
        (AVFilterGraph *graph, const char *text, AVFilterInOut **inputs, AVFilterInOut **outputs), \
        (graph, text, inputs, outputs)) \
    FUNCTION(int, AVERROR(ENOSYS), avfilter_graph_config, (AVFilterGraph *graph, void *log), (graph, log)) \
    FUNCTION(void, (void)0, avfilter_graph_free, (AVFilterGraph **graph), (graph)) \
    FUNCTION(AVFilterInOut *, NULL, avfilter_inout_alloc, (void), ()) \
    FUNCTION(void, (void)0, avfilter_inout_free, (AVFilterInOut **pads), (pads)) \
    FUNCTION(int, AVERROR(ENOSYS), av_buffersrc_add_frame_flags, (AVFilterContext *source, AVFrame *frame, int flags), \
        (source, frame, flags)) \
    FUNCTION(int, AVERROR(ENOSYS), av_buffersink_get_frame, (AVFilterContext *sink, AVFrame *frame), (sink, frame)) \
    FUNCTION(int, 0, av_buffersink_get_w, (const AVFilterContext *sink), (sink)) \
    FUNCTION(int, 0, av_buffersink_get_h, (const AVFilterContext *sink), (sink)) \
    FUNCTION(AVRational, ((AVRational){0, 1}), av_buffersink_get_sample_aspect_ratio, (const AVFilterContext *sink), \
        (sink)) \
    FUNCTION(AVRational, ((AVRational){0, 1}), av_buffersink_get_time_base, (const AVFilterContext *sink), (sink))

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *library;
static char reason[300];
static int is_loaded;

static void load(void) {
    // The version of the compiled headers, and so of the libraries that the program is linked with.
    library = dlopen("libavfilter.so." AV_STRINGIFY(LIBAVFILTER_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL);
    if (!library) snprintf(reason, sizeof reason, "%s", dlerror());
    __atomic_store_n(&is_loaded, library != NULL, __ATOMIC_RELEASE);
}

const char *vs_load_filters(void) {
    pthread_once(&once, load);
    return reason[0] ? reason : NULL;
}

int vs_filters_are_loaded(void) { return __atomic_load_n(&is_loaded, __ATOMIC_ACQUIRE); }

#define VIDSCAN_DEFINE(result, failure, name, parameters, arguments) \
    result name parameters { \
        __typeof__(name) *function = vs_load_filters() ? NULL : dlsym(library, #name); \
        return function ? function arguments : failure; \
    }
VIDSCAN_FILTER_FUNCTIONS(VIDSCAN_DEFINE)
