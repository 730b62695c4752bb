/* How far oscillators of constant quality swing that something drives.
 *
 * An oscillator q_t = a exp(i w) q_{t-1} + z_t is followed by a real one, of which place r and move d are known:
 *
 *     d_t = a^2 d_{t-1} - k r_{t-1} + z_t,   r_t = r_{t-1} + d_t,   k = (1 - a)^2 + 2 a (1 - cos w).
 *
 * Then q_t = r_t - a exp(-i w) r_{t-1}, and |q_t|^2 = k r_t^2 - 2 a (a - cos w) r_t d_t + a^2 d_t^2. Its sum over all t up
 * to the last one is k R + a cos w D - a (a - cos w) r^2, with R and D the sums of squared places and moves: nothing is lost
 * where w is small, and less is computed than with complex numbers. Where w is large, the mirror image at pi - w has the
 * same energy if every second z changes its sign, and is followed instead. */

#ifndef DUALRES_SWINGS_H
#define DUALRES_SWINGS_H

#include "bands.h"
#include "lanes.h"
#include "orders.h"

enum { SWINGING_AT_ONCE = 5 }; /* vectors of oscillators, which need not wait for one another */

DUALRES_ASSERT(bank_fills_vectors, DUALRES_BANK_ROOM % (SWINGING_AT_ONCE * LANES) == 0);
DUALRES_ASSERT(mirror_images_begin_with_a_vector, DUALRES_MIRRORED % (SWINGING_AT_ONCE * LANES) == 0);

/* The RMS over the frames of some oscillators from number `first` on, with what they swing on after the last frame. */
static inline void swing_some(const dualres_orders_constants *c, const float *z, int first, vec *rms) {
    vec place[SWINGING_AT_ONCE], move[SWINGING_AT_ONCE], places[SWINGING_AT_ONCE], moves[SWINGING_AT_ONCE];
    for (int i = 0; i < SWINGING_AT_ONCE; i++) place[i] = move[i] = places[i] = moves[i] = vec_all(0.0f);
    for (int t = 0; t < DUALRES_STRENGTHS; t++) {
        for (int i = 0; i < SWINGING_AT_ONCE; i++) {
            const int k = first + i * LANES;
            move[i] = vec_load(c->left + k) * move[i] + z[t];
            move[i] -= vec_load(c->drawn + k) * place[i];
            place[i] += move[i];
            places[i] += place[i] * place[i];
            moves[i] += move[i] * move[i];
        }
    }
    for (int i = 0; i < SWINGING_AT_ONCE; i++) {
        const int k = first + i * LANES;
        const vec before = vec_load(c->drawn + k) * places[i] + vec_load(c->moves + k) * moves[i];
        const vec last = vec_load(c->last[0] + k) * place[i] * place[i] +
                         (vec_load(c->last[1] + k) * place[i] + vec_load(c->last[2] + k) * move[i]) * move[i];
        rms[i] = vec_sqrt(vec_max(vec_all(0.0f), (before + last) * (1.0f / DUALRES_STRENGTHS)));
    }
}

/* Of all that z drives, (DUALRES_STRENGTHS,), of which every second sign is changed. */
static inline void take_swings(const dualres_orders_constants *c, float *z, float *swings) {
    for (int first = 0; first < DUALRES_BANK; first += SWINGING_AT_ONCE * LANES) {
        vec rms[SWINGING_AT_ONCE];
        if (first == DUALRES_MIRRORED)
            for (int t = 1; t < DUALRES_STRENGTHS; t += 2) z[t] = -z[t];
        swing_some(c, z, first, rms);
        for (int i = 0; i < SWINGING_AT_ONCE; i++) {
            float each[LANES];
            vec_store(each, rms[i]);
            for (int lane = 0; lane < LANES; lane++) {
                const int k = first + i * LANES + lane;
                if (k < DUALRES_BANK) swings[k] = each[lane];
            }
        }
    }
}

#endif
