/* Raw samples to logits, DUALRES_LANES tokens at a time. */

#include <string.h>

#include "dense.h"
#include "dualres_kernel.h"
#include "fft.h"
#include "frames.h"
#include "halves.h"
#include "lanes.h"
#include "memory.h"

enum {
    WIDTH = DUALRES_WIDTH,
    SLOTS = DUALRES_SHORT_BINS + DUALRES_LONG_BINS
};

DUALRES_ASSERT(coordinates_begin_anew_between_blocks, DUALRES_TURN % LANES == 0);
DUALRES_ASSERT(dense_fills_vectors_with_features, WIDTH / 2 % (VECS_AT_ONCE * LANES) == 0);
DUALRES_ASSERT(dense_fills_vectors_with_maps, DUALRES_MAPS % (VECS_AT_ONCE * LANES) == 0);

/* What is known of a window under way. */
typedef struct {
    float state[2 * DUALRES_STATES][WIDTH];
    float pooled[WIDTH]; /* sum of the outputs so far */
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
#define SCRATCH_KB (LANES == 1 ? 12 : LANES == 4 ? 47 : LANES == 8 ? 80 : 148)
#ifndef DUALRES_ALONE
DUALRES_ASSERT(scratch_is_as_stated, (sizeof(scratch_block) + LINE_BYTES + 500) / 1000 == SCRATCH_KB);
#endif

/* The spectra of the frames that begin at the source's first LANES hops, which may follow those of the call before. */
static void look(const dualres_tables *c, scratch_block *s, const source *from, int follows) {
    const hops at = CUT(s->tile, from, follows);
    short_frames(c, at, CROP * DUALRES_HOP, s->spectra.z, s->magnitudes, &s->low[0]);
    long_frames(c, at, s->spectra.z, s->magnitudes + DUALRES_SHORT_BINS, &s->low[1]);
}

/* log2(1 + magnitude) as this window sees it; the projections know that it is not the natural logarithm. */
static void take_logs(scratch_block *s, const under_way *w) {
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

/* Take the block's frames, tokens of the window from number `as->hop` on, into it. */
static void take_in_tokens(const dualres_constants *c, scratch_block *s, const under_way *as) {
    const float *logs = (const float *)s->spectra.logs;
    const int first = as->hop, tokens = DUALRES_TOKENS - first < LANES ? DUALRES_TOKENS - first : LANES;
    const map short_view = {c->short_weight[0], c->features_bias, DUALRES_SHORT_BINS, WIDTH / 2};
    const map long_view = {c->long_weight[0], c->features_bias + WIDTH / 2, DUALRES_LONG_BINS, WIDTH / 2};
    const map maps = {c->maps_weight[0], c->maps_bias, WIDTH, DUALRES_MAPS};
    const map out = {c->out_weight[0], c->out_bias, WIDTH, 2 * WIDTH};
    window_state *w = &s->windows[as->place];
    take_logs(s, as);
    dense(logs, LANES, 1, tokens, short_view, s->features[0], WIDTH);
    dense(logs + DUALRES_SHORT_BINS * LANES, LANES, 1, tokens, long_view, s->features[0] + WIDTH / 2, WIDTH);
    for (int t = 0; t < tokens; t++) normalise(s->features[t], s->inner[t]);
    dense(s->inner[0], 1, WIDTH, tokens, maps, s->mapped.maps[0], DUALRES_MAPS);
    if (first > 0 && first % DUALRES_TURN == 0) turn_back(c, w->state);
    activate(c, first % DUALRES_TURN, tokens, s->mapped.maps);
    for (int d = 0; d < WIDTH; d += LANES)
        walk((const float(*)[DUALRES_MAPS])s->mapped.maps, tokens, d, w->state, s->inner);
    dense(s->inner[0], 1, WIDTH, tokens, out, s->mapped.out[0], 2 * WIDTH);
    for (int d = 0; d < WIDTH; d += LANES) {
        vec sum = vec_load(w->pooled + d);
        for (int t = 0; t < tokens; t++) {
            const vec mixed = vec_load(s->mapped.out[t] + d), gate = vec_load(s->mapped.out[t] + WIDTH + d);
            sum += vec_load(s->features[t] + d) + mixed * gate * vec_sigmoid(gate);
        }
        vec_store(w->pooled + d, sum);
    }
}

static void begin(const judge_of_windows *judge, int place) {
    scratch_block *s = judge->memory;
    memset(&s->windows[place], 0, sizeof s->windows[place]);
}

static void take_in(const judge_of_windows *judge, const source *from, int follows, const under_way *windows,
                    int count) {
    const dualres_model *m = judge->model;
    look(&m->constants->tables, judge->memory, from, follows);
    for (int i = 0; i < count; i++) take_in_tokens(m->constants, judge->memory, &windows[i]);
}

static void conclude(const judge_of_windows *judge, const source *window, const under_way *as, float *logits) {
    const dualres_model *m = judge->model;
    const scratch_block *s = judge->memory;
    const window_state *w = &s->windows[as->place];
    (void)window;
    for (int i = 0; i < m->classes; i++) {
        float sum = 0.0f;
        for (int d = 0; d < WIDTH; d++) sum += m->head[i * WIDTH + d] * w->pooled[d];
        logits[i] = sum / DUALRES_TOKENS + m->head[m->classes * WIDTH + i];
    }
}

DUALRES_PUBLIC size_t NAME(dualres_scratch)(void) { return sizeof(scratch_block) + LINE_BYTES; }

DUALRES_PUBLIC void NAME(dualres_windows)(const dualres_model *m, const dualres_sample *signal, size_t count,
                                          float *logits, void *scratch) {
    const judge_of_windows judge = {m, block_in(scratch), DUALRES_TOKENS, m->classes, begin, take_in, conclude};
    judge_windows(&judge, signal, count, logits);
}
