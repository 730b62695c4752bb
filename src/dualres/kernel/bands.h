/* What networks of views and of orders keep of frames: sums of the logarithms of their magnitudes, and how strong a few
 * bands are in each. */

#ifndef DUALRES_BANDS_H
#define DUALRES_BANDS_H

#include <string.h>

#include "seen_features.h"
#include "fft.h"
#include "frames.h"
#include "halves.h"
#include "lanes.h"

enum { STARTS = (DUALRES_STRENGTHS + 1) / 2 }; /* hops at which a short frame begins */

static const float LEAST_STRENGTH = 0.05f; /* `LEAST_MAGNITUDE` of config.py */
static const float LOG_OF_2 = 0.69314718f;

/* Room for the frames of a block. */
typedef struct {
    cvec z[LONG_RADIX * GROUP];
    vec magnitudes[DUALRES_LONG_BINS];
#if LANES > 1
    frame_tile tile;
#endif
} frames_room;

/* Sums over the tokens of log2(1 + magnitude), bins as the FFT leaves them.
 *
 * A magnitude of a window of RMS one is below 3600: so the product of FACTORS such numbers is a float, and takes one
 * logarithm. A device, which looks at one window at a time, has no room for products. */
#if LANES > 1 && !defined DUALRES_ALONE
#define TAKES_PRODUCTS
enum { FACTORS = 8 };
#endif

typedef struct {
    vec logs[DUALRES_SPECTRA_FEATURES];
#ifdef TAKES_PRODUCTS
    vec products[DUALRES_SPECTRA_FEATURES]; /* of what is not yet part of the sums */
#endif
} log_sums;

/* What frames have left of a window so far. */
typedef struct {
    log_sums *logs;
    vec *power; /* (DUALRES_LONG_BINS,), over long frames that overlap by half; NULL where nobody wants it */
    float (*strengths)[DUALRES_STRENGTHS]; /* of each band */
} frame_sums;

/* All bits for every `step`th of the frames from `first` up to `last` in a block that begins with frame `start`, none
 * for others. */
static inline veci frames_between(int start, int first, int last, int step) {
    vec_bits taken;
    float each[LANES];
    for (int i = 0; i < LANES; i++) {
        const int frame = start + i;
        const int32_t bits = frame >= first && frame < last && frame % step == 0 ? -1 : 0;
        memcpy(each + i, &bits, sizeof bits);
    }
    taken.f = vec_load(each);
    return taken.i;
}

/* The magnitudes of the lowest bins as they are without a window's mean. */
static inline void correct(const under_way *as, const low_bins *low, float length, vec *magnitudes) {
    const low_magnitudes corrected = without_mean(low, as->mean, length);
    magnitudes[SLOT_OF_ZERO] = corrected.zero;
    magnitudes[SLOT_OF_ONE] = corrected.one;
}

static inline void begin_logs(log_sums *sums) {
    memset(sums->logs, 0, sizeof sums->logs);
#ifdef TAKES_PRODUCTS
    for (int i = 0; i < DUALRES_SPECTRA_FEATURES; i++) sums->products[i] = vec_all(1.0f);
#endif
}

/* log2(1 + magnitude) of some frames, for an RMS of one, joins the sums of bins from number `first` on. What others are
 * need not be finite. The block's frames come before hop `end`, behind which nothing more will be taken. */
static inline void add_logs(const under_way *as, const vec *magnitudes, int count, veci taken, int end, log_sums *sums,
                            int first) {
    vec *logs = sums->logs + first;
#ifdef TAKES_PRODUCTS
    const vec_bits one = {.f = vec_all(1.0f)};
    const int over = (as->hop / LANES + 1) % FACTORS == 0 || as->hop + LANES >= end;
    vec *products = sums->products + first;
    for (int i = 0; i < count; i++) {
        vec_bits factor;
        factor.f = magnitudes[i] * as->inverse + 1.0f;
        factor.i = (factor.i & taken) | (one.i & ~taken);
        products[i] *= factor.f;
    }
    for (int i = 0; over && i < count; i++) {
        logs[i] += vec_log2(products[i]);
        products[i] = one.f;
    }
#else
    (void)end;
    for (int i = 0; i < count; i++) {
        vec_bits each;
        each.f = vec_log2(magnitudes[i] * as->inverse + 1.0f);
        each.i &= taken;
        logs[i] += each.f;
    }
#endif
}

