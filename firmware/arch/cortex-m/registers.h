/* Registers of the core, for C and assembly. Names as in the Arm v6-M, v7-M and v8-M Architecture Reference Manuals
 * (DDI 0419, DDI 0403, DDI 0553). */
#ifndef CF_M_REGISTERS_H
#define CF_M_REGISTERS_H

#define SYST_CSR 0xe000e010
#define SYST_CSR_RUN 7 /* counts the processor's clock, with interrupt */
#define SYST_RVR 0xe000e014
#define SYST_CVR 0xe000e018

#define NVIC_ISER 0xe000e100
#define NVIC_ICER 0xe000e180
#define NVIC_ICPR 0xe000e280

#define ICSR 0xe000ed04
#define ICSR_PENDSTSET (1 << 26)
#define ICSR_PENDSTCLR (1 << 25)
#define VTOR 0xe000ed08
#define AIRCR 0xe000ed0c
#define AIRCR_RESET 0x05fa0004 /* key, SYSRESETREQ */
#define CCR 0xe000ed14
#define CCR_DIV_0_TRP (1 << 4)
#define CCR_STKALIGN (1 << 9)
#define CCR_IC (1 << 17)
#define CCR_DC (1 << 16)
#define SHCSR 0xe000ed24
#define SHCSR_FAULTS (7 << 16) /* UsageFault, BusFault, MemManage are taken as such */
#define SHCSR_PENDED (7 << 12) /* the same three, and still to come */
#define CFSR 0xe000ed28
#define MMFAR 0xe000ed34
#define BFAR 0xe000ed38
#define CPACR 0xe000ed88
#define CPACR_FPU (15 << 20)
#define FPCCR 0xe000ef34

#define CCSIDR 0xe000ed80
#define CSSELR 0xe000ed84
#define ICIALLU 0xe000ef50
#define DCCMVAU 0xe000ef64
#define DCISW 0xe000ef60

#define MPU_TYPE 0xe000ed90
#define MPU_CTRL 0xe000ed94
#define MPU_CTRL_ON 5 /* on, with the default map for the runner where no region says otherwise */
#define MPU_RNR 0xe000ed98
#define MPU_RBAR 0xe000ed9c
#define MPU_RASR 0xe000eda0 /* v6-M, v7-M */
#define MPU_RLAR 0xe000eda0 /* v8-M */
#define MPU_MAIR0 0xe000edc0

/* Exception numbers, in IPSR. */
#define EXCEPTION_SVC 11
#define EXCEPTION_SYSTICK 15
#define EXCEPTION_IRQ0 16

/* CONTROL: thread mode is unprivileged and uses the process stack. */
#define CONTROL_PROGRAM 3

/* Return to thread mode and the main stack, without a floating-point frame. */
#define EXC_RETURN_RUNNER (-7)

#define EXC_RETURN_PSP 4 /* the exception has stopped a program */

#define CF_M_ALARM 1 /* CF_PLATFORM_ALARM, for assembly */
/* Bytes in front of cf_m_gate in which a program that has not begun is interrupted. */
#ifdef __ARM_ARCH_6M__
#define CF_M_GATE 12
#else
#define CF_M_GATE 10
#endif

#define CF_M_DSB 4 /* bytes behind cf_m_gate to its SVC */

#define XPSR_THUMB 0x01000000

#endif
