/*
 * From reset, in whatever mode the boot code left us (Hyp, any secure mode, or AArch64 on a core that has both), to C in
 * Supervisor mode with a stack, zeroed variables and the MMU on. Entered by all cores; all but the first are parked.
 *
 * Numbers of fields: Arm Architecture Reference Manual, ARMv7-A edition, DDI 0406.
 */
#include "arch/arm/sysreg.h"

    .arch_extension sec
#if __ARM_ARCH >= 7
    .arch_extension virt
#endif
    .fpu    vfpv2

    .section .text.reset, "ax"
    .arm
    .global cf_arch_reset
cf_arch_reset:
#if __ARM_ARCH >= 7
    /* This word is a branch in A32, and ANDS of registers nobody needs in A64: an AArch64 core goes on behind it. */
    b       aarch32

    /* In A64, which this assembler does not know: from EL3 to Hyp mode, or from EL2 to Supervisor mode. */
    .macro  a64_address place           /* adr x0, place */
    .word   0x10000000 + ((\place - .) << 3)
    .endm
    .word   0xd5384240                  /* mrs x0, CurrentEL */
    .word   0xf100201f                  /* cmp x0, #8 */
    .word   0x54000140                  /* b.eq to EL2's part */
    .word   0x54000323                  /* b.lo to EL1's */
    .word   0xd2802620                  /* mov x0, #0x131: next level AArch32, HVC on, non-secure */
    .word   0xd51e1100                  /* msr scr_el3, x0 */
    .word   0xd51e115f                  /* msr cptr_el3, xzr */
    .word   0xd2803b40                  /* mov x0, #0x1da: Hyp, everything masked */
    .word   0xd51e4000                  /* msr spsr_el3, x0 */
    a64_address aarch32
    .word   0xd51e4020                  /* msr elr_el3, x0 */
    .word   0xd69f03e0                  /* eret */
    .word   0xd51c111f                  /* EL2: msr hcr_el2, xzr: EL1 is AArch32 */
    .word   0xd51c117f                  /* msr hstr_el2, xzr */
    .word   0xd2867fe0                  /* mov x0, #0x33ff */
    .word   0xd51c1140                  /* msr cptr_el2, x0 */
    .word   0xd2800060                  /* mov x0, #3 */
    .word   0xd51ce100                  /* msr cnthctl_el2, x0 */
    .word   0xd51ce07f                  /* msr cntvoff_el2, xzr */
    .word   0xd5380000                  /* mrs x0, midr_el1 */
    .word   0xd51c0000                  /* msr vpidr_el2, x0 */
    .word   0xd53800a0                  /* mrs x0, mpidr_el1 */
    .word   0xd51c00a0                  /* msr vmpidr_el2, x0 */
    .word   0xd2803a60                  /* mov x0, #0x1d3: Supervisor, everything masked */
    .word   0xd51c4000                  /* msr spsr_el2, x0 */
    a64_address aarch32
    .word   0xd51c4020                  /* msr elr_el2, x0 */
    .word   0xd69f03e0                  /* eret */
    .word   0xd503207f                  /* EL1: wfi; there is no way to AArch32 from here */
    .word   0x17ffffff                  /* b to the WFI */

aarch32:
    mrs     r0, cpsr
    and     r0, r0, #MODE_MASK
    cmp     r0, #MODE_HYP
    bne     at_supervisor
    movw    r0, #HCPTR_NO_TRAP
    mcr     p15, 4, r0, c1, c1, 2       /* HCPTR */
    mov     r0, #0
    mcr     p15, 4, r0, c1, c1, 0       /* HCR */
    mcr     p15, 4, r0, c1, c1, 3       /* HSTR */
    mcrr    p15, 4, r0, r0, c14         /* CNTVOFF */
    mov     r0, #CNTHCTL_NO_TRAP
    mcr     p15, 4, r0, c14, c1, 0      /* CNTHCTL */
    mrc     p15, 0, r0, c0, c0, 0
    mcr     p15, 4, r0, c0, c0, 0       /* VPIDR = MIDR */
    mrc     p15, 0, r0, c0, c0, 5
    mcr     p15, 4, r0, c0, c0, 5       /* VMPIDR = MPIDR */
    movw    r0, #CPSR_SVC_MASKED
    msr     spsr_cxsf, r0
    adr     r0, at_supervisor
    msr     elr_hyp, r0
    eret

at_supervisor:
    cpsid   aif, #MODE_SVC
    mrc     p15, 0, r0, c0, c0, 5       /* MPIDR; the cluster of a BCM2836 has number 15 */
    ands    r0, r0, #0xff
    bne     park
#else
    cpsid   aif, #MODE_SVC
#endif
    mrc     p15, 0, r0, c1, c0, 0       /* SCTLR; a loader that had the caches on has cleaned them */
    ldr     r1, =SCTLR_CLEAR
    bic     r0, r0, r1
    orr     r0, r0, #SCTLR_SET
    mcr     p15, 0, r0, c1, c0, 0
    sync_instructions
    mov     r0, #0
    mcr     p15, 0, r0, c7, c5, 0       /* invalidate instruction cache, */
    mcr     p15, 0, r0, c7, c5, 6       /* branch predictors, */
    mcr     p15, 0, r0, c8, c7, 0       /* and TLBs */
    mcr     p15, 0, r0, c7, c10, 4      /* DSB */
    sync_instructions
#if __ARM_ARCH >= 7
    /* A core must join coherency before its caches go on. Where firmware has done that, it may be ours to read only. */
    mrc     p15, 0, r0, c1, c0, 1       /* ACTLR */
    tst     r0, #ACTLR_SMP
    orreq   r0, r0, #ACTLR_SMP
    mcreq   p15, 0, r0, c1, c0, 1
#endif
    mrc     p15, 0, r0, c1, c0, 2       /* CPACR */
    orr     r0, r0, #CPACR_VFP
    mcr     p15, 0, r0, c1, c0, 2
    sync_instructions
    mov     r0, #FPEXC_ENABLE
    fmxr    fpexc, r0
    ldr     r0, =cf_arm_vectors
    mcr     p15, 0, r0, c12, c0, 0      /* VBAR */
    ldr     sp, =cf_runner_stack_top
    bl      cf_arm_mmu_init
    ldr     r0, =cf_bss_start           /* also what a restart keeps */
    ldr     r1, =cf_zeroed_end
    bl      zero
    b       cf_arch_restart

/* Parked for good, interrupts masked. WFI rather than WFE: under QEMU a WFE does not stop the core. */
#if __ARM_ARCH >= 7
park:
    wfi
    b       park
#endif

/* Zeroes words from r0 up to r1. */
zero:
    mov     r2, #0
1:  cmp     r0, r1
    strlo   r2, [r0], #4
    blo     1b
    bx      lr

/* From here on after a fault of the runner itself, too: the MMU stays on with its read-only tables, all else is set
 * up again. */
    .text
    .arm
    .global cf_arch_restart
cf_arch_restart:
    cpsid   if, #MODE_SVC
    ldr     sp, =cf_runner_stack_top
    ldr     r0, =cf_bss_start
    ldr     r1, =cf_bss_end
    bl      zero
    bl      main
    b       cf_arch_restart             /* main does not return; if it did, start over */
