/* Half-overlapping windows, half by half: a block of frames is shown to both windows that it lies in.
 *
 * Normalising a window subtracts its mean and divides by its RMS. Both commute with the FFT: the mean of a window
 * changes the first two bins of its Hann-weighted frames only, the RMS scales all of them. So the spectra of raw frames
 * are computed once and serve both windows.
 *
 * Before that, the mean of the half window in which they begin is taken from them, so that an offset costs no
 * precision. It is the same for both windows: so what comes of a window is the same to the last bit, whether it is
 * judged alone or with others. */

#ifndef DUALRES_HALVES_H
#define DUALRES_HALVES_H

#include "dualres_kernel.h"
#include "frames.h"
#include "lanes.h"
#include "samples.h"

/* Windows that share a block of frames. A small device has no room for a second one, and who judges one window at a
 * time, and defines DUALRES_ALONE, has no need of it. */
#if LANES == 1 || defined(DUALRES_ALONE)
enum { SHARING = 1 };
#else
enum { SHARING = 2 };
#endif

enum { HOPS_PER_HALF = DUALRES_HALF / DUALRES_HOP };

DUALRES_ASSERT(a_half_window_is_whole_blocks, HOPS_PER_HALF % LANES == 0);

/* The RMS of the loudest windows whose frames are taken as they are: the squares of their magnitudes, up to 5,000 times
 * the RMS, are floats still. */
static const double LOUDEST = 1e12;

/* A window under way, in the units of its frames. */
typedef struct {
    int place;     /* where what is known of it so far is kept, from 0 to SHARING - 1 */
    int hop;       /* of the window, at which the block's first frame begins */
    float mean;    /* about the frames' level */
    float inverse; /* 1 / RMS */
} under_way;

/* Who judges windows: a model, its working memory, and what it does. */
typedef struct judge_of_windows {
    const void *model;
    void *memory;
    int hops;    /* of a window, at which frames begin */
    int results; /* floats, for every window */
    void (*begin)(const struct judge_of_windows *self, int place);
    /* The frames that begin at the source's first LANES hops, which may follow those before, for one or two windows;
     * of two, the one that began last comes first. */
    void (*take_in)(const struct judge_of_windows *self, const source *from, int follows, const under_way *windows,
                    int count);
    void (*conclude)(const struct judge_of_windows *self, const source *window, const under_way *as, float *result);
} judge_of_windows;

/* How a window is normalised, scaled by `gain`; 0 if it is too loud, or if a sample is not finite. */
static int normalised(whole_window w, double gain, under_way *as) {
    as->inverse = (float)(1.0 / ((w.rms > 1e-10 ? w.rms : 1e-10) * gain));
    return w.rms * gain <= LOUDEST;
}

/* Judge `count` windows, scaled by `gain`, a power of two; results of those that are too loud stay what they are. */
static void judge_together(const judge_of_windows *judge, const dualres_sample *x, size_t count, float gain,
                           float *results) {
    const size_t total = (count + 1) * DUALRES_HALF;
    half_window before, now = {0.0, 0.0}, next = half_of(x);
    int begun = 0;
    for (size_t half = 0; half <= count; half++) {
        const size_t at = half * DUALRES_HALF;
        under_way first = {(int)(half % SHARING), 0, 0.0f, 0.0f}, second = {(int)((half + 1) % SHARING), 0, 0.0f, 0.0f};
        before = now, now = next;
        if (half < count) next = half_of(x + at + DUALRES_HALF);
        const whole_window beginning = joined(now, next), ending = joined(before, now);
        const sample_level level = level_near(now.mean);
        const int into_second = begun && normalised(ending, gain, &second);
        const int into_first = begun = half < count && normalised(beginning, gain, &first);
        first.mean = (float)((beginning.mean - level) * gain);
        second.mean = (float)((ending.mean - level) * gain);
        if (into_first) judge->begin(judge, first.place);
        for (int hop = 0; hop < HOPS_PER_HALF; hop += LANES) {
            under_way windows[2];
            int taking = 0;
            first.hop = hop, second.hop = hop + HOPS_PER_HALF;
            if (into_first) windows[taking++] = first;
            if (into_second && second.hop < judge->hops) windows[taking++] = second;
            const size_t offset = at + (size_t)hop * DUALRES_HOP;
            const source from = {x + offset, total - offset, gain, (float)level * gain};
            if (taking) judge->take_in(judge, &from, hop > 0, windows, taking);
        }
        if (into_second) {
            const source window = {x + at - DUALRES_HALF, DUALRES_WINDOW, gain, (float)level_near(ending.mean) * gain};
            judge->conclude(judge, &window, &second, results + (half - 1) * (size_t)judge->results);
        }
    }
}

/* Judge half-overlapping windows; results are NaN where a sample is not finite. */
static void judge_windows(const judge_of_windows *judge, const dualres_sample *x, size_t count, float *results) {
    const size_t each = (size_t)judge->results, together = SHARING > 1 ? count : 1;
    for (size_t i = 0; i < count * each; i++) results[i] = NAN;
    for (size_t i = 0; i < count; i += together)
        judge_together(judge, x + i * DUALRES_HALF, together, 1.0f, results + i * each);
    for (size_t i = 0; i < count; i++) { /* what was too loud, once more and alone */
        const dualres_sample *window = x + i * DUALRES_HALF;
        if (!isnan(results[i * each])) continue;
        const double rms = joined(half_of(window), half_of(window + DUALRES_HALF)).rms;
        if (isfinite(rms)) judge_together(judge, window, 1, gain_for(rms), results + i * each);
    }
}

#endif
