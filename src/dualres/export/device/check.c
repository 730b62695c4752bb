/* Does this machine compute what the model computed when it was exported? Status 0 if it does.
 *
 * The signals come from a formula. First single windows go through the kernel, then a stream at the native rate
 * through push and verdict. */

#include <math.h>
#include <stdio.h>

#include "check_values.h"
#include "dualres.h"

extern const dualres_network dualres_this_model[DUALRES_NETWORKS];

#define PI 3.14159265358979323846

static dualres_state state;

/* Sample t of `count` of an axis: a growing sine in noise, higher from axis to axis. */
static double formula(uint32_t t, uint32_t count, int axis) {
    const uint32_t mixed = 97u * t * t + 2654435761u * t + 40503u * 999u;
    const double noise = 2.0 * (mixed / 4294967296.0 - 0.5);
    return sin(2 * PI * 0.01 * (axis + 1) * t) * (0.2 + (double)t / count) + 0.5 * noise;
}

static dualres_sample as_sample(double x) {
#ifdef DUALRES_INT16
    return (int16_t)floor(COUNTS * (float)x + 0.5);
#else
    return (float)x;
#endif
}

/* Whether a class is the best, or so near to it that either may be. */
static int is_best(int chosen, const double *wanted, double tolerance) {
    for (int i = 0; i < DUALRES_CLASSES; i++)
        if (wanted[i] > wanted[chosen] + 2 * tolerance) return 0;
    return 1;
}

/* The number of the largest. */
static int best_of(const double *values) {
    int best = 0;
    for (int i = 1; i < DUALRES_CLASSES; i++)
        if (values[i] > values[best]) best = i;
    return best;
}

/* The largest difference; not a number if one of the values is none. */
static double apart(const double *values, const double *wanted) {
    double most = 0.0;
    for (int i = 0; i < DUALRES_CLASSES; i++) {
        const double gap = fabs(values[i] - wanted[i]);
        if (isnan(gap)) return gap;
        if (gap > most) most = gap;
    }
    return most;
}

static int window_is_right(int network, int number) {
    static const double zeros[DUALRES_CLASSES];
    const double *wanted = expected_logits[network * CHECK_WINDOWS + number];
    float logits[DUALRES_CLASSES];
    double values[DUALRES_CLASSES];
    for (uint32_t t = 0; t < DUALRES_WINDOW; t++)
        state.window[0][t] = as_sample(formula(number ? DUALRES_WINDOW - 1 - t : t, DUALRES_WINDOW, 0));
    DUALRES_LOGITS(&dualres_this_model[network], state.window[0], 1, logits, state.scratch);
    for (int i = 0; i < DUALRES_CLASSES; i++) values[i] = logits[i];
    const double off = apart(values, wanted);
    const int best = best_of(values);
    if (DUALRES_NETWORKS > 1) printf("network %d, ", network);
    printf("window %d: class %d, logits off by %.2g\n", number, best, off);
    const double tolerance = LOGIT_TOLERANCE * fmax(1.0, apart(wanted, zeros));
    return off <= tolerance && is_best(best, wanted, tolerance);
}

/* Is it as like the labelled recordings as it was when exported? */
static int look_is_right(const dualres_result *result) {
#ifdef DUALRES_LIKENESS
    const double look[3] = {result->distance, result->spectrum, result->level};
    double off = 0.0;
    for (int i = 0; i < 3; i++) off = fmax(off, fabs(look[i] - expected_look[i]));
    printf("stream: likeness off by %.2g nats\n", off);
    return off <= LOOK_TOLERANCE && !isnan(look[0] + look[1] + look[2]);
#else
    (void)result;
    return 1;
#endif
}

static int stream_is_right(void) {
    dualres_init(&state);
    for (uint32_t t = 0; t < STREAM_SAMPLES; t++) {
        dualres_sample frame[DUALRES_AXES];
        for (int a = 0; a < DUALRES_AXES; a++)
            frame[a] = as_sample((a % 2 ? -STREAM_OFFSET : STREAM_OFFSET) + (float)formula(t, STREAM_SAMPLES, a));
        dualres_push(&state, frame, 1);
    }
    dualres_push(&state, NULL, 0);
    const dualres_result result = dualres_verdict(&state);
    const double off = apart(result.probabilities, expected_shares);
    printf("stream: class %d, %lu windows, probabilities off by %.2g\n", result.best, (unsigned long)result.windows,
           off);
    return look_is_right(&result) && off <= SHARE_TOLERANCE && result.windows == STREAM_WINDOWS &&
           is_best(result.best, expected_shares, SHARE_TOLERANCE);
}

int main(void) {
    int right = 1;
    for (int network = 0; network < DUALRES_NETWORKS; network++)
        for (int number = 0; number < CHECK_WINDOWS; number++) right &= window_is_right(network, number);
    right &= stream_is_right();
    printf("state: %lu bytes, of which window: %lu\n", (unsigned long)sizeof state, (unsigned long)sizeof state.window);
    puts(right ? "as exported" : "NOT as exported: do not trust the verdicts of this build");
    return !right;
}
