/* Streaming: stretches of frames without a gap are brought to 64 kHz and cut into half-overlapping windows, whose
 * probabilities are summed.
 *
 * Compile this file and dualres_model.c; the kernel is part of this one. */

#include "dualres.h"

#include <math.h>
#include <string.h>

#define DUALRES_ALONE /* one window at a time */
#include DUALRES_KERNEL

DUALRES_ASSERT(scratch_suffices, sizeof(DUALRES_KERNEL_BLOCK) + LINE_BYTES <= DUALRES_SCRATCH_BYTES);
DUALRES_ASSERT(scratch_is_what_export_counts_on, LANES > 1 || DUALRES_SCRATCH_BYTES == DUALRES_COUNTED_BYTES);
DUALRES_ASSERT(ratio_and_classes_are_positive, DUALRES_UP > 0 && DUALRES_DOWN > 0 && DUALRES_CLASSES > 0);
DUALRES_ASSERT(axes_share_networks_or_have_their_own,
               DUALRES_NETWORKS == DUALRES_MEMBERS || DUALRES_NETWORKS == DUALRES_AXES * DUALRES_MEMBERS);

extern const dualres_network dualres_this_model[DUALRES_NETWORKS];

#ifdef DUALRES_LIKENESS
#include "likeness.h"
#endif

#ifdef DUALRES_TURNING
#define SPEED(s) ((double)(s)->speed)
#else
#define SPEED(s) 0.0
#endif

/* Logits join sums of probabilities. 0 where they are not finite: the samples are beyond what float32 can be computed
 * with. */
static int add_shares(const float *logits, double *sums) {
    double shares[DUALRES_CLASSES], total = 0.0;
    for (int i = 0; i < DUALRES_CLASSES; i++)
        if (!isfinite(logits[i])) return 0;
    float largest = logits[0];
    for (int i = 1; i < DUALRES_CLASSES; i++) largest = logits[i] > largest ? logits[i] : largest;
    for (int i = 0; i < DUALRES_CLASSES; i++) total += shares[i] = exp((double)logits[i] - (double)largest);
    for (int i = 0; i < DUALRES_CLASSES; i++) sums[i] += shares[i] / total;
    return 1;
}

/* Those of an axis, or those of the first one. */
static const dualres_network *networks_of(int axis) {
    return dualres_this_model + axis * DUALRES_MEMBERS % DUALRES_NETWORKS;
}

#if DUALRES_TRIES

#include "search.h"

#else

/* What a network says of a complete window joins the sums; 0 where it says nothing that is finite. */
static int vote(dualres_state *s, const dualres_network *network, const dualres_sample *window) {
    float logits[DUALRES_CLASSES];
    DUALRES_LOGITS(network, window, SPEED(s), logits, s->scratch);
    if (!add_shares(logits, s->sums[0])) return 0;
#ifdef DUALRES_LIKENESS
    const dualres_between *between = dualres_between_classes[network - dualres_this_model];
    add_distance(s->looks, between, block_in(s->scratch), SPEED(s) > 0.0);
    add_spectrum_and_level(s->looks + DUALRES_VERDICTS, block_in(s->scratch));
#endif
    return 1;
}

/* All networks judge the window, one after the other in the same scratch. 0 if one of them cannot: then the sums stay
 * what they are. */
static int all_vote(dualres_state *s) {
    double before[DUALRES_CLASSES];
    int judged = 1;
    memcpy(before, s->sums, sizeof before);
#ifdef DUALRES_LIKENESS
    double looks[DUALRES_VERDICTS + 2];
    memcpy(looks, s->looks, sizeof looks);
#endif
    for (int a = 0; a < DUALRES_AXES && judged; a++) {
        DUALRES_SEE(networks_of(a), s->window[a], s->scratch);
        for (int i = 0; i < DUALRES_MEMBERS; i++) judged = judged && vote(s, networks_of(a) + i, s->window[a]);
    }
    if (judged) return 1;
    memcpy(s->sums, before, sizeof before);
#ifdef DUALRES_LIKENESS
    memcpy(s->looks, looks, sizeof looks);
#endif
    return 0;
}

static void begin_search(dualres_state *s) { (void)s; }

static int found_try(const dualres_state *s) { return (void)s, 0; }

#endif

/* The window is judged, and its second half begins the next one. */
static void judge(dualres_state *s) {
    if (all_vote(s))
        s->windows++;
    else
        s->unjudged++;
    for (int a = 0; a < DUALRES_AXES; a++)
        memcpy(s->window[a], s->window[a] + DUALRES_HALF, DUALRES_HALF * sizeof *s->window[a]);
    s->filled = DUALRES_HALF;
}

#if DUALRES_UP == DUALRES_DOWN

static void begin_stretch(dualres_state *s) { s->filled = 0; }

static void take(dualres_state *s, const dualres_sample *frame) {
    for (int a = 0; a < DUALRES_AXES; a++) s->window[a][s->filled] = frame[a];
    if (++s->filled == DUALRES_WINDOW) judge(s);
}

static void end(dualres_state *s) { (void)s; }

#else

#include "convert.h"

DUALRES_ASSERT(a_ring_holds_the_filter, DUALRES_INPUTS * DUALRES_UP > 2 * DUALRES_REACH);

static void begin_stretch(dualres_state *s) {
    s->filled = 0;
    for (int a = 0; a < DUALRES_AXES; a++) converter_begin(&s->converter[a]);
}

