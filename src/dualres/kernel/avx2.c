/* Everything for processors with AVX2 and FMA. */

#if defined(__x86_64__) && defined(__GNUC__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#define __AVX2__ 1
#else
#pragma GCC target("avx2,fma")
#endif
#define DUALRES_VARIANT avx2
#define DUALRES_LANES 8
#include "parts.h"
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
