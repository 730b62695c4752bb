/* MiniRocket's transform: how often the responses to 84 kernels of nine taps, `dilation` samples apart, lie above
 * levels. A kernel weighs three taps by 2 and the others by -1: it adds three of the samples, tripled, to minus the sum
 * of all nine.
 *
 * dualres.bench.methods.rocket says the same in NumPy. Nothing is multiplied, and sums are taken in one order only, so both
 * agree to the last bit. */

#include <math.h>

#include "dualres_kernel.h"
#include "lanes.h"

enum {
    ROCKET_TAPS = 9,
    ROCKET_KERNELS = 84,     /* three of nine taps, in lexicographic order */
    ROCKET_BLOCK = 1024,     /* samples: twelve arrays of so many floats stay near the processor for all kernels */
    ROCKET_STEP = 2 * LANES, /* samples in a turn of the loop */
    ROCKET_LEVELS = 4        /* that a response is compared with at a time: they and their counts stay in registers */
};

DUALRES_ASSERT(blocks_are_whole_turns, ROCKET_BLOCK % ROCKET_STEP == 0);
DUALRES_ASSERT(loops_over_levels_unroll, ROCKET_LEVELS == 4); /* the pragmas below say so */

/* A stretch of a window as the taps see it, and sums that several kernels begin with. */
typedef struct {
    float tripled[ROCKET_TAPS][ROCKET_BLOCK]; /* of each tap */
    float minus[ROCKET_BLOCK];                /* the sum of all taps, negative */
    float one[ROCKET_BLOCK], two[ROCKET_BLOCK];
} taps_seen __attribute__((aligned(64)));

static inline int64_t at_least(int64_t x, int64_t least) { return x < least ? least : x; }
static inline int64_t at_most(int64_t x, int64_t most) { return x > most ? most : x; }

/* `count` samples from `first` on; beyond the window's ends there are zeros. Returns how many they are with what fills
 * the last turn of a loop, and lies above no level. */
static int64_t see(const float *window, int64_t samples, int64_t dilation, int64_t first, int64_t count,
                   taps_seen *to) {
    static const int order[ROCKET_TAPS] = {4, 0, 1, 2, 3, 5, 6, 7, 8}; /* that of the sum: the middle first */
    const int64_t whole = (count + ROCKET_STEP - 1) / ROCKET_STEP * ROCKET_STEP;
    for (int64_t i = 0; i < whole; i++) to->minus[i] = i < count ? -0.0f : -INFINITY;
    for (int k = 0; k < ROCKET_TAPS; k++) {
        const int tap = order[k];
        const int64_t at = first + (tap - ROCKET_TAPS / 2) * dilation; /* where in the window its first sample is */
        const int64_t begin = at_most(at_least(-at, 0), count), end = at_least(at_most(samples - at, count), begin);
        float *tripled = to->tripled[tap];
        for (int64_t i = 0; i < begin; i++) tripled[i] = 0.0f;
        for (int64_t i = begin; i < end; i++) {
            const float x = window[at + i];
            tripled[i] = x + x + x;
            to->minus[i] -= x;
        }
        for (int64_t i = end; i < whole; i++) tripled[i] = 0.0f;
    }
    return whole;
}

/* One more where x lies above the level. */
static inline veci one_more(veci count, vec x, vec level) {
#if LANES == 1
    return count + (x > level);
#elif LANES == 16
    const __mmask16 above = _mm512_cmp_ps_mask((__m512)x, (__m512)level, _CMP_GT_OQ);
    return (veci)_mm512_mask_sub_epi32((__m512i)count, above, (__m512i)count, _mm512_set1_epi32(-1));
#else
    return count - (x > level); /* what holds is -1 */
#endif
}

/* Add to `counts` how many of the sums a + b lie above each of `levels`, whose number is a constant here. */
static inline __attribute__((always_inline)) void count_above(
    const float *a, const float *b, int64_t count, const float *levels, const int number, float *counts) {
    vec level[ROCKET_LEVELS];
    veci above[ROCKET_LEVELS];
#pragma GCC unroll 4
    for (int k = 0; k < number; k++) level[k] = vec_all(levels[k]), above[k] = (veci){0};
    for (int64_t i = 0; i < count; i += ROCKET_STEP)
#pragma GCC unroll 2
        for (int64_t at = i; at < i + ROCKET_STEP; at += LANES) {
            const vec response = vec_load(a + at) + vec_load(b + at);
#pragma GCC unroll 4
            for (int k = 0; k < number; k++) above[k] = one_more(above[k], response, level[k]);
        }
#pragma GCC unroll 4
    for (int k = 0; k < number; k++) counts[k] += vec_sum(vec_of(above[k]));
}

