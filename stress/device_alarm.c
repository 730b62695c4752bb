/* Tells an alarm the blocks in alarms.bin and prints when it is raised and cleared, and now and then its evidence.
 *
 * A block is a score (double) and what is told of it (int32): bit 0, it follows the one before; bit 1, before it the power
 * fails, and what was kept of the alarm is put back. */

#include <stdio.h>
#include <stdlib.h>

#include "bets.h"

enum { FOLLOWS = 1, POWER_FAILS = 2, EVERY = 50 /* blocks, evidence is printed */ };

static dualres_alarm alarm_, kept;

int main(void) {
    FILE *const file = fopen("alarms.bin", "rb");
    double score;
    int32_t told;
    if (!file) return 2;
    dualres_alarm_init(&alarm_);
    while (fread(&score, sizeof score, 1, file) == 1 && fread(&told, sizeof told, 1, file) == 1) {
        const uint32_t before = alarm_.raised;
        if (told & POWER_FAILS) {
            kept = alarm_;
            memset(&alarm_, 0xFF, sizeof alarm_); /* as blank flash reads */
            alarm_ = kept;
        }
        const int raised = dualres_alarm_block(&alarm_, score, told & FOLLOWS);
        const unsigned long block = (unsigned long)alarm_.blocks - 1;
        if ((uint32_t)raised != before) printf("%s %lu %lu\n", raised ? "raised" : "cleared", block, (unsigned long)alarm_.since);
        if (block % EVERY == 0) printf("evidence %lu %.17g\n", block, dualres_alarm_evidence(&alarm_));
    }
    printf("blocks %lu\n", (unsigned long)alarm_.blocks);
    return fclose(file);
}
