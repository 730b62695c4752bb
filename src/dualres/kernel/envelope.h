/* The magnitudes of an envelope's spectrum, by FFTs of its samples 8 n + r for eight r side by side. */

#ifndef DUALRES_ENVELOPE_H
#define DUALRES_ENVELOPE_H

#include "fft.h"
#include "lanes.h"
#include "orders.h"
#include "whitening.h"

enum {
    PART_SAMPLES = DUALRES_ENVELOPE_FFT / DUALRES_PARTS, /* samples of a part */
    ENVELOPE_ROOM = DUALRES_PARTS * (PART_SAMPLES + 2) + LANES
};

static const float LEAST_ENVELOPE = 1e-4f; /* of config.py */

DUALRES_ASSERT(parts_take_short_ffts, (int)PART_SAMPLES == (int)DUALRES_SHORT && DUALRES_PARTS == 8);
DUALRES_ASSERT(vectors_reach_from_part_to_part, DUALRES_PARTS % LANES == 0 || LANES % DUALRES_PARTS == 0);
DUALRES_ASSERT(turns_fill_vectors, DUALRES_PART_ROOM % LANES == 0 && DUALRES_PART_ROOM >= DUALRES_PART_BINS);

/* The share by which an envelope moves about its mean, weighted by a Hann window, and zeros behind it. */
static inline void take_moving(const float *hann, float *envelope) {
    double sum = 0.0;
    for (int first = 0; first < DUALRES_ENVELOPE; first += DUALRES_PIECE) {
        float part = 0.0f;
        for (int i = 0; i < DUALRES_PIECE; i++) part += envelope[first + i];
        sum += (double)part;
    }
    const float mean = (float)(sum / DUALRES_ENVELOPE), scale = 1.0f / (mean + LEAST_ENVELOPE);
    for (int i = 0; i < DUALRES_ENVELOPE / 2; i++) {
        const int last = DUALRES_ENVELOPE - 1 - i;
        envelope[i] = (envelope[i] - mean) * scale * hann[i];
        envelope[last] = (envelope[last] - mean) * scale * hann[i + 1];
    }
    memset(envelope + DUALRES_ENVELOPE, 0, (ENVELOPE_ROOM - DUALRES_ENVELOPE) * sizeof *envelope);
}

/* Bins 0 to 128 of the parts from number r on, doubled: real and imaginary ones take the samples' places in turn. */
static inline void transform_parts(const dualres_tables *c, float *x, int r, cvec *z) {
    for (int j = 0; j < POINTS; j++) {
        const float *low = x + DUALRES_PARTS * 2 * j + r, *high = low + DUALRES_PARTS * PART_SAMPLES / 2;
        const cvec a = {vec_load(low), vec_load(low + DUALRES_PARTS)};
        const cvec b = {vec_load(high), vec_load(high + DUALRES_PARTS)};
        z[j] = c_add(a, b);
        z[GROUP + j] = c_turn(c_sub(a, b), c->turn_128[j]);
    }
    for (int g = 0; g < SHORT_RADIX; g++) transform_64(z + g * GROUP, c->turn_64);
    for (unsigned k = 0; k < DUALRES_PART_BINS; k++) {
        float turn[2];
        cvec bin, other;
        turn_of(c, DUALRES_LONG / PART_SAMPLES * k, turn);
        split_pair(z[place_of(k, SHORT_RADIX)], z[place_of(PART_SAMPLES / 2 - k, SHORT_RADIX)], turn, &bin, &other);
        /* Vectors of more lanes than there are parts reach into what the next store writes. */
        vec_store(x + DUALRES_PARTS * 2 * k + r, bin.re);
        vec_store(x + DUALRES_PARTS * (2 * k + 1) + r, bin.im);
    }
}

/* LANES floats from one on, `step` apart, as far as there are `count`. */
static inline vec gathered(const float *from, int step, int count) {
    float x[LANES] = {0.0f};
    for (int i = 0; i < LANES && i < count; i++) x[i] = from[step * i];
    return vec_load(x);
}

/* Part r's bins k turn by exp(-2 pi i k r / 2048); a DFT over the parts then gives bins k, k + 256, ... */
static inline void join_parts(const dualres_orders_constants *c, const float *x, float scale, float *lines) {
    enum { TWO_ROWS = 2 * DUALRES_PARTS };
    for (int k = 0; k < DUALRES_PART_BINS; k += LANES) {
        const int left = DUALRES_PART_BINS - k;
        const cvec once = {vec_load(c->part_turn[0] + k), vec_load(c->part_turn[1] + k)};
        cvec turn = once, a[DUALRES_PARTS];
        for (int r = 0; r < DUALRES_PARTS; r++) {
            const float *at = x + TWO_ROWS * k + r;
            a[r] = (cvec){gathered(at, TWO_ROWS, left), gathered(at + DUALRES_PARTS, TWO_ROWS, left)};
            if (r > 0) a[r] = c_times(a[r], turn), turn = c_times(turn, once);
        }
        dft8(a);
        for (int q = 0; q < DUALRES_PARTS; q++) {
            float each[LANES];
            vec_store(each, magnitude(a[q]) * scale);
            for (int i = 0; i < LANES && i < left; i++) {
                const int bin = PART_SAMPLES * q + k + i; /* the upper half of the spectrum mirrors the lower */
                const int line = bin <= DUALRES_ENVELOPE_BINS ? bin : DUALRES_ENVELOPE_FFT - bin;
                if (line < DUALRES_ENVELOPE_BINS) lines[line] = each[i];
            }
        }
    }
}

/* An envelope's lines, (DUALRES_ENVELOPE_BINS,). It lies in ENVELOPE_ROOM floats and is used up; `z` is room. */
static inline void take_lines(const dualres_orders_constants *c, float *envelope, cvec *z, float *lines) {
    take_moving(c->hann, envelope);
    for (int r = 0; r < DUALRES_PARTS; r += LANES) transform_parts(&c->tables, envelope, r, z);
    join_parts(c, envelope, 0.5f / sqrtf((float)DUALRES_ENVELOPE), lines);
}

#endif
