/* Everything for any processor: four lanes where every one of the kind has them, else one. */

#define DUALRES_VARIANT baseline
#if defined(__SSE2__) || defined(__aarch64__)
#define DUALRES_LANES 4
#else
#define DUALRES_LANES 1
#endif
#include "parts.h"
