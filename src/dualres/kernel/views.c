/* Raw samples to the log-probabilities of a network of views, DUALRES_LANES frames at a time. */

#include "views.h"

#include <string.h>

#include "bands.h"
#include "fft.h"
#include "frames.h"
#include "halves.h"
#include "heads.h"
#include "lanes.h"

DUALRES_ASSERT(phases_fill_vectors, DUALRES_PHASES % LANES == 0);
DUALRES_ASSERT(oscillators_fill_vectors, DUALRES_OSCILLATORS_ROOM % (5 * LANES) == 0);
DUALRES_ASSERT(lines_are_bins_of_a_phase, DUALRES_LINES <= DUALRES_LONG / 2);

/* What is known of a window under way. */
typedef struct {
    log_sums logs; /* over the tokens so far; later standardised features, as floats */
    union {
        float strengths[DUALRES_BANDS][DUALRES_STRENGTHS];
        float lines[DUALRES_LINES][2];
#ifdef DUALRES_LIKENESS
        float distances[DUALRES_HEADS][DUALRES_CLASSES]; /* squared, as the heads have found them */
#endif
    } found;
} views_window;

typedef struct {
    frames_room frames;
    views_window windows[SHARING];
    float features[DUALRES_VIEW_FEATURES];
#ifdef DUALRES_LIKENESS
    float rms; /* of the window, at least 1e-10 */
#endif
} views_block;

/* As views.h states it. */
#define VIEWS_SCRATCH_KB (LANES == 1 ? 23 : LANES == 4 ? 97 : LANES == 8 ? 165 : 301)
#ifndef DUALRES_ALONE
DUALRES_ASSERT(views_scratch_is_as_stated, (sizeof(views_block) + LINE_BYTES + 500) / 1000 == VIEWS_SCRATCH_KB);
#endif

static void begin_views(const judge_of_windows *judge, int place) {
    views_block *s = judge->memory;
    begin_logs(&s->windows[place].logs);
}

/* The logarithms of frames join the sums; the strengths of all short frames are left for modulation. */
static void take_in_views(const judge_of_windows *judge, const source *from, int follows, const under_way *windows,
                          int count) {
    const dualres_views_constants *c = ((const dualres_views_model *)judge->model)->constants;
    views_block *s = judge->memory;
    frame_sums into[SHARING];
    for (int i = 0; i < SHARING; i++)
        into[i] = (frame_sums){&s->windows[i].logs, NULL, s->windows[i].found.strengths};
    take_in_frames(&c->tables, &c->bands, &s->frames, from, follows, windows, count, into);
}

/* How far each oscillator swings that a band's strength drives: log(1 + RMS) of q_t = swing q_{t-1} + z_t. */
static void look_at_band(const dualres_views_constants *c, views_block *s, views_window *w, int band) {
    enum { AT_ONCE = 5 }; /* vectors of oscillators, which need not wait for one another */
    float *z = w->found.strengths[band];
    (void)take_deviation(z);
    for (int first = 0; first < DUALRES_OSCILLATORS; first += AT_ONCE * LANES) {
        cvec q[AT_ONCE], swing[AT_ONCE];
        vec energy[AT_ONCE];
        for (int i = 0; i < AT_ONCE; i++) {
            const int k = first + i * LANES;
            swing[i] = (cvec){vec_load(c->swing[0] + k), vec_load(c->swing[1] + k)};
            q[i] = (cvec){vec_all(0.0f), vec_all(0.0f)};
            energy[i] = vec_all(0.0f);
        }
        for (int t = 0; t < DUALRES_STRENGTHS; t++) {
            for (int i = 0; i < AT_ONCE; i++) {
                q[i] = c_times(swing[i], q[i]);
                q[i].re += z[t];
                energy[i] += q[i].re * q[i].re + q[i].im * q[i].im;
            }
        }
        for (int i = 0; i < AT_ONCE; i++) {
            float logs[LANES];
            vec_store(logs, LOG_OF_2 * vec_log2(vec_sqrt(energy[i] * (1.0f / DUALRES_STRENGTHS)) + 1.0f));
            for (int lane = 0; lane < LANES; lane++) {
                const int k = first + i * LANES + lane;
                if (k < DUALRES_OSCILLATORS)
                    s->features[DUALRES_SPECTRA_FEATURES + band * DUALRES_OSCILLATORS + k] = logs[lane];
            }
        }
    }
}

/* Bin k of the long real FFT of halved samples, k below 512, once all stages are done. */
static inline cvec long_bin(const dualres_tables *c, const cvec *z, unsigned k) {
    float turn[2];
    cvec lower, upper;
    turn_of(c, k, turn);
    split_pair(z[place_of(k, LONG_RADIX)], z[place_of(DUALRES_LONG / 2 - k, LONG_RADIX)], turn, &lower, &upper);
    return lower;
}

/* The lowest bins of the whole window's spectrum join the sums of `lines`, as far as LANES of its phases go: samples
 * 32 n + r have a long FFT for each r, whose bin k is turned by exp(-2 pi i r k / 32768). */
