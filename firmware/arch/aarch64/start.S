/*
 * From reset, at whatever exception level the boot code left us (EL3, EL2 or EL1), to C at EL1 with a stack, zeroed
 * variables and the MMU on. Entered by all cores; all but the first are parked.
 *
 * Numbers of fields: Arm Architecture Reference Manual for A-profile, DDI 0487.
 */
#include "arch/aarch64/sysreg.h"

    .macro address reg, symbol
    adrp    \reg, \symbol
    add     \reg, \reg, :lo12:\symbol
    .endm

    .section .text.reset, "ax"
    .global cf_arch_reset
cf_arch_reset:
    msr     daifset, #15
    mrs     x0, mpidr_el1
    tst     x0, #0xffffff               /* affinity 0 to 2: the first core of the first cluster is ours */
    b.ne    park

    mrs     x0, CurrentEL
    cmp     x0, #CURRENT_EL2
    b.lo    at_el1
    b.eq    at_el2

    /* EL3: go to EL2, non-secure. A Cortex-A53 must join coherency before its caches go on; where firmware ran before
     * us it has done that and entered us below EL3. */
    mrs     x0, midr_el1
    ubfx    x0, x0, #4, #12
    cmp     x0, #MIDR_PART_CORTEX_A53
    b.ne    1f
    mrs     x0, CPUECTLR_EL1
    orr     x0, x0, #CPUECTLR_SMPEN
    msr     CPUECTLR_EL1, x0
1:  mov     x0, #SCR_TO_EL2
    msr     scr_el3, x0
    msr     cptr_el3, xzr
    mov     x0, #SPSR_EL2H
    msr     spsr_el3, x0
    adr     x0, at_el2
    msr     elr_el3, x0
    eret

at_el2:
    mov     x0, #HCR_RW
    msr     hcr_el2, x0
    mov     x0, #CPTR_EL2_NO_TRAP
    msr     cptr_el2, x0
    mov     x0, #CNTHCTL_NO_TRAP
    msr     cnthctl_el2, x0
    msr     cntvoff_el2, xzr
    msr     hstr_el2, xzr
    mrs     x0, midr_el1
    msr     vpidr_el2, x0
    mrs     x0, mpidr_el1
    msr     vmpidr_el2, x0
    ldr     x0, =SCTLR_EL1_RESET
    msr     sctlr_el1, x0
    mov     x0, #SPSR_EL1H
    msr     spsr_el2, x0
    adr     x0, at_el1
    msr     elr_el2, x0
    eret

at_el1:
    msr     spsel, #1
    msr     daifset, #15
    ldr     x0, =SCTLR_EL1_RESET        /* MMU and caches off; a loader that had them on has cleaned them */
    msr     sctlr_el1, x0
    isb
    ic      iallu
    tlbi    vmalle1
    dsb     nsh
    isb
    mov     x0, #CPACR_FP
    msr     cpacr_el1, x0
    address x0, cf_a64_vectors
    msr     vbar_el1, x0
    isb
    address x0, cf_runner_stack_top
    mov     sp, x0
    bl      cf_a64_mmu_init
    address x0, cf_bss_start            /* also what a restart keeps */
    address x1, cf_zeroed_end
1:  stp     xzr, xzr, [x0], #16
    cmp     x0, x1
    b.lo    1b
    b       cf_arch_restart

/* Parked for good, interrupts masked. WFI rather than WFE: under QEMU a WFE does not stop the core. */
park:
    wfi
    b       park

/* From here on after a fault of the runner itself, too: the MMU stays on with its read-only tables, all else is set
 * up again. */
    .text
    .global cf_arch_restart
cf_arch_restart:
    msr     daifset, #15
    address x0, cf_runner_stack_top
    mov     sp, x0
    address x0, cf_bss_start
    address x1, cf_bss_end
1:  stp     xzr, xzr, [x0], #16
    cmp     x0, x1
    b.lo    1b
    mov     x29, xzr
    mov     x30, xzr
    bl      main
    b       cf_arch_restart              /* main does not return; if it did, start over */
