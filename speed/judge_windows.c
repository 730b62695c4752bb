/* Judge one window as often as the first argument says, and print its logits; compiled with an export. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dualres.h"

extern const dualres_network dualres_this_model[DUALRES_NETWORKS];

static float window[DUALRES_WINDOW], scratch[DUALRES_SCRATCH_BYTES / sizeof(float)], logits[DUALRES_CLASSES];

int main(int count, char **arguments) {
    const int times = count > 1 ? atoi(arguments[1]) : 1;
    for (uint32_t t = 0; t < DUALRES_WINDOW; t++) {
        const uint32_t mixed = 97u * t * t + 2654435761u * t;
        window[t] = sinf(0.06f * (float)t) + (float)mixed / 4294967296.0f;
    }
    for (int i = 0; i < times; i++) {
        DUALRES_SEE(dualres_this_model, window, scratch);
        DUALRES_LOGITS(dualres_this_model, window, 25.0, logits, scratch);
    }
    for (int i = 0; i < DUALRES_CLASSES; i++) printf("%.9g ", (double)logits[i]);
    printf("\n");
    return 0;
}