static void count_all(const float *a, const float *b, int64_t count, const float *levels, int64_t number,
                      float *counts) {
    for (; number >= ROCKET_LEVELS; number -= ROCKET_LEVELS, levels += ROCKET_LEVELS, counts += ROCKET_LEVELS)
        count_above(a, b, count, levels, ROCKET_LEVELS, counts);
    if (number == 3) count_above(a, b, count, levels, 3, counts);
    if (number == 2) count_above(a, b, count, levels, 2, counts);
    if (number == 1) count_above(a, b, count, levels, 1, counts);
}

static inline void add(const float *a, const float *b, int64_t count, float *to) {
    for (int64_t i = 0; i < count; i += LANES) vec_store(to + i, vec_load(a + i) + vec_load(b + i));
}

/* Count for every kernel whose number is `rest` more than a multiple of `every`, each with `number` levels. */
static void count_kernels(taps_seen *seen, int64_t count, int every, int rest, const float *levels, int64_t number,
                          float *counts) {
    int kernel = 0;
    for (int a = 0; a < ROCKET_TAPS - 2; a++) {
        add(seen->minus, seen->tripled[a], count, seen->one);
        for (int b = a + 1; b < ROCKET_TAPS - 1; b++) {
            add(seen->one, seen->tripled[b], count, seen->two);
            for (int c = b + 1; c < ROCKET_TAPS; c++, kernel++)
                if (kernel % every == rest)
                    count_all(seen->two, seen->tripled[c], count, levels + kernel * number, number,
                              counts + kernel * number);
        }
    }
}

static int all_finite(const float *window, int64_t samples) {
    vec faults = {0}; /* NaN from the first sample on that is not finite */
    int64_t i = 0;
    for (; i + LANES <= samples; i += LANES) faults += 0.0f * vec_load(window + i);
    float fault = vec_sum(faults);
    for (; i < samples; i++) fault += 0.0f * window[i];
    return fault == 0.0f;
}

/* Features of the dilation that has this number, (84 kernels, `number` levels): shares of a normalised window's
 * responses above `levels`, which are laid out likewise. Where dilation and kernel have an even number together, all
 * responses count, else those that need no zeros. NaN where a sample is not finite. 8 dilation < samples < 2^24. */
DUALRES_PUBLIC void NAME(dualres_rocket)(const float *window, int64_t samples, int64_t dilation,
                                         int64_t dilation_number, const float *levels, int64_t number,
                                         float *features) {
    taps_seen seen;
    const int odd = (int)(dilation_number % 2), finite = all_finite(window, samples);
    const int64_t edge = ROCKET_TAPS / 2 * dilation, bounds[4] = {0, edge, samples - edge, samples};
    for (int64_t i = 0; i < ROCKET_KERNELS * number; i++) features[i] = finite ? 0.0f : NAN;
    for (int part = 0; finite && part < 3; part++)
        for (int64_t at = bounds[part]; at < bounds[part + 1]; at += ROCKET_BLOCK) {
            const int64_t count = at_most(bounds[part + 1] - at, ROCKET_BLOCK);
            const int64_t whole = see(window, samples, dilation, at, count, &seen);
            const int middle = part == 1;
            count_kernels(&seen, whole, middle ? 1 : 2, middle ? 0 : odd, levels, number, features);
        }
    for (int kernel = 0; kernel < ROCKET_KERNELS; kernel++)
        for (int64_t k = 0; k < number; k++)
            features[kernel * number + k] /= (float)(kernel % 2 == odd ? samples : samples - 2 * edge);
}

/* The responses (samples,) of a normalised window to the kernel that weighs the taps a, b and c by 2. Their tripled
 * samples come first in the sum, as in the levels of published results. */
DUALRES_PUBLIC void NAME(dualres_rocket_response)(const float *window, int64_t samples, int64_t dilation, int32_t a,
                                                  int32_t b, int32_t c, float *out) {
    taps_seen seen;
    for (int64_t at = 0; at < samples; at += ROCKET_BLOCK) {
        const int64_t count = at_most(samples - at, ROCKET_BLOCK);
        see(window, samples, dilation, at, count, &seen);
        for (int64_t i = 0; i < count; i++)
            out[at + i] = ((seen.tripled[a][i] + seen.tripled[b][i]) + seen.tripled[c][i]) + seen.minus[i];
    }
}
