/* Verdicts on what an accelerometer hears, on the console. Two places are yours. */

#include <stdio.h>

#include "freertos/FreeRTOS.h"
#include "freertos/task.h"

#include "listen.h"

static int sensor_read(dualres_sample *frame) {
    /* Yours: if the accelerometer holds a frame, its samples go to frame[0] ... frame[DUALRES_AXES - 1]; return 1. */
    (void)frame;
    return 0;
}

/* Yours: set the accelerometer, or a timer, to @rate Hz and let this be called when frames are there: from a task that
 * waits for the interrupt where reading takes a bus driver, from the interrupt itself otherwise. */
void accelerometer_has_frames(void);
void accelerometer_has_frames(void) { listen_interrupt(); }

void app_main(void) {
    dualres_result result;
    int heard;
    dualres_init(&listen_state);
    /* Where the shaft's speed is known, in revolutions per second: dualres_set_speed(&listen_state, 29.95f); */
    for (;;) {
        while ((heard = listen_judge(&result)) != LISTEN_IDLE)
            if (heard == LISTEN_VERDICT)
                printf("%s %.1f %%, windows %lu, lost frames %lu\n", result.label,
                       100.0 * result.probabilities[result.best], (unsigned long)result.windows,
                       (unsigned long)ring_lost(&listen_ring));
        vTaskDelay(1);
    }
}
