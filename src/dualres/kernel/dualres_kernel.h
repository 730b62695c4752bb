/* DualRes at the paper's sizes: raw windows at 64 kHz to logits.
 *
 * No allocation, no state between calls, nothing needed beyond libm. */

#ifndef DUALRES_KERNEL_H
#define DUALRES_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "checks.h"

/* To be raised whenever a struct, the order of a table, a name or a signature changes. Python reads the number from
 * this line and takes no library that was built with another: it would compute nonsense. */
#define DUALRES_INTERFACE 7

enum {
    DUALRES_RATE = 64000,  /* Hz */
    DUALRES_WINDOW = 32768, /* samples */
    DUALRES_HALF = DUALRES_WINDOW / 2, /* from one window to the next */
    DUALRES_HOP = 128,
    DUALRES_SHORT = 256,
    DUALRES_LONG = 1024,
    DUALRES_SHORT_BINS = DUALRES_SHORT / 2 + 1,
    DUALRES_LONG_BINS = DUALRES_LONG / 2 + 1,
    DUALRES_TOKENS = (DUALRES_WINDOW - DUALRES_LONG) / DUALRES_HOP + 1,
    DUALRES_WIDTH = 64,
    DUALRES_STATES = 8,
    DUALRES_MAPS = 2 * DUALRES_WIDTH + 4 * DUALRES_STATES, /* damping, input, write, read: the order of maps.py */
    DUALRES_TURN = 16 /* tokens after which the memory's rotating coordinates begin anew */
};

DUALRES_ASSERT(windows_are_whole_hops, DUALRES_HALF % DUALRES_HOP == 0 && DUALRES_LONG % DUALRES_HOP == 0);
DUALRES_ASSERT(tables_are_of_ffts_of_256_and_1024, DUALRES_SHORT == 256 && DUALRES_LONG == 1024);
DUALRES_ASSERT(views_share_the_width, DUALRES_WIDTH % 2 == 0);

/* Samples are float, or int16_t to halve the memory of a device's window. */
#ifdef DUALRES_INT16
typedef int16_t dualres_sample;
#else
typedef float dualres_sample;
#endif

/* Tables of the FFTs; floats without gaps. */
typedef struct {
    float hann_long[DUALRES_LONG]; /* halved, as the real FFT wants it */
    float hann_short[DUALRES_SHORT];
    float turn_512[64][7][2]; /* exp(-2 pi i j q / 512), q from 1: cosine and sine */
    float turn_64[8][7][2];
    float turn_128[64][2];
    float split_long[256][2]; /* exp(-2 pi i k / 1024), k in the order of the pairs; the last is not used */
    float split_short[64][2];
} dualres_tables;

/* All that does not change from window to window, in the order in which it is used; floats without gaps.
 *
 * Weights are [input][output]. Bins come in pairs as the FFT leaves them, and as logarithms to base two. LayerNorm's
 * gain and bias are part of the maps that follow it. */
typedef struct {
    dualres_tables tables;
    float short_weight[DUALRES_SHORT_BINS][DUALRES_WIDTH / 2];
    float long_weight[DUALRES_LONG_BINS][DUALRES_WIDTH / 2];
    float features_bias[DUALRES_WIDTH];
    float maps_weight[DUALRES_WIDTH][DUALRES_MAPS];
    float maps_bias[DUALRES_MAPS];
    float log_rate[DUALRES_WIDTH]; /* of damping per token */
    float ahead[DUALRES_TURN][2 * DUALRES_STATES]; /* exp(i j theta), j from 1: cosines, then sines */
    float back[2 * DUALRES_STATES]; /* exp(-i DUALRES_TURN theta) */
    float out_weight[DUALRES_WIDTH][2 * DUALRES_WIDTH]; /* mix, gate */
    float out_bias[2 * DUALRES_WIDTH];
} dualres_constants;

typedef struct {
    const dualres_constants *constants;
    const float *head; /* (classes, width), then (classes,) biases */
    int classes;
} dualres_model;

#if defined(_WIN32)
#define DUALRES_PUBLIC __declspec(dllexport)
#elif defined(__GNUC__)
#define DUALRES_PUBLIC __attribute__((visibility("default")))
#else
#define DUALRES_PUBLIC
#endif

/* Where a library offers its functions once per instruction set, their names end with it: dualres_windows_avx2. */
#ifndef DUALRES_VARIANT

/* Bytes of working memory that dualres_windows needs, at any address: 12 kB with one lane, 47, 80 or 148 kB with 4, 8
 * or 16. */
DUALRES_PUBLIC size_t dualres_scratch(void);

/* Logits (count, classes) of the half-overlapping windows of a signal of (count + 1) * DUALRES_HALF samples at
 * DUALRES_RATE. Those of a window that holds a sample which is not finite are NaN. */
DUALRES_PUBLIC void dualres_windows(const dualres_model *model, const dualres_sample *signal, size_t count,
                                    float *logits, void *scratch);

#endif

#endif
