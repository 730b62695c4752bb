/* Everything for processors with AVX-512. */

#if defined(__x86_64__) && defined(__GNUC__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#define __AVX512F__ 1
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma,prefer-vector-width=512")
#endif
#define DUALRES_VARIANT avx512
#define DUALRES_LANES 16
#include "parts.h"
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
