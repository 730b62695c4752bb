/* From the native rate to 64 kHz by the ratio DUALRES_UP / DUALRES_DOWN, sample by sample.
 *
 * Output m is the sum over inputs n of taps[|m DOWN - n UP|] (x_n - level), plus the level: a polyphase filter without
 * delay, whose taps are symmetric. The level is the first sample, so that an offset costs no precision. It stands in
 * for what lies before it, too; behind the last sample lies the last one. */

#ifndef DUALRES_CONVERT_H
#define DUALRES_CONVERT_H

#include <math.h>
#include <string.h>

#include "dualres.h"

extern const float dualres_taps[DUALRES_REACH + 1];

static void converter_begin(dualres_converter *c) {
    memset(c, 0, sizeof *c);
    c->ahead = DUALRES_UP;
}

static void converter_take(dualres_converter *c, float x) {
    if (!c->known) c->level = x;
    c->newest = c->newest + 1 < DUALRES_INPUTS ? c->newest + 1 : 0;
    c->inputs[c->newest] = x;
    if (c->known < DUALRES_INPUTS) c->known++;
    c->ahead -= DUALRES_UP;
}

/* Whether the inputs that the next output depends on are all there. */
static int converter_ready(const dualres_converter *c) { return c->ahead + DUALRES_REACH < DUALRES_UP; }

static dualres_sample as_sample(float x) {
#ifdef DUALRES_INT16
    const float whole = floorf(x + 0.5f);
    return (int16_t)(whole < -32768.0f ? -32768.0f : whole > 32767.0f ? 32767.0f : whole);
#else
    return x;
#endif
}

/* a b + c, rounded once, as the Python package's kernel rounds it: by a fused instruction, or where doubles cost no more
 * than floats by them. Elsewhere twice, which leaves the last bit of some outputs to chance. */
static float times_plus(float a, float b, float c) {
#if defined(__FP_FAST_FMAF)
    return fmaf(a, b, c);
#elif defined(__SSE2__)
    return (float)((double)a * (double)b + (double)c);
#else
    return a * b + c;
#endif
}

/* From the oldest sample on, which is the order of the Python package's sums, too: both round alike. */
static dualres_sample converter_give(dualres_converter *c) {
    const uint32_t reached = (uint32_t)((DUALRES_REACH - c->ahead) / DUALRES_UP) + 1;
    const uint32_t terms = reached < c->known ? reached : c->known;
    uint32_t at = c->newest + 1 < terms ? c->newest + 1 + DUALRES_INPUTS - terms : c->newest + 1 - terms;
    int32_t distance = c->ahead + (int32_t)(terms - 1) * DUALRES_UP;
    float sum = 0.0f;
    for (uint32_t i = 0; i < terms; i++, distance -= DUALRES_UP) {
        sum = times_plus(dualres_taps[distance < 0 ? -distance : distance], c->inputs[at] - c->level, sum);
        at = at + 1 < DUALRES_INPUTS ? at + 1 : 0;
    }
    c->ahead += DUALRES_DOWN;
    return as_sample(sum + c->level);
}

#endif
