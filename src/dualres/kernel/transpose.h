/* Rows become columns: LANES vectors side by side, turned over in registers. */

#ifndef DUALRES_TRANSPOSE_H
#define DUALRES_TRANSPOSE_H

#include "lanes.h"

#if defined(__clang__)
#define SHUFFLED(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLED(a, b, ...) __builtin_shuffle(a, b, (veci){__VA_ARGS__})
#endif

/* In every four lanes: the pairs of the lower or upper two of `a` and `b`, and the lower or upper halves. */
#if LANES == 16
#define PAIRS_LOW(a, b) SHUFFLED(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define PAIRS_HIGH(a, b) SHUFFLED(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define HALVES_LOW(a, b) SHUFFLED(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define HALVES_HIGH(a, b) SHUFFLED(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#elif LANES == 8
#define PAIRS_LOW(a, b) SHUFFLED(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define PAIRS_HIGH(a, b) SHUFFLED(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define HALVES_LOW(a, b) SHUFFLED(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define HALVES_HIGH(a, b) SHUFFLED(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#elif LANES == 4
#define PAIRS_LOW(a, b) SHUFFLED(a, b, 0, 4, 1, 5)
#define PAIRS_HIGH(a, b) SHUFFLED(a, b, 2, 6, 3, 7)
#define HALVES_LOW(a, b) SHUFFLED(a, b, 0, 1, 4, 5)
#define HALVES_HIGH(a, b) SHUFFLED(a, b, 2, 3, 6, 7)
#endif

/* Fours of lanes, exchanged between vectors: the even ones of `a` and `b`, and the odd ones. */
#if LANES == 16
#define FOURS_EVEN(a, b) SHUFFLED(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
#define FOURS_ODD(a, b) SHUFFLED(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)
#elif LANES == 8
#define FOURS_EVEN(a, b) SHUFFLED(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define FOURS_ODD(a, b) SHUFFLED(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#endif

/* Every lane takes the one before it, the first one the last of `before`. */
#if LANES == 16
#define SHIFTED(before, v) SHUFFLED(before, v, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
#elif LANES == 8
#define SHIFTED(before, v) SHUFFLED(before, v, 7, 8, 9, 10, 11, 12, 13, 14)
#elif LANES == 4
#define SHIFTED(before, v) SHUFFLED(before, v, 3, 4, 5, 6)
#else
#define SHIFTED(before, v) (before)
#endif

/* Lane j of vector i becomes lane i of vector j. */
static inline __attribute__((always_inline)) void transpose(vec v[LANES]) {
#if LANES > 1
    vec t[LANES];
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i += 4) { /* 4 x 4 within every four lanes */
        vec low = PAIRS_LOW(v[i], v[i + 1]), high = PAIRS_HIGH(v[i], v[i + 1]);
        vec next_low = PAIRS_LOW(v[i + 2], v[i + 3]), next_high = PAIRS_HIGH(v[i + 2], v[i + 3]);
        t[i] = HALVES_LOW(low, next_low);
        t[i + 1] = HALVES_HIGH(low, next_low);
        t[i + 2] = HALVES_LOW(high, next_high);
        t[i + 3] = HALVES_HIGH(high, next_high);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) { /* then the fours themselves: t[4 k + i] holds columns i, 4 + i, ... of rows 4 k.. */
#if LANES == 16
        vec even = FOURS_EVEN(t[i], t[i + 4]), odd = FOURS_ODD(t[i], t[i + 4]);
        vec next_even = FOURS_EVEN(t[i + 8], t[i + 12]), next_odd = FOURS_ODD(t[i + 8], t[i + 12]);
        v[i] = FOURS_EVEN(even, next_even);
        v[i + 4] = FOURS_EVEN(odd, next_odd);
        v[i + 8] = FOURS_ODD(even, next_even);
        v[i + 12] = FOURS_ODD(odd, next_odd);
#elif LANES == 8
        v[i] = FOURS_EVEN(t[i], t[i + 4]);
        v[i + 4] = FOURS_ODD(t[i], t[i + 4]);
#else
        v[i] = t[i];
#endif
    }
#else
    (void)v;
#endif
}

#endif
