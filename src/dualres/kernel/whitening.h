/* A window divided by the root of the power around every frequency: its magnitude, a few thousand times a second.
 *
 * Long frames that overlap by half are transformed, multiplied bin by bin and transformed back; their Hann windows add
 * up to one. LANES of them lie side by side. Of positive frequencies alone, samples are complex, at half the rate. */

#ifndef DUALRES_WHITENING_H
#define DUALRES_WHITENING_H

#include "bands.h"
#include "fft.h"
#include "frames.h"
#include "lanes.h"
#include "orders.h"
#include "transpose.h"

enum {
    HALF_LONG = DUALRES_LONG / 2,
    LONG_FRAMES = DUALRES_PIECES + 1, /* of a window, that overlap by half */
    QUARTER = HALF_LONG / 2,          /* samples at half the rate that a frame adds */
    EACH = QUARTER / DUALRES_PIECE,   /* of them for one of the envelope */
    LOWEST_BIN = 4,                   /* that the envelope knows */
    SMOOTHING = 2                     /* bins on either side over which power is averaged */
};

DUALRES_ASSERT(samples_of_the_envelope_follow_the_points_of_a_group, EACH == 8 && POINTS % EACH == 0);
DUALRES_ASSERT(points_fill_squares, LANES == 1 || POINTS * 2 % LANES == 0);

static const float WHITE_FLOOR = 1e-2f; /* these two of config.py */
static const float LEAST_POWER = 1e-2f;

/* By what the bins below half the rate are multiplied, for frames whose RMS is 1 / `inverse`; `power` is the sum over
 * the frames of bins for an RMS of one. */
static inline void whiten(const float *power, float inverse, float *gain) {
    double sum = 0.0;
    memset(gain, 0, LOWEST_BIN * sizeof *gain);
    for (int k = LOWEST_BIN; k < HALF_LONG; k++) {
        float around = 0.0f;
        for (int i = k - SMOOTHING; i <= k + SMOOTHING; i++) around += power[i < HALF_LONG ? i : HALF_LONG - 1];
        gain[k] = around * (1.0f / ((2 * SMOOTHING + 1) * LONG_FRAMES));
        sum += (double)gain[k];
    }
    const float least = WHITE_FLOOR * (float)(sum / (HALF_LONG - LOWEST_BIN)) + LEAST_POWER;
    const float scale = inverse / HALF_LONG; /* an inverse FFT divides by its length */
    for (int k = 0; k < HALF_LONG; k += LANES)
        vec_store(gain + k, scale / vec_sqrt(vec_load(gain + k) + least));
    memset(gain, 0, LOWEST_BIN * sizeof *gain);
}

/* The first stage of the FFTs of LANES long frames from number `first` on, half a frame apart. Behind the last one of a
 * window it is repeated: nobody takes what comes of it. */
static inline void begin_long_frames(const dualres_tables *c, const source *from, int first, cvec *z) {
#if LANES == 1
    const source at = {from->samples + (size_t)first * HALF_LONG, DUALRES_LONG, from->gain, from->level};
    begin_long(c, at, z);
#else
    const source own = *from; /* of this function alone, so that no store can change it */
    for (int j = 0; j < POINTS; j += LANES / 2) {
        vec squares[8][LANES];
        for (int m = 0; m < 8; m++) {
            for (int i = 0; i < LANES; i++) {
                const int frame = first + i < LONG_FRAMES ? first + i : LONG_FRAMES - 1;
                squares[m][i] = samples_at(&own, (size_t)(frame * HALF_LONG + DUALRES_HOP * m + 2 * j));
            }
            transpose(squares[m]);
        }
        for (int k = 0; k < LANES / 2; k++) {
            cvec a[8];
            for (int m = 0; m < 8; m++) {
                const float *hann = c->hann_long + DUALRES_HOP * m + 2 * (j + k);
                a[m] = (cvec){squares[m][2 * k] * hann[0], squares[m][2 * k + 1] * hann[1]};
            }
            first_stage_of_8(z, j + k, a, c->turn_512);
        }
    }
#endif
}

