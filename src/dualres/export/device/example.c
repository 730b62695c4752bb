/* Judge the samples on standard input, one line of verdict for all of them. Of several axes, frame after frame.
 *
 *     example < samples.txt                 numbers as text, separated by white space
 *     example --binary < samples.bin        as they lie in memory: float, or int16_t in a build with DUALRES_INT16
 *     example --speed 29.95 < samples.txt   the shaft's revolutions per second, for a model that knows speeds */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dualres.h"

static dualres_state state;

/* 1 for a sample, 0 at the end, -1 for what is no number. */
static int read_text(dualres_sample *sample) {
    float x;
    const int found = scanf("%f", &x);
    if (found == EOF) return 0;
    if (found != 1) return -1;
#ifdef DUALRES_INT16
    if (!(x >= -32768.0f && x <= 32767.0f)) return -1;
    x = floorf(x + 0.5f);
#endif
    *sample = (dualres_sample)x;
    return 1;
}

static int read_binary(dualres_sample *sample) { return fread(sample, sizeof *sample, 1, stdin) == 1; }

/* 1 for a whole frame, 0 at the end, -1 for what is no number, and for a part of a frame. */
static int read_frame(int (*read)(dualres_sample *), dualres_sample *frame) {
    for (int a = 0; a < DUALRES_AXES; a++) {
        const int found = read(&frame[a]);
        if (found != 1) return a ? -1 : found;
    }
    return 1;
}

int main(int count, char **arguments) {
    int (*read)(dualres_sample *) = read_text;
    dualres_sample frame[DUALRES_AXES];
    int found;
    dualres_init(&state);
    for (int i = 1; i < count; i++) {
        if (!strcmp(arguments[i], "--binary")) read = read_binary;
        if (!strcmp(arguments[i], "--speed") && i + 1 < count) dualres_set_speed(&state, (float)atof(arguments[++i]));
    }
    while ((found = read_frame(read, frame)) == 1) dualres_push(&state, frame, 1);
    if (found < 0) {
        fprintf(stderr, "a sample is no number that fits; samples are text, or binary with --binary\n");
        if (DUALRES_AXES > 1) fprintf(stderr, "one of each of %d axes makes a frame\n", DUALRES_AXES);
        return 2;
    }
    dualres_push(&state, NULL, 0);
    const dualres_result result = dualres_verdict(&state);
    if (result.refused) fprintf(stderr, "%lu %s were not finite\n", (unsigned long)result.refused,
                                DUALRES_AXES > 1 ? "frames" : "samples");
    if (result.unjudged)
        fprintf(stderr, "%lu windows have samples too large for float32\n", (unsigned long)result.unjudged);
    if (!result.windows && result.unjudged) return 1;
    if (!result.windows) {
        fprintf(stderr, "too short: one window takes %.3f s\n", (double)DUALRES_WINDOW / DUALRES_RATE);
        return 1;
    }
    if (dualres_unlike(&result)) fprintf(stderr, "unlike all that was labelled: none of these\n");
    printf("%s %.6f  windows %lu ", result.label, result.probabilities[result.best], (unsigned long)result.windows);
    for (int i = 0; i < DUALRES_CLASSES; i++) printf(" %s=%.6f", dualres_names[i], result.probabilities[i]);
#if DUALRES_TRIES
    if (result.speed > 0.0) printf("  speed %.4g Hz", result.speed);
#endif
    printf("\n");
    return 0;
}
