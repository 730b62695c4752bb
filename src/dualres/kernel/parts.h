/* What is compiled once for each instruction set. */

#include "windows.c"
#include "resample.c"
