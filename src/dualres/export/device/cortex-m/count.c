/* What a window costs here: ticks of the core clock, and bytes of stack. */

#include <stdint.h>
#include <stdio.h>

#include "dualres.h"

#define TICKS (*(volatile uint32_t *)0xE000E018u)
#define TICKS_FROM (*(volatile uint32_t *)0xE000E014u)
#define TICKS_CONTROL (*(volatile uint32_t *)0xE000E010u)
#define TICKS_BITS 24

enum { PAINTED = 1024 }; /* words of stack that are looked at */
#define PAINT 0x5A5A5A5Au

static volatile uint32_t laps;
static dualres_state state;

void systick(void);
void systick(void) { laps++; }

static uint64_t now(void) {
    uint32_t lap, left;
    do {
        lap = laps;
        left = TICKS;
    } while (lap != laps);
    return ((uint64_t)(lap + 1) << TICKS_BITS) - left;
}

/* Push samples until this many windows are judged. */
static void push_until(uint32_t windows) {
    for (uint32_t t = 0; state.windows < windows; t++) {
        dualres_sample frame[DUALRES_AXES];
        for (uint32_t a = 0; a < DUALRES_AXES; a++)
            frame[a] = (dualres_sample)((97u * t * t + (2654435761u + a) * t) >> 20);
        dualres_push(&state, frame, 1);
    }
}

int main(void) {
    TICKS_FROM = (1u << TICKS_BITS) - 1;
    TICKS = 0;
    TICKS_CONTROL = 7; /* the core clock, with an interrupt after every lap */
    dualres_init(&state);
    dualres_set_speed(&state, 25.0f); /* which many networks do not ask for */
    push_until(1);
    volatile uint32_t *top, *deepest;
    __asm__ volatile("mov %0, sp" : "=r"(top));
    for (volatile uint32_t *word = top - PAINTED; word < top; word++) *word = PAINT;
    const uint64_t begin = now();
    push_until(2);
    const uint64_t end = now();
    for (deepest = top - PAINTED; deepest < top && *deepest == PAINT;) deepest++;
    printf("half a window of samples pushed and a window judged: %lu ticks\n", (unsigned long)(end - begin));
    printf("stack: %lu bytes\n", (unsigned long)(sizeof *top * (size_t)(top - deepest)));
    return 0;
}
