/* The least that a device does with an export, to see what an alarm adds to it. */

#include "dualres.h"

static dualres_state state;
static volatile dualres_sample measured[DUALRES_AXES];
static volatile int said;
#ifdef DUALRES_ALARM
static dualres_alarm watched;
#endif

int main(void) {
    dualres_sample frame[DUALRES_AXES];
    dualres_init(&state);
#ifdef DUALRES_ALARM
    dualres_alarm_init(&watched);
#endif
    for (;;) {
        for (int a = 0; a < DUALRES_AXES; a++) frame[a] = measured[a];
#ifdef DUALRES_ALARM
        said = dualres_alarm_push(&watched, &state, frame, 1);
#else
        dualres_push(&state, frame, 1);
#endif
        const dualres_result result = dualres_verdict(&state);
        said = dualres_named(&result);
    }
}
