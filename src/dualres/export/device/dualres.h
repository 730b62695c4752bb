/* DualRes on a device: samples in, a verdict out. No allocation, nothing needed beyond libm.
 *
 *     static dualres_state state;
 *     dualres_init(&state);
 *     dualres_set_speed(&state, revolutions_per_second);    where the shaft's is known
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

/* What a sample of one is in the unit of the labelled recordings; 0 where that is not known. */
#ifndef DUALRES_UNIT
#define DUALRES_UNIT 1.0
#endif

/* Networks in all: the same for every axis, or as many for each. */
#ifndef DUALRES_NETWORKS
#define DUALRES_NETWORKS DUALRES_MEMBERS
#endif

/* Speeds around the told one at which windows are judged, to find the one that they fit best; 0: the told one alone. */
#ifndef DUALRES_TRIES
#define DUALRES_TRIES 0
#endif

#include "network.h"

enum { DUALRES_VERDICTS = DUALRES_TRIES ? DUALRES_TRIES : 1 }; /* that are kept side by side */

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
    double sums[DUALRES_VERDICTS][DUALRES_CLASSES]; /* of probabilities: of all networks, axes and windows */
#ifdef DUALRES_LIKENESS
    double looks[DUALRES_VERDICTS + 2]; /* of distances, then of spectra and levels, likewise */
#endif
#ifdef DUALRES_TURNING
    float speed; /* of the shaft, as told last; 0 where it is not known */
#endif
#if DUALRES_TRIES
    uint32_t heard; /* windows in `lines`, those whose speed was known */
    uint32_t found; /* the try that they fit best */
    float lines[DUALRES_AXES][DUALRES_TRIES][DUALRES_LINE_FEATURES]; /* sums of what is heard at each try */
#endif
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
#ifdef DUALRES_LIKENESS
    double distance; /* nats, mean over the windows, at most 0; the less any class stands out, the nearer to 0 */
    double spectrum; /* nats; the further from every class in mean spectra, the larger */
    double level;    /* log of the RMS, in the samples' own unit */
#endif
#if DUALRES_TRIES
    double factor; /* of the told speed, at which the verdict is; 1 where none was told */
    double speed;  /* revolutions per second, as told last and times the factor; 0 where it is not known */
#endif
} dualres_result;

extern const char *const dualres_names[DUALRES_CLASSES];
/* How many times as probable the best other class may be for a class to belong to the set; negative for any. */
extern const double dualres_times[DUALRES_CLASSES];
/* From how many times as probable as the best other class on a class is named; negative for never. */
extern const double dualres_ahead[DUALRES_CLASSES];
#ifdef DUALRES_LIKENESS
/* The most distance, the most spectrum, and the least and most level that are familiar. */
extern const double dualres_familiar[4];
#endif
#if DUALRES_AXES > 1
extern const char *const dualres_axes[DUALRES_AXES]; /* names, in the order that frames have */
#endif

/* Begin a stream, or begin anew. */
void dualres_init(dualres_state *state);

/* How fast the shaft turns from the next sample on, in revolutions per second; 0 or NaN: not known. A window is judged at
 * the speed that is known when its last sample comes, whatever it was before. dualres_init forgets the speed, and
 * nothing else does. Where DUALRES_FASTEST is not defined, the model knows no speeds, and this changes nothing. */
void dualres_set_speed(dualres_state *state, float revolutions_per_second);

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
 * were labelled. Where DUALRES_ERROR is 0, no rate is known and every class belongs to it. */
int dualres_in_set(const dualres_result *result, int number);

/* Whether the verdict may be given as a name: of such names a share of DUALRES_ERROR at most is wrong, on recordings like
 * those that were labelled. The others are one of several classes, or unlike them all. */
int dualres_named(const dualres_result *result);

enum { DUALRES_NO_CLASS = 1, DUALRES_OTHER_SPECTRUM = 2, DUALRES_OTHER_LEVEL = 4 };

/* Whether the windows are unlike all that was labelled, and so of none of the classes: 0, or a sum of the above. Of
 * familiar recordings a share of DUALRES_ERROR is DUALRES_NO_CLASS, too. Where DUALRES_LIKENESS is not defined, nothing
 * is known of this, and it is always 0. The level is compared in the unit of the labelled recordings. If samples have
 * another one, set DUALRES_UNIT to what a sample of one is in that unit, or to 0 to leave the level out. */
