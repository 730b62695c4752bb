/* Verdicts on what an accelerometer hears, on the serial port. Two places are yours. */

#include <Arduino.h>
#include <dualres.h>

#include "listen.h"

static int sensor_read(dualres_sample *frame) {
    /* Yours: if the accelerometer holds a frame, its samples go to frame[0] ... frame[DUALRES_AXES - 1]; return 1. */
    (void)frame;
    return 0;
}

void setup() {
    Serial.begin(115200);
    dualres_init(&listen_state);
    /* Yours: set the accelerometer, or a timer, to @rate Hz and let its interrupt call listen_interrupt. Where the
     * shaft's speed is known, tell it in revolutions per second: dualres_set_speed(&listen_state, 29.95f); */
}

void loop() {
    dualres_result result;
    if (listen_judge(&result) != LISTEN_VERDICT) return;
    Serial.print(result.label);
    Serial.print(" ");
    Serial.print(100.0 * result.probabilities[result.best], 1);
    Serial.print(" %, windows ");
    Serial.print(result.windows);
    Serial.print(", lost frames ");
    Serial.println(ring_lost(&listen_ring));
}
