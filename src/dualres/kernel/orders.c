/* Raw samples and the speed of the shaft to the log-probabilities of a network of orders, DUALRES_LANES frames at a time.
 */

#include "orders.h"

#include <string.h>

#include "bands.h"
#include "envelope.h"
#include "halves.h"
#include "heads.h"
#include "lanes.h"
#include "order_axis.h"
#include "order_tries.h"
#include "swings.h"
#include "whitening.h"

DUALRES_ASSERT(looks_have_no_gaps, sizeof(dualres_orders_looks) == sizeof(float) * (DUALRES_SPECTRA_FEATURES +
                                                                                   DUALRES_ENVELOPE_BINS +
                                                                                   DUALRES_BANDS * DUALRES_BANK));

static const float HEARD_MAGNITUDE = 0.5f; /* of config.py */

enum { OF_SPECTRA, OF_SWINGS, OF_LINES, LOOKING }; /* the heads of an axis */
enum { PAIRS_BY_HZ = 2, PAIRS_BY_ORDER = 1 };      /* of heads of swings and lines; the first of two is compared by */

/* What heads say of a window. */
typedef struct {
#ifdef DUALRES_LIKENESS
    double shares[DUALRES_CLASSES];
    float distances[LOOKING][DUALRES_CLASSES]; /* squared; an export compares windows by them */
#else
    double shares[DUALRES_ORDERS_CLASSES]; /* of all of them in the probability of a class */
#endif
} orders_answers;

/* What is known of a window: sums while frames come in, and looks when it is over. */
typedef struct {
    union {
        struct {
            log_sums logs;
            vec power[DUALRES_LONG_BINS];
        } sums;
        dualres_orders_looks looks;
    } known;
    union {
        float strengths[DUALRES_BANDS][DUALRES_STRENGTHS];
        float envelope[ENVELOPE_ROOM];
        orders_answers answers;
    } room;
} orders_window;

typedef struct {
    frames_room frames;
    orders_window windows[SHARING];
#ifdef DUALRES_LIKENESS
    float rms; /* of the window, at least 1e-10 */
#endif
} orders_block;

#ifdef DUALRES_LIKENESS
#define LEFT_DISTANCES(answers, head) (answers)->distances[head]
#else
#define LEFT_DISTANCES(answers, head) NULL
#endif

/* As orders.h states it. */
#define ORDERS_SCRATCH_KB (LANES == 1 ? 28 : LANES == 4 ? 109 : LANES == 8 ? 193 : 362)
#ifndef DUALRES_ALONE
DUALRES_ASSERT(orders_scratch_is_as_stated, (sizeof(orders_block) + LINE_BYTES + 500) / 1000 == ORDERS_SCRATCH_KB);
#endif
DUALRES_ASSERT(features_have_room, DUALRES_LONG_BINS * LANES >= DUALRES_SWING_FEATURES + LANES);

static void begin_orders(const judge_of_windows *judge, int place) {
    orders_block *s = judge->memory;
    orders_window *w = &s->windows[place];
    begin_logs(&w->known.sums.logs);
    memset(w->known.sums.power, 0, sizeof w->known.sums.power);
}

static void take_in_orders(const judge_of_windows *judge, const source *from, int follows, const under_way *windows,
                           int count) {
    const dualres_orders_constants *c = judge->model;
    orders_block *s = judge->memory;
    frame_sums into[SHARING];
    for (int i = 0; i < SHARING; i++) {
        orders_window *w = &s->windows[i];
        into[i] = (frame_sums){&w->known.sums.logs, w->known.sums.power, w->room.strengths};
    }
    take_in_frames(&c->tables, &c->bands, &s->frames, from, follows, windows, count, into);
}

/* From sums to mean spectra, and to the gain of each bin that makes the window white, which is left where its lines will
 * lie. */
