/* Verdicts on what an accelerometer hears, wherever printf leads. Two places are yours. */

#include <stdio.h>

#include "RTE_Components.h"
#include CMSIS_device_header

#include "listen.h"

static int sensor_read(dualres_sample *frame) {
    /* Yours: if the accelerometer holds a frame, its samples go to frame[0] ... frame[DUALRES_AXES - 1]; return 1. */
    (void)frame;
    return 0;
}

/* Yours: set the accelerometer, or a timer, to @rate Hz and let its interrupt call this. */
void accelerometer_has_frames(void);
void accelerometer_has_frames(void) { listen_interrupt(); }

int main(void) {
    dualres_result result;
    int heard;
    dualres_init(&listen_state);
    /* Where the shaft's speed is known, in revolutions per second: dualres_set_speed(&listen_state, 29.95f); */
    for (;;) {
        while ((heard = listen_judge(&result)) != LISTEN_IDLE)
            if (heard == LISTEN_VERDICT)
                printf("%s %d %%, windows %lu, lost frames %lu\n", result.label,
                       (int)(100.0 * result.probabilities[result.best]), (unsigned long)result.windows,
                       (unsigned long)ring_lost(&listen_ring));
        __WFI();
    }
}