static void add_phases(const dualres_views_constants *c, views_block *s, const source *from, int r,
                       float (*lines)[2]) {
    const vec cosine = vec_load(c->delay[0] + r), sine = vec_load(c->delay[1] + r);
    for (int j = 0; j < POINTS; j++) {
        cvec a[8];
        for (int m = 0; m < 8; m++) {
            vec weighted[2];
            for (int odd = 0; odd < 2; odd++) {
                const unsigned n = (unsigned)(DUALRES_HOP * m + 2 * j + odd);
                float turn[2];
                turn_of(&c->tables, n, turn); /* the conjugate of where in its period the window's taper is */
                const vec taper = 0.25f - 0.25f * (turn[0] * cosine + turn[1] * sine);
                weighted[odd] = taper * samples_at(from, (size_t)n * DUALRES_PHASES + (size_t)r);
            }
            a[m] = (cvec){weighted[0], weighted[1]};
        }
        first_stage_of_8(s->frames.z, j, a, c->tables.turn_512);
    }
    for (int g = 0; g < LONG_RADIX; g++) transform_64(s->frames.z + g * GROUP, c->tables.turn_64);
    for (int k = 0; k < DUALRES_LINES; k++) {
        const float(*coarse)[DUALRES_PHASES] = c->coarse[k / DUALRES_NEAR];
        const float(*fine)[DUALRES_PHASES] = c->fine[k % DUALRES_NEAR];
        const cvec far = {vec_load(coarse[0] + r), vec_load(coarse[1] + r)};
        const cvec near = {vec_load(fine[0] + r), vec_load(fine[1] + r)};
        const cvec turned = c_times(c_times(far, near), long_bin(&c->tables, s->frames.z, (unsigned)k));
        lines[k][0] += vec_sum(turned.re);
        lines[k][1] += vec_sum(turned.im);
    }
}

static void look_at_lines(const dualres_views_constants *c, views_block *s, views_window *w, const source *from,
                          float inverse) {
    float *features = s->features + DUALRES_SPECTRA_FEATURES + DUALRES_MODULATION_FEATURES;
    float(*lines)[2] = w->found.lines;
    memset(lines, 0, sizeof w->found.lines);
    for (int r = 0; r < DUALRES_PHASES; r += LANES) add_phases(c, s, from, r, lines);
    for (int band = 0; band < DUALRES_LINE_BANDS; band++) {
        const int first = (int)c->line_edges[band], end = (int)c->line_edges[band + 1];
        float sum = 0.0f;
        for (int k = first; k < end; k++) {
            const float re = lines[k][0] * inverse, im = lines[k][1] * inverse;
            sum += re * re + im * im;
        }
        features[band] = log1pf(sqrtf(sum / (float)(end - first)));
    }
}

/* What the heads see of a window that is over, in s->features. */
static void look_back(const dualres_views_constants *c, views_block *s, const source *from, const under_way *as) {
    views_window *w = &s->windows[as->place];
    for (int i = 0; i < DUALRES_SPECTRA_FEATURES; i++) s->features[i] = vec_sum(w->logs.logs[i]) * (LOG_OF_2 / DUALRES_TOKENS);
    for (int band = 0; band < DUALRES_BANDS; band++) look_at_band(c, s, w, band);
    look_at_lines(c, s, w, from, as->inverse);
#ifdef DUALRES_LIKENESS
    s->rms = 1.0f / as->inverse / from->gain;
#endif
}

/* What an export may compare windows by is left in `found`, which is free once they have been looked at. */
#ifdef DUALRES_LIKENESS
#define DISTANCES(window, head) (window)->found.distances[head]
#else
#define DISTANCES(window, head) NULL
#endif

static void conclude_views(const judge_of_windows *judge, const source *from, const under_way *as, float *logits) {
    static const int begins[DUALRES_HEADS] = {0, DUALRES_SPECTRA_FEATURES, DUALRES_SPECTRA_FEATURES,
                                              DUALRES_SPECTRA_FEATURES + DUALRES_MODULATION_FEATURES};
    static const int counts[DUALRES_HEADS] = {DUALRES_SPECTRA_FEATURES, DUALRES_MODULATION_FEATURES,
                                              DUALRES_MODULATION_FEATURES, DUALRES_LINE_BANDS};
    const dualres_views_model *m = judge->model;
    views_block *s = judge->memory;
    views_window *w = &s->windows[as->place];
    const float *head = m->heads;
    look_back(m->constants, s, from, as);
    for (int i = 0; i < m->classes; i++) logits[i] = 0.0f;
    for (int i = 0; i < DUALRES_HEADS; i++)
        head = ask(head, s->features + begins[i], counts[i], m->classes, (float *)w->logs.logs, logits, DISTANCES(w, i));
    take_log_softmax(logits, m->classes);
}

static void conclude_features(const judge_of_windows *judge, const source *from, const under_way *as, float *features) {
    views_block *s = judge->memory;
    look_back(((const dualres_views_model *)judge->model)->constants, s, from, as);
    memcpy(features, s->features, sizeof s->features);
}

DUALRES_PUBLIC size_t NAME(dualres_views_scratch)(void) { return sizeof(views_block) + LINE_BYTES; }

DUALRES_PUBLIC int NAME(dualres_views_features)(const dualres_views_constants *constants, const dualres_sample *window,
                                                float *features, void *scratch) {
    const dualres_views_model m = {constants, NULL, 0};
    const judge_of_windows judge = {&m,          block_in(scratch), STARTS, DUALRES_VIEW_FEATURES,
                                    begin_views, take_in_views,     conclude_features};
    judge_windows(&judge, window, 1, features);
    return !isnan(features[0]);
}

DUALRES_PUBLIC void NAME(dualres_views)(const dualres_views_model *m, const dualres_sample *signal, size_t count,
                                        float *logits, void *scratch) {
    const judge_of_windows judge = {m,           block_in(scratch), STARTS, m->classes,
                                    begin_views, take_in_views,     conclude_views};
    judge_windows(&judge, signal, count, logits);
}
