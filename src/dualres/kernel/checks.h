/* What has to hold at compile time; every source of the kernel, and of an export, includes this. */

#ifndef DUALRES_CHECKS_H
#define DUALRES_CHECKS_H

/* A NaN says which windows are still to be scored and which samples or results are bad; exponentials and logarithms
 * round by adding a large number and subtracting it again. -ffast-math and its parts let a compiler drop both. */
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0) || \
    defined(__ASSOCIATIVE_MATH__)
#error "DualRes needs NaN and exact rounding: compile it without -ffast-math, -Ofast and -ffinite-math-only"
#endif

/* A condition on sizes, at file scope; a compiler that finds it broken prints the name. C99 has no static_assert. */
#define DUALRES_ASSERT(name, condition) typedef char dualres_assert_##name[(condition) ? 1 : -1]

#endif
