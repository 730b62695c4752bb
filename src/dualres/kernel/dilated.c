/* Features of MultiRocket and of Hydra: what responses to kernels of nine taps, `dilation` samples apart, say of a
 * signal. dualres.bench.methods.hydra_transform says the same in PyTorch; sums of floats differ by their order.
 *
 * A signal is seen in blocks, as its taps see it, so that the work on all kernels finds it near the processor. */

#include <string.h>

#include "dualres_kernel.h"
#include "lanes.h"

enum {
    DILATED_TAPS = 9,
    DILATED_BLOCK = 512,         /* samples: nine arrays of so many floats, and the responses of LANES kernels */
    DILATED_ROCKET_KERNELS = 84, /* three of nine taps, in lexicographic order */
    DILATED_MOST_LEVELS = 128,
    HYDRA_GROUPS = 32,
    HYDRA_IN_GROUP = 8
};

DUALRES_ASSERT(blocks_are_whole_vectors, DILATED_BLOCK % LANES == 0);
DUALRES_ASSERT(loops_over_taps_and_groups_unroll, HYDRA_IN_GROUP == 8 && DILATED_TAPS == 9);

typedef float dilated_block[DILATED_TAPS][DILATED_BLOCK] __attribute__((aligned(64)));

/* What the taps see of `count` samples from `first` on, with zeros beyond the signal's ends and after the last one.
 * Taps before the middle see a sample later by `late`. */
static void see_dilated(const float *signal, int64_t samples, int64_t dilation, int64_t late, int64_t first,
                        int64_t count, dilated_block to) {
    for (int tap = 0; tap < DILATED_TAPS; tap++) {
        const int64_t middle = DILATED_TAPS / 2;
        const int64_t at = first + (tap - middle) * dilation + (tap < middle ? late : 0);
        int64_t begin = at < 0 ? -at : 0, end = samples - at;
        if (begin > count) begin = count;
        if (end > count) end = count;
        if (end < begin) end = begin;
        memset(to[tap], 0, (size_t)begin * sizeof(float));
        if (end > begin) memcpy(to[tap] + begin, signal + at + begin, (size_t)(end - begin) * sizeof(float));
        memset(to[tap] + end, 0, (size_t)(DILATED_BLOCK - end) * sizeof(float));
    }
}

/* All bits where x > y, none elsewhere. */
static inline veci where_above(vec x, vec y) {
#if LANES == 1
    return -(x > y);
#else
    return x > y;
#endif
}

static inline vec only_where(veci mask, vec x) {
    vec_bits bits;
    bits.f = x;
    bits.i &= mask;
    return bits.f;
}

/* Of the responses of LANES kernels, each against a level of its own. Places are counted from the first response. */
typedef struct {
    vec level, sum, last, longest;
    veci count, place;
} above_level;

static inline void look_above(above_level *state, const vec *responses, int64_t first, int64_t count) {
    above_level own = *state;
    vec sum = {0}, at = vec_all((float)first);
    veci place = (veci){0} + (int32_t)first;
    for (int64_t i = 0; i < count; i++) {
        const veci above = where_above(responses[i], own.level);
        own.count -= above;
        own.place += place & above;
        sum += only_where(above, responses[i] + own.level);
        const vec last = vec_max(own.last, only_where(where_above(own.level, responses[i]), at));
        own.longest = vec_max(own.longest, last - own.last);
        own.last = last;
        at += 1.0f;
        place += 1;
    }
    own.sum += sum;
    *state = own;
}

/* MultiRocket's features of the dilation that has this number: the share of the responses above a level, the longest
 * stretch between two below it, the mean of those above it plus the level, and their mean place, or -1 without any.
 *
 * `levels` are (84 kernels, `number`), at most DILATED_MOST_LEVELS; features are the same four times, `stride` apart.
 * Where dilation and kernel have an even number together, all responses count, else those that need no zeros.
 * 8 dilation < samples <= 2^16. */
