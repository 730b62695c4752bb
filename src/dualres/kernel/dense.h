/* A linear map of the tokens in a block, in register blocks: tokens down, outputs across. */

#ifndef DUALRES_DENSE_H
#define DUALRES_DENSE_H

#include "lanes.h"

#if LANES == 16
enum { TOKENS_AT_ONCE = 8, VECS_AT_ONCE = 2 };
#elif LANES == 1
enum { TOKENS_AT_ONCE = 1, VECS_AT_ONCE = 8 };
#elif defined(__aarch64__)
enum { TOKENS_AT_ONCE = 4, VECS_AT_ONCE = 4 }; /* it has 32 registers, and fewer loads in a cycle than it might use */
#elif LANES == 4
enum { TOKENS_AT_ONCE = 2, VECS_AT_ONCE = 4 };
#else
enum { TOKENS_AT_ONCE = 4, VECS_AT_ONCE = 2 };
#endif

DUALRES_ASSERT(dense_takes_all_lanes, LANES % TOKENS_AT_ONCE == 0);

enum { INPUTS_AT_ONCE = 128 }; /* whose weights stay in the first cache while all tokens take them in */

/* y[t][o] = bias[o] + sum_k x(k, t) weight[k][o] for `tokens` tokens t, with x(k, t) = x[k * of_input + t * of_token].
 *
 * `outputs` is a multiple of VECS_AT_ONCE * LANES. There is room for LANES tokens: a few more may be computed. */
static inline void dense(const float *x, int of_input, int of_token, int tokens, int inputs, const float *weight,
                         const float *bias, int outputs, float *y, int of_row) {
    for (int o = 0; o < outputs; o += VECS_AT_ONCE * LANES) {
        for (int first = 0; first < inputs; first += INPUTS_AT_ONCE) {
            const int last = first + INPUTS_AT_ONCE < inputs ? first + INPUTS_AT_ONCE : inputs;
            for (int t = 0; t < tokens; t += TOKENS_AT_ONCE) {
                vec sum[TOKENS_AT_ONCE][VECS_AT_ONCE];
                for (int i = 0; i < TOKENS_AT_ONCE; i++)
                    for (int v = 0; v < VECS_AT_ONCE; v++)
                        sum[i][v] = vec_load((first ? y + (t + i) * of_row : bias) + o + v * LANES);
                const float *w = weight + first * outputs + o, *from = x + first * of_input + t * of_token;
                for (int k = first; k < last; k++, w += outputs, from += of_input) {
                    vec across[VECS_AT_ONCE];
                    for (int v = 0; v < VECS_AT_ONCE; v++) across[v] = vec_load(w + v * LANES);
                    for (int i = 0; i < TOKENS_AT_ONCE; i++) {
                        const vec down = vec_all(from[i * of_token]);
                        for (int v = 0; v < VECS_AT_ONCE; v++) sum[i][v] += down * across[v];
                    }
                }
                for (int i = 0; i < TOKENS_AT_ONCE; i++)
                    for (int v = 0; v < VECS_AT_ONCE; v++) vec_store(y + (t + i) * of_row + o + v * LANES, sum[i][v]);
            }
        }
    }
}

#endif