/* Likewise the squares of their magnitudes. */
static inline void add_power(const under_way *as, const vec *magnitudes, int count, veci taken, vec *sums) {
    for (int i = 0; i < count; i++) {
        vec_bits square;
        square.f = magnitudes[i] * as->inverse;
        square.f *= square.f;
        square.i &= taken;
        sums[i] += square.f;
    }
}

/* The strength of each band in frames `frame`, `frame` + 2, ..., for an RMS of one. */
static inline void add_strengths(const dualres_bands *bands, const vec *magnitudes, const under_way *as, int frame,
                                 float (*strengths)[DUALRES_STRENGTHS]) {
    for (int band = 0; band < DUALRES_BANDS; band++) {
        vec power = vec_all(0.0f);
        for (int i = (int)bands->edges[band]; i < (int)bands->edges[band + 1]; i++) {
            const vec magnitude = magnitudes[(int)bands->slots[i]];
            power += magnitude * magnitude;
        }
        float strength[LANES];
        vec_store(strength, vec_sqrt(power) * as->inverse);
        for (int i = 0; i < LANES && frame + 2 * i < DUALRES_STRENGTHS; i++)
            strengths[band][frame + 2 * i] = strength[i];
    }
}

/* The deviation of a band's strength from its mean, as a share of it, takes its place; the mean. */
static inline float take_deviation(float *strength) {
    double sum = 0.0;
    for (int t = 0; t < DUALRES_STRENGTHS; t++) sum += (double)strength[t];
    const float mean = (float)(sum / DUALRES_STRENGTHS), scale = 1.0f / (mean + LEAST_STRENGTH);
    for (int t = 0; t < DUALRES_STRENGTHS; t++) strength[t] = (strength[t] - mean) * scale;
    return mean;
}

/* The frames that begin at LANES neighbouring hops join what is known of one or two windows, `into` by their places. */
static inline void take_in_frames(const dualres_tables *tables, const dualres_bands *bands, frames_room *room,
                                  const source *from, int follows, const under_way *windows, int count,
                                  const frame_sums *into) {
    enum { APART = DUALRES_LONG / 2 / DUALRES_HOP };
    const hops at = CUT(room->tile, from, follows);
    low_bins low;
    for (int half = 0; half < 2; half++) {
        if (2 * windows[0].hop + half >= DUALRES_STRENGTHS) break; /* behind the end of the only one */
        short_frames(tables, at, half * (DUALRES_HOP / 2), room->z, room->magnitudes, &low);
        for (const under_way *as = windows; as < windows + count; as++) {
            correct(as, &low, DUALRES_SHORT, room->magnitudes);
            add_strengths(bands, room->magnitudes, as, 2 * as->hop + half, into[as->place].strengths);
            if (half == 0) {
                const veci taken = frames_between(as->hop, CROP, CROP + DUALRES_TOKENS, 1);
                add_logs(as, room->magnitudes, DUALRES_SHORT_BINS, taken, CROP + DUALRES_TOKENS, into[as->place].logs, 0);
            }
        }
    }
    if (windows[0].hop >= DUALRES_TOKENS) return; /* the only one, then: it is about to end */
    long_frames(tables, at, room->z, room->magnitudes, &low);
    for (const under_way *as = windows; as < windows + count; as++) {
        const frame_sums *to = into + as->place;
        correct(as, &low, DUALRES_LONG, room->magnitudes);
        const veci taken = frames_between(as->hop, 0, DUALRES_TOKENS, 1);
        add_logs(as, room->magnitudes, DUALRES_LONG_BINS, taken, DUALRES_TOKENS, to->logs, DUALRES_SHORT_BINS);
        if (to->power && (LANES > 1 || as->hop % APART == 0))
            add_power(as, room->magnitudes, DUALRES_LONG_BINS, frames_between(as->hop, 0, DUALRES_TOKENS, APART),
                      to->power);
    }
}

#endif
