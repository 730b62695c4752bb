/* Matrix products that hold a block of the result in registers; results have a multiple of LANES columns. */

#ifndef DUALRES_PRODUCTS_H
#define DUALRES_PRODUCTS_H

#include "lanes.h"

#include <stddef.h>

#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define PREFETCH(address) __builtin_prefetch(address, 0, 2)
#else
#define ALWAYS_INLINE static inline
#define PREFETCH(address) (void)(address)
#endif

/* The block fills the registers and leaves room for the factors. */
#define BLOCK_VECTORS 2
#if LANES == 16
#define BLOCK_ROWS 12
#else
#define BLOCK_ROWS 6
#endif
#define SMALL_ROWS (BLOCK_ROWS / 3)

DUALRES_ASSERT(small_blocks_are_thirds, SMALL_ROWS * 3 == BLOCK_ROWS);
DUALRES_ASSERT(loops_over_a_block_unroll, BLOCK_ROWS <= 12 && BLOCK_VECTORS <= 2); /* the pragmas below say so */

#define INNER_AT_ONCE 64 /* rows of a transposed factor: few enough that its neighbouring columns are still near */

/* A matrix whose entry (row, i) lies at `at[row * down + i * right]`.
 *
 * While column i is used, `at[next + i * next_right]` is prefetched; processors do not foresee such jumps. */
typedef struct {
    const float *at;
    ptrdiff_t down, right, next, next_right;
} matrix;

ALWAYS_INLINE void product_block(
    const int adding, const int rows, const int vectors, matrix x, ptrdiff_t inner, const float *w, ptrdiff_t w_down,
    const float *bias, float *out, ptrdiff_t out_down) {
    vec sums[BLOCK_ROWS][BLOCK_VECTORS];
#pragma GCC unroll 12
    for (int r = 0; r < rows; r++) {
#pragma GCC unroll 2
        for (int j = 0; j < vectors; j++) {
            if (adding)
                sums[r][j] = vec_load(out + r * out_down + j * LANES);
            else
                sums[r][j] = bias ? vec_load(bias + j * LANES) : vec_all(0.0f);
        }
    }
    for (ptrdiff_t i = 0; i < inner; i++) {
        vec right[BLOCK_VECTORS];
        PREFETCH(x.at + x.next + i * x.next_right);
#pragma GCC unroll 2
        for (int j = 0; j < vectors; j++) right[j] = vec_load(w + i * w_down + j * LANES);
#pragma GCC unroll 12
        for (int r = 0; r < rows; r++) {
            vec left = vec_all(x.at[r * x.down + i * x.right]);
#pragma GCC unroll 2
            for (int j = 0; j < vectors; j++) sums[r][j] += left * right[j];
        }
    }
#pragma GCC unroll 12
    for (int r = 0; r < rows; r++) {
#pragma GCC unroll 2
        for (int j = 0; j < vectors; j++) vec_store(out + r * out_down + j * LANES, sums[r][j]);
    }
}

ALWAYS_INLINE void product_rows(
    const int adding, const int rows, matrix x, ptrdiff_t inner, const float *w, ptrdiff_t w_down, ptrdiff_t columns,
    const float *bias, float *out, ptrdiff_t out_down) {
    ptrdiff_t c = 0;
    for (; c + BLOCK_VECTORS * LANES <= columns; c += BLOCK_VECTORS * LANES)
        product_block(adding, rows, BLOCK_VECTORS, x, inner, w + c, w_down, bias ? bias + c : NULL, out + c, out_down);
    for (; c < columns; c += LANES)
        product_block(adding, rows, 1, x, inner, w + c, w_down, bias ? bias + c : NULL, out + c, out_down);
}

ALWAYS_INLINE void product_any(
    const int adding, matrix x, ptrdiff_t rows, ptrdiff_t inner, const float *w, ptrdiff_t w_down, ptrdiff_t columns,
    const float *bias, float *out, ptrdiff_t out_down) {
    ptrdiff_t r = 0;
    for (; r + BLOCK_ROWS <= rows; r += BLOCK_ROWS, x.at += BLOCK_ROWS * x.down, out += BLOCK_ROWS * out_down)
        product_rows(adding, BLOCK_ROWS, x, inner, w, w_down, columns, bias, out, out_down);
    for (; r + SMALL_ROWS <= rows; r += SMALL_ROWS, x.at += SMALL_ROWS * x.down, out += SMALL_ROWS * out_down)
        product_rows(adding, SMALL_ROWS, x, inner, w, w_down, columns, bias, out, out_down);
    for (; r < rows; r++, x.at += x.down, out += out_down)
        product_rows(adding, 1, x, inner, w, w_down, columns, bias, out, out_down);
}

/* out = x w + bias: x (rows, inner) and w (inner, columns) packed, `out_down` floats from row to row of out;
 * no bias where it is NULL. */
static void product(
    const float *x, ptrdiff_t rows, ptrdiff_t inner, const float *w, ptrdiff_t columns, const float *bias, float *out,
    ptrdiff_t out_down) {
    const matrix left = {x, inner, 1, BLOCK_ROWS * inner, 16}; /* the next rows, a cache line at a time */
    product_any(0, left, rows, inner, w, columns, columns, bias, out, out_down);
}

/* out += x' w: x (inner, rows) and out (rows, columns) packed, `w_down` floats from row to row of w. */
static void add_transposed_product(
    const float *x, ptrdiff_t rows, ptrdiff_t inner, const float *w, ptrdiff_t w_down, ptrdiff_t columns, float *out) {
    for (ptrdiff_t i = 0; i < inner; i += INNER_AT_ONCE) {
        const matrix left = {x + i * rows, 1, rows, INNER_AT_ONCE * rows, rows};
        const ptrdiff_t some = inner - i < INNER_AT_ONCE ? inner - i : INNER_AT_ONCE;
        product_any(1, left, rows, some, w + i * w_down, w_down, columns, NULL, out, columns);
    }
}

#endif
