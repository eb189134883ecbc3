/*
 * Clocks of the STM32L4 and G4, and the pins of their UART: from a crystal or, where there is none or it does not start, from the
 * internal oscillator of 16 MHz, which is within 1 % at room temperature. Registers: STM32L4x5 reference manual RM0351, chapters
 * PWR, RCC, FLASH and GPIO; the same in RM0440 (G4). The chip defines before it includes this:
 *
 *   STM32L4_CORE_HZ                 which the PLL makes: its input STM32L4_INPUT_HZ, a divisor of 16 MHz and of the crystal's rate,
 *   STM32L4_FACTOR                  times this, and halved
 *   STM32L4_WAIT_STATES             of flash memory at that rate
 *   STM32L4_CR, STM32L4_ACR         what reset sets in RCC_CR beside HSION and HSIRDY, and in FLASH_ACR beside the caches
 *   STM32L4_POWER                   steps: the voltage for that rate
 *   STM32L4_ENABLE                  steps: clocks of the UART and of its port
 *   STM32L4_PORT STM32L4_PIN        of the UART: the port's number, A is 0; the first of two pins, 0 to 7 or 8 to 15 both
 *   STM32L4_MODER, _OSPEEDR, _PUPDR that port's at reset
 *
 * Registers have the values of reset in the bits that are not named.
 */
#ifndef CF_STM32L4_H
#define CF_STM32L4_H

#include "drivers/mmio.h"
#include "drivers/steps.h"
#include "platform/board.h"
#include "platform/chip.h"

#define RCC 0x40021000u
#define RCC_CR RCC
#define RCC_CFGR (RCC + 0x08u)
#define RCC_PLLCFGR (RCC + 0x0cu)
#define RCC_AHB2ENR (RCC + 0x4cu)
#define RCC_APB1ENR1 (RCC + 0x58u)
#define RCC_APB2ENR (RCC + 0x60u)
#define FLASH_ACR 0x40022000u
#define GPIO_PORT (0x48000000u + 0x400u * STM32L4_PORT)
#define GPIO_MODER GPIO_PORT
#define GPIO_OSPEEDR (GPIO_PORT + 0x08u)
#define GPIO_PUPDR (GPIO_PORT + 0x0cu)
#define GPIO_AFR (GPIO_PORT + 0x20u + 4u * (STM32L4_PIN / 8u))

#define CR_HSION (1u << 8)
#define CR_HSIRDY (1u << 10)
#define CR_HSEON (1u << 16)
#define CR_HSERDY (1u << 17)
#define CR_PLLON (1u << 24)
#define CR_PLLRDY (1u << 25)
#define CFGR_SW_HSI 1u
#define CFGR_SW_PLL 3u
#define CFGR_SWS_HSI (1u << 2)
#define CFGR_SWS_OTHER (1u << 3) /* than this or, on an L4, the one of reset */
#define CFGR_SWS_PLL (3u << 2)
#define CFGR_HPRE_2 (8u << 4)
#define PLLCFGR_HSI 2u
#define PLLCFGR_HSE 3u
#define PLLCFGR_M(divisor) (((divisor) - 1u) << 4)
#define PLLCFGR_N(factor) ((factor) << 8)
#define PLLCFGR_R_2 (1u << 24) /* the output for the core is on, and half of what the factor makes */
#define ACR_CACHES (7u << 8)   /* prefetch, and both caches */
#define AF_USART 7u

#define INTERNAL_HZ 16000000u

/* Reads of a register that take 1 us at the least at half of 170 MHz. */
#define SETTLING_READS 50u

/* The boot loader in ROM may hand over on the PLL, which can be turned off and set only while nobody uses it. */
static const struct cf_step to_internal[] = {
    CF_WRITE(RCC_CR, STM32L4_CR | CR_HSION),
    CF_AWAIT_ONES(RCC_CR, CR_HSIRDY),
    CF_WRITE(RCC_CFGR, CFGR_SW_HSI),
    CF_AWAIT_ONES(RCC_CFGR, CFGR_SWS_HSI),
    CF_AWAIT_ZEROS(RCC_CFGR, CFGR_SWS_OTHER),
    CF_WRITE(RCC_CR, STM32L4_CR | CR_HSION),
    CF_AWAIT_ZEROS(RCC_CR, CR_PLLRDY),
    CF_END,
};

static const struct cf_step to_crystal[] = {
    CF_WRITE(RCC_CR, STM32L4_CR | CR_HSION | CR_HSEON),
    CF_AWAIT_ONES(RCC_CR, CR_HSERDY),
    CF_END,
};

/* Given the crystal, if it is the PLL's input. While the rate rises, the core has half of it. */
static const struct cf_step to_pll[] = {
    STM32L4_POWER,
    CF_GIVEN(RCC_CR, STM32L4_CR | CR_HSION | CR_PLLON),
    CF_AWAIT_ONES(RCC_CR, CR_PLLRDY),
    CF_WRITE(FLASH_ACR, STM32L4_ACR | ACR_CACHES | STM32L4_WAIT_STATES),
    CF_READ(FLASH_ACR), /* in effect before the clock is */
    CF_WRITE(RCC_CFGR, CFGR_HPRE_2 | CFGR_SW_PLL),
    CF_AWAIT_ONES(RCC_CFGR, CFGR_SWS_PLL),
    CF_END,
};

static const struct cf_step pins[] = {
    STM32L4_ENABLE,
    CF_WRITE(GPIO_AFR, AF_USART * 0x11u << 4u * (STM32L4_PIN % 8u)),
    CF_WRITE(GPIO_OSPEEDR, STM32L4_OSPEEDR | 0xau << 2u * STM32L4_PIN),
    CF_WRITE(GPIO_PUPDR, STM32L4_PUPDR | 5u << 2u * STM32L4_PIN), /* up: an unconnected input reads as an idle line */
    CF_WRITE(GPIO_MODER, (STM32L4_MODER & ~(0xfu << 2u * STM32L4_PIN)) | 0xau << 2u * STM32L4_PIN),
    CF_END,
};

/* Returns whether the rate is from the oscillator that the board has; *hz is the rate. */
static bool start_clocks(uint32_t *hz) {
    uint32_t input = PLLCFGR_HSI | PLLCFGR_M(INTERNAL_HZ / STM32L4_INPUT_HZ);
    uint32_t crystal = 0;

    *hz = INTERNAL_HZ;
    if (!cf_steps(to_internal, 0)) {
        return false;
    }
    if (cf_board.crystal_hz != 0 && cf_steps(to_crystal, 0)) {
        input = PLLCFGR_HSE | PLLCFGR_M(cf_board.crystal_hz / STM32L4_INPUT_HZ);
        crystal = CR_HSEON;
    }
    cf_mmio_write(RCC_PLLCFGR, input | PLLCFGR_N(STM32L4_FACTOR) | PLLCFGR_R_2);
    if (!cf_steps(to_pll, crystal)) {
        return false;
    }
    for (uint32_t i = 0; i < SETTLING_READS; i++) {
        (void)cf_mmio_read(RCC_CFGR);
    }
    cf_mmio_write(RCC_CFGR, CFGR_SW_PLL);
    *hz = STM32L4_CORE_HZ;
    return crystal != 0 || cf_board.crystal_hz == 0;
}

struct cf_rates cf_chip_init(void) {
    struct cf_rates rates = {0};

    if (!start_clocks(&rates.clock_hz)) {
        rates.conditions = CF_CONDITION_INTERNAL_CLOCK;
    }
    (void)cf_steps(pins, 0);
    rates.uart_hz = rates.clock_hz;
    return rates;
}

#endif
