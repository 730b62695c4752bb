/* The spectra of DUALRES_LANES frames side by side.
 *
 * A real FFT of 2 M samples is a complex one of M = 64 R, R = 8 (long) or 2 (short), with even samples as real and odd
 * ones as imaginary parts. It runs in place by decimation in frequency: one stage of radix R, two of radix 8. */

#ifndef DUALRES_FFT_H
#define DUALRES_FFT_H

#include "dualres_kernel.h"
#include "lanes.h"

typedef struct {
    vec re, im;
} cvec;

static inline cvec c_add(cvec a, cvec b) { return (cvec){a.re + b.re, a.im + b.im}; }
static inline cvec c_sub(cvec a, cvec b) { return (cvec){a.re - b.re, a.im - b.im}; }
static inline cvec c_turn(cvec a, const float turn[2]) {
    return (cvec){a.re * turn[0] - a.im * turn[1], a.re * turn[1] + a.im * turn[0]};
}
static inline cvec c_times(cvec a, cvec b) {
    return (cvec){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline cvec c_times_minus_i(cvec a) { return (cvec){a.im, -a.re}; }

/* The DFT of 4, in place. */
static inline void dft4(cvec *a, cvec *b, cvec *c, cvec *d) {
    const cvec even = c_add(*a, *c), odd = c_add(*b, *d);
    const cvec far = c_sub(*a, *c), near = c_times_minus_i(c_sub(*b, *d));
    *a = c_add(even, odd);
    *c = c_sub(even, odd);
    *b = c_add(far, near);
    *d = c_sub(far, near);
}

/* The DFT of 8, in place and in order. */
static inline void dft8(cvec a[8]) {
    const float root = 0.70710678f;
    cvec e0 = a[0], e1 = a[2], e2 = a[4], e3 = a[6];
    cvec o0 = a[1], o1 = a[3], o2 = a[5], o3 = a[7];
    dft4(&e0, &e1, &e2, &e3);
    dft4(&o0, &o1, &o2, &o3);
    o1 = (cvec){(o1.re + o1.im) * root, (o1.im - o1.re) * root};
    o2 = c_times_minus_i(o2);
    o3 = (cvec){(o3.im - o3.re) * root, -(o3.re + o3.im) * root};
    a[0] = c_add(e0, o0), a[4] = c_sub(e0, o0);
    a[1] = c_add(e1, o1), a[5] = c_sub(e1, o1);
    a[2] = c_add(e2, o2), a[6] = c_sub(e2, o2);
    a[3] = c_add(e3, o3), a[7] = c_sub(e3, o3);
}

enum {
    POINTS = 64, /* of a group, which the last two stages transform by themselves */
    GROUP = POINTS + 1, /* from one group to the next: a power of two would put them into the same lines of the cache */
    SHORT_RADIX = DUALRES_SHORT / 2 / POINTS, /* R, the number of groups */
    LONG_RADIX = DUALRES_LONG / 2 / POINTS
};

DUALRES_ASSERT(groups_take_two_stages_of_radix_8, POINTS == 8 * 8);
DUALRES_ASSERT(first_stages_are_of_radix_2_and_8, SHORT_RADIX == 2 && LONG_RADIX == 8);

/* The first stage of a long FFT, for the inputs j, j + 64, ... in `a`. */
static inline void first_stage_of_8(cvec *z, int j, cvec a[8], const float turn_512[64][7][2]) {
    dft8(a);
    z[j] = a[0];
    for (int q = 1; q < 8; q++) z[j + GROUP * q] = c_turn(a[q], turn_512[j][q - 1]);
}

/* The last two stages, of one group. */
static inline void transform_64(cvec *z, const float turn_64[8][7][2]) {
    for (int j = 0; j < 8; j++) {
        cvec a[8];
        for (int m = 0; m < 8; m++) a[m] = z[j + 8 * m];
        dft8(a);
        z[j] = a[0];
        for (int q = 1; q < 8; q++) z[j + 8 * q] = c_turn(a[q], turn_64[j][q - 1]);
    }
    for (int j = 0; j < 8; j++) dft8(z + 8 * j);
}

/* The same stages the other way round: of what lies where they leave it, the DFT in order. */
static inline void transform_64_back(cvec *z, const float turn_64[8][7][2]) {
    for (int j = 0; j < 8; j++) dft8(z + 8 * j);
    for (int j = 0; j < 8; j++) {
        cvec a[8];
        a[0] = z[j];
        for (int q = 1; q < 8; q++) a[q] = c_turn(z[j + 8 * q], turn_64[j][q - 1]);
        dft8(a);
        for (int m = 0; m < 8; m++) z[j + 8 * m] = a[m];
    }
}

/* Likewise the first stage of a long FFT, which is the last one then: its outputs j, j + 64, ... */
static inline void last_stage_of_8(const cvec *z, int j, cvec a[8], const float turn_512[64][7][2]) {
    a[0] = z[j];
    for (int q = 1; q < 8; q++) a[q] = c_turn(z[j + GROUP * q], turn_512[j][q - 1]);
    dft8(a);
}

/* Where frequency k of a complex FFT of R groups lies once all stages are done. */
static inline unsigned place_of(unsigned k, unsigned R) { return k % R * GROUP + k / R % 8 * 8 + k / R / 8 % 8; }

/* exp(-2 pi i k / 1024) from the halved Hann window, 1/4 - cos / 4. */
static inline void turn_of(const dualres_tables *c, unsigned k, float turn[2]) {
    turn[0] = 1.0f - 4.0f * c->hann_long[k % DUALRES_LONG];
    turn[1] = 4.0f * c->hann_long[(k + 3 * DUALRES_LONG / 4) % DUALRES_LONG] - 1.0f;
}

/* Bins k and M - k of a real FFT of 2 M halved samples from the same two, `a` and `b`, of the complex one; the second
 * as its conjugate. `turn` is exp(-2 pi i k / 2 M). */
static inline void split_pair(cvec a, cvec b, const float turn[2], cvec *lower, cvec *upper) {
    const cvec even = {a.re + b.re, a.im - b.im};
    const cvec odd = c_turn((cvec){a.im + b.im, b.re - a.re}, turn);
    *lower = c_add(even, odd);
    *upper = c_sub(even, odd);
}

/* What a mean changes of a spectrum. */
typedef struct {
    vec zero; /* bin 0, real */
    cvec one; /* bin 1 */
} low_bins;

/* Among the magnitudes: those of group zero come first, bins 0, R, ... to M. */
enum { SLOT_OF_ZERO = 0, SLOT_OF_ONE = POINTS + 1 };

DUALRES_ASSERT(bin_one_has_a_slot, DUALRES_SHORT_BINS - SLOT_OF_ONE > 0);

static inline vec magnitude(cvec x) { return vec_sqrt(x.re * x.re + x.im * x.im); }

/* The magnitudes of these bins. */
typedef struct {
    vec zero, one;
} low_magnitudes;

/* What they are without a mean. It has the periodic Hann window's own spectrum: half its length in bin 0, minus a
 * quarter in bin 1. */
static inline low_magnitudes without_mean(const low_bins *low, float mean, float length) {
    const vec zero = low->zero - mean * (length / 2);
    const cvec one = {low->one.re + mean * (length / 4), low->one.im};
    return (low_magnitudes){vec_max(zero, -zero), magnitude(one)};
}

/* Where magnitudes go, and the turns exp(-2 pi i k / 2 M) of the bins k they belong to. */
typedef struct {
    vec *magnitudes;
    const float (*turn)[2];
} bins;

/* Bins k and M - k of the real FFT from the same two of the complex one, of halved samples; bin k is returned. */
static inline cvec split(cvec a, cvec b, bins *to) {
    cvec lower, upper;
    split_pair(a, b, *to->turn++, &lower, &upper);
    *to->magnitudes++ = magnitude(lower);
    *to->magnitudes++ = magnitude(upper);
    return lower;
}

/* The eight frequencies i, i + 8 R, ..., i + 56 R meet those of 8 R - i, which are in order from M on down. */
static inline cvec split_eights(const cvec *a, const cvec *b, bins *to) {
    const cvec lowest = split(a[0], b[7], to);
    split(b[0], a[7], to);
    for (int q = 1; q < 4; q++) {
        split(a[q], b[7 - q], to);
        split(b[q], a[7 - q], to);
    }
    return lowest;
}

/* The last two stages, and the step from the complex to the real FFT, group by group while one is in the cache:
 * frequency i = g + R q lies in eight q of group g, and its partner 8 R - i in group R - g. */
static void finish(cvec *z, int R, const float turn_64[8][7][2], bins to, low_bins *low) {
    transform_64(z, turn_64);
    low->zero = 2.0f * (z[0].re + z[0].im);
    *to.magnitudes++ = vec_max(low->zero, -low->zero);
    *to.magnitudes++ = 2.0f * vec_max(z[0].re - z[0].im, z[0].im - z[0].re);
    for (int q = 1; q < 4; q++) split(z[q], z[8 - q], &to);
    *to.magnitudes++ = 2.0f * magnitude(z[4]);
    for (int q = 1; q < 4; q++) split_eights(z + 8 * q, z + 8 * (8 - q), &to);
    for (int q = 0; q < 4; q++) split(z[32 + q], z[39 - q], &to);
    for (int g = 1; g <= R / 2; g++) {
        cvec *group = z + g * GROUP, *partner = z + (R - g) * GROUP;
        transform_64(group, turn_64);
        if (partner != group) transform_64(partner, turn_64);
        for (int q = 0; q < (partner != group ? 8 : 4); q++) {
            const cvec lowest = split_eights(group + 8 * q, partner + 8 * (7 - q), &to);
            if (g == 1 && q == 0) low->one = lowest;
        }
    }
}

#endif
