/* The frames of raw samples that begin at LANES neighbouring hops, and their spectra. */

#ifndef DUALRES_FRAMES_H
#define DUALRES_FRAMES_H

#include <string.h>

#include "dualres_kernel.h"
#include "fft.h"
#include "lanes.h"
#include "transpose.h"

enum {
    CROP = (DUALRES_LONG - DUALRES_SHORT) / 2 / DUALRES_HOP, /* hops from a long frame's start to its short frame's */
    OVERLAP = DUALRES_LONG / DUALRES_HOP, /* hops that a block of frames shares with the next, and one to spare: so
                                             rows are whole vectors, and few of those within cross a cache line */
    COLUMNS = LANES + OVERLAP
};

DUALRES_ASSERT(short_frames_begin_at_hops, CROP * DUALRES_HOP * 2 == DUALRES_LONG - DUALRES_SHORT);
DUALRES_ASSERT(first_stages_take_a_hop_of_each_part, DUALRES_HOP == 2 * POINTS);

/* Where samples come from, and what is done to them: x * gain - level. The gain is a power of two, so that scaling
 * first costs no precision, and keeps the largest floats from overflowing. */
typedef struct {
    const dualres_sample *samples;
    size_t count;
    float gain, level;
} source;

/* LANES neighbouring samples. */
static inline vec samples_at(const source *from, size_t first) {
#if LANES > 1 && !defined(DUALRES_INT16)
    return vec_load(from->samples + first) * from->gain - from->level;
#else
    float x[LANES];
    for (int i = 0; i < LANES; i++) x[i] = (float)from->samples[first + i] * from->gain - from->level;
    return vec_load(x);
#endif
}

/* Samples by `row` within hop number `column` after the block's first frame's start, for all frames of the block. */
#if LANES == 1
typedef source hops;
#define CUT(tile, from, follows) ((void)(follows), *(from))
#define SAMPLE(row, column) ((float)at.samples[(column) * DUALRES_HOP + (row)] * at.gain - at.level)
#else
typedef float frame_tile[DUALRES_HOP][COLUMNS];
typedef const float (*hops)[COLUMNS];
#define CUT(tile, from, follows) cut(tile, from, follows)
#define SAMPLE(row, column) vec_load(at[row] + (column))

/* LANES hops from number `column` on become columns of the tile. Behind the source's end the last one is repeated:
 * nobody takes frames that reach there. */
static void cut_columns(frame_tile tile, const source *from, int column) {
    const size_t last = from->count - DUALRES_HOP;
    size_t starts[LANES];
    for (int i = 0; i < LANES; i++) {
        const size_t start = (size_t)(column + i) * DUALRES_HOP;
        starts[i] = start < last ? start : last;
    }
    const source hop = *from; /* of this function alone, so that no store can change it */
    for (int row = 0; row < DUALRES_HOP; row += LANES) {
        vec square[LANES];
#pragma GCC unroll 16
        for (int i = 0; i < LANES; i++) square[i] = samples_at(&hop, starts[i] + (size_t)row);
        transpose(square);
#pragma GCC unroll 16
        for (int i = 0; i < LANES; i++) vec_store(tile[row + i] + column, square[i]);
    }
}

/* Cut the block's hops into rows, so that the same sample of neighbouring frames lies side by side. A block that
 * follows the one in the tile, of the same source, begins with the hops that this one ended with. */
static hops cut(frame_tile tile, const source *from, int follows) {
    if (follows)
        for (int row = 0; row < DUALRES_HOP; row++)
            memmove(tile[row], tile[row] + LANES, OVERLAP * sizeof tile[row][0]);
    else
        for (int column = 0; column < OVERLAP; column += LANES) cut_columns(tile, from, column);
    cut_columns(tile, from, OVERLAP);
    return (hops)tile;
}
#endif

/* The spectra of the short frames that begin `skipped` samples, an even number, after the hops do. */
static inline void short_frames(const dualres_tables *c, hops at, unsigned skipped, cvec *z, vec *magnitudes,
                                low_bins *low) {
    for (unsigned j = 0; j < POINTS; j++) {
        const unsigned row = (skipped + 2 * j) % DUALRES_HOP, column = (skipped + 2 * j) / DUALRES_HOP;
        const cvec a = {SAMPLE(row, column) * c->hann_short[2 * j], SAMPLE(row + 1, column) * c->hann_short[2 * j + 1]};
        const cvec b = {SAMPLE(row, column + 1) * c->hann_short[DUALRES_HOP + 2 * j],
                        SAMPLE(row + 1, column + 1) * c->hann_short[DUALRES_HOP + 2 * j + 1]};
        z[j] = c_add(a, b);
        z[GROUP + j] = c_turn(c_sub(a, b), c->turn_128[j]);
    }
    finish(z, SHORT_RADIX, c->turn_64, (bins){magnitudes, c->split_short}, low);
}

/* The first stage of the FFTs of the long frames that begin with the hops. */
static inline void begin_long(const dualres_tables *c, hops at, cvec *z) {
    for (int j = 0; j < POINTS; j++) {
        cvec a[8];
        for (int m = 0; m < 8; m++) {
            const float *hann = c->hann_long + DUALRES_HOP * m + 2 * j;
            a[m] = (cvec){SAMPLE(2 * j, m) * hann[0], SAMPLE(2 * j + 1, m) * hann[1]};
        }
        first_stage_of_8(z, j, a, c->turn_512);
    }
}

/* The spectra of the long frames that begin with the hops. */
static inline void long_frames(const dualres_tables *c, hops at, cvec *z, vec *magnitudes, low_bins *low) {
    begin_long(c, at, z);
    finish(z, LONG_RADIX, c->turn_64, (bins){magnitudes, c->split_long}, low);
}

#endif
