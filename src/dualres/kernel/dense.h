/* A linear map of the tokens in a block, in register blocks: tokens down, outputs across. */

#ifndef DUALRES_DENSE_H
#define DUALRES_DENSE_H

#include "lanes.h"

/* The sums of a register block. More of them than two multiplications a cycle have under way keep these busy. */
#if LANES == 16
enum { TOKENS_AT_ONCE = 8, VECS_AT_ONCE = 2 };
#elif LANES == 1
enum { TOKENS_AT_ONCE = 1, VECS_AT_ONCE = 8 };
#elif defined(__aarch64__)
enum { TOKENS_AT_ONCE = 4, VECS_AT_ONCE = 4 }; /* it has 32 registers, and fewer loads in a cycle than it might use */
#elif LANES == 4
enum { TOKENS_AT_ONCE = 2, VECS_AT_ONCE = 4 };
#else
enum { TOKENS_AT_ONCE = 3, VECS_AT_ONCE = 4 };
#endif

enum { TOKENS_LEFT = LANES % TOKENS_AT_ONCE ? LANES % TOKENS_AT_ONCE : TOKENS_AT_ONCE }; /* in a block's last rows */

enum { INPUTS_AT_ONCE = 128 }; /* whose weights stay in the first cache while all tokens take them in */

/* A map from `inputs` inputs to `outputs` outputs, a multiple of VECS_AT_ONCE * LANES; weight[input][output]. */
typedef struct {
    const float *weight, *bias;
    int inputs, outputs;
} map;

/* The sums of `rows` tokens, from x on, and of VECS_AT_ONCE vectors of outputs from number o, over some inputs. */
static inline __attribute__((always_inline)) void add_inputs(
    const int rows, const float *x, int of_input, int of_token, map by, int o, int first, int last, float *y,
    int of_row) {
    vec sum[TOKENS_AT_ONCE][VECS_AT_ONCE];
    for (int i = 0; i < rows; i++)
        for (int v = 0; v < VECS_AT_ONCE; v++)
            sum[i][v] = vec_load((first ? y + i * of_row : by.bias) + o + v * LANES);
    const float *w = by.weight + first * by.outputs + o, *from = x + first * of_input;
    for (int k = first; k < last; k++, w += by.outputs, from += of_input) {
        vec down[TOKENS_AT_ONCE];
        for (int i = 0; i < rows; i++) down[i] = vec_all(from[i * of_token]);
        for (int v = 0; v < VECS_AT_ONCE; v++) {
            const vec across = vec_load_once(w + v * LANES);
            for (int i = 0; i < rows; i++) sum[i][v] += down[i] * across;
        }
    }
    for (int i = 0; i < rows; i++)
        for (int v = 0; v < VECS_AT_ONCE; v++) vec_store(y + i * of_row + o + v * LANES, sum[i][v]);
}

/* y[t][o] = bias[o] + sum_k x(k, t) weight[k][o] for `tokens` tokens t, with x(k, t) = x[k * of_input + t * of_token].
 *
 * There is room for LANES tokens: a few more may be computed. */
static inline void dense(const float *x, int of_input, int of_token, int tokens, map by, float *y, int of_row) {
    for (int o = 0; o < by.outputs; o += VECS_AT_ONCE * LANES) {
        for (int first = 0; first < by.inputs; first += INPUTS_AT_ONCE) {
            const int last = first + INPUTS_AT_ONCE < by.inputs ? first + INPUTS_AT_ONCE : by.inputs;
            int t = 0;
            for (; t + TOKENS_AT_ONCE <= tokens; t += TOKENS_AT_ONCE)
                add_inputs(TOKENS_AT_ONCE, x + t * of_token, of_input, of_token, by, o, first, last, y + t * of_row,
                           of_row);
            for (; t < tokens; t += TOKENS_LEFT)
                add_inputs(TOKENS_LEFT, x + t * of_token, of_input, of_token, by, o, first, last, y + t * of_row,
                           of_row);
        }
    }
}

#endif
