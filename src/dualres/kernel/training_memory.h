/* The oscillatory memory over the tokens of one window, forward and backward; channels in lanes.
 *
 * In coordinates that rotate along, r_t = exp(i t theta) q_t, an oscillator's real and imaginary parts decay alike:
 *
 *     r_t = alpha_t r_{t-1} + w_t b_t,     y_t = sum_k Re(conj(c_t) r_t),     w_t = (1 - alpha_t) u_t
 *
 * with b and c rotated. The derivative by r_t is l_t = dy_t c_t + alpha_{t+1} l_{t+1}. */

#ifndef DUALRES_TRAINING_MEMORY_H
#define DUALRES_TRAINING_MEMORY_H

#include <string.h>

#include "training.h"
#include "transpose.h"

#if LANES == 16
enum { WALKED = 4 }; /* vectors of channels that are walked at once, as registers allow */
#else
enum { WALKED = 2 };
#endif

DUALRES_ASSERT(widths_are_walked_without_a_rest, WIDTH_STEP % (WALKED * LANES) == 0);
DUALRES_ASSERT(sums_over_lanes_come_in_whole_vectors, 4 * CHUNK % LANES == 0);
DUALRES_ASSERT(lanes_can_be_halved, (LANES & (LANES - 1)) == 0);

/* The sums of neighbouring lanes, first of `a` and then of `b`. */
#if LANES == 16
#define NEIGHBOURS(a, b)                                                                      \
    (SHUFFLED(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30) +              \
     SHUFFLED(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31))
#elif LANES == 8
#define NEIGHBOURS(a, b) (SHUFFLED(a, b, 0, 2, 4, 6, 8, 10, 12, 14) + SHUFFLED(a, b, 1, 3, 5, 7, 9, 11, 13, 15))
#elif LANES == 4
#define NEIGHBOURS(a, b) (SHUFFLED(a, b, 0, 2, 4, 6) + SHUFFLED(a, b, 1, 3, 5, 7))
#endif

/* The sums over the lanes of LANES vectors, in their order; x is used up. */
static inline vec vec_sums(vec *x) {
#if LANES > 1
    for (int n = LANES / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++) x[i] = NEIGHBOURS(x[2 * i], x[2 * i + 1]);
#endif
    return x[0];
}

/* Some tokens of one window. Only the backward pass uses the last two. */
typedef struct {
    ptrdiff_t first, tokens;
    float *delta, *alpha, *renewed, *written; /* (CHUNK, width): delta, alpha, 1 - alpha, w */
    float *vectors; /* (CHUNK, states, 4): b, c rotated */
    float *d_alpha, *d_written; /* (CHUNK, width) */
} memory_chunk;

static inline ptrdiff_t chunk_floats(const dualres_training *s) { return CHUNK * (6 * s->width + 4 * s->states); }

static inline memory_chunk chunk_in(float *scratch, const dualres_training *s) {
    const ptrdiff_t size = CHUNK * s->width;
    memory_chunk c = {0};
    c.delta = scratch;
    c.alpha = c.delta + size;
    c.renewed = c.alpha + size;
    c.written = c.renewed + size;
    c.d_alpha = c.written + size;
    c.d_written = c.d_alpha + size;
    c.vectors = c.d_written + size;
    return c;
}

/* Fill in the coefficients of the tokens from `first` on. */
static void begin_chunk(
    memory_chunk *c, const dualres_training *s, ptrdiff_t first, const float *log_damping, const float *maps) {
    const ptrdiff_t width = s->width, states = s->states, columns = maps_of(s);
    const float shrink = 1.0f / sqrtf((float)states);
    c->first = first;
    c->tokens = s->tokens - first < CHUNK ? s->tokens - first : CHUNK;
    for (ptrdiff_t t = 0; t < c->tokens; t++) {
        const float *from = maps + (first + t) * columns, *cosines = s->ahead + (first + t) * 2 * states;
        for (ptrdiff_t d = 0; d < width; d += LANES) {
            const vec delta = vec_exp(vec_load(log_damping + d) + vec_load(from + d));
            vec scale, rest;
            vec_exp_parts(vec_max(-delta, vec_all(-87.0f)), &scale, &rest);
            const vec renewed = (1.0f - scale) - scale * rest;
            vec_store(c->delta + t * width + d, delta);
            vec_store(c->alpha + t * width + d, scale * rest + scale);
            vec_store(c->renewed + t * width + d, renewed);
            vec_store(c->written + t * width + d, renewed * vec_load(from + width + d));
        }
        for (ptrdiff_t k = 0; k < states; k++) {
            const float cosine = cosines[k], sine = cosines[states + k];
            const float *write = from + 2 * width + k, *read = write + 2 * states;
            float *to = c->vectors + 4 * (t * states + k);
            to[0] = write[0] * cosine - write[states] * sine;
            to[1] = write[0] * sine + write[states] * cosine;
            to[2] = (read[0] * cosine - read[states] * sine) * shrink;
            to[3] = (read[0] * sine + read[states] * cosine) * shrink;
        }
    }
}

