/* What the network of views and that of orders have in common: how they see frames, and the size of their heads. */

#ifndef DUALRES_SEEN_FEATURES_H
#define DUALRES_SEEN_FEATURES_H

#include "dualres_kernel.h"

enum {
    DUALRES_STRENGTHS = 2 * (DUALRES_WINDOW - DUALRES_SHORT) / DUALRES_HOP + 1, /* short frames, two in a hop */
    DUALRES_BANDS = 5,     /* whose strength is followed */
    DUALRES_BAND_BINS = 80, /* of a short frame in all of them, from bin 1 on */
    DUALRES_SPECTRA_FEATURES = DUALRES_SHORT_BINS + DUALRES_LONG_BINS,
    DUALRES_RANK = 32      /* directions of a head */
};

/* Floats without gaps. Places are whole numbers. */
typedef struct {
    float slots[DUALRES_BAND_BINS]; /* where the bins of a short frame lie among its magnitudes, from bin 1 on */
    float edges[DUALRES_BANDS + 1]; /* in `slots` */
} dualres_bands;

#endif