static void close_sums(const dualres_orders_constants *c, orders_block *s, orders_window *w, float inverse) {
    float *spectra = (float *)s->frames.z, *power = (float *)s->frames.magnitudes;
    const vec *short_logs = w->known.sums.logs.logs, *long_logs = short_logs + DUALRES_SHORT_BINS;
    for (int k = 0; k < DUALRES_SHORT_BINS; k++)
        spectra[k] = vec_sum(short_logs[(int)c->short_slots[k]]) * (LOG_OF_2 / DUALRES_TOKENS);
    for (int k = 0; k < DUALRES_LONG_BINS; k++)
        spectra[DUALRES_SHORT_BINS + k] = vec_sum(long_logs[(int)c->long_slots[k]]) * (LOG_OF_2 / DUALRES_TOKENS);
    for (int k = 0; k < HALF_LONG; k++) power[k] = vec_sum(w->known.sums.power[(int)c->long_slots[k]]);
    memcpy(w->known.looks.spectra, spectra, sizeof w->known.looks.spectra);
    whiten(power, inverse, w->known.looks.lines);
}

/* How far each oscillator swings that a band's strength, which is used up, drives. A band that is next to silent drives
 * them less. */
static void swing_band(const dualres_orders_constants *c, float *strength, float *swings) {
    const float mean = take_deviation(strength), power = mean * mean;
    const float heard = power / (power + HEARD_MAGNITUDE * HEARD_MAGNITUDE);
    take_swings(c, strength, swings);
    for (int k = 0; k < DUALRES_BANK; k++) swings[k] *= heard;
}

static void conclude_orders(const judge_of_windows *judge, const source *from, const under_way *as, float *results) {
    const dualres_orders_constants *c = judge->model;
    orders_block *s = judge->memory;
    orders_window *w = &s->windows[as->place];
    dualres_orders_looks *looks = &w->known.looks;
    close_sums(c, s, w, as->inverse);
    for (int band = 0; band < DUALRES_BANDS; band++) swing_band(c, w->room.strengths[band], looks->swings[band]);
    take_envelope(&c->tables, from, looks->lines, s->frames.z, (float(*)[2])s->frames.magnitudes, w->room.envelope);
    take_lines(c, w->room.envelope, s->frames.z, looks->lines);
#ifdef DUALRES_LIKENESS
    s->rms = 1.0f / as->inverse / from->gain;
#endif
    if (results != (float *)looks) memcpy(results, looks, sizeof *looks);
}

/* What a head says of features: log-probabilities, and distances where they are not NULL. */
static void hear_head(orders_block *s, const float *head, const float *features, int count, int classes, float *said,
                 float *distances) {
    for (int i = 0; i < classes; i++) said[i] = 0.0f;
    ask(head, features, count, classes, (float *)s->frames.z, said, distances);
    take_log_softmax(said, classes);
}

/* Floats of a head of swings and one of lines, which follow each other. */
static size_t pair_floats(const dualres_orders_model *m) {
    return head_floats(DUALRES_SWING_FEATURES, m->classes) + head_floats(DUALRES_LINE_FEATURES, m->classes);
}

/* Where the heads for an axis of Hz begin, or those for an axis of orders. */
static const float *heads_of(const dualres_orders_model *m, int by_order) {
    const float *by_hz = m->heads + head_floats(DUALRES_SPECTRA_FEATURES, m->classes);
    return by_order ? by_hz + PAIRS_BY_HZ * pair_floats(m) : by_hz;
}

/* What a head, and its like in the pairs behind it, say of the features in working memory joins the shares; `said` is
 * room. */
static void join(const dualres_orders_model *m, orders_block *s, const float *head, int pairs, int count, float *said,
                 float *distances) {
    const float *features = (const float *)s->frames.magnitudes;
    double *shares = s->windows[0].room.answers.shares;
    for (int i = 0; i < pairs; i++) {
        hear_head(s, head + (size_t)i * pair_floats(m), features, count, m->classes, said, i ? NULL : distances);
        for (int k = 0; k < m->classes; k++) shares[k] += exp((double)said[k]);
    }
}

/* What the head of spectra says of a window, log-probabilities, whatever the speed. */
static void judge_spectra(const dualres_orders_model *m, orders_block *s, const dualres_orders_looks *looks,
                          float *logits) {
    hear_head(s, m->heads, looks->spectra, DUALRES_SPECTRA_FEATURES, m->classes, logits,
              LEFT_DISTANCES(&s->windows[0].room.answers, OF_SPECTRA));
}

