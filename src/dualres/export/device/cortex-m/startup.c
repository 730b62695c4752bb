/* From reset to main() on a Cortex-M with an FPU; replace it by your board's own start-up code. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern uint32_t stack_top, data_load, data_start, data_end, bss_start, bss_end;

extern int main(void);
extern void initialise_monitor_handles(void); /* newlib's: printf goes to the debugger or the emulator */

void reset(void);
void fault(void);
void systick(void);

static const struct {
    uint32_t *stack;
    void (*handlers[15])(void);
} vectors __attribute__((section(".vectors"), used)) = {
    &stack_top, {reset, fault, fault, fault, fault, fault, 0, 0, 0, 0, fault, fault, 0, fault, systick}};

void reset(void) {
    volatile uint32_t *const coprocessors = (volatile uint32_t *)0xE000ED88u;
    *coprocessors |= 0xFu << 20; /* the FPU is off after reset */
    __asm__ volatile("dsb\nisb");
    memcpy(&data_start, &data_load, (size_t)((char *)&data_end - (char *)&data_start));
    memset(&bss_start, 0, (size_t)((char *)&bss_end - (char *)&bss_start));
    initialise_monitor_handles();
    exit(main());
}

void fault(void) {
    for (;;) continue;
}

__attribute__((weak)) void systick(void) {}
