/* Raw samples to the log-probabilities of a network of views, a window at a time.
 *
 * The mean of a window changes the first two bins of Hann-weighted frames only, its RMS scales all of them: so the
 * spectra are those of raw frames, and both are taken care of afterwards. */

#include "views.h"

#include <string.h>

#include "fft.h"
#include "frames.h"
#include "lanes.h"
#include "samples.h"

enum {
    VIEW_SLOTS = DUALRES_SPECTRA_FEATURES,
    STARTS = (DUALRES_STRENGTHS + 1) / 2 /* hops at which a short frame begins */
};

DUALRES_ASSERT(phases_fill_vectors, DUALRES_PHASES % LANES == 0);
DUALRES_ASSERT(oscillators_fill_vectors, DUALRES_OSCILLATORS_ROOM % (5 * LANES) == 0);
DUALRES_ASSERT(lines_are_bins_of_a_phase, DUALRES_LINES <= DUALRES_LONG / 2);

static const float LEAST_STRENGTH = 0.05f; /* `LEAST` of modulation.py */
static const double SMALLEST_DISTANCE = 1e-6; /* of discriminant.py */
static const float LOG_OF_2 = 0.69314718f;

/* A window's samples as x * gain - level, and what is left to do to their spectra. */
typedef struct {
    source from;
    float mean;    /* in units of x * gain - level */
    float inverse; /* 1 / RMS, likewise */
} views_window;

typedef struct {
    cvec z[LONG_RADIX * GROUP];
    vec magnitudes[DUALRES_LONG_BINS];
    vec logs[VIEW_SLOTS]; /* sums over the tokens so far; later standardised features, as floats */
#if LANES > 1
    frame_tile tile;
#endif
    union {
        float strengths[DUALRES_BANDS][DUALRES_STRENGTHS];
        float lines[DUALRES_LINES][2];
#ifdef DUALRES_LIKENESS
        float distances[DUALRES_HEADS][DUALRES_CLASSES]; /* squared, as the heads have found them */
#endif
    } under_way;
    float features[DUALRES_VIEW_FEATURES];
#ifdef DUALRES_LIKENESS
    float rms; /* of the window, at least 1e-10 */
#endif
} views_block;

/* As views.h states it. */
#define VIEWS_SCRATCH_KB (LANES == 1 ? 23 : LANES == 4 ? 55 : LANES == 8 ? 92 : 167)
DUALRES_ASSERT(views_scratch_is_as_stated, (sizeof(views_block) + sizeof(vec) + 500) / 1000 == VIEWS_SCRATCH_KB);

/* One for the frames from `first` up to `last` in a block that begins with frame `start`, zero for others. */
static vec frames_between(int start, int first, int last) {
    float one[LANES];
    for (int i = 0; i < LANES; i++) one[i] = start + i >= first && start + i < last ? 1.0f : 0.0f;
    return vec_load(one);
}

/* Magnitudes of frames as they are without the window's mean, for an RMS of one. */
static void correct(const views_window *w, const low_bins *low, float length, vec *magnitudes, int count) {
    const low_magnitudes corrected = without_mean(low, w->mean, length);
    magnitudes[SLOT_OF_ZERO] = corrected.zero;
    magnitudes[SLOT_OF_ONE] = corrected.one;
    for (int i = 0; i < count; i++) magnitudes[i] *= w->inverse;
}

/* log2(1 + magnitude) of some frames joins the sums. */
static void add_logs(const vec *magnitudes, int count, vec taken, vec *sums) {
    for (int i = 0; i < count; i++) sums[i] += taken * vec_log2(magnitudes[i] + 1.0f);
}

/* The strength of each band in frames `frame`, `frame` + 2, ... */
static void add_strengths(const dualres_views_constants *c, views_block *s, int frame) {
    for (int band = 0; band < DUALRES_BANDS; band++) {
        vec power = vec_all(0.0f);
        for (int i = (int)c->band_edges[band]; i < (int)c->band_edges[band + 1]; i++) {
            const vec magnitude = s->magnitudes[(int)c->band_slots[i]];
            power += magnitude * magnitude;
        }
        float strength[LANES];
        vec_store(strength, vec_sqrt(power));
        for (int i = 0; i < LANES && frame + 2 * i < DUALRES_STRENGTHS; i++)
            s->under_way.strengths[band][frame + 2 * i] = strength[i];
    }
}