/* Walk the chunk with oscillator k of some channels: its state moves on, y grows by what it reads out. */
static inline void walk_forward(
    const memory_chunk *c, const dualres_training *s, ptrdiff_t k, ptrdiff_t d, float *state, float *y) {
    float *at_re = state + k * s->width + d, *at_im = at_re + s->states * s->width;
    vec re[WALKED], im[WALKED];
    for (int j = 0; j < WALKED; j++) re[j] = vec_load(at_re + j * LANES), im[j] = vec_load(at_im + j * LANES);
    for (ptrdiff_t t = 0; t < c->tokens; t++) {
        const float *vectors = c->vectors + 4 * (t * s->states + k);
        for (int j = 0; j < WALKED; j++) {
            const ptrdiff_t at = t * s->width + d + j * LANES;
            const vec alpha = vec_load(c->alpha + at), written = vec_load(c->written + at);
            re[j] = alpha * re[j] + written * vectors[0];
            im[j] = alpha * im[j] + written * vectors[1];
            vec_store(y + at, vec_load(y + at) + re[j] * vectors[2] + im[j] * vectors[3]);
        }
    }
    for (int j = 0; j < WALKED; j++) vec_store(at_re + j * LANES, re[j]), vec_store(at_im + j * LANES, im[j]);
}

/* The same chunk backward. `state` is the one before the chunk; `carried`, alpha_{t+1} l_{t+1}, moves on to it.
 *
 * d_alpha and d_written grow, and so do, lane by lane, the derivatives by the vectors and, returned, by theta. */
static inline vec walk_backward(
    const memory_chunk *c, const dualres_training *s, ptrdiff_t k, ptrdiff_t d, const float *state, const float *d_y,
    float *carried, vec (*d_vectors)[4]) {
    const ptrdiff_t width = s->width, place = k * width + d, im_after = s->states * width;
    vec re[CHUNK + 1][WALKED], im[CHUNK + 1][WALKED], l_re[WALKED], l_im[WALKED], d_theta = vec_all(0.0f);
    for (int j = 0; j < WALKED; j++) {
        re[0][j] = vec_load(state + place + j * LANES), im[0][j] = vec_load(state + place + im_after + j * LANES);
        l_re[j] = vec_load(carried + place + j * LANES), l_im[j] = vec_load(carried + place + im_after + j * LANES);
    }
    for (ptrdiff_t t = 0; t < c->tokens; t++) {
        const float *vectors = c->vectors + 4 * (t * s->states + k);
        for (int j = 0; j < WALKED; j++) {
            const ptrdiff_t at = t * width + d + j * LANES;
            const vec alpha = vec_load(c->alpha + at), written = vec_load(c->written + at);
            re[t + 1][j] = alpha * re[t][j] + written * vectors[0];
            im[t + 1][j] = alpha * im[t][j] + written * vectors[1];
        }
    }
    for (ptrdiff_t t = c->tokens - 1; t >= 0; t--) {
        const float *vectors = c->vectors + 4 * (t * s->states + k);
        vec d_b_re = d_vectors[t][0], d_b_im = d_vectors[t][1], d_c_re = d_vectors[t][2], d_c_im = d_vectors[t][3];
        for (int j = 0; j < WALKED; j++) {
            const ptrdiff_t at = t * width + d + j * LANES;
            const vec alpha = vec_load(c->alpha + at), written = vec_load(c->written + at), dy = vec_load(d_y + at);
            l_re[j] += dy * vectors[2];
            l_im[j] += dy * vectors[3];
            d_b_re += written * l_re[j];
            d_b_im += written * l_im[j];
            d_c_re += dy * re[t + 1][j];
            d_c_im += dy * im[t + 1][j];
            vec_store(c->d_written + at, vec_load(c->d_written + at) + l_re[j] * vectors[0] + l_im[j] * vectors[1]);
            vec_store(c->d_alpha + at, vec_load(c->d_alpha + at) + l_re[j] * re[t][j] + l_im[j] * im[t][j]);
            l_re[j] *= alpha;
            l_im[j] *= alpha;
            d_theta += l_re[j] * im[t][j] - l_im[j] * re[t][j];
        }
        d_vectors[t][0] = d_b_re, d_vectors[t][1] = d_b_im, d_vectors[t][2] = d_c_re, d_vectors[t][3] = d_c_im;
    }
    for (int j = 0; j < WALKED; j++)
        vec_store(carried + place + j * LANES, l_re[j]), vec_store(carried + place + im_after + j * LANES, l_im[j]);
    return d_theta;
}

