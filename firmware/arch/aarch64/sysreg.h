/* Values of AArch64 system registers, for C and assembly. Field names as in DDI 0487. */
#ifndef CF_A64_SYSREG_H
#define CF_A64_SYSREG_H

#define CURRENT_EL2 (2 << 2)

#define MIDR_PART_CORTEX_A53 0xd03
#define CPUECTLR_EL1 s3_1_c15_c2_1
#define CPUECTLR_SMPEN (1 << 6)

/* Next level AArch64, HVC on, SMC off, reserved ones, non-secure. */
#define SCR_TO_EL2 ((1 << 10) | (1 << 8) | (1 << 7) | (3 << 4) | (1 << 0))
#define HCR_RW (1 << 31)
#define CPTR_EL2_NO_TRAP 0x33ff
#define CNTHCTL_NO_TRAP 3
#define CPACR_FP (3 << 20)

/* D, A, I and F masked. */
#define SPSR_EL2H 0x3c9
#define SPSR_EL1H 0x3c5
/* EL0, nothing masked: a program runs with interrupts on. */
#define SPSR_EL0 0

/* Reserved-one bits only: MMU, caches and checks off. */
#define SCTLR_EL1_RESET 0x30d00800
/* MMU, data cache, stack alignment checks at EL1 and EL0, instruction cache, nothing both writable and executable. What
 * EL0 could be allowed stays forbidden: WFI, WFE, interrupt masks, cache maintenance, DC ZVA. */
#define SCTLR_EL1_RUN (SCTLR_EL1_RESET | (1 << 0) | (1 << 2) | (3 << 3) | (1 << 12) | (1 << 19))

/* Memory attribute 0: Device-nGnRE; 1: Normal, write-back, read and write allocate. */
#define MAIR_EL1_VALUE 0xff04
/* 4 GiB at TTBR0 (T0SZ 32), cacheable inner-shareable walks, 4 KiB granule, TTBR1 off, 32-bit physical addresses. */
#define TCR_EL1_VALUE (32 | (1 << 8) | (1 << 10) | (3 << 12) | (1 << 23))

#endif
