/* The mean and the RMS of raw samples, in double precision for floats and exactly for counts. */

#ifndef DUALRES_SAMPLES_H
#define DUALRES_SAMPLES_H

#include <math.h>

#include "dualres_kernel.h"

/* The sum of samples about a level, and of their squares. */
typedef struct {
    double first, second;
} moments;

#ifdef DUALRES_INT16
typedef int32_t sample_level; /* whole, so that small devices need no double for every sample */
typedef int64_t sample_sum;
#else
typedef double sample_level;
typedef double sample_sum;
#endif

enum { SUMS = 8 }; /* side by side, so that they need not wait for one another */

DUALRES_ASSERT(sums_share_half_windows, DUALRES_HALF % SUMS == 0);

static moments moments_about(const dualres_sample *x, size_t count, sample_level level) {
    moments m = {0.0, 0.0};
    sample_sum first[SUMS] = {0}, second[SUMS] = {0};
    for (size_t i = 0; i < count; i += SUMS) {
        for (int j = 0; j < SUMS; j++) {
            const sample_sum off = x[i + j] - level;
            first[j] += off;
            second[j] += off * off;
        }
    }
    for (int j = 0; j < SUMS; j++) m.first += (double)first[j], m.second += (double)second[j];
    return m;
}

/* The mean as near as samples and their level can be subtracted without loss. */
static sample_level level_near(double mean) {
#ifdef DUALRES_INT16
    return (sample_level)floor(mean + 0.5);
#else
    return (float)mean;
#endif
}

static double rms_of(moments m, double count) {
    const double mean = m.first / count, variance = m.second / count - mean * mean;
    return variance > 0.0 ? sqrt(variance) : 0.0;
}

/* A power of two that brings numbers of about this size to about one. */
static float gain_for(double size) {
    int exponent;
    (void)frexp(size, &exponent);
    return ldexpf(1.0f, exponent > 100 ? -100 : exponent < -100 ? 100 : -exponent);
}

#endif
