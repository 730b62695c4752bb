/* The oscillatory memory over a block of tokens: channels in lanes, states real in coordinates that rotate along. */

#ifndef DUALRES_MEMORY_H
#define DUALRES_MEMORY_H

#include "dualres_kernel.h"
#include "lanes.h"

DUALRES_ASSERT(channels_fill_vectors, DUALRES_WIDTH % LANES == 0);
DUALRES_ASSERT(maps_fill_vectors, DUALRES_MAPS % LANES == 0);
DUALRES_ASSERT(readout_scale_is_of_8_states, DUALRES_STATES == 8);

/* From what the maps give for a token to damping (as 1 - alpha), input, write and read vectors, in place.
 *
 * `j` counts the token from where the coordinates last began. */
static inline void activate(const dualres_constants *c, int j, float maps[DUALRES_MAPS]) {
    enum { W = DUALRES_WIDTH, K = DUALRES_STATES };
    for (int d = 0; d < W; d += LANES) {
        const vec delta = vec_exp(vec_load(c->log_rate + d) + vec_tanh(vec_load(maps + d)));
        const vec renewed = vec_one_minus_exp(delta);
        vec_store(maps + d, 1.0f - renewed);
        vec_store(maps + W + d, renewed * vec_load(maps + W + d));
    }
    for (int k = 2 * W; k < DUALRES_MAPS; k += LANES) vec_store(maps + k, vec_tanh(vec_load(maps + k)));
    for (float *pair = maps + 2 * W; pair < maps + DUALRES_MAPS; pair += 2 * K) {
        for (int k = 0; k < K; k++) {
            const float re = pair[k], im = pair[K + k], cosine = c->ahead[j][k], sine = c->ahead[j][K + k];
            pair[k] = re * cosine - im * sine;
            pair[K + k] = re * sine + im * cosine;
        }
    }
}

/* Walk the tokens with the states of LANES channels; the sum over oscillators goes to y. */
static inline void walk(const float (*maps)[DUALRES_MAPS], int tokens, int d, float (*state)[DUALRES_WIDTH],
                        float (*y)[DUALRES_WIDTH]) {
    enum { W = DUALRES_WIDTH, N = 2 * DUALRES_STATES };
    const float scale = 0.35355339f; /* 1 / sqrt(DUALRES_STATES) */
    vec q[N];
    for (int k = 0; k < N; k++) q[k] = vec_load(state[k] + d);
    for (int t = 0; t < tokens; t++) {
        const vec alpha = vec_load(maps[t] + d), input = vec_load(maps[t] + W + d);
        const float *b = maps[t] + 2 * W, *c = b + N;
        const vec zero = vec_all(0.0f);
        vec sum[4] = {zero, zero, zero, zero};
        for (int k = 0; k < N; k++) {
            q[k] = alpha * q[k] + input * b[k];
            sum[k % 4] += c[k] * q[k];
        }
        vec_store(y[t] + d, ((sum[0] + sum[1]) + (sum[2] + sum[3])) * scale);
    }
    for (int k = 0; k < N; k++) vec_store(state[k] + d, q[k]);
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
