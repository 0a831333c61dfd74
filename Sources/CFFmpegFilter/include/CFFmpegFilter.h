// Each function of libavfilter loads the library at its first call. Few runs use a filter, and the library and the
// thirty that it needs take a fifth of the time in which a picture is analysed, and 11 MB.
#ifndef VIDSCAN_CFFMPEGFILTER_H
#define VIDSCAN_CFFMPEGFILTER_H

// Loads libavfilter for the life of the process. NULL on success, else the reason; the functions then fail: there is no
// filter, and no memory for a graph.
const char *vs_load_filters(void);

int vs_filters_are_loaded(void);

#endif
