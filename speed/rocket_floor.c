/* The least that MiniRocket's transform takes: an addition, comparisons with levels and their counts, all on a block
 * that stays in the first cache. For speed/rocket.py, which compiles it for each instruction set. */

#include "rocket.c"

enum { FLOOR_BLOCK = 512 };

static inline __attribute__((always_inline)) void pass(const float *a, const float *b, const float *levels,
                                                       const int number, int64_t passes, int32_t *counts) {
    veci above[ROCKET_LEVELS];
    for (int k = 0; k < number; k++) above[k] = (veci){0};
    for (int64_t turn = 0; turn < passes; turn++) {
        for (int i = 0; i < FLOOR_BLOCK; i += LANES) {
            const vec response = vec_load(a + i) + vec_load(b + i);
            for (int k = 0; k < number; k++) above[k] = one_more(above[k], response, vec_all(levels[k]));
        }
        __asm__ volatile("" ::: "memory"); /* the block is read anew: it might have changed */
    }
    for (int k = 0; k < number; k++) counts[k] = (int32_t)vec_sum(vec_of(above[k]));
}

/* So many samples are compared with four levels each, and so many with three. */
void rocket_floor(const float *a, const float *b, const float *levels, int64_t fours, int64_t threes,
                  int32_t *counts) {
    pass(a, b, levels, 4, fours / FLOOR_BLOCK, counts);
    pass(a, b, levels, 3, threes / FLOOR_BLOCK, counts);
}
