/* Arithmetic on DUALRES_LANES floats side by side: GCC and Clang vectors, or plain floats where there is one lane. */

#ifndef DUALRES_LANES_H
#define DUALRES_LANES_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "checks.h"

#ifndef DUALRES_LANES
#define DUALRES_LANES 1
#endif
#define LANES DUALRES_LANES

/* Functions that a library offers once per instruction set carry its name: dualres_windows_avx2. */
#ifdef DUALRES_VARIANT
#define DUALRES_PASTE(name, variant) name##_##variant
#define DUALRES_EXPAND(name, variant) DUALRES_PASTE(name, variant)
#define NAME(name) DUALRES_EXPAND(name, DUALRES_VARIANT)
#else
#define NAME(name) name
#endif

#if LANES == 1
typedef float vec;
typedef int32_t veci;
typedef uint32_t vecu;
#else
typedef float vec __attribute__((vector_size(4 * LANES)));
typedef int32_t veci __attribute__((vector_size(4 * LANES)));
typedef uint32_t vecu __attribute__((vector_size(4 * LANES)));
typedef float vec_anywhere __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
#endif

#if LANES == 16 && defined(__AVX512F__)
#include <immintrin.h>
#define vec_max(a, b) ((vec)_mm512_max_ps((__m512)(a), (__m512)(b)))
#define vec_min(a, b) ((vec)_mm512_min_ps((__m512)(a), (__m512)(b)))
#define vec_sqrt(a) ((vec)_mm512_sqrt_ps((__m512)(a)))
#define vec_pick(from, which) ((vec)_mm512_permutexvar_ps((__m512i)(which), (__m512)(from)))
#elif LANES == 8 && defined(__AVX2__)
#include <immintrin.h>
#define vec_max(a, b) ((vec)_mm256_max_ps((__m256)(a), (__m256)(b)))
#define vec_min(a, b) ((vec)_mm256_min_ps((__m256)(a), (__m256)(b)))
#define vec_sqrt(a) ((vec)_mm256_sqrt_ps((__m256)(a)))
#define vec_pick(from, which) ((vec)_mm256_permutevar8x32_ps((__m256)(from), (__m256i)(which)))
#elif LANES == 4 && defined(__SSE2__)
#include <immintrin.h>
#define vec_max(a, b) ((vec)_mm_max_ps((__m128)(a), (__m128)(b)))
#define vec_min(a, b) ((vec)_mm_min_ps((__m128)(a), (__m128)(b)))
#define vec_sqrt(a) ((vec)_mm_sqrt_ps((__m128)(a)))
#elif LANES == 4 && defined(__aarch64__)
#include <arm_neon.h>
#define vec_max(a, b) ((vec)vmaxq_f32((float32x4_t)(a), (float32x4_t)(b)))
#define vec_min(a, b) ((vec)vminq_f32((float32x4_t)(a), (float32x4_t)(b)))
#define vec_sqrt(a) ((vec)vsqrtq_f32((float32x4_t)(a)))
#elif LANES == 1
static inline vec vec_max(vec a, vec b) { return a > b ? a : b; }
static inline vec vec_min(vec a, vec b) { return a < b ? a : b; }
static inline vec vec_sqrt(vec a) { return sqrtf(a); }
#else
#error "there are 1, 4, 8 (AVX2) or 16 (AVX-512) lanes"
#endif

DUALRES_ASSERT(floats_have_24_bits_in_4_bytes, FLT_RADIX == 2 && FLT_MANT_DIG == 24 && sizeof(float) == 4);
DUALRES_ASSERT(a_vector_is_its_lanes, sizeof(vec) == 4 * LANES && sizeof(veci) == sizeof(vec));

/* The same bits, seen as floats or as integers with or without sign. */
typedef union {
    vec f;
    veci i;
    vecu u;
} vec_bits;

static inline vec vec_all(float x) { return x - (vec){0}; }

/* Bytes of a cache line, where a block of working memory begins: vectors within a line are loaded faster than across. It
 * may hold doubles. */
#define LINE_BYTES (LANES == 1 ? sizeof(double) : 64)

/* The first place at which a block may begin. */
static inline void *block_in(void *memory) {
    const size_t off = (uintptr_t)memory % LINE_BYTES;
    return (char *)memory + (off ? LINE_BYTES - off : 0);
}

/* The numbers themselves, as floats. */
static inline vec vec_of(veci x) {
#if LANES == 1
    return (float)x;
#else
    return __builtin_convertvector(x, vec);
#endif
}

static inline vec vec_load(const float *from) {
#if LANES == 1
    return *from;
#else
    return *(const vec_anywhere *)from;
#endif
}

/* The same, into a register: compilers load again for every use where an instruction can take its operand from memory.
 */
static inline vec vec_load_once(const float *from) {
    vec x = vec_load(from);
#if LANES == 8
    __asm__("" : "+x"(x));
#endif
    return x;
}

static inline void vec_store(float *to, vec x) {
#if LANES == 1
    *to = x;
#else
    *(vec_anywhere *)to = x;
#endif
}

/* One of the lanes. */
#if LANES == 1
#define vec_lane(x, i) (x)
#else
#define vec_lane(x, i) ((x)[i])
#endif

/* As many doubles as a vector has room for; floats as such; products of floats. Compilers would convert a vector piece
 * by piece. Small devices have no hardware for doubles, and round a product before it is one. */