/* From that to the mean of what all heads say of the window at a speed, which may be NaN or zero. */
static void judge_turning(const dualres_orders_model *m, orders_block *s, const dualres_orders_looks *looks, double hz,
                          float *logits) {
    const int by_order = hz > 0.0, pairs = by_order ? PAIRS_BY_ORDER : PAIRS_BY_HZ;
    const double turning = by_order ? hz : (double)m->constants->usual_hz;
    const float *of_swings = heads_of(m, by_order);
    const float *of_lines = of_swings + head_floats(DUALRES_SWING_FEATURES, m->classes);
    float *features = (float *)s->frames.magnitudes;
    orders_answers *answers = &s->windows[0].room.answers;
    for (int i = 0; i < m->classes; i++) answers->shares[i] = exp((double)logits[i]);
    read_swings(m->constants, looks->swings, turning, features, 1);
    take_log1p(features, DUALRES_SWING_FEATURES);
    join(m, s, of_swings, pairs, DUALRES_SWING_FEATURES, logits, LEFT_DISTANCES(answers, OF_SWINGS));
    read_lines(m->constants, looks->lines, turning, features, 1);
    take_log1p(features, DUALRES_LINE_FEATURES);
    join(m, s, of_lines, pairs, DUALRES_LINE_FEATURES, logits, LEFT_DISTANCES(answers, OF_LINES));
    for (int i = 0; i < m->classes; i++) logits[i] = (float)log(answers->shares[i] / (1 + 2 * pairs));
}

/* Whether a window was one of finite samples. */
static int is_seen(const dualres_orders_looks *looks) {
    return !isnan(looks->spectra[0]) && !isnan(looks->lines[0]) && !isnan(looks->swings[0][0]);
}

DUALRES_PUBLIC size_t NAME(dualres_orders_scratch)(void) { return sizeof(orders_block) + LINE_BYTES; }

DUALRES_PUBLIC dualres_orders_looks *NAME(dualres_orders_room)(void *scratch) {
    return &((orders_block *)block_in(scratch))->windows[0].known.looks;
}

DUALRES_PUBLIC void NAME(dualres_orders_see)(const dualres_orders_constants *constants, const dualres_sample *signal,
                                             size_t count, dualres_orders_looks *looks, void *scratch) {
    const judge_of_windows judge = {constants,    block_in(scratch), STARTS,
                                    sizeof *looks / sizeof(float),
                                    begin_orders, take_in_orders,    conclude_orders};
    judge_windows(&judge, signal, count, (float *)looks);
}

DUALRES_PUBLIC void NAME(dualres_orders_judge)(const dualres_orders_model *m, const dualres_orders_looks *looks,
                                               size_t count, const double *hz, float *logits, void *scratch) {
    for (size_t i = 0; i < count; i++, looks++, logits += m->classes) {
        if (is_seen(looks)) {
            judge_spectra(m, block_in(scratch), looks, logits);
            judge_turning(m, block_in(scratch), looks, hz ? hz[i] : 0.0, logits);
        } else {
            for (int k = 0; k < m->classes; k++) logits[k] = NAN;
        }
    }
}

DUALRES_PUBLIC void NAME(dualres_orders_hear)(const dualres_orders_constants *constants,
                                              const float lines[DUALRES_ENVELOPE_BINS], const double *hz, size_t tries,
                                              float *sums) {
    float features[DUALRES_LINE_FEATURES];
    for (size_t i = 0; i < tries; i++, sums += DUALRES_LINE_FEATURES) {
        read_lines(constants, lines, hz[i], features, 1);
        take_log1p(features, DUALRES_LINE_FEATURES);
        for (int k = 0; k < DUALRES_LINE_FEATURES; k++) sums[k] += isnan(lines[0]) ? NAN : features[k];
    }
}

DUALRES_PUBLIC void NAME(dualres_orders_misfit)(const dualres_orders_model *m, const float *sums, size_t count,
                                                size_t tries, float *misfit, void *scratch) {
    orders_block *s = block_in(scratch);
    const float *head = heads_of(m, 1) + head_floats(DUALRES_SWING_FEATURES, m->classes);
    for (size_t i = 0; i < tries; i += LANES) {
        const int some = tries - i < LANES ? (int)(tries - i) : LANES;
        nearest_class(head, m->classes, sums + i * DUALRES_LINE_FEATURES, (float)count, some, (vec *)s->frames.z,
                      misfit + i);
    }
}
