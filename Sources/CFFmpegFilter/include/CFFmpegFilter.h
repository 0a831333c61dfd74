// libavfilter's functions for the program, without libavfilter: each loads the library at its first call. Few runs use a
// filter, and the library and the thirty that it needs take a fifth of the time in which a picture is analysed, and 11 MB.
#ifndef VIDSCAN_CFFMPEGFILTER_H
#define VIDSCAN_CFFMPEGFILTER_H

// Loads libavfilter for the life of the process, unless it is loaded. NULL if that succeeds, else the reason. The functions
// of a library that does not load fail: there is no filter, and no memory for a graph.
const char *vs_load_filters(void);

// Whether libavfilter is loaded.
int vs_filters_are_loaded(void);

#endif
