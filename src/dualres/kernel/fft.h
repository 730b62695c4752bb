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

/* Where frequency k of the 64 R lies after the stages. */
static inline int place(int k, int R) { return k % R * 64 + k / R % 8 * 8 + k / R / 8; }

/* The last two stages: `groups` FFTs of 64. */
static void transform_64(cvec *z, int groups, const float turn_64[8][7][2]) {
    for (; groups; groups--, z += 64) {
        for (int j = 0; j < 8; j++) {
            cvec a[8];
            for (int m = 0; m < 8; m++) a[m] = z[j + 8 * m];
            dft8(a);
            z[j] = a[0];
            for (int q = 1; q < 8; q++) z[j + 8 * q] = c_turn(a[q], turn_64[j][q - 1]);
        }
        for (int j = 0; j < 8; j++) dft8(z + 8 * j);
    }
}

/* What a view keeps of its spectrum: magnitudes in pairs of bins, and the complex values that a mean changes. */
typedef struct {
    vec zero;  /* bin 0, real */
    cvec one;  /* bin 1 */
} low_bins;

static inline vec magnitude(cvec x) { return vec_sqrt(x.re * x.re + x.im * x.im); }

/* From the complex FFT of 64 R (of halved samples) to the magnitudes of the real one. */
static void split(const cvec *z, int R, const float (*turn)[2], vec *magnitudes, low_bins *low) {
    const int half = 64 * R;
    const vec zero = 2.0f * (z[0].re + z[0].im), last = 2.0f * (z[0].re - z[0].im);
    low->zero = zero;
    magnitudes[0] = vec_max(zero, -zero);
    magnitudes[1] = vec_max(last, -last);
    for (int k = 1; k < half / 2; k++) {
        const cvec a = z[place(k, R)], b = z[place(half - k, R)];
        const cvec even = {a.re + b.re, a.im - b.im};
        const cvec odd = c_turn((cvec){a.im + b.im, b.re - a.re}, turn[k]);
        const cvec lower = c_add(even, odd);
        if (k == 1) low->one = lower;
        magnitudes[2 * k] = magnitude(lower);
        magnitudes[2 * k + 1] = magnitude(c_sub(even, odd));
    }
    magnitudes[half] = 2.0f * magnitude(z[place(half / 2, R)]);
}

#endif
