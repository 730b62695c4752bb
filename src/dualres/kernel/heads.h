/* What heads say of features: logarithms of squared distances to classes. */

#ifndef DUALRES_HEADS_H
#define DUALRES_HEADS_H

#include <string.h>

#include "seen_features.h"
#include "lanes.h"

static const double SMALLEST_DISTANCE = 1e-6; /* of discriminant.py */

/* A head's numbers lie one behind the other: centre, scale, (rank, features) directions, (classes, features) slopes,
 * offsets, sharpness. */
typedef struct {
    const float *centre, *scale, *directions, *slopes, *offsets, *sharpness;
} head_parts;

static inline head_parts parts_of(const float *head, int count, int classes) {
    const float *directions = head + 2 * count, *slopes = directions + DUALRES_RANK * count;
    const float *offsets = slopes + classes * count;
    return (head_parts){head, head + count, directions, slopes, offsets, offsets + classes};
}

static inline size_t head_floats(int count, int classes) {
    return (size_t)((2 + DUALRES_RANK + classes) * count + classes + 1);
}

/* Distances are small differences of large sums, and logits are told to the last digits: sums are of doubles. */
static inline double dot(const float *a, const float *b, int count) {
    enum { AT_ONCE = 4 }; /* sums, which need not wait for one another */
    const vec_double zero = {0.0};
    vec_double sums[AT_ONCE] = {zero, zero, zero, zero};
    double parts[DOUBLES], total = 0.0;
    const int whole = count - count % (AT_ONCE * DOUBLES);
    for (int i = 0; i < whole; i += AT_ONCE * DOUBLES)
        for (int j = 0; j < AT_ONCE; j++) sums[j] += products_of(a + i + j * DOUBLES, b + i + j * DOUBLES);
    sums[0] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    memcpy(parts, sums, sizeof parts);
    for (int j = 0; j < DOUBLES; j++) total += parts[j];
    for (int i = whole; i < count; i++) total += (double)a[i] * (double)b[i];
    return total;
}

/* A head's logits join the sums, less that of the first class; where its numbers end. `z` is room for its features, and
 * `distances`, where it is not NULL, for how far the classes are. */
static const float *ask(const float *head, const float *features, int count, int classes, float *z, float *logits,
                        float *distances) {
    const head_parts h = parts_of(head, count, classes);
    const double sharpness = (double)*h.sharpness;
    for (int i = 0; i < count; i++) z[i] = (features[i] - h.centre[i]) * h.scale[i];
    double common = dot(z, z, count), first = 0.0;
    for (int i = 0; i < DUALRES_RANK; i++) {
        const double along = dot(h.directions + i * count, z, count);
        common -= along * along;
    }
    for (int i = 0; i < classes; i++) {
        const double exact = common - 2.0 * dot(h.slopes + i * count, z, count) + (double)h.offsets[i];
        const double distance = exact < SMALLEST_DISTANCE ? SMALLEST_DISTANCE : exact; /* NaN stays */
        const double logarithm = log(distance);
        if (distances) distances[i] = (float)distance;
        if (i == 0) first = logarithm;
        logits[i] += (float)(sharpness * (first - logarithm));
    }
    return h.sharpness + 1;
}

/* Logits to log-probabilities. */
static void take_log_softmax(float *logits, int classes) {
    float largest = logits[0];
    double total = 0.0;
    for (int i = 1; i < classes; i++) largest = logits[i] > largest ? logits[i] : largest;
    for (int i = 0; i < classes; i++) total += exp((double)(logits[i] - largest));
    for (int i = 0; i < classes; i++) logits[i] = logits[i] - largest - (float)log(total);
}

#endif
