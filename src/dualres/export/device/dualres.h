/* DualRes on a device: samples in, a verdict out. No allocation, nothing needed beyond libm.
 *
 *     static dualres_state state;
 *     dualres_init(&state);
 *     dualres_push(&state, samples, count);
 *     const dualres_result result = dualres_verdict(&state);
 *
 * One state belongs to one stream of samples. States share nothing, so that each may have its own thread. */

#ifndef DUALRES_H
#define DUALRES_H

#include <stddef.h>
#include <stdint.h>

#include "dualres_model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Floats side by side: 1 for small devices, 4 where there are vector instructions (64-bit ARM, SSE2). */
#ifndef DUALRES_LANES
#define DUALRES_LANES 1
#endif

/* Samples in a frame: signals that are measured at the same time, as the axes of a sensor are. */
#ifndef DUALRES_AXES
#define DUALRES_AXES 1
#endif

/* Networks that judge an axis. Their probabilities are averaged, over the axes, too. */
#ifndef DUALRES_MEMBERS
#define DUALRES_MEMBERS 1
#endif

/* Networks in all: the same for every axis, or as many for each. */
#ifndef DUALRES_NETWORKS
#define DUALRES_NETWORKS DUALRES_MEMBERS
#endif

#include "network.h"

#if DUALRES_UP != DUALRES_DOWN
enum {
    /* Filter taps on each side of an output, on a grid DUALRES_UP times as fine as the samples. */
    DUALRES_REACH = 10 * (DUALRES_UP > DUALRES_DOWN ? DUALRES_UP : DUALRES_DOWN),
    DUALRES_INPUTS = 2 * DUALRES_REACH / DUALRES_UP + 1 /* samples that an output may depend on */
};

/* One axis from the native rate to 64 kHz. All axes are in step. */
typedef struct {
    float level;                  /* the first sample, and so what lies before it */
    uint32_t known;               /* samples in `inputs` */
    uint32_t newest;              /* where in `inputs` the latest sample lies */
    int32_t ahead;                /* from the latest sample to the next output, on the fine grid */
    float inputs[DUALRES_INPUTS]; /* the latest samples, in a ring */
} dualres_converter;
#endif

/* All that is kept of a stream. The caller places it; dualres_init must see it first. */
typedef struct {
    dualres_sample window[DUALRES_AXES][DUALRES_WINDOW]; /* the window under way, at 64 kHz */
    uint32_t filled;              /* frames of it that are there */
    uint32_t windows;             /* judged so far */
    uint32_t refused;             /* frames that were not finite */
    uint32_t unjudged;            /* windows beyond what float32 can be computed with */
    double sums[DUALRES_CLASSES]; /* of probabilities: of all networks, axes and windows */
#if DUALRES_UP != DUALRES_DOWN
    dualres_converter converter[DUALRES_AXES];
#endif
    float scratch[DUALRES_SCRATCH_BYTES / sizeof(float)];
} dualres_state;

typedef struct {
    const char *label; /* the most probable class in UTF-8; NULL before the first judged window */
    int best;          /* its number; -1 before the first judged window */
    uint32_t windows;  /* that the verdict rests on, each half a window after the last */
    uint32_t refused;  /* frames that were not finite */
    uint32_t unjudged; /* windows with samples beyond what float32 can be computed with; no verdict rests on them */
    double probabilities[DUALRES_CLASSES]; /* mean over the windows; zeros before the first */
} dualres_result;

extern const char *const dualres_names[DUALRES_CLASSES];
/* How many times as probable the best other class may be for a class to belong to the set; negative for any. */
extern const double dualres_times[DUALRES_CLASSES];
#if DUALRES_AXES > 1
extern const char *const dualres_axes[DUALRES_AXES]; /* names, in the order that frames have */
#endif

/* Begin a stream, or begin anew. */
void dualres_init(dualres_state *state);

/* Take `count` frames at the native rate, any number. A frame is a sample, or with several axes one of each
 * (x0 y0 z0 x1 y1 z1 ...). The call that completes a window takes the time to judge it.
 *
 * The units do not matter, for every window is scaled by its RMS. No samples, NULL and 0, say that a recording ends or
 * that samples are missing: what the filter still holds back joins the last window, and the next sample begins a new
 * one. The verdict goes on over all of them. A frame with a sample that is not finite is left out, and ends a
 * recording, too. */
void dualres_push(dualres_state *state, const dualres_sample *samples, size_t count);

/* The verdict on all windows so far, at any time. */
dualres_result dualres_verdict(const dualres_state *state);

/* Whether a class belongs to the set that lacks the truth in a share of DUALRES_ERROR only, on recordings like those that
 * were labelled. Where DUALRES_ERROR is 0, no rate is known and every class belongs to it. A device does not notice that
 * a recording is of none of the classes. */
int dualres_in_set(const dualres_result *result, int number);

#ifdef __cplusplus
}
#endif

#endif
