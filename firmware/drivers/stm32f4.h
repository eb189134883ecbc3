/*
 * Clocks of the STM32F4, and the pins of its UART: 168 MHz or what the chip says, from a crystal or, where there is none or it does not
 * start, from the internal oscillator, which is within 1 % at room temperature. Registers: STM32F405 reference manual RM0090, chapters RCC, PWR, FLASH
 * and GPIO; the same in RM0390 (F446), RM0368 (F401) and RM0383 (F411). The chip defines before it includes this:
 *
 *   STM32F4_OSCILLATOR                    CR_HSEON, with CR_HSEBYP where it is not a crystal, but another chip's clock
 *   STM32F4_ENABLE                        steps: clocks of the UART, and of the port beside what AHB1ENR has after reset
 *   STM32F4_PORT STM32F4_PIN              registers of a port; the first of two pins of it, 0 to 7 or 8 to 15 both
 *   STM32F4_FUNCTION                      the alternate function of both
 *   STM32F4_UART_DIVIDE                   of the core's clock to that of the UART: 2 on APB2, 4 on APB1
 *   STM32F4_MHZ                           of the core, if it is not 168, and then
 *   STM32F4_PLL                           PLLCFGR without its input: what makes that of 1 MHz
 *   STM32F4_SCALE                         of PWR_CR: of the core's voltage, the lowest that will do
 *   STM32F4_WAIT_STATES                   of flash memory at 2.7 V
 *   STM32F4_BUSES                         of CFGR: divisors of APB1 and APB2
 *
 * Registers have the values of reset in the bits that are not named.
 */
#ifndef CF_STM32F4_H
#define CF_STM32F4_H

#include "drivers/mmio.h"
#include "drivers/steps.h"
#include "drivers/stm32_brown_out.h"
#include "platform/board.h"
#include "platform/chip.h"

#define RCC_CR RCC
#define RCC_PLLCFGR (RCC + 0x04u)
#define RCC_CFGR (RCC + 0x08u)
#define PWR_CR 0x40007000u
#define FLASH_ACR 0x40023c00u
#define GPIO_MODER STM32F4_PORT
#define GPIO_OSPEEDR (STM32F4_PORT + 0x08u)
#define GPIO_PUPDR (STM32F4_PORT + 0x0cu)
#define GPIO_AFR (STM32F4_PORT + 0x20u + STM32F4_PIN / 8u * 4u)
#define PORT_A 0x40020000u

#define CR_RESET 0x83u /* the internal oscillator */
#define CR_HSIRDY (1u << 1)
#define CR_HSEON (1u << 16)
#define CR_HSERDY (1u << 17)
#define CR_PLLON (1u << 24)
#define CR_PLLRDY (1u << 25)
#define PLLCFGR_HSE (1u << 22)
#define PLLCFGR_RESERVED (2u << 28) /* the F446's divider R; reserved with this value on the F405 */
#define CFGR_APB1_4 (5u << 10)
#define CFGR_APB2_2 (4u << 13)
#define CFGR_APB1_2 (4u << 10)
#define CFGR_SW_PLL 2u
#define CFGR_SWS (3u << 2)
#define ACR_CACHES 0x700u /* prefetch, caches */
#ifndef STM32F4_MHZ
/* 336 MHz, halved for the core (P = 0) and divided by 7 for USB and random numbers (Q). */
#define STM32F4_MHZ 168u
#define STM32F4_PLL (336u << 6 | 7u << 24)
#define STM32F4_SCALE (3u << 14) /* on the F405 only bit 14 is there */
#define STM32F4_WAIT_STATES 5u
#define STM32F4_BUSES (CFGR_APB1_4 | CFGR_APB2_2)
#endif

/* Pins of the debugger; other ports have 0, but B. */
#define MODER_RESET (STM32F4_PORT == PORT_A ? 0xa8000000u : 0)
#define OSPEEDR_RESET (STM32F4_PORT == PORT_A ? 0x0c000000u : 0)
#define PUPDR_RESET (STM32F4_PORT == PORT_A ? 0x64000000u : 0)

#define INTERNAL_HZ 16000000u
#define CORE_HZ (STM32F4_MHZ * 1000000u)

/* The boot loader in ROM hands over on the PLL, which can be set only while it is off, and nobody uses it. */
static const struct cf_step to_oscillator[] = {
    CF_WRITE(RCC_CFGR, STM32F4_BUSES),
    CF_AWAIT_ZEROS(RCC_CFGR, CFGR_SWS),
    CF_WRITE(RCC_CR, CR_RESET | (STM32F4_OSCILLATOR & ~CR_HSEON)), /* the bypass is chosen while it is off */
    CF_WRITE(RCC_CR, CR_RESET | STM32F4_OSCILLATOR),
    CF_AWAIT_ONES(RCC_CR, CR_HSERDY),
    CF_END,
};

/* Given where the PLL has 1 MHz from. */
static const struct cf_step to_pll[] = {
    CF_WRITE(RCC_APB1ENR, APB1ENR_PWR),
    CF_WRITE(PWR_CR, STM32F4_SCALE),
    CF_GIVEN(RCC_PLLCFGR, STM32F4_PLL | PLLCFGR_RESERVED),
    CF_WRITE(RCC_CR, CR_RESET | STM32F4_OSCILLATOR | CR_PLLON),
    CF_AWAIT_ONES(RCC_CR, CR_PLLRDY),
    CF_WRITE(FLASH_ACR, ACR_CACHES | STM32F4_WAIT_STATES),
    CF_READ(FLASH_ACR), /* in effect before the clock is */
    CF_WRITE(RCC_CFGR, STM32F4_BUSES | CFGR_SW_PLL),
    CF_END,
};

static const struct cf_step pins[] = {
    STM32F4_ENABLE,
    CF_WRITE(GPIO_AFR, STM32F4_FUNCTION * 0x11u << 4u * (STM32F4_PIN % 8u)),
    CF_WRITE(GPIO_OSPEEDR, OSPEEDR_RESET | 0xau << 2u * STM32F4_PIN),
    CF_WRITE(GPIO_PUPDR, PUPDR_RESET | 5u << 2u * STM32F4_PIN), /* up: an unconnected input reads as an idle line */
    CF_WRITE(GPIO_MODER, MODER_RESET | 0xau << 2u * STM32F4_PIN),
    CF_END,
};

static struct cf_rates start_clocks(void) {
    struct cf_rates rates = {.clock_hz = CORE_HZ};

    if ((cf_mmio_read(RCC_CR) & CR_HSIRDY) == 0) { /* without any oscillator it is QEMU's model, whose clock is fixed */
        return rates;
    }
    set_brown_out();
    uint32_t source = PLLCFGR_HSE | cf_board.crystal_hz / 1000000u;
    if (!cf_steps(to_oscillator, 0) || cf_board.crystal_hz == 0) {
        source = INTERNAL_HZ / 1000000u;
        rates.conditions = CF_CONDITION_INTERNAL_CLOCK;
    }
    if (!cf_steps(to_pll, source)) {
        rates.clock_hz = INTERNAL_HZ;
        rates.conditions = CF_CONDITION_INTERNAL_CLOCK;
    }
    return rates;
}

struct cf_rates cf_chip_init(void) {
    struct cf_rates rates = start_clocks();

    (void)cf_steps(pins, 0);
    rates.uart_hz = rates.clock_hz / STM32F4_UART_DIVIDE;
    return rates;
}

#endif
