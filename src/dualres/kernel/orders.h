/* The network of orders at the paper's frames: raw windows at 64 kHz, and the speed of the shaft, to log-probabilities.
 *
 * No allocation, no state between calls, nothing needed beyond libm. */

#ifndef DUALRES_ORDERS_H
#define DUALRES_ORDERS_H

#include "seen_features.h"

enum {
    DUALRES_BANK = 232,      /* oscillators that a band's strength drives */
    DUALRES_BANK_ROOM = 240, /* whole vectors */
    DUALRES_MIRRORED = 160,  /* the first oscillator that is followed as its mirror image; swings.h explains it */
    DUALRES_PIECES = 2 * (DUALRES_WINDOW - DUALRES_LONG) / DUALRES_LONG, /* half a long frame each, that make a window */
    DUALRES_PIECE = 32,      /* samples of the envelope */
    DUALRES_ENVELOPE = DUALRES_PIECES * DUALRES_PIECE,
    DUALRES_ENVELOPE_FFT = 2048,
    DUALRES_ENVELOPE_BINS = DUALRES_ENVELOPE_FFT / 2,
    DUALRES_PARTS = 8,       /* of the envelope's FFT: samples 8 n + r */
    DUALRES_PART_BINS = DUALRES_ENVELOPE_FFT / DUALRES_PARTS / 2 + 1,
    DUALRES_PART_ROOM = 144, /* whole vectors */
    DUALRES_READINGS = 72,   /* of a band's oscillators, at as many orders */
    DUALRES_SWING_FEATURES = DUALRES_BANDS * DUALRES_READINGS,
    DUALRES_LINE_FEATURES = 80,
    DUALRES_NEAR_LINES = 2,  /* neighbouring readings of which a feature is the largest */
    DUALRES_ORDERS_CLASSES = 1024 /* at most */
};

/* All that no network of orders changes; floats without gaps. Of pairs, the second float is what the first one leaves of
 * a double. */
typedef struct {
    dualres_tables tables;
    dualres_bands bands;
    float short_slots[DUALRES_SHORT_BINS]; /* where each bin lies among the magnitudes of a short frame */
    float long_slots[DUALRES_LONG_BINS];
    /* Of the oscillators, as swings.h has them: what a frame leaves of a move, and how far the place draws it back; what
     * the sum of squared moves counts; and what the last place squared counts, it times the last move, and that squared. */
    float left[DUALRES_BANK_ROOM], drawn[DUALRES_BANK_ROOM], moves[DUALRES_BANK_ROOM], last[3][DUALRES_BANK_ROOM];
    float hann[DUALRES_ENVELOPE / 2 + 1]; /* of the envelope's first half */
    float part_turn[2][DUALRES_PART_ROOM]; /* exp(-2 pi i k / 2048): cosines, then sines */
    float usual_hz;                    /* of a shaft of which nothing is known */
    float half_swing_hz;               /* at which a swing counts as it is */
    /* Reading i of the oscillators lies at `per_nat` log(hz) + `first_place` + i `place_step`, that of the envelope's
     * bins at hz `first_line` `line_ratio`^i. */
    float per_nat[2], first_place[2], place_step[2], first_line[2], line_ratio[2];
} dualres_orders_constants;

typedef struct {
    const dualres_orders_constants *constants;
    /* Of each head: centre, scale, (rank, features) directions, (classes, features) slopes, offsets, sharpness. Heads are
     * of spectra; of swings and of lines on an axis of Hz, as they were and after learning at other speeds, too; and of
     * both on an axis of orders. */
    const float *heads;
    int classes;
} dualres_orders_model;

/* What is seen of a window, whatever the speed; floats without gaps. */
typedef struct {
    float spectra[DUALRES_SPECTRA_FEATURES]; /* mean log-magnitudes, bin by bin, of short frames first */
    float lines[DUALRES_ENVELOPE_BINS];      /* of the envelope over Hz */
    float swings[DUALRES_BANDS][DUALRES_BANK];
} dualres_orders_looks;

/* Where a library offers its functions once per instruction set, their names end with it: dualres_orders_avx2. */
#ifndef DUALRES_VARIANT

/* Bytes of working memory that each of these functions needs, at any address: 28 kB with one lane, 109, 193 or 362 kB
 * with 4, 8 or 16. */
DUALRES_PUBLIC size_t dualres_orders_scratch(void);

/* Where in working memory the looks of one window may lie: those that dualres_orders_see is to find, and the other
 * functions read. */
DUALRES_PUBLIC dualres_orders_looks *dualres_orders_room(void *scratch);

/* What is seen of the half-overlapping windows of a signal of (count + 1) * DUALRES_HALF samples at DUALRES_RATE. All
 * numbers are NaN of a window that holds a sample which is not finite. */
DUALRES_PUBLIC void dualres_orders_see(const dualres_orders_constants *constants, const dualres_sample *signal,
                                       size_t count, dualres_orders_looks *looks, void *scratch);

/* Log-probabilities (count, classes) by looks and the revolutions per second of each shaft, (count,): NaN where that is
 * not known, NULL where none is or where the network has not learned from any. */
DUALRES_PUBLIC void dualres_orders_judge(const dualres_orders_model *model, const dualres_orders_looks *looks,
                                         size_t count, const double *hz, float *logits, void *scratch);

/* The lines of a window's envelope at orders of a shaft that turns at one of (tries,) Hz join the sums of windows,
 * (tries, DUALRES_LINE_FEATURES). */
DUALRES_PUBLIC void dualres_orders_hear(const dualres_orders_constants *constants,
                                        const float lines[DUALRES_ENVELOPE_BINS], const double *hz, size_t tries,
                                        float *sums);

/* How badly `count` windows fit the network at each try, (tries,) nats: the logarithm of the squared distance that the
 * head of lines on an axis of orders measures from the mean of their lines, by `sums`, to the nearest class. */
DUALRES_PUBLIC void dualres_orders_misfit(const dualres_orders_model *model, const float *sums, size_t count,
                                          size_t tries, float *misfit, void *scratch);

#endif

#endif
