/* A change of rate by the ratio up / down: every output is a weighted sum of the inputs around it.
 *
 * The weights repeat after `up` outputs and `down` inputs, a period. So the signal is cut into STREAMS stretches of
 * whole periods, and each lane works on its own stretch: all lanes need the same weight at the same time.
 *
 * Sums are of what remains without the signal's mean. As a float it is too coarse for a large offset; the rest of it
 * stands in for the samples beyond both ends. An output's sum is always taken in the same order, so that it does not
 * depend on where a signal was cut. */

#include <string.h>

#include "dualres_kernel.h"
#include "lanes.h"
#include "transpose.h"

enum {
    TOGETHER = 4, /* outputs in a group */
    WIDE = 2,     /* vectors of streams */
    STREAMS = WIDE * LANES,
    PART = 256, /* terms of a sum */
    AHEAD = 128 /* samples: what lies this far ahead is prefetched */
};

DUALRES_ASSERT(loops_over_a_group_unroll, TOGETHER <= 4 && WIDE <= 2); /* the pragmas below say so */
DUALRES_ASSERT(work_has_room_for_all_streams, LANES <= 16 && STREAMS <= 32); /* _MOST_LANES, _MOST_STREAMS in Python */

/* Samples of a signal, from its sample `first` on. They are taken from `mean`; what lies beyond them is `beyond`. */
typedef struct {
    const float *samples;
    int64_t first, count;
    float mean, beyond;
} stretch;

/* Outputs that share a window of inputs, so that every input is fetched once for all of them. */
typedef struct {
    int32_t row;          /* its first input, from the piece's first */
    int32_t window;       /* inputs */
    int32_t taps;         /* where its weights begin: `outputs` for each input */
    int32_t outputs;      /* TOGETHER or one */
    int32_t at[TOGETHER]; /* its outputs, from the piece's first */
} group;

DUALRES_ASSERT(groups_have_no_gaps, sizeof(group) == (4 + TOGETHER) * sizeof(int32_t)); /* _GROUPS in resample.py */

/* As much work as fits the first cache. A unit, one or more periods, has one or more pieces; each begins at an input
 * that the one before has needed, too. */
typedef struct {
    int32_t first_row, rows;       /* inputs, from the unit's first; before it if negative */
    int32_t first_output, outputs; /* from the unit's first */
    int32_t first_group, groups;
} piece;

DUALRES_ASSERT(pieces_have_no_gaps, sizeof(piece) == 6 * sizeof(int32_t)); /* _PIECES in resample.py */

/* `count` samples without the mean, from the signal's sample `at` on, wherever that is. */
static void centre(const stretch *x, int64_t at, int64_t count, float *to) {
    const float *from = x->samples + (at - x->first);
    int64_t before = x->first - at, end = before + x->count, i = 0;
    for (; i < count && i < before; i++) to[i] = x->beyond;
    for (; i + LANES <= count && i + LANES <= end; i += LANES) vec_store(to + i, vec_load(from + i) - x->mean);
    for (; i < count && i < end; i++) to[i] = from[i] - x->mean;
    for (; i < count; i++) to[i] = x->beyond;
}

/* LANES inputs of as many streams, (LANES rows, STREAMS), `at` counted from where each stream begins. */
static void gather(const stretch *x, const int64_t begins[LANES], int64_t at, float *to) {
    float near_an_end[LANES][LANES];
    vec tile[LANES];
    if (begins[0] + at >= x->first && begins[LANES - 1] + at + LANES <= x->first + x->count) {
        const float *from = x->samples + (at - x->first);
#pragma GCC unroll 16
        for (int lane = 0; lane < LANES; lane++) {
            tile[lane] = vec_load(from + begins[lane]) - x->mean;
            __builtin_prefetch(from + begins[lane] + AHEAD);
        }
    } else {
        for (int lane = 0; lane < LANES; lane++) centre(x, begins[lane] + at, LANES, near_an_end[lane]);
#pragma GCC unroll 16
        for (int lane = 0; lane < LANES; lane++) tile[lane] = vec_load(near_an_end[lane]);
    }
    transpose(tile);
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++) vec_store(to + i * STREAMS, tile[i]);
}

/* At most LANES outputs of as many streams, (rows, STREAMS), to their places; none at or behind `end`. Returns zeros,
 * and NaN for outputs that are not finite. */
static vec scatter(const float *from, int64_t rows, float mean, float *out, const int64_t begins[LANES], int64_t at,
                   int64_t end) {
    vec faults = {0};
    vec tile[LANES];
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++) tile[i] = vec_load(from + i * STREAMS) + mean;
    transpose(tile);
    if (rows >= LANES && begins[LANES - 1] + at + LANES <= end) {
#pragma GCC unroll 16
        for (int lane = 0; lane < LANES; lane++) {
            vec_store(out + begins[lane] + at, tile[lane]);
            faults += 0.0f * tile[lane];
        }
        return faults;
    }
    float near_an_end[LANES][LANES];
#pragma GCC unroll 16
    for (int lane = 0; lane < LANES; lane++) vec_store(near_an_end[lane], tile[lane]);
    for (int lane = 0; lane < LANES; lane++)
        for (int i = 0; i < LANES && i < rows && begins[lane] + at + i < end; i++) {
            out[begins[lane] + at + i] = near_an_end[lane][i];
            faults += 0.0f * near_an_end[lane][i];
        }
    return faults;
}

/* The weighted sums of a group, for all streams. `outputs` is the group's, a constant here. Long sums are made of
 * parts, so that no small term meets a large sum of many. */