#if LANES == 1
enum { DOUBLES = 1 };
typedef double vec_double;
#define products_of(a, b) ((double)(*(a) * *(b)))
#else
enum { DOUBLES = LANES / 2 };
typedef double vec_double __attribute__((vector_size(8 * DOUBLES)));
#define products_of(a, b) (doubles_of(a) * doubles_of(b))
#if LANES == 16
#define doubles_of(from) ((vec_double)_mm512_cvtps_pd(_mm256_loadu_ps(from)))
#elif LANES == 8
#define doubles_of(from) ((vec_double)_mm256_cvtps_pd(_mm_loadu_ps(from)))
#elif defined(__SSE2__)
#define doubles_of(from) ((vec_double)_mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(from)))))
#else
#define doubles_of(from) ((vec_double)vcvt_f64_f32(vld1_f32(from)))
#endif
#endif

/* The sum over the lanes. */
static inline float vec_sum(vec x) {
#if LANES == 1
    return x;
#elif LANES == 16 && defined(__AVX512F__)
    return _mm512_reduce_add_ps((__m512)x);
#elif LANES == 8 && defined(__AVX2__)
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128((__m256)x), _mm256_extractf128_ps((__m256)x, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
#else
    float total = 0.0f;
    for (int i = 0; i < LANES; i++) total += x[i];
    return total;
#endif
}

/* exp(x) = scale (1 + rest), scale a power of two; x from -87 to 88. `rest` keeps its relative precision near zero. */
static inline void vec_exp_parts(vec x, vec *scale, vec *rest) {
    const float shifter = 12582912.0f + 127.0f; /* 1.5 * 2^23: adding it rounds to a whole number, held in the last
                                                    bits; 127 is the exponent's own offset */
    vec_bits shifted, power;
    shifted.f = x * 1.44269504f + shifter;
    vec n = shifted.f - shifter;
    vec r = x - n * 0.693359375f;
    r = r - n * -2.12194440e-4f;
    vec p = r * 0.0013933733f + 0.0083632357f;
    p = p * r + 0.0416664630f;
    p = p * r + 0.1666657626f;
    p = p * r + 0.5f; /* fitted to (exp(r) - 1 - r) / r^2, 8e-9 from it */
    *rest = p * (r * r) + r;
    power.u = shifted.u << 23;
    *scale = power.f;
}

static inline vec vec_exp(vec x) {
    vec scale, rest;
    vec_exp_parts(vec_min(vec_max(x, vec_all(-87.0f)), vec_all(88.0f)), &scale, &rest);
    return scale * rest + scale;
}

/* 1 - exp(-x) for x >= 0, precise for small x too. */
static inline vec vec_one_minus_exp(vec x) {
    vec scale, rest;
    vec_exp_parts(vec_max(-x, vec_all(-87.0f)), &scale, &rest);
    return (1.0f - scale) - scale * rest;
}

static inline vec vec_tanh(vec x) {
    return 1.0f - 2.0f / (vec_exp(2.0f * x) + 1.0f);
}

static inline vec vec_sigmoid(vec x) {
    return 1.0f / (1.0f + vec_exp(-x));
}

/* The logarithm to base two of a normal, positive x = 2^n m; 2e-8 from it, but for rounding. */
static inline vec vec_log2(vec x) {
    vec_bits bits;
    bits.f = x;
#ifdef vec_pick
    /* `vec_pick` takes for every lane the lane that the last bits of a number name: of eighths, the one next to m. Of
     * the reciprocals around there, these have a logarithm of few bits. */
#define TWICE(...) {__VA_ARGS__, __VA_ARGS__}
    static const float reciprocals[16] = TWICE(1.0f, 0.886487305f, 0.799948215f, 0.725162864f, 0.665202379f,
                                               0.615905643f, 0.571228027f, 0.532758176f);
    static const float parts[16] = TWICE(0 / 4096.0f, 712 / 4096.0f, 1319 / 4096.0f, 1899 / 4096.0f, 2409 / 4096.0f,
                                         2864 / 4096.0f, 3309 / 4096.0f, 3721 / 4096.0f); /* their -log2 */
#undef TWICE
    const int32_t least = 0x3f780000; /* half an eighth below one; m lies above, up to half an eighth below two */
    const veci over = bits.i - least, eighth = over >> 20, whole = over & ~0x007fffff; /* 2^23 n */
    bits.i -= whole;
    const vec f = bits.f * vec_pick(vec_load(reciprocals), eighth) - 1.0f;
    vec p = f * -0.3592400360f + 0.4821834672f; /* fitted to log2(1 + f) / f for f from -0.058 to 0.0625 */
    p = p * f - 0.7213522150f;
    p = p * f + 1.4426939114f;
#else
    const int32_t least = 0x3f3504f3; /* sqrt(1/2): m will lie around one, from there to sqrt(2) */
    const veci whole = (bits.i - least) & ~0x007fffff; /* 2^23 n */
    bits.i -= whole;
    const vec f = bits.f - 1.0f;
    vec p = f * 0.1261484623f - 0.2074210346f; /* fitted to log2(1 + f) / f */
    p = p * f + 0.2156698555f;
    p = p * f - 0.2389203459f;
    p = p * f + 0.2879183292f;
    p = p * f - 0.3607048392f;
    p = p * f + 0.4809105992f;
    p = p * f - 0.7213473320f;
    p = p * f + 1.4426950216f;
#endif
    vec n = vec_of(whole) * (1.0f / 8388608);
#ifdef vec_pick
    n += vec_pick(vec_load(parts), eighth);
#endif
    return p * f + n;
}

#endif
