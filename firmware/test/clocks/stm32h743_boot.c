/*
 * The first instructions of an STM32H743 (its boot.S), carried out by a Cortex-A in Thumb state. Registers are memory, in which the supply is
 * ready, or never will be: "ready", "never". There is no stack. Prints what has been written to PWR_CR3, and how many looks were left.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 0x58024000u
#define PWR (PAGE + 0x800u)
#define CSR1_ACTVOSRDY (1u << 13)
#define CR3_RESET 6u

uint32_t looks_left;

static uint32_t *at(uintptr_t address) {
    return (uint32_t *)address;
}

void boot(void); /* without a stack; comes back with one */

__asm__(".syntax unified\n"
        "    .thumb\n"
        "    .text\n"
        "    .global boot, cf_m_reset\n"
        "    .thumb_func\n"
        "boot:\n"
        "    push    {r4-r11, lr}\n"
        "    ldr     r4, =saved\n"
        "    mov     r5, sp\n"
        "    str     r5, [r4]\n"
        "    movs    r5, #0\n"
        "    mov     sp, r5\n"
        "    b       cf_chip_first\n"
        "    .thumb_func\n"
        "    .type   cf_m_reset, %function\n"
        "cf_m_reset:\n"
        "    ldr     r4, =saved\n"
        "    ldr     r5, [r4]\n"
        "    mov     sp, r5\n"
        "    ldr     r4, =looks_left\n"
        "    str     r2, [r4]\n"
        "    pop     {r4-r11, pc}\n"
        "    .pool\n"
        "    .bss\n"
        "    .balign 4\n"
        "saved:\n"
        "    .word   0\n");

int main(int argc, char **argv) {
    if (argc != 2 || mmap(at(PAGE), 0x1000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at(PAGE)) {
        return 1;
    }
    *at(PWR + 0x04u) = strcmp(argv[1], "ready") == 0 ? CSR1_ACTVOSRDY : ~CSR1_ACTVOSRDY;
    *at(PWR + 0x0cu) = CR3_RESET;
    boot();
    printf("%u %u\n", (unsigned)*at(PWR + 0x0cu), (unsigned)looks_left);
    return 0;
}
