/* The mean and the scatter of raw samples, in double precision for floats and exactly for counts. */

#ifndef DUALRES_SAMPLES_H
#define DUALRES_SAMPLES_H

#include <math.h>

#include "dualres_kernel.h"
#include "lanes.h"

#ifdef DUALRES_INT16
typedef int32_t sample_level; /* whole, so that small devices need no double for every sample */
typedef int64_t sample_sum;
#else
typedef double sample_level;
typedef double sample_sum;
#endif

/* What normalising has to know of half a window. It depends on nothing else, so that both windows which share the half
 * know the same of it, to the last bit. */
typedef struct {
    double mean;
    double scatter; /* the sum of squares about the mean */
} half_window;

enum { SUMS = LANES > 4 ? 2 * LANES : 8 }; /* side by side, so that they need not wait for one another */

DUALRES_ASSERT(sums_share_half_windows, DUALRES_HALF % SUMS == 0);

/* The sums are about the first sample. It is one of those whose scatter is sought: so they are no more than
 * DUALRES_HALF times as large, and the difference loses no more than their last digits. */
static half_window half_of(const dualres_sample *x) {
    const sample_level level = x[0];
    sample_sum first[SUMS] = {0}, second[SUMS] = {0};
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < DUALRES_HALF; i += SUMS) {
#if LANES > 4
#pragma GCC unroll 1 /* for GCC makes no vectors of a loop that it has unrolled */
#endif
        for (int j = 0; j < SUMS; j++) {
            const sample_sum off = x[i + j] - level;
            first[j] += off;
            second[j] += off * off;
        }
    }
    for (int j = 0; j < SUMS; j++) sum += (double)first[j], squares += (double)second[j];
    const double mean = sum / DUALRES_HALF, scatter = squares - sum * mean;
    return (half_window){level + mean, scatter > 0.0 || isnan(scatter) ? scatter : 0.0};
}

/* The mean and the RMS of a window of two halves; neither is finite if a sample is not. */
typedef struct {
    double mean, rms;
} whole_window;

static whole_window joined(half_window a, half_window b) {
    const double step = b.mean - a.mean;
    return (whole_window){(a.mean + b.mean) / 2,
                          sqrt((a.scatter + b.scatter) / DUALRES_WINDOW + step * step / 4)};
}

/* The mean as near as samples and their level can be subtracted without loss. */
static sample_level level_near(double mean) {
#ifdef DUALRES_INT16
    return (sample_level)floor(mean + 0.5);
#else
    return (float)mean;
#endif
}

/* A power of two that brings numbers of about this size to about one. */
static float gain_for(double size) {
    int exponent;
    (void)frexp(size, &exponent);
    return ldexpf(1.0f, exponent > 100 ? -100 : exponent < -100 ? 100 : -exponent);
}

#endif
