/* An export as a device runs it, told what happens by the file stream.bin, and telling what it makes of that.
 *
 * The file holds int32 numbers in this machine's order, each with what it announces: n > 0, a chunk of n frames, which
 * are pushed together; 0, samples are missing; -1, a float, so many turns a second. Its end is that of the stream.
 * Printed are the logits of every network whenever it judges a window at one speed, and the verdict so far, with the
 * factor of the told speed that is found, whenever there is another window to it.
 *
 * Compile it in place of dualres.c, which it includes to see logits that no call of the library tells. */

#include "dualres.h"

#include <stdio.h>

#if !DUALRES_TRIES

static void listened_to(const dualres_network *, const dualres_sample *, double, float *, void *);

static void by_kernel(const dualres_network *network, const dualres_sample *window, double hz, float *logits,
                      void *scratch) {
    DUALRES_LOGITS(network, window, hz, logits, scratch);
}

#undef DUALRES_LOGITS
#define DUALRES_LOGITS listened_to

#endif

#include "dualres.c"

enum { MOST_FRAMES = 4096 };

static dualres_state state;
static dualres_sample frames[MOST_FRAMES * DUALRES_AXES];

#if DUALRES_TRIES

static double factor_of(const dualres_result *result) { return result->factor; }

#else

static double factor_of(const dualres_result *result) { return (void)result, 1.0; }

static void listened_to(const dualres_network *network, const dualres_sample *window, double hz, float *logits,
                        void *scratch) {
    by_kernel(network, window, hz, logits, scratch);
    printf("logits");
    for (int i = 0; i < DUALRES_CLASSES; i++) printf(" %.9g", (double)logits[i]);
    printf("\n");
}

#endif

static void tell_verdict(void) {
    const dualres_result result = dualres_verdict(&state);
    printf("verdict %lu %lu %d %.17g", (unsigned long)result.windows, (unsigned long)result.refused, result.best,
           factor_of(&result));
    for (int i = 0; i < DUALRES_CLASSES; i++) printf(" %.17g", result.probabilities[i]);
    printf("\n");
}

int main(void) {
    FILE *const stream = fopen("stream.bin", "rb");
    int32_t count;
    uint32_t told = 0;
    float speed;
    if (!stream) return 1;
    dualres_init(&state);
    while (fread(&count, sizeof count, 1, stream) == 1) {
        if (count == -1) {
            if (fread(&speed, sizeof speed, 1, stream) != 1) return 4;
            dualres_set_speed(&state, speed);
            continue;
        }
        if (count < 0 || count > MOST_FRAMES) return 2;
        if (fread(frames, DUALRES_AXES * sizeof *frames, (size_t)count, stream) != (size_t)count) return 3;
        dualres_push(&state, count ? frames : NULL, (size_t)count);
        if (state.windows != told) tell_verdict();
        told = state.windows;
    }
    dualres_push(&state, NULL, 0);
    tell_verdict();
    return 0;
}