static inline __attribute__((always_inline)) void weigh(const float *rows, const float *taps, const group *g,
                                                        const int outputs, float *out) {
    for (int part = 0; part < g->window; part += PART) {
        vec sums[TOGETHER][WIDE] = {0};
        const int end = g->window < part + PART ? g->window : part + PART;
        for (int j = part; j < end; j++, rows += STREAMS, taps += outputs)
#pragma GCC unroll 4
            for (int k = 0; k < outputs; k++)
#pragma GCC unroll 2
                for (int wide = 0; wide < WIDE; wide++) sums[k][wide] += taps[k] * vec_load(rows + wide * LANES);
#pragma GCC unroll 4
        for (int k = 0; part && k < outputs; k++) /* before any is stored: an output may be there twice */
#pragma GCC unroll 2
            for (int wide = 0; wide < WIDE; wide++)
                sums[k][wide] += vec_load(out + g->at[k] * STREAMS + wide * LANES);
#pragma GCC unroll 4
        for (int k = 0; k < outputs; k++)
#pragma GCC unroll 2
            for (int wide = 0; wide < WIDE; wide++)
                vec_store(out + g->at[k] * STREAMS + wide * LANES, sums[k][wide]);
    }
}

/* `count` outputs from the signal's output `start`, which begins a unit. `work` holds the inputs and the outputs of
 * the largest piece, for all streams, each in whole vectors; the inputs take its first `work_rows`. Returns whether
 * all outputs are finite. */
DUALRES_PUBLIC int32_t NAME(dualres_resample)(
    const stretch *x, const piece *pieces, int64_t piece_count, const group *groups, const float *taps,
    int64_t unit_rows, int64_t unit_outputs, float *work, int64_t work_rows, float *out, int64_t start,
    int64_t count) {
    vec faults = {0};
    int64_t units = (count + unit_outputs - 1) / unit_outputs, each = (units + STREAMS - 1) / STREAMS;
    int64_t row_begins[STREAMS], output_begins[STREAMS];
    for (int stream = 0; stream < STREAMS; stream++) { /* all as long; where they overlap, they agree */
        int64_t first = stream * (units - each) / (STREAMS - 1);
        row_begins[stream] = (start / unit_outputs + first) * unit_rows;
        output_begins[stream] = first * unit_outputs;
    }
    float *results = work + work_rows * STREAMS;
    int64_t held = pieces->first_row, held_end = held; /* the inputs in `work` */
    for (int64_t unit = 0; unit < each; unit++)
        for (const piece *p = pieces; p < pieces + piece_count; p++) {
            int64_t row = unit * unit_rows + p->first_row, output = unit * unit_outputs + p->first_output;
            memmove(work, work + (row - held) * STREAMS, sizeof(float) * (size_t)((held_end - row) * STREAMS));
            for (held = row; held_end < row + p->rows; held_end += LANES)
                for (int wide = 0; wide < STREAMS; wide += LANES)
                    gather(x, row_begins + wide, held_end, work + (held_end - row) * STREAMS + wide);
            int64_t line = 0;
            for (const group *g = groups + p->first_group; g < groups + p->first_group + p->groups; g++) {
                for (int64_t until = line + 2 * TOGETHER; line < until; line++) /* in time for `scatter` */
                    __builtin_prefetch(out + output_begins[line % STREAMS] + output + line / STREAMS * LANES, 1);
                if (g->outputs == TOGETHER)
                    weigh(work + g->row * STREAMS, taps + g->taps, g, TOGETHER, results);
                else
                    weigh(work + g->row * STREAMS, taps + g->taps, g, 1, results);
            }
            for (int64_t i = 0; i < p->outputs; i += LANES)
                for (int wide = 0; wide < STREAMS; wide += LANES)
                    faults += scatter(results + i * STREAMS + wide, p->outputs - i, x->mean, out,
                                      output_begins + wide, output + i, count);
        }
    float each_lane[LANES], fault = 0.0f;
    vec_store(each_lane, faults);
    for (int lane = 0; lane < LANES; lane++) fault += each_lane[lane];
    return fault == 0.0f;
}

/* The sum of a signal, to the precision of a double. It is read at several places at once, which is faster. */
DUALRES_PUBLIC double NAME(dualres_sum)(const float *samples, int64_t count) {
    enum { PLACES = 8, BLOCK = 16 };
    double sums[BLOCK] = {0}, total = 0.0;
    int64_t each = count / (PLACES * BLOCK) * BLOCK;
    for (int64_t i = 0; i < each; i += BLOCK)
        for (int place = 0; place < PLACES; place++)
            for (int k = 0; k < BLOCK; k++) sums[k] += samples[place * each + i + k];
    for (int64_t i = PLACES * each; i < count; i++) total += samples[i];
    for (int k = 0; k < BLOCK; k++) total += sums[k];
    return total;
}

/* The mean of each of `windows` stretches of `count` samples, one `step` samples behind the other, and the mean square
 * about it, likewise. */
DUALRES_PUBLIC void NAME(dualres_moments)(const float *samples, int64_t count, int64_t windows, int64_t step,
                                          double *means, double *variances) {
    enum { PLACES = 4, BLOCK = 16 };
    for (int64_t w = 0; w < windows; w++) {
        const float *x = samples + w * step;
        const double mean = NAME(dualres_sum)(x, count) / (double)count;
        double sums[BLOCK] = {0}, squares = 0.0;
        int64_t each = count / (PLACES * BLOCK) * BLOCK;
        for (int64_t i = 0; i < each; i += BLOCK)
            for (int place = 0; place < PLACES; place++)
                for (int k = 0; k < BLOCK; k++) {
                    const double off = x[place * each + i + k] - mean;
                    sums[k] += off * off;
                }
        for (int64_t i = PLACES * each; i < count; i++) squares += (x[i] - mean) * (x[i] - mean);
        for (int k = 0; k < BLOCK; k++) squares += sums[k];
        means[w] = mean;
        variances[w] = squares / (double)count;
    }
}
