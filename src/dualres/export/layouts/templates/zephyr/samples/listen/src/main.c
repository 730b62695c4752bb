/* Verdicts on what an accelerometer hears, on the console. Two places are yours. */

#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include "listen.h"

static int sensor_read(dualres_sample *frame) {
    /* Yours: if the accelerometer holds a frame, its samples go to frame[0] ... frame[DUALRES_AXES - 1]; return 1. */
    (void)frame;
    return 0;
}

/* Yours: set the accelerometer, or a timer, to @rate Hz and let this be called when frames are there: from a thread that
 * waits for the trigger where reading takes a bus driver, from the interrupt itself otherwise. */
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
                printk("%s %d %%, windows %u, lost frames %u\n", result.label,
                       (int)(100.0 * result.probabilities[result.best]), (unsigned)result.windows,
                       (unsigned)ring_lost(&listen_ring));
        k_msleep(1);
    }
}