static void give(dualres_state *s) {
    for (int a = 0; a < DUALRES_AXES; a++) s->window[a][s->filled] = converter_give(&s->converter[a]);
    if (++s->filled == DUALRES_WINDOW) judge(s);
}

static void take(dualres_state *s, const dualres_sample *frame) {
    for (int a = 0; a < DUALRES_AXES; a++) converter_take(&s->converter[a], frame[a]);
    while (converter_ready(s->converter)) give(s);
}

/* The outputs up to the last sample's successor, with the last sample as what follows. */
static void end(dualres_state *s) {
    dualres_converter *c = s->converter;
    for (int32_t successor = DUALRES_UP; c->ahead < successor;) {
        for (int a = 0; a < DUALRES_AXES; a++) converter_take(&c[a], c[a].inputs[c[a].newest]);
        successor -= DUALRES_UP;
        while (converter_ready(c) && c->ahead < successor) give(s);
    }
}

#endif

static int is_finite(const dualres_sample *frame) {
#ifdef DUALRES_INT16
    (void)frame;
#else
    for (int a = 0; a < DUALRES_AXES; a++)
        if (!isfinite(frame[a])) return 0;
#endif
    return 1;
}

void dualres_init(dualres_state *s) {
    s->windows = s->refused = s->unjudged = 0;
    for (int at = 0; at < DUALRES_VERDICTS; at++)
        for (int i = 0; i < DUALRES_CLASSES; i++) s->sums[at][i] = 0.0;
#ifdef DUALRES_LIKENESS
    for (int i = 0; i < DUALRES_VERDICTS + 2; i++) s->looks[i] = 0.0;
#endif
    dualres_set_speed(s, 0.0f);
    begin_search(s);
    begin_stretch(s);
}

void dualres_set_speed(dualres_state *s, float revolutions_per_second) {
#if defined(DUALRES_TURNING) && defined(DUALRES_FASTEST)
    s->speed = isfinite(revolutions_per_second) && revolutions_per_second > 0.0f ? revolutions_per_second : 0.0f;
#elif defined(DUALRES_TURNING)
    (void)revolutions_per_second;
    s->speed = 0.0f;
#else
    (void)s, (void)revolutions_per_second;
#endif
}

void dualres_push(dualres_state *s, const dualres_sample *samples, size_t count) {
    if (!samples) {
        end(s);
        begin_stretch(s);
        return;
    }
    for (const dualres_sample *frame = samples; count > 0; count--, frame += DUALRES_AXES) {
        if (is_finite(frame)) {
            take(s, frame);
        } else {
            s->refused++;
            end(s);
            begin_stretch(s);
        }
    }
}

dualres_result dualres_verdict(const dualres_state *s) {
    const int found = found_try(s);
    dualres_result r;
    memset(&r, 0, sizeof r);
    r.label = NULL;
    r.best = -1;
    r.windows = s->windows;
    r.refused = s->refused;
    r.unjudged = s->unjudged;
#if DUALRES_TRIES
    r.factor = dualres_factors[found];
    r.speed = SPEED(s) * r.factor;
#endif
    if (!s->windows) return r;
    const double votes = (double)s->windows * (DUALRES_AXES * DUALRES_MEMBERS);
    r.best = 0;
    for (int i = 0; i < DUALRES_CLASSES; i++) {
        r.probabilities[i] = s->sums[found][i] / votes;
        if (r.probabilities[i] > r.probabilities[r.best]) r.best = i;
    }
    r.label = dualres_names[r.best];
#ifdef DUALRES_LIKENESS
    r.distance = s->looks[found] / votes;
    r.spectrum = s->looks[DUALRES_VERDICTS] / votes;
    r.level = s->looks[DUALRES_VERDICTS + 1] / votes;
#endif
    return r;
}

int dualres_unlike(const dualres_result *r) {
#ifdef DUALRES_LIKENESS
    const double level = r->level + (DUALRES_UNIT > 0.0 ? log(DUALRES_UNIT) : 0.0), *most = dualres_familiar;
    if (!r->windows) return 0;
    return (r->distance > most[0] ? DUALRES_NO_CLASS : 0) | (r->spectrum > most[1] ? DUALRES_OTHER_SPECTRUM : 0) |
           (DUALRES_UNIT > 0.0 && (level < most[2] || level > most[3]) ? DUALRES_OTHER_LEVEL : 0);
#else
    (void)r;
    return 0;
#endif
}

int dualres_in_set(const dualres_result *r, int number) {
    const double least = 1e-12; /* a probability below it counts as this one */
    double other = least;
    if (number == r->best || dualres_times[number] < 0.0) return 1;
    for (int i = 0; i < DUALRES_CLASSES; i++)
        if (i != number && r->probabilities[i] > other) other = r->probabilities[i];
    return other <= dualres_times[number] * (r->probabilities[number] > least ? r->probabilities[number] : least);
}

int dualres_named(const dualres_result *r) {
    const double least = 1e-12;
    double other = least;
    if (!r->windows || dualres_ahead[r->best] < 0.0 || dualres_unlike(r)) return 0;
    for (int i = 0; i < DUALRES_CLASSES; i++)
        if (i != r->best && r->probabilities[i] > other) other = r->probabilities[i];
    if (!(r->probabilities[r->best] >= dualres_ahead[r->best] * other)) return 0;
    for (int i = 0; i < DUALRES_CLASSES; i++)
        if (i != r->best && dualres_in_set(r, i)) return 0;
    return 1;
}

#ifdef DUALRES_ALARM
#include "alarm.h"
#endif
