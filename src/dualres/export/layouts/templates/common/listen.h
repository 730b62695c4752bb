/* From an accelerometer to verdicts: an interrupt reads frames into a ring, the main loop judges them.
 *
 * The one file that includes this defines sensor_read. */

#ifndef DUALRES_LISTEN_H
#define DUALRES_LISTEN_H

#include "dualres.h"
#include "ring.h"

/* The accelerometer's next frame, a sample of each axis: 1 if there is one, 0 if there is none yet. */
static int sensor_read(dualres_sample *frame);

static dualres_ring listen_ring;
static dualres_state listen_state;

/* For an interrupt: of a timer at the model's rate, or of the accelerometer when its own memory has filled up. */
static void listen_interrupt(void) {
    dualres_sample frame[DUALRES_AXES];
    while (sensor_read(frame)) ring_put(&listen_ring, frame);
}

enum { LISTEN_IDLE, LISTEN_HEARD, LISTEN_VERDICT };

/* For the main loop: judge the next frame. LISTEN_VERDICT when that has completed a window: `result` rests on all windows
 * since dualres_init. LISTEN_IDLE when no frame waits. */
static int listen_judge(dualres_result *result) {
    dualres_sample frame[DUALRES_AXES];
    const uint32_t before = listen_state.windows;
    if (ring_take(&listen_ring, frame))
        dualres_push(&listen_state, frame, 1);
    else if (ring_gap(&listen_ring))
        dualres_push(&listen_state, NULL, 0);
    else
        return LISTEN_IDLE;
    if (listen_state.windows == before) return LISTEN_HEARD;
    *result = dualres_verdict(&listen_state);
    return LISTEN_VERDICT;
}

#endif