DUALRES_PUBLIC void NAME(dualres_multirocket)(const float *signal, int64_t samples, int64_t dilation,
                                              int64_t dilation_number, int64_t late, const float *levels,
                                              int64_t number, float *features, int64_t stride) {
    int taps[DILATED_ROCKET_KERNELS][3], kernels = 0;
    for (int a = 0; a < DILATED_TAPS - 2; a++)
        for (int b = a + 1; b < DILATED_TAPS - 1; b++)
            for (int c = b + 1; c < DILATED_TAPS; c++, kernels++)
                taps[kernels][0] = a, taps[kernels][1] = b, taps[kernels][2] = c;
    dilated_block seen;
    vec responses[DILATED_BLOCK];
    above_level states[DILATED_MOST_LEVELS];
    for (int whole = 0; whole < 2; whole++) {
        const int64_t edge = whole ? 0 : DILATED_TAPS / 2 * dilation, size = samples - 2 * edge;
        const int first = (int)((dilation_number + !whole) % 2); /* every other kernel, from this one on */
        for (int begin = first; begin < DILATED_ROCKET_KERNELS; begin += 2 * LANES) {
            /* Lanes beyond the last kernel repeat it. */
            int kernel[LANES];
            vec weights[DILATED_TAPS];
            float lanes[LANES];
            for (int lane = 0; lane < LANES; lane++) {
                const int wanted = begin + 2 * lane;
                kernel[lane] = wanted < DILATED_ROCKET_KERNELS ? wanted : DILATED_ROCKET_KERNELS - 2 + first;
            }
            for (int tap = 0; tap < DILATED_TAPS; tap++) {
                for (int lane = 0; lane < LANES; lane++) {
                    const int *chosen = taps[kernel[lane]];
                    lanes[lane] = tap == chosen[0] || tap == chosen[1] || tap == chosen[2] ? 2.0f : -1.0f;
                }
                weights[tap] = vec_load(lanes);
            }
            memset(states, 0, (size_t)number * sizeof(above_level));
            for (int64_t k = 0; k < number; k++) {
                for (int lane = 0; lane < LANES; lane++) lanes[lane] = levels[kernel[lane] * number + k];
                states[k].level = vec_load(lanes);
            }
            for (int64_t at = 0; at < size; at += DILATED_BLOCK) {
                const int64_t count = size - at < DILATED_BLOCK ? size - at : DILATED_BLOCK;
                see_dilated(signal, samples, dilation, late, edge + at, count, seen);
                for (int64_t i = 0; i < count; i++) {
                    vec response = weights[0] * seen[0][i];
#pragma GCC unroll 9
                    for (int tap = 1; tap < DILATED_TAPS; tap++) response += weights[tap] * seen[tap][i];
                    responses[i] = response;
                }
                for (int64_t k = 0; k < number; k++) look_above(&states[k], responses, at, count);
            }
            for (int64_t k = 0; k < number; k++)
                for (int lane = 0; lane < LANES; lane++) {
                    float *to = features + kernel[lane] * number + k;
                    const int32_t count = vec_lane(states[k].count, lane);
                    const float some = count ? (float)count : 1.0f, end = (float)(size - 1);
                    const float longest = vec_lane(states[k].longest, lane);
                    const float rest = end - vec_lane(states[k].last, lane);
                    to[0] = (float)count / (float)size;
                    to[stride] = longest > rest ? longest : rest;
                    to[2 * stride] = vec_lane(states[k].sum, lane) / some;
                    to[3 * stride] = count ? (float)vec_lane(states[k].place, lane) / some : -1.0f;
                }
        }
    }
}

/* Hydra's features of one dilation: of `weights` (32 groups, 8 kernels, 9 taps), the sum of each kernel's responses
 * where it is its group's largest, (32, 8), and how often it is its smallest, (32, 8). The first of equals counts. */
DUALRES_PUBLIC void NAME(dualres_hydra)(const float *signal, int64_t samples, int64_t dilation, const float *weights,
                                        float *features) {
    enum { KERNELS = HYDRA_GROUPS * HYDRA_IN_GROUP };
    dilated_block seen;
    memset(features, 0, 2 * KERNELS * sizeof(float));
    for (int64_t first = 0; first < samples; first += DILATED_BLOCK) {
        const int64_t count = samples - first < DILATED_BLOCK ? samples - first : DILATED_BLOCK;
        see_dilated(signal, samples, dilation, 0, first, count, seen);
        for (int group = 0; group < HYDRA_GROUPS; group++) {
            const float *own = weights + group * HYDRA_IN_GROUP * DILATED_TAPS;
            vec sums[HYDRA_IN_GROUP];
            veci counts[HYDRA_IN_GROUP];
            memset(sums, 0, sizeof sums);
            memset(counts, 0, sizeof counts);
            for (int64_t i = 0; i < count; i += LANES) {
                vec response[HYDRA_IN_GROUP], largest, smallest;
#pragma GCC unroll 8
                for (int k = 0; k < HYDRA_IN_GROUP; k++) {
                    response[k] = own[k * DILATED_TAPS] * vec_load(seen[0] + i);
#pragma GCC unroll 9
                    for (int tap = 1; tap < DILATED_TAPS; tap++)
                        response[k] += own[k * DILATED_TAPS + tap] * vec_load(seen[tap] + i);
                    largest = k ? vec_max(largest, response[k]) : response[k];
                    smallest = k ? vec_min(smallest, response[k]) : response[k];
                }
                veci over = {0}, under = {0}; /* lanes that have a kernel already */
#pragma GCC unroll 8
                for (int k = 0; k < HYDRA_IN_GROUP; k++) {
                    const veci less = where_above(largest, response[k]) | over;
                    const veci more = where_above(response[k], smallest) | under;
                    sums[k] += only_where(~less, response[k]);
                    counts[k] -= ~more;
                    over |= ~less;
                    under |= ~more;
                }
            }
            /* Responses after the last sample are zero, and so the first kernel's is the smallest. */
            const int64_t after = (count + LANES - 1) / LANES * LANES - count;
            for (int k = 0; k < HYDRA_IN_GROUP; k++) {
                features[group * HYDRA_IN_GROUP + k] += vec_sum(sums[k]);
                features[KERNELS + group * HYDRA_IN_GROUP + k] += vec_sum(vec_of(counts[k]));
                if (k == 0) features[KERNELS + group * HYDRA_IN_GROUP] -= (float)after;
            }
        }
    }
}
