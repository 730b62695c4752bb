/* The extension module: it offers Python nothing but its place, for its functions are called by address.
 *
 * So it needs of Python's interface only what never changes, and one build serves every version. */

#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include "dualres_kernel.h"

DUALRES_PUBLIC int dualres_interface(void) { return DUALRES_INTERFACE; }

/* The name of the fastest variant that this processor can run. */
DUALRES_PUBLIC const char *dualres_best_variant(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return "avx512";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "avx2";
#endif
    return "baseline";
}

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_compiled", NULL, 0, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__compiled(void) { return PyModule_Create(&definition); }
