/* A plugin of qemu's user mode that tells how many instructions a program took, on standard error.
 *
 *     cc -shared -fPIC count_instructions.c -o count.so
 *     qemu-aarch64 -plugin ./count.so PROGRAM
 *
 * What it needs of qemu's interface, of version 1, is declared here: Debian's packages bring no header for it. */

#include <stdint.h>
#include <stdio.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb; /* instructions that qemu translates, and runs, together */

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

enum { ADD = 0 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int operation, void *to, uint64_t by);
void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);

static uint64_t instructions; /* of a program with one thread */

static void translated(plugin_id id, struct qemu_plugin_tb *block) {
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(block, ADD, &instructions, qemu_plugin_tb_n_insns(block));
}

static void ended(plugin_id id, void *nothing) {
    (void)id, (void)nothing;
    fprintf(stderr, "instructions %llu\n", (unsigned long long)instructions);
}

int qemu_plugin_install(plugin_id id, const void *about, int count, char **arguments);
int qemu_plugin_install(plugin_id id, const void *about, int count, char **arguments) {
    (void)about, (void)count, (void)arguments;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