/* From the derivatives by oscillator k's rotated vectors, lane by lane, to those by what the maps gave for them. */
static void unwind_vectors(
    const memory_chunk *c, const dualres_training *s, ptrdiff_t k, vec (*by_lane)[4], const float *maps,
    float *d_maps) {
    const ptrdiff_t states = s->states;
    const float shrink = 1.0f / sqrtf((float)states);
    float d_vectors[CHUNK][4];
    for (int i = 0; i < 4 * CHUNK; i += LANES) vec_store(d_vectors[0] + i, vec_sums(by_lane[0] + i));
    for (ptrdiff_t t = 0; t < c->tokens; t++) {
        const float *cosines = s->ahead + (c->first + t) * 2 * states;
        const float cosine = cosines[k], sine = cosines[states + k];
        ptrdiff_t at = (c->first + t) * maps_of(s) + 2 * s->width + k;
        for (int part = 0; part < 4; part += 2, at += 2 * states) {
            const float re = d_vectors[t][part] * (part ? shrink : 1.0f);
            const float im = d_vectors[t][part + 1] * (part ? shrink : 1.0f);
            d_maps[at] = (re * cosine + im * sine) * (1.0f - maps[at] * maps[at]);
            d_maps[at + states] = (im * cosine - re * sine) * (1.0f - maps[at + states] * maps[at + states]);
        }
    }
}

/* From the derivatives by alpha and w to those by what the maps gave for damping and input. */
static void unwind_damping(
    const memory_chunk *c, const dualres_training *s, const float *maps, float *d_maps, float *d_log_damping) {
    const ptrdiff_t width = s->width, columns = maps_of(s);
    for (ptrdiff_t t = 0; t < c->tokens; t++, maps += columns, d_maps += columns) {
        for (ptrdiff_t d = 0; d < width; d += LANES) {
            const ptrdiff_t at = t * width + d;
            const vec bent = vec_load(maps + d), u = vec_load(maps + width + d), d_w = vec_load(c->d_written + at);
            const vec d_delta = vec_load(c->alpha + at) * (u * d_w - vec_load(c->d_alpha + at));
            const vec d_log = vec_load(c->delta + at) * d_delta;
            vec_store(d_log_damping + d, vec_load(d_log_damping + d) + d_log);
            vec_store(d_maps + d, d_log * (1.0f - bent * bent));
            vec_store(d_maps + width + d, d_w * vec_load(c->renewed + at));
        }
    }
}

/* y of a whole window, and the states before each chunk. `maps` as kept; scratch: chunk_floats + 2 states width. */
static void memory_forward(
    const dualres_training *s, const float *log_damping, const float *maps, float *y, float *states, float *scratch) {
    const ptrdiff_t size = 2 * s->states * s->width;
    float *state = scratch + chunk_floats(s);
    memory_chunk c = chunk_in(scratch, s);
    memset(state, 0, size * sizeof *state);
    memset(y, 0, s->tokens * s->width * sizeof *y);
    for (ptrdiff_t first = 0; first < s->tokens; first += CHUNK, states += size) {
        begin_chunk(&c, s, first, log_damping, maps);
        memcpy(states, state, size * sizeof *state);
        for (ptrdiff_t k = 0; k < s->states; k++)
            for (ptrdiff_t d = 0; d < s->width; d += WALKED * LANES)
                walk_forward(&c, s, k, d, state, y + first * s->width);
    }
}

/* From d_y to d_maps, d_log_damping and, added, d_theta. The same scratch. */
static void memory_backward(
    const dualres_training *s, const float *log_damping, const float *maps, const float *states, const float *d_y,
    float *d_maps, float *d_log_damping, float *d_theta, float *scratch) {
    const ptrdiff_t size = 2 * s->states * s->width, width = s->width;
    float *carried = scratch + chunk_floats(s);
    memory_chunk c = chunk_in(scratch, s);
    memset(carried, 0, size * sizeof *carried);
    memset(d_log_damping, 0, width * sizeof *d_log_damping);
    for (ptrdiff_t chunk = (s->tokens - 1) / CHUNK; chunk >= 0; chunk--) {
        const ptrdiff_t first = chunk * CHUNK;
        begin_chunk(&c, s, first, log_damping, maps);
        memset(c.d_alpha, 0, CHUNK * width * sizeof *c.d_alpha);
        memset(c.d_written, 0, CHUNK * width * sizeof *c.d_written);
        for (ptrdiff_t k = 0; k < s->states; k++) {
            vec d_vectors[CHUNK][4], turned = vec_all(0.0f);
            memset(d_vectors, 0, sizeof d_vectors);
            for (ptrdiff_t d = 0; d < width; d += WALKED * LANES)
                turned += walk_backward(&c, s, k, d, states + chunk * size, d_y + first * width, carried, d_vectors);
            d_theta[k] += vec_sum(turned);
            unwind_vectors(&c, s, k, d_vectors, maps, d_maps);
        }
        unwind_damping(&c, s, maps + first * maps_of(s), d_maps + first * maps_of(s), d_log_damping);
    }
}

#endif