/* Mean spectra become features; the strengths of all short frames are left for modulation. */
static void look_at_frames(const dualres_views_constants *c, views_block *s, const views_window *w) {
    low_bins low;
    memset(s->logs, 0, sizeof s->logs);
    for (int start = 0; start < STARTS; start += LANES) {
        source from = w->from;
        from.samples += (size_t)start * DUALRES_HOP;
        from.count -= (size_t)start * DUALRES_HOP;
        const hops at = CUT(s->tile, &from, start > 0);
        for (int half = 0; half < 2; half++) {
            if (2 * start + half >= DUALRES_STRENGTHS) break;
            short_frames(&c->tables, at, half * (DUALRES_HOP / 2), s->z, s->magnitudes, &low);
            correct(w, &low, DUALRES_SHORT, s->magnitudes, DUALRES_SHORT_BINS);
            add_strengths(c, s, 2 * start + half);
            if (half == 0) {
                const vec taken = frames_between(start, CROP, CROP + DUALRES_TOKENS);
                add_logs(s->magnitudes, DUALRES_SHORT_BINS, taken, s->logs);
            }
        }
        if (start >= DUALRES_TOKENS) continue;
        long_frames(&c->tables, at, s->z, s->magnitudes, &low);
        correct(w, &low, DUALRES_LONG, s->magnitudes, DUALRES_LONG_BINS);
        const vec taken = frames_between(start, 0, DUALRES_TOKENS);
        add_logs(s->magnitudes, DUALRES_LONG_BINS, taken, s->logs + DUALRES_SHORT_BINS);
    }
    for (int i = 0; i < VIEW_SLOTS; i++) s->features[i] = vec_sum(s->logs[i]) * (LOG_OF_2 / DUALRES_TOKENS);
}

/* How far each oscillator swings that a band's strength drives: log(1 + RMS) of q_t = swing q_{t-1} + z_t. */
static void look_at_band(const dualres_views_constants *c, views_block *s, int band) {
    enum { AT_ONCE = 5 }; /* vectors of oscillators, which need not wait for one another */
    float *z = s->under_way.strengths[band];
    double sum = 0.0;
    for (int t = 0; t < DUALRES_STRENGTHS; t++) sum += (double)z[t];
    const float mean = (float)(sum / DUALRES_STRENGTHS), scale = 1.0f / (mean + LEAST_STRENGTH);
    for (int t = 0; t < DUALRES_STRENGTHS; t++) z[t] = (z[t] - mean) * scale;
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

/* exp(-2 pi i k / 1024) from the halved Hann window, 1/4 - cos / 4. */
static void turn_of(const dualres_tables *c, unsigned k, float turn[2]) {
    turn[0] = 1.0f - 4.0f * c->hann_long[k % DUALRES_LONG];
    turn[1] = 4.0f * c->hann_long[(k + 3 * DUALRES_LONG / 4) % DUALRES_LONG] - 1.0f;
}

/* Where frequency k of the complex FFT lies once all stages are done. */
static unsigned place_of(unsigned k) { return k % 8 * GROUP + k / 8 % 8 * 8 + k / 64 % 8; }

/* Bin k of the long real FFT of halved samples, k below 512, once all stages are done. */
static inline cvec long_bin(const dualres_tables *c, const cvec *z, unsigned k) {
    const cvec a = z[place_of(k)], b = z[place_of(DUALRES_LONG / 2 - k)];
    float turn[2];
    turn_of(c, k, turn);
    return c_add((cvec){a.re + b.re, a.im - b.im}, c_turn((cvec){a.im + b.im, b.re - a.re}, turn));
}

/* The lowest bins of the whole window's spectrum join the sums of `lines`, as far as LANES of its phases go: samples
 * 32 n + r have a long FFT for each r, whose bin k is turned by exp(-2 pi i r k / 32768). */
static void add_phases(const dualres_views_constants *c, views_block *s, const source *from, int r) {
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
        first_stage_of_8(s->z, j, a, c->tables.turn_512);
    }
    for (int g = 0; g < LONG_RADIX; g++) transform_64(s->z + g * GROUP, c->tables.turn_64);
    for (int k = 0; k < DUALRES_LINES; k++) {
        const float(*coarse)[DUALRES_PHASES] = c->coarse[k / DUALRES_NEAR];
        const float(*fine)[DUALRES_PHASES] = c->fine[k % DUALRES_NEAR];
        const cvec far = {vec_load(coarse[0] + r), vec_load(coarse[1] + r)};
        const cvec near = {vec_load(fine[0] + r), vec_load(fine[1] + r)};
        const cvec turned = c_times(c_times(far, near), long_bin(&c->tables, s->z, (unsigned)k));
        s->under_way.lines[k][0] += vec_sum(turned.re);
        s->under_way.lines[k][1] += vec_sum(turned.im);
    }
}

