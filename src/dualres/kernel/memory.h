/* The oscillatory memory over a block of tokens: channels in lanes, states real in coordinates that rotate along. */

#ifndef DUALRES_MEMORY_H
#define DUALRES_MEMORY_H

#include "dualres_kernel.h"
#include "lanes.h"
#include "transpose.h"

DUALRES_ASSERT(channels_fill_vectors, DUALRES_WIDTH % LANES == 0);
DUALRES_ASSERT(maps_fill_vectors, DUALRES_MAPS % LANES == 0);
DUALRES_ASSERT(readout_scale_is_of_8_states, DUALRES_STATES == 8);

/* Eight complex numbers, real parts first, times exp(i angle), whose cosines come first. */
static inline void rotate(float *pair, const float *angle) {
    enum { K = DUALRES_STATES };
#if LANES == 16
    const vec sign = {-1, -1, -1, -1, -1, -1, -1, -1, 1, 1, 1, 1, 1, 1, 1, 1};
    const vec both = vec_load(angle), number = vec_load(pair);
    const vec sines = SHUFFLED(both, both, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15);
    const vec cosines = SHUFFLED(both, both, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
    const vec swapped = SHUFFLED(number, number, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    vec_store(pair, number * cosines + swapped * (sines * sign));
#else
    for (int k = 0; k < K; k += LANES) {
        const vec re = vec_load(pair + k), im = vec_load(pair + K + k);
        const vec cosine = vec_load(angle + k), sine = vec_load(angle + K + k);
        vec_store(pair + k, re * cosine - im * sine);
        vec_store(pair + K + k, re * sine + im * cosine);
    }
#endif
}

/* From what the maps give for some tokens to damping (as 1 - alpha), input, write and read vectors, in place.
 *
 * `j` counts the first token from where the coordinates last began. One function is taken of all tokens before the
 * next: a chain of several would wait for itself most of the time. */
static inline void activate(const dualres_constants *c, int j, int tokens, float (*maps)[DUALRES_MAPS]) {
    enum { W = DUALRES_WIDTH, K = DUALRES_STATES };
    for (int t = 0; t < tokens; t++) {
        for (int d = 0; d < W; d += LANES) vec_store(maps[t] + d, vec_tanh(vec_load(maps[t] + d)));
        for (int k = 2 * W; k < DUALRES_MAPS; k += LANES) vec_store(maps[t] + k, vec_tanh(vec_load(maps[t] + k)));
    }
    for (int t = 0; t < tokens; t++)
        for (int d = 0; d < W; d += LANES)
            vec_store(maps[t] + d, vec_exp(vec_load(c->log_rate + d) + vec_load(maps[t] + d)));
    for (int t = 0; t < tokens; t++) {
        for (int d = 0; d < W; d += LANES) {
            const vec renewed = vec_one_minus_exp(vec_load(maps[t] + d));
            vec_store(maps[t] + d, 1.0f - renewed);
            vec_store(maps[t] + W + d, renewed * vec_load(maps[t] + W + d));
        }
        for (int k = 2 * W; k < DUALRES_MAPS; k += 2 * K) rotate(maps[t] + k, c->ahead[j + t]);
    }
}

/* Numbers of a state that are walked with at once: half of them where all would not leave a register free. */
enum { NUMBERS_AT_ONCE = LANES == 8 ? DUALRES_STATES : 2 * DUALRES_STATES };

/* Walk the tokens with the states of LANES channels; the sum over oscillators goes to y. */
static inline void walk(const float (*maps)[DUALRES_MAPS], int tokens, int d, float (*state)[DUALRES_WIDTH],
                        float (*y)[DUALRES_WIDTH]) {
    enum { W = DUALRES_WIDTH, N = 2 * DUALRES_STATES };
    const float scale = 0.35355339f; /* 1 / sqrt(DUALRES_STATES) */
    for (int first = 0; first < N; first += NUMBERS_AT_ONCE) {
        vec q[NUMBERS_AT_ONCE];
        for (int k = 0; k < NUMBERS_AT_ONCE; k++) q[k] = vec_load(state[first + k] + d);
        for (int t = 0; t < tokens; t++) {
            const vec alpha = vec_load(maps[t] + d), input = vec_load(maps[t] + W + d);
            const float *b = maps[t] + 2 * W + first, *c = b + N;
            const vec zero = vec_all(0.0f);
            vec sum[4] = {zero, zero, zero, zero};
            for (int k = 0; k < NUMBERS_AT_ONCE; k++) {
                q[k] = alpha * q[k] + input * b[k];
                sum[k % 4] += c[k] * q[k];
            }
            vec read = ((sum[0] + sum[1]) + (sum[2] + sum[3])) * scale;
            if (first) read += vec_load(y[t] + d);
            vec_store(y[t] + d, read);
        }
        for (int k = 0; k < NUMBERS_AT_ONCE; k++) vec_store(state[first + k] + d, q[k]);
    }
}

/* From the end of the rotating coordinates to where they begin anew. */
static inline void turn_back(const dualres_constants *c, float (*state)[DUALRES_WIDTH]) {
    enum { K = DUALRES_STATES };
    for (int k = 0; k < K; k++) {
        for (int d = 0; d < DUALRES_WIDTH; d += LANES) {
            const vec re = vec_load(state[k] + d), im = vec_load(state[K + k] + d);
            vec_store(state[k] + d, re * c->back[k] - im * c->back[K + k]);
            vec_store(state[K + k] + d, re * c->back[K + k] + im * c->back[k]);
        }
    }
}

#endif
