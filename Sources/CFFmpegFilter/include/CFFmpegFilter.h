// The first call of any function loads libavfilter. Few runs use a filter, and loading it with the thirty libraries
// that it needs takes 11 MB, and a fifth of the time that the analysis of a picture takes.
#ifndef VIDSCAN_CFFMPEGFILTER_H
#define VIDSCAN_CFFMPEGFILTER_H

// Loads libavfilter for the life of the process. NULL on success, else the reason; the functions then fail as if there
// were no filters and no memory for a graph.
const char *vs_load_filters(void);

int vs_filters_are_loaded(void);

#endif
