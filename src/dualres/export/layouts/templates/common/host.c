/* The example on a computer: the accelerometer's frames come from standard input.
 *
 *     listen < samples.txt                 numbers as text, separated by white space; of several axes frame after frame
 *     listen --speed 29.95 < samples.txt   the shaft's revolutions per second, for a model that knows speeds
 *
 * A line for each window that was judged: windows so far, the class that their mean probability is highest of, by number
 * and by name, and that probability. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "listen.h"

enum { FIFO = 64 }; /* frames that are read at a time, as from the memory of an accelerometer */

static int in_fifo, ended, bad;

/* 1 for a sample, 0 at the end and for what is no number that fits. */
static int read_sample(dualres_sample *sample) {
    float x;
    const int found = scanf("%f", &x);
    if (found == EOF) return 0;
    bad = found != 1;
#ifdef DUALRES_INT16
    bad = bad || !(x >= -32768.0f && x <= 32767.0f);
    x = bad ? 0.0f : floorf(x + 0.5f);
#endif
    if (!bad) *sample = (dualres_sample)x;
    return !bad;
}

static int sensor_read(dualres_sample *frame) {
    if (!in_fifo--) return in_fifo = 0;
    for (int a = 0; a < DUALRES_AXES; a++)
        if (!read_sample(&frame[a])) {
            bad = bad || a > 0;
            ended = 1;
            return in_fifo = 0;
        }
    return 1;
}

static void say(const dualres_result *result) {
    const double probability = result->probabilities[result->best];
    printf("windows %lu  class %d  %.6f  %s\n", (unsigned long)result->windows, result->best, probability, result->label);
}

int main(int count, char **arguments) {
    dualres_result result;
    int heard;
    dualres_init(&listen_state);
    if (count == 3 && !strcmp(arguments[1], "--speed")) dualres_set_speed(&listen_state, (float)atof(arguments[2]));
    while (!ended) {
        in_fifo = FIFO;
        listen_interrupt();
        while ((heard = listen_judge(&result)) != LISTEN_IDLE)
            if (heard == LISTEN_VERDICT) say(&result);
    }
    if (bad) {
        fprintf(stderr, "a sample is no number that fits, or the last frame has fewer than %d\n", DUALRES_AXES);
        return 2;
    }
    const uint32_t before = listen_state.windows;
    dualres_push(&listen_state, NULL, 0);
    result = dualres_verdict(&listen_state);
    if (result.windows > before) say(&result);
    if (ring_lost(&listen_ring)) fprintf(stderr, "%lu frames were lost\n", (unsigned long)ring_lost(&listen_ring));
    if (!result.windows) fprintf(stderr, "no window could be judged; one takes 32768 samples at 64 kHz\n");
    return !result.windows;
}
