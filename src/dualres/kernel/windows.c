/* Raw samples to logits, DUALRES_LANES tokens at a time.
 *
 * Normalising a window subtracts its mean and divides by its RMS. Both commute with the FFT: the mean of a window
 * changes the first two bins of its Hann-weighted frames only, the RMS scales all of them. So the spectra of raw frames
 * are computed once and serve both windows that a frame lies in.
 *
 * Before that, the mean of the half window in which they begin is taken from them, so that an offset costs no
 * precision. It is the same for both windows: so a window's logits are the same to the last bit, whether it is scored
 * alone or with others. */

#include <string.h>

#include "dense.h"
#include "dualres_kernel.h"
#include "fft.h"
#include "frames.h"
#include "lanes.h"
#include "memory.h"
#include "samples.h"

enum {
    WIDTH = DUALRES_WIDTH,
    BLOCKS_PER_HALF = DUALRES_HALF / DUALRES_HOP / LANES,
    SLOTS = DUALRES_SHORT_BINS + DUALRES_LONG_BINS
};

DUALRES_ASSERT(a_half_window_is_whole_blocks, BLOCKS_PER_HALF * LANES * DUALRES_HOP == DUALRES_HALF);
DUALRES_ASSERT(coordinates_begin_anew_between_blocks, DUALRES_TURN % LANES == 0);
DUALRES_ASSERT(dense_fills_vectors_with_features, WIDTH / 2 % (VECS_AT_ONCE * LANES) == 0);
DUALRES_ASSERT(dense_fills_vectors_with_maps, DUALRES_MAPS % (VECS_AT_ONCE * LANES) == 0);

#if LANES == 1
enum { SHARING = 1 }; /* windows that share a frame's spectrum; a small device has no room for a second memory */
#else
enum { SHARING = 2 };
#endif

/* A window under way. */
typedef struct {
    float state[2 * DUALRES_STATES][WIDTH];
    float pooled[WIDTH]; /* sum of the outputs so far */
    float mean;          /* of the window, in the units of the frames and about their level */
    float inverse;       /* 1 / RMS, likewise */
} window_state;

typedef struct {
    union {
        cvec z[LONG_RADIX * GROUP];
        vec logs[SLOTS];
    } spectra;
    vec magnitudes[SLOTS]; /* short, then long */
    low_bins low[2];
#if LANES > 1
    frame_tile tile;
#endif
    float features[LANES][WIDTH];
    float inner[LANES][WIDTH]; /* normalised features, later what the memory reads out */
    union {
        float maps[LANES][DUALRES_MAPS];
        float out[LANES][2 * WIDTH];
    } mapped;
    window_state windows[SHARING];
} scratch_block;

/* As dualres_kernel.h states it. */
#define SCRATCH_KB (LANES == 1 ? 12 : LANES == 4 ? 46 : LANES == 8 ? 80 : 147)
DUALRES_ASSERT(scratch_is_as_stated, (sizeof(scratch_block) + sizeof(vec) + 500) / 1000 == SCRATCH_KB);

/* The spectra of the frames that begin at the source's first LANES hops, which may follow those of the call before. */
static void look(const dualres_tables *c, scratch_block *s, const source *from, int follows) {
    const hops at = CUT(s->tile, from, follows);
    short_frames(c, at, CROP * DUALRES_HOP, s->spectra.z, s->magnitudes, &s->low[0]);
    long_frames(c, at, s->spectra.z, s->magnitudes + DUALRES_SHORT_BINS, &s->low[1]);
}

/* log2(1 + magnitude) as this window sees it; the projections know that it is not the natural logarithm. */
static void take_logs(scratch_block *s, const window_state *w) {
    vec *logs = s->spectra.logs;
    for (int i = 0; i < SLOTS; i++) logs[i] = vec_log2(s->magnitudes[i] * w->inverse + 1.0f);
    for (int view = 0; view < 2; view++) {
        const low_magnitudes low = without_mean(&s->low[view], w->mean, view ? DUALRES_LONG : DUALRES_SHORT);
        vec *at = logs + (view ? DUALRES_SHORT_BINS : 0);
        at[SLOT_OF_ZERO] = vec_log2(low.zero * w->inverse + 1.0f);
        at[SLOT_OF_ONE] = vec_log2(low.one * w->inverse + 1.0f);
    }
}

/* LayerNorm without its gain and bias, which are part of the maps. */
static void normalise(const float from[WIDTH], float to[WIDTH]) {
    vec sum = vec_all(0.0f), squares = vec_all(0.0f);
    for (int d = 0; d < WIDTH; d += LANES) sum += vec_load(from + d);
    const float mean = vec_sum(sum) / WIDTH;
    for (int d = 0; d < WIDTH; d += LANES) {
        const vec off = vec_load(from + d) - mean;
        squares += off * off;
    }
    const float inverse = 1.0f / sqrtf(vec_sum(squares) / WIDTH + 1e-5f);
    for (int d = 0; d < WIDTH; d += LANES) vec_store(to + d, (vec_load(from + d) - mean) * inverse);
}

