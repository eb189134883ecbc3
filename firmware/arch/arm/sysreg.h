/* Values of AArch32 system registers, for C and assembly, and the barriers of both versions. Field names: Arm
 * Architecture Reference Manual, ARMv7-A edition (DDI 0406); ARM1176JZF-S Technical Reference Manual (DDI 0301). */
#ifndef CF_ARM_SYSREG_H
#define CF_ARM_SYSREG_H

#define MODE_MASK 0x1f
#define MODE_USR 0x10
#define MODE_SVC 0x13
#define MODE_HYP 0x1a
#define MODE_SYS 0x1f

#define PSR_THUMB (1 << 5)

/* Supervisor mode, asynchronous aborts, IRQ and FIQ masked. */
#define CPSR_SVC_MASKED 0x1d3
/* User mode, A32, FIQ masked: a program runs with interrupts on. */
#define CPSR_PROGRAM 0x50

/* Off: MMU, alignment checks, data and instruction cache, branch prediction, high vectors, big-endian and Thumb
 * exceptions, TEX remap, access flag. On: the ARMv6 forms of unaligned access and page tables, which later cores have
 * for good. */
#define SCTLR_CLEAR 0x72003807 /* TE, AFE, TRE, EE, V, I, Z, C, A, M */
#define SCTLR_SET 0x00c00000   /* XP, U */
#define SCTLR_RUN 0x00001807   /* I, Z, C, A, M */

#define CPACR_VFP 0x00f00000   /* coprocessors 10 and 11, all modes */
#define FPEXC_ENABLE 0x40000000
#define FPEXC_EX 0x80000000 /* of the VFP11: it has handed over to software */
#define FPSCR_DN 0x02000000
/* Round to nearest, no flush to zero, no vectors. A VFP11 needs software for NaNs unless it makes them the default one. */
#if __ARM_ARCH >= 7
#define FPSCR_PROGRAM 0
#else
#define FPSCR_PROGRAM FPSCR_DN
#endif
#define ACTLR_SMP 0x40         /* Cortex-A7, A9, A15 */

/* In Hyp mode: no traps but of coprocessors that are not there, all counters for PL1. */
#define HCPTR_NO_TRAP 0x33ff
#define CNTHCTL_NO_TRAP 3

#ifdef __ASSEMBLER__

    /* On the bus of a BCM2835, the one chip with an ARM1176 here, data that two devices are asked for may come in the wrong order.
     * Code uses what it has read from one before it asks another; an interrupt comes in between. Changes r3. */
    .macro  order_devices
#if __ARM_ARCH < 7
    mov     r3, #0
    mcr     p15, 0, r3, c7, c10, 5      /* DMB */
#endif
    .endm

    .macro sync_instructions
#if __ARM_ARCH >= 7
    isb
#else
    mov     r12, #0
    mcr     p15, 0, r12, c7, c5, 4
#endif
    .endm

#else

static inline void cf_arm_dsb(void) {
#if __ARM_ARCH >= 7
    __asm__ volatile("dsb" : : : "memory");
#else
    __asm__ volatile("mcr p15, 0, %0, c7, c10, 4" : : "r"(0) : "memory");
#endif
}

static inline void cf_arm_isb(void) {
#if __ARM_ARCH >= 7
    __asm__ volatile("isb" : : : "memory");
#else
    __asm__ volatile("mcr p15, 0, %0, c7, c5, 4" : : "r"(0) : "memory");
#endif
}

#endif

#endif
