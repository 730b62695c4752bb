/* The network of views at the paper's frames: raw windows at 64 kHz to log-probabilities.
 *
 * No allocation, no state between calls, nothing needed beyond libm. */

#ifndef DUALRES_VIEWS_H
#define DUALRES_VIEWS_H

#include "seen_features.h"

enum {
    DUALRES_OSCILLATORS = 72,     /* that a band's strength drives */
    DUALRES_OSCILLATORS_ROOM = 80, /* whole vectors */
    DUALRES_LINES = 512,          /* bins of a whole window's spectrum, from zero */
    DUALRES_PHASES = DUALRES_WINDOW / DUALRES_LONG, /* interleaved parts of a window, a long FFT each */
    DUALRES_NEAR = 16,            /* neighbouring bins that share a coarse turn */
    DUALRES_LINE_BANDS = 50,
    DUALRES_MODULATION_FEATURES = DUALRES_BANDS * DUALRES_OSCILLATORS,
    DUALRES_VIEW_FEATURES = DUALRES_SPECTRA_FEATURES + DUALRES_MODULATION_FEATURES + DUALRES_LINE_BANDS,
    DUALRES_HEADS = 4             /* of spectra, repetition, rhythm and lines, as `ViewSizes.features` has them */
};

/* All that no network of views changes; floats without gaps. Places are whole numbers. */
typedef struct {
    dualres_tables tables;
    dualres_bands bands;
    float swing[2][DUALRES_OSCILLATORS_ROOM]; /* what a frame makes of an oscillator: real, then imaginary parts */
    float line_edges[DUALRES_LINE_BANDS + 1]; /* in bins of a whole window */
    float delay[2][DUALRES_PHASES]; /* exp(2 pi i r / window): cosines, then sines */
    float coarse[DUALRES_LINES / DUALRES_NEAR][2][DUALRES_PHASES]; /* exp(-2 pi i r k / window), every 16th k */
    float fine[DUALRES_NEAR][2][DUALRES_PHASES]; /* the same for k from 0 to 15 */
} dualres_views_constants;

typedef struct {
    const dualres_views_constants *constants;
    /* Of each head: centre, scale, (rank, features) directions, (classes, features) slopes, offsets, sharpness.
     * The features of spectra lie as the FFT leaves them. */
    const float *heads;
    int classes;
} dualres_views_model;

/* Where a library offers its functions once per instruction set, their names end with it: dualres_views_avx2. */
#ifndef DUALRES_VARIANT

/* Bytes of working memory that dualres_views needs, at any address: 23 kB with one lane, 97, 165 or 301 kB with 4,
 * 8 or 16. */
DUALRES_PUBLIC size_t dualres_views_scratch(void);

/* Log-probabilities (count, classes) of the half-overlapping windows of a signal of (count + 1) * DUALRES_HALF samples
 * at DUALRES_RATE. Those of a window that holds a sample which is not finite are NaN. */
DUALRES_PUBLIC void dualres_views(const dualres_views_model *model, const dualres_sample *signal, size_t count,
                                  float *logits, void *scratch);

/* What the heads see of one window, (DUALRES_VIEW_FEATURES,): mean spectra, modulation, lines. 0 if it holds a sample
 * that is not finite. */
DUALRES_PUBLIC int dualres_views_features(const dualres_views_constants *constants, const dualres_sample *window,
                                          float *features, void *scratch);

#endif

#endif