int dualres_unlike(const dualres_result *result);

#ifdef DUALRES_ALARM
/* What an alarm goes on from: plain numbers, which may be kept where the power fails and put back. Neither what is kept
 * of a stream nor the verdict depends on it. */
typedef struct {
    uint32_t of;           /* the export that it belongs to: with another's or with none's it begins anew */
    uint32_t blocks;       /* so far */
    uint32_t since;        /* the block that raised it, counted from 0 */
    uint32_t raised;       /* 1 until the machine is healthy again */
    uint32_t acknowledged; /* yours to set where somebody has seen it; 0 again when it is cleared */
    uint32_t waited;       /* scores in `waiting`, until one bet has enough */
    uint32_t has_neighbour;
    uint32_t windows;      /* of the stream, when the latest of them joined a block */
    uint32_t in_block;     /* windows of the block under way */
    uint32_t missing;      /* frames since the block before */
    double score;          /* of the latest block, the larger the less healthy */
    double waiting, before, healthy_again;
    double wealth[DUALRES_LIFTS];
    double sums[DUALRES_VERDICTS]; /* of health, as they were when the block began */
#ifdef DUALRES_LIKENESS
    uint32_t looked;
    double looks[DUALRES_VERDICTS + 2], looks_before[DUALRES_VERDICTS + 2];
#endif
} dualres_alarm;

/* Rising values: from + step * steps[i]. */
typedef struct {
    double from, step;
    const uint32_t *steps;
} dualres_rising;

/* What was new in healthy blocks of one load, or of several that have as many. */
typedef struct {
    uint32_t gaps;   /* between so many healthy values, one more than those */
    uint32_t cells;  /* that the gaps are gathered to */
    uint32_t beyond; /* more cells, above all healthy values */
    uint32_t kept;   /* healthy levels */
    double rarer;    /* log of the chance of each cell beyond, over that of the one before */
    double begins[DUALRES_LIFTS], goes_on[DUALRES_LIFTS]; /* by how much bets pay less, as the reference may be unlucky */
    dualres_rising edges, levels;
} dualres_healthy;

typedef struct {
    double weights[DUALRES_LIFTS];                     /* of the bets */
    double first[DUALRES_LIFTS], later[DUALRES_LIFTS]; /* shifts of a fault's first block and of later ones */
    double sudden;   /* part of a bet on the first block that is not on a later one */
    double carried;  /* share of a level that goes over to the next block */
    double repeats;  /* copies that blocks are thought to come in */
    double copies;   /* the same of healthy blocks behind an alarm */
    double nearest;  /* scores are kept so far from 0 and 1, and levels are their log-odds; 0: levels are scores */
    double reached;  /* wealth that raises an alarm */
    double cleared;  /* and that clears it */
    uint32_t joined; /* blocks to a bet */
} dualres_bets;

extern const dualres_healthy dualres_alarm_healthy[DUALRES_STRETCHES];
extern const dualres_bets dualres_alarm_bets;

/* Begin, with no evidence. */
void dualres_alarm_init(dualres_alarm *alarm);

/* dualres_push with an alarm: every DUALRES_BLOCK_WINDOWS windows make a block, which is bet on. Returns whether the alarm
 * is raised. Healthy machines raise it at most once in DUALRES_ALARM_BETWEEN blocks on average, which is DUALRES_ALARM;
 * DUALRES_ALARM_PROMISE says for which machines that is promised.
 *
 * No samples, NULL, and a count say that so many frames are missing here; NULL and 0 that nobody knows how many. Behind a
 * gap as long as a block, or of unknown length, a block has no neighbour and is not bet on, but the next one is. The same
 * holds where the state began anew by dualres_init, or took samples without the alarm. */
int dualres_alarm_push(dualres_alarm *alarm, dualres_state *state, const dualres_sample *samples, size_t count);

/* The same for a block whose score you have from elsewhere; it `follows` the one before unless a block or more is
 * missing. A score that is not finite is no block, and the next one follows nothing. */
int dualres_alarm_block(dualres_alarm *alarm, double score, int follows);

/* Evidence against health in nats; it raises the alarm where it reaches DUALRES_ALARM_THRESHOLD. */
double dualres_alarm_evidence(const dualres_alarm *alarm);
#endif

#ifdef __cplusplus
}
#endif

#endif
