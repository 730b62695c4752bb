/* Does this machine compute what the model computed when it was exported? Status 0 if it does.
 *
 * The signals come from a formula. First single windows go through the kernel, then a stream at the native rate
 * through push and verdict: at no known speed of the shaft, and at one where the model knows speeds. */

#include <math.h>
#include <stdio.h>

#include "check_values.h"
#include "dualres.h"

extern const dualres_network dualres_this_model[DUALRES_NETWORKS];

#define PI 3.14159265358979323846
#define EVIDENCE_TOLERANCE 1e-5 /* nats */

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

/* Behind what a line is about, where a speed is told. */
static void print_speed(double hz) {
    if (hz > 0.0) printf(" at %g Hz", hz);
}

static int window_is_right(int network, int speed, int number) {
    static const double zeros[DUALRES_CLASSES];
    const double *wanted = expected_logits[(network * CHECK_SPEEDS + speed) * CHECK_WINDOWS + number];
    float logits[DUALRES_CLASSES];
    double values[DUALRES_CLASSES];
    for (uint32_t t = 0; t < DUALRES_WINDOW; t++)
        state.window[0][t] = as_sample(formula(number ? DUALRES_WINDOW - 1 - t : t, DUALRES_WINDOW, 0));
    DUALRES_SEE(&dualres_this_model[network], state.window[0], state.scratch);
    DUALRES_LOGITS(&dualres_this_model[network], state.window[0], check_speeds[speed], logits, state.scratch);
    for (int i = 0; i < DUALRES_CLASSES; i++) values[i] = logits[i];
    const double off = apart(values, wanted);
    const int best = best_of(values);
    if (DUALRES_NETWORKS > 1) printf("network %d, ", network);
    printf("window %d", number);
    print_speed(check_speeds[speed]);
    printf(": class %d, logits off by %.2g\n", best, off);
    const double tolerance = LOGIT_TOLERANCE * fmax(1.0, apart(wanted, zeros));
    return off <= tolerance && is_best(best, wanted, tolerance);
}

/* Is it as like the labelled recordings as it was when exported? */
static int look_is_right(const dualres_result *result, int row) {
#ifdef DUALRES_LIKENESS
    const double look[3] = {result->distance, result->spectrum, result->level};
    double off = 0.0;
    for (int i = 0; i < 3; i++) off = fmax(off, fabs(look[i] - expected_look[row][i]));
    printf("stream: likeness off by %.2g nats\n", off);
    return off <= LOOK_TOLERANCE && !isnan(look[0] + look[1] + look[2]);
#else
    (void)result, (void)row;
    return 1;
#endif
}

static dualres_result verdict_at(double hz) {
    dualres_init(&state);
    dualres_set_speed(&state, (float)hz);
    for (uint32_t t = 0; t < STREAM_SAMPLES; t++) {
        dualres_sample frame[DUALRES_AXES];
        for (int a = 0; a < DUALRES_AXES; a++)
            frame[a] = as_sample((a % 2 ? -STREAM_OFFSET : STREAM_OFFSET) + (float)formula(t, STREAM_SAMPLES, a));
        dualres_push(&state, frame, 1);
    }
    dualres_push(&state, NULL, 0);
    return dualres_verdict(&state);
}

/* Where a stream at this speed is among what was expected; -1 if another factor of the speed was found. Of factors that
 * fit as well as one another, each is there. */
static int row_of(const dualres_result *result, double hz) {
#if DUALRES_TRIES
    for (int row = 0; row < STREAMS; row++)
        if (stream_speeds[row] == hz && fabs(stream_factors[row] - result->factor) < 1e-9) return row;
#else
    (void)result;
    for (int row = 0; row < STREAMS; row++)
        if (stream_speeds[row] == hz) return row;
#endif
    return -1;
}

static int stream_is_right(double hz) {
    const dualres_result result = verdict_at(hz);
    const int row = row_of(&result, hz);
    const double off = row < 0 ? NAN : apart(result.probabilities, expected_shares[row]);
    printf("stream");
    print_speed(hz);
    printf(": class %d, %lu windows, probabilities off by %.2g\n", result.best, (unsigned long)result.windows, off);
#if DUALRES_TRIES
    printf("stream: %.4g times the speed fits best\n", result.factor);
#endif
    return row >= 0 && look_is_right(&result, row) && off <= SHARE_TOLERANCE && result.windows == STREAM_WINDOWS &&
           is_best(result.best, expected_shares[row], SHARE_TOLERANCE);
}

#ifdef DUALRES_ALARM
/* Are alarms raised and cleared at the same blocks, with the same evidence? */
static int alarm_is_right(void) {
    static dualres_alarm alarm;
    double off = 0.0;
    int changes = 0, right = 1;
    dualres_alarm_init(&alarm);
    for (int bet = 0; bet < ALARM_BETS; bet++) {
        const int before = (int)alarm.raised;
        for (uint32_t block = 0; block < dualres_alarm_bets.joined; block++)
            dualres_alarm_block(&alarm, alarm_scores[bet], bet != ALARM_GAP || block > 0);
        changes += (int)alarm.raised != before;
        right = right && alarm.raised == alarm_raised[bet];
        off = fmax(off, fabs(dualres_alarm_evidence(&alarm) - alarm_evidence[bet]));
    }
    printf("alarm: %lu blocks, raised or cleared %d times, evidence off by %.2g nats\n", (unsigned long)alarm.blocks,
           changes, off);
    return right && off <= EVIDENCE_TOLERANCE;
}
#endif

int main(void) {
    int right = 1;
    for (int network = 0; network < DUALRES_NETWORKS; network++)
        for (int speed = 0; speed < CHECK_SPEEDS; speed++)
            for (int number = 0; number < CHECK_WINDOWS; number++) right &= window_is_right(network, speed, number);
    for (int speed = 0; speed < CHECK_SPEEDS; speed++) right &= stream_is_right(check_speeds[speed]);
#ifdef DUALRES_ALARM
    right &= alarm_is_right();
#endif
    printf("state: %lu bytes, of which window: %lu\n", (unsigned long)sizeof state, (unsigned long)sizeof state.window);
    puts(right ? "as exported" : "NOT as exported: do not trust the verdicts of this build");
    return !right;
}