/* Take the first `tokens` frames of the block, tokens from number `first` on, into a window. */
static void take_in(const dualres_constants *c, scratch_block *s, window_state *w, int first, int tokens) {
    const float *logs = (const float *)s->spectra.logs;
    take_logs(s, w);
    dense(logs, LANES, 1, DUALRES_SHORT_BINS, c->short_weight[0], c->features_bias, WIDTH / 2, s->features[0], WIDTH);
    dense(logs + DUALRES_SHORT_BINS * LANES, LANES, 1, DUALRES_LONG_BINS, c->long_weight[0],
          c->features_bias + WIDTH / 2, WIDTH / 2, s->features[0] + WIDTH / 2, WIDTH);
    for (int t = 0; t < LANES; t++) normalise(s->features[t], s->inner[t]);
    dense(s->inner[0], 1, WIDTH, WIDTH, c->maps_weight[0], c->maps_bias, DUALRES_MAPS, s->mapped.maps[0], DUALRES_MAPS);
    if (first > 0 && first % DUALRES_TURN == 0) turn_back(c, w->state);
    activate(c, first % DUALRES_TURN, tokens, s->mapped.maps);
    for (int d = 0; d < WIDTH; d += LANES)
        walk((const float(*)[DUALRES_MAPS])s->mapped.maps, tokens, d, w->state, s->inner);
    dense(s->inner[0], 1, WIDTH, WIDTH, c->out_weight[0], c->out_bias, 2 * WIDTH, s->mapped.out[0], 2 * WIDTH);
    for (int d = 0; d < WIDTH; d += LANES) {
        vec sum = vec_load(w->pooled + d);
        for (int t = 0; t < tokens; t++) {
            const vec mixed = vec_load(s->mapped.out[t] + d), gate = vec_load(s->mapped.out[t] + WIDTH + d);
            sum += vec_load(s->features[t] + d) + mixed * gate * vec_sigmoid(gate);
        }
        vec_store(w->pooled + d, sum);
    }
}

/* The logits of a window that is over; NaN where there is none. */
static void conclude(const dualres_model *m, const window_state *w, float *logits) {
    for (int i = 0; i < m->classes; i++) {
        float sum = w ? 0.0f : NAN;
        for (int d = 0; w && d < WIDTH; d++) sum += m->head[i * WIDTH + d] * w->pooled[d];
        logits[i] = sum / DUALRES_TOKENS + m->head[m->classes * WIDTH + i];
    }
}

/* The RMS of the loudest windows whose frames are taken as they are: the squares of their magnitudes, up to 5,000 times
 * the RMS, are floats still. */
static const double LOUDEST = 1e12;

/* A window begins; 0 if it is too loud, or if a sample is not finite. */
static int begin(window_state *w, whole_window window, double gain) {
    memset(w, 0, sizeof *w);
    w->inverse = (float)(1.0 / ((window.rms > 1e-10 ? window.rms : 1e-10) * gain));
    return window.rms * gain <= LOUDEST;
}

/* Score `count` half-overlapping windows, scaled by `gain`, a power of two. Logits of those that cannot be begun are
 * NaN. */
static void score_together(const dualres_model *m, const dualres_sample *x, size_t count, float gain, float *logits,
                           scratch_block *s) {
    const size_t total = (count + 1) * DUALRES_HALF;
    half_window before, now = {0.0, 0.0}, next = half_of(x);
    int into_first = 0;
    for (size_t half = 0; half <= count; half++) {
        const size_t at = half * DUALRES_HALF;
        window_state *first = &s->windows[half % SHARING], *second = &s->windows[(half + 1) % SHARING];
        before = now, now = next;
        if (half < count) next = half_of(x + at + DUALRES_HALF);
        const sample_level level = level_near(now.mean);
        const whole_window beginning = joined(now, next), ending = joined(before, now);
        const int into_second = into_first;
        into_first = half < count && begin(first, beginning, gain);
        if (into_first) first->mean = (float)((beginning.mean - level) * gain);
        if (into_second) second->mean = (float)((ending.mean - level) * gain);
        for (int block = 0; block < BLOCKS_PER_HALF && (into_first || into_second); block++) {
            const int token = block * LANES, later = token + DUALRES_HALF / DUALRES_HOP;
            const int left = DUALRES_TOKENS - later;
            if (!into_first && left <= 0) break;
            const size_t offset = at + (size_t)token * DUALRES_HOP;
            const source from = {x + offset, total - offset, gain, (float)level * gain};
            look(&m->constants->tables, s, &from, block > 0);
            if (into_first) take_in(m->constants, s, first, token, LANES);
            if (into_second && left > 0) take_in(m->constants, s, second, later, left < LANES ? left : LANES);
        }
        if (half > 0) conclude(m, into_second ? second : NULL, logits + (half - 1) * (size_t)m->classes);
    }
}

DUALRES_PUBLIC size_t NAME(dualres_scratch)(void) { return sizeof(scratch_block) + sizeof(vec); }

DUALRES_PUBLIC void NAME(dualres_windows)(const dualres_model *m, const dualres_sample *signal, size_t count,
                                          float *logits, void *scratch) {
    const size_t off = (uintptr_t)scratch % sizeof(vec), together = SHARING > 1 ? count : 1;
    scratch_block *s = (scratch_block *)((char *)scratch + (off ? sizeof(vec) - off : 0));
    for (size_t i = 0; i < count; i += together)
        score_together(m, signal + i * DUALRES_HALF, together, 1.0f, logits + i * (size_t)m->classes, s);
    for (size_t i = 0; i < count; i++) { /* what was too loud, once more and alone */
        const dualres_sample *x = signal + i * DUALRES_HALF;
        float *own = logits + i * (size_t)m->classes;
        if (!isnan(*own)) continue;
        const double rms = joined(half_of(x), half_of(x + DUALRES_HALF)).rms;
        if (isfinite(rms)) score_together(m, x, 1, gain_for(rms), own, s);
    }
}
