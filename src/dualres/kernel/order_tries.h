/* How well lines fit a class at LANES speeds of the shaft side by side. */

#ifndef DUALRES_ORDER_TRIES_H
#define DUALRES_ORDER_TRIES_H

#include "heads.h"
#include "lanes.h"
#include "order_axis.h"
#include "orders.h"

enum { ROWS_AT_ONCE = 8 }; /* of a head's factors: sums that need not wait for one another */

/* Products of ROWS_AT_ONCE rows of factors with z, (count,); of fewer rows, the last one is repeated. */
static inline void row_products(const float *factors, int rows, int count, const vec *z, vec *products) {
    const float *row[ROWS_AT_ONCE];
    vec sums[ROWS_AT_ONCE];
    for (int r = 0; r < ROWS_AT_ONCE; r++) {
        row[r] = factors + (r < rows ? r : rows - 1) * count;
        sums[r] = vec_all(0.0f);
    }
    for (int i = 0; i < count; i++) {
        const vec each = z[i];
        for (int r = 0; r < ROWS_AT_ONCE; r++) sums[r] += row[r][i] * each;
    }
    for (int r = 0; r < ROWS_AT_ONCE; r++) products[r] = sums[r];
}

/* The logarithm of the squared distance from the mean lines at each of `tries` speeds, at most LANES, to the nearest
 * class, (tries,); `sums` (tries, features) are of `count` windows, and `z` is room for the features. */
static inline void nearest_class(const float *head, int classes, const float *sums, float count, int tries, vec *z,
                                 float *misfit) {
    enum { FEATURES = DUALRES_LINE_FEATURES };
    const head_parts h = parts_of(head, FEATURES, classes);
    vec common = vec_all(0.0f), least = vec_all(HUGE_VALF), products[ROWS_AT_ONCE];
    float nearest[LANES];
    for (int i = 0; i < FEATURES; i++) {
        float each[LANES];
        for (int lane = 0; lane < LANES; lane++) each[lane] = sums[(lane < tries ? lane : tries - 1) * FEATURES + i];
        z[i] = (vec_load(each) / count - h.centre[i]) * h.scale[i];
        common += z[i] * z[i];
    }
    for (int first = 0; first < DUALRES_RANK; first += ROWS_AT_ONCE) {
        row_products(h.directions + first * FEATURES, DUALRES_RANK - first, FEATURES, z, products);
        for (int r = 0; r < ROWS_AT_ONCE && first + r < DUALRES_RANK; r++) common -= products[r] * products[r];
    }
    for (int first = 0; first < classes; first += ROWS_AT_ONCE) {
        row_products(h.slopes + first * FEATURES, classes - first, FEATURES, z, products);
        for (int r = 0; r < ROWS_AT_ONCE && first + r < classes; r++) {
            const vec distance = common - 2.0f * products[r] + h.offsets[first + r];
            least = vec_min(least, distance);
        }
    }
    vec_store(nearest, vec_max(vec_all((float)SMALLEST_DISTANCE), least));
    for (int i = 0; i < tries; i++) misfit[i] = isnan(sums[i * FEATURES]) ? NAN : (float)log((double)nearest[i]);
}

#endif
