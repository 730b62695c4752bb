/* What is known over Hz, read at multiples of a shaft's rate. */

#ifndef DUALRES_ORDER_AXIS_H
#define DUALRES_ORDER_AXIS_H

#include "bands.h"
#include "lanes.h"
#include "orders.h"

static const float LINE_GAIN = 1.5f; /* of config.py */

static inline double double_of(const float pair[2]) { return (double)pair[0] + (double)pair[1]; }

/* Between two neighbouring points: the first one's number, and the weights of both. */
typedef struct {
    int lower;
    float left, right;
} reading_place;

/* Place `at` among `count` points. Below the first one, it is read there; beyond the last one, nothing is heard. */
static inline reading_place place_at(double at, int count) {
    if (!(at <= count - 1)) return (reading_place){0, 0.0f, 0.0f};
    const double inside = at > 0.0 ? at : 0.0;
    const int lower = inside < count - 2 ? (int)inside : count - 2;
    const float share = (float)(inside - lower);
    return (reading_place){lower, 1.0f - share, share};
}

static inline float read_at(const float *values, reading_place p) {
    return values[p.lower] * p.left + values[p.lower + 1] * p.right;
}

/* Swings at the orders of a shaft that turns at `hz`, before their logarithm: (DUALRES_SWING_FEATURES,) features, `step`
 * floats from one to the next. A line makes an oscillator swing the longer, the slower the shaft: times the rate, it
 * counts for the same at every speed. */
static inline void read_swings(const dualres_orders_constants *c, const float (*swings)[DUALRES_BANK], double hz,
                               float *features, int step) {
    const double first = double_of(c->per_nat) * log(hz) + double_of(c->first_place);
    const double place_step = double_of(c->place_step);
    const float scale = (float)(hz / (double)c->half_swing_hz);
    for (int i = 0; i < DUALRES_READINGS; i++) {
        const reading_place p = place_at(first + i * place_step, DUALRES_BANK);
        for (int band = 0; band < DUALRES_BANDS; band++)
            features[(band * DUALRES_READINGS + i) * step] = read_at(swings[band], p) * scale;
    }
}

/* Likewise the lines of an envelope: (DUALRES_LINE_FEATURES,), each the largest of some readings. */
static inline void read_lines(const dualres_orders_constants *c, const float *lines, double hz, float *features,
                              int step) {
    const double ratio = double_of(c->line_ratio);
    double at = hz * double_of(c->first_line);
    for (int i = 0; i < DUALRES_LINE_FEATURES; i++) {
        float largest = 0.0f;
        for (int near = 0; near < DUALRES_NEAR_LINES; near++, at *= ratio) {
            const float read = read_at(lines, place_at(at, DUALRES_ENVELOPE_BINS));
            if (read > largest) largest = read;
        }
        features[i * step] = LINE_GAIN * largest;
    }
}

/* log(1 + x), in place, of features that have room for whole vectors. */
static inline void take_log1p(float *features, int count) {
    for (int i = 0; i < count; i += LANES)
        vec_store(features + i, LOG_OF_2 * vec_log2(vec_load(features + i) + 1.0f));
}

#endif