static void look_at_lines(const dualres_views_constants *c, views_block *s, const views_window *w) {
    float *features = s->features + DUALRES_SPECTRA_FEATURES + DUALRES_MODULATION_FEATURES;
    memset(s->under_way.lines, 0, sizeof s->under_way.lines);
    for (int r = 0; r < DUALRES_PHASES; r += LANES) add_phases(c, s, &w->from, r);
    for (int band = 0; band < DUALRES_LINE_BANDS; band++) {
        const int from = (int)c->line_edges[band], to = (int)c->line_edges[band + 1];
        float sum = 0.0f;
        for (int k = from; k < to; k++) {
            const float re = s->under_way.lines[k][0] * w->inverse, im = s->under_way.lines[k][1] * w->inverse;
            sum += re * re + im * im;
        }
        features[band] = log1pf(sqrtf(sum / (float)(to - from)));
    }
}

/* 0 if a sample is not finite. */
static int begin_views(const dualres_sample *x, views_window *w) {
    const whole_window window = joined(half_of(x), half_of(x + DUALRES_HALF));
    if (!isfinite(window.rms)) return 0;
    const sample_level level = level_near(window.mean);
    const float gain = gain_for(window.rms);
    w->from = (source){x, DUALRES_WINDOW, gain, (float)level * gain};
    w->mean = (float)((window.mean - level) * gain);
    w->inverse = (float)(1.0 / ((window.rms > 1e-10 ? window.rms : 1e-10) * gain));
    return 1;
}

/* What the heads see of a window, in s->features; 0 if a sample is not finite. */
static int look_at_window(const dualres_views_constants *c, const dualres_sample *x, views_block *s) {
    views_window w;
    if (!begin_views(x, &w)) return 0;
    look_at_frames(c, s, &w);
    for (int band = 0; band < DUALRES_BANDS; band++) look_at_band(c, s, band);
    look_at_lines(c, s, &w);
#ifdef DUALRES_LIKENESS
    s->rms = 1.0f / w.inverse / w.from.gain;
#endif
    return 1;
}

/* Distances are small differences of large sums: a few products are summed as floats, and these sums as doubles. */
static double dot(const float *a, const float *b, int count) {
    enum { AT_ONCE = 4 };
    double sums[LANES] = {0.0}, total = 0.0;
    int i = 0;
    for (; i + AT_ONCE * LANES <= count; i += AT_ONCE * LANES) {
        vec sum = vec_load(a + i) * vec_load(b + i);
        for (int j = 1; j < AT_ONCE; j++) sum += vec_load(a + i + j * LANES) * vec_load(b + i + j * LANES);
        float lanes[LANES];
        vec_store(lanes, sum);
        for (int lane = 0; lane < LANES; lane++) sums[lane] += (double)lanes[lane];
    }
    for (int lane = 0; lane < LANES; lane++) total += sums[lane];
    for (; i < count; i++) total += (double)(a[i] * b[i]);
    return total;
}