/* Bins k and 512 - k of the real FFTs, conjugated and multiplied, in place of the same of the complex ones. A FFT
 * forward then is the inverse one, conjugated, of which the magnitude is sought. */
static inline void multiply_pair(const dualres_tables *c, const float *gain, unsigned k, cvec *a, cvec *b) {
    float turn[2];
    cvec lower, upper;
    turn_of(c, k, turn);
    split_pair(*a, *b, turn, &lower, &upper);
    *b = (cvec){upper.re * gain[HALF_LONG - k], upper.im * gain[HALF_LONG - k]};
    *a = (cvec){lower.re * gain[k], -lower.im * gain[k]};
}

/* The last stages of the FFTs, the multiplication, and the first stages back, pair by pair of groups while these are in
 * the cache: bin g + 8 f lies in group g, and its partner in group 8 - g. */
static inline void multiply(const dualres_tables *c, const float *gain, cvec *z) {
    enum { R = LONG_RADIX };
    for (unsigned g = 0; g <= R / 2; g++) {
        const unsigned h = (R - g) % R, first = g == 0, end = g == 0 || g == R / 2 ? POINTS / 2 : POINTS;
        transform_64(z + g * GROUP, c->turn_64);
        if (h != g) transform_64(z + h * GROUP, c->turn_64);
        for (unsigned f = first; f < end; f++) {
            const unsigned k = g + R * f;
            multiply_pair(c, gain, k, z + place_of(k, R), z + place_of(HALF_LONG - k, R));
        }
        if (g == 0) {
            cvec *middle = z + place_of(QUARTER, R); /* is its own partner */
            multiply_pair(c, gain, QUARTER, middle, middle);
            z[0] = (cvec){vec_all(0.0f), vec_all(0.0f)};
        }
        transform_64_back(z + g * GROUP, c->turn_64);
        if (h != g) transform_64_back(z + h * GROUP, c->turn_64);
    }
}

/* The envelope's samples of pieces that end with the frames from number `first` on, each the RMS over EACH samples of
 * the frame's first half and its predecessor's second half, which the last lane leaves in `tail` for the next block. */
static inline void add_halves(const dualres_tables *c, const cvec *z, int first, float (*tail)[2], float *envelope) {
    enum { HALF = 4, SIDE_BY_SIDE = POINTS / EACH };
    for (int sample = 0; sample < SIDE_BY_SIDE; sample++) {
        vec power[HALF];
        for (int m = 0; m < HALF; m++) power[m] = vec_all(0.0f);
        for (int j = sample * EACH; j < (sample + 1) * EACH; j++) {
            cvec a[2 * HALF];
            last_stage_of_8(z, j, a, c->turn_512);
            for (int m = 0; m < HALF; m++) {
                const cvec last = a[m + HALF];
                float *kept = tail[j + POINTS * m];
                const vec re = a[m].re + SHIFTED(vec_all(kept[0]), last.re);
                const vec im = a[m].im + SHIFTED(vec_all(kept[1]), last.im);
                power[m] += re * re + im * im;
                kept[0] = vec_lane(last.re, LANES - 1), kept[1] = vec_lane(last.im, LANES - 1);
            }
        }
        for (int m = 0; m < HALF; m++) {
            float each[LANES];
            vec_store(each, vec_sqrt(power[m] * (1.0f / EACH)));
            for (int i = 0; i < LANES; i++) {
                const int piece = first + i - 1;
                if (piece >= 0 && piece < DUALRES_PIECES)
                    envelope[piece * DUALRES_PIECE + sample + SIDE_BY_SIDE * m] = each[i];
            }
        }
    }
}

/* The magnitude of a whitened window, (DUALRES_ENVELOPE,); `z` and `tail` (QUARTER, 2) are room. */
static inline void take_envelope(const dualres_tables *c, const source *window, const float *gain, cvec *z,
                                 float (*tail)[2], float *envelope) {
    memset(tail, 0, QUARTER * sizeof *tail);
    for (int first = 0; first < LONG_FRAMES; first += LANES) {
        begin_long_frames(c, window, first, z);
        multiply(c, gain, z);
        add_halves(c, z, first, tail, envelope);
    }
}

#endif