/* What an export may compare windows by is left in `under_way`, which is free once they have been looked at. */
#ifdef DUALRES_LIKENESS
#define DISTANCES(block, head) (block)->under_way.distances[head]
#else
#define DISTANCES(block, head) NULL
#endif

/* A head's logits join the sums, less that of the first class; where its numbers end. `z` is room for its features, and
 * `distances`, where it is not NULL, for how far the classes are. */
static const float *ask(const float *head, const float *features, int count, int classes, float *z, float *logits,
                        float *distances) {
    const float *centre = head, *scale = centre + count, *directions = scale + count;
    const float *slopes = directions + DUALRES_RANK * count, *offsets = slopes + classes * count;
    const double sharpness = (double)offsets[classes];
    for (int i = 0; i < count; i++) z[i] = (features[i] - centre[i]) * scale[i];
    double common = dot(z, z, count), first = 0.0;
    for (int i = 0; i < DUALRES_RANK; i++) {
        const double along = dot(directions + i * count, z, count);
        common -= along * along;
    }
    for (int i = 0; i < classes; i++) {
        const double exact = common - 2.0 * dot(slopes + i * count, z, count) + (double)offsets[i];
        const double distance = exact > SMALLEST_DISTANCE ? exact : SMALLEST_DISTANCE;
        const double logarithm = log(distance);
        if (distances) distances[i] = (float)distance;
        if (i == 0) first = logarithm;
        logits[i] += (float)(sharpness * (first - logarithm));
    }
    return offsets + classes + 1;
}

/* Logits to log-probabilities. */
static void take_log_softmax(float *logits, int classes) {
    float largest = logits[0];
    double total = 0.0;
    for (int i = 1; i < classes; i++) largest = logits[i] > largest ? logits[i] : largest;
    for (int i = 0; i < classes; i++) total += exp((double)(logits[i] - largest));
    for (int i = 0; i < classes; i++) logits[i] = logits[i] - largest - (float)log(total);
}

static void judge_views(const dualres_views_model *m, const dualres_sample *x, float *logits, views_block *s) {
    static const int begins[DUALRES_HEADS] = {0, DUALRES_SPECTRA_FEATURES, DUALRES_SPECTRA_FEATURES,
                                              DUALRES_SPECTRA_FEATURES + DUALRES_MODULATION_FEATURES};
    static const int counts[DUALRES_HEADS] = {DUALRES_SPECTRA_FEATURES, DUALRES_MODULATION_FEATURES,
                                              DUALRES_MODULATION_FEATURES, DUALRES_LINE_BANDS};
    const int finite = look_at_window(m->constants, x, s);
    const float *head = m->heads;
    for (int i = 0; i < m->classes; i++) logits[i] = finite ? 0.0f : NAN;
    if (!finite) return;
    for (int i = 0; i < DUALRES_HEADS; i++)
        head = ask(head, s->features + begins[i], counts[i], m->classes, (float *)s->logs, logits,
                   DISTANCES(s, i));
    take_log_softmax(logits, m->classes);
}

/* The block at the first place in `scratch` where vectors may begin. */
static views_block *views_block_in(void *scratch) {
    const size_t off = (uintptr_t)scratch % sizeof(vec);
    return (views_block *)((char *)scratch + (off ? sizeof(vec) - off : 0));
}

DUALRES_PUBLIC size_t NAME(dualres_views_scratch)(void) { return sizeof(views_block) + sizeof(vec); }

DUALRES_PUBLIC int NAME(dualres_views_features)(const dualres_views_constants *constants, const dualres_sample *window,
                                                float *features, void *scratch) {
    views_block *s = views_block_in(scratch);
    if (!look_at_window(constants, window, s)) return 0;
    memcpy(features, s->features, sizeof s->features);
    return 1;
}

DUALRES_PUBLIC void NAME(dualres_views)(const dualres_views_model *m, const dualres_sample *signal, size_t count,
                                        float *logits, void *scratch) {
    for (size_t i = 0; i < count; i++)
        judge_views(m, signal + i * DUALRES_HALF, logits + i * (size_t)m->classes, views_block_in(scratch));
}
