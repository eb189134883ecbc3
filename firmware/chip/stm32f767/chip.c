/*
 * STM32F767: reference manual RM0410, chapters FLASH (3), PWR (4), RCC (5), GPIO (6) and USART (34). 216 MHz, for which the core's voltage is
 * raised (over-drive), from another chip's clock at the oscillator pin or, where that does not come, from the internal oscillator of 16 MHz,
 * which is within 1 % at room temperature; USART3 on PD8 (sends) and PD9 (receives), which go to the ST-Link of a Nucleo.
 *
 * Registers have the values of reset in the bits that are not named.
 */
#include "arch/cortex-m/devices.h"
#include "drivers/mmio.h"
#include "drivers/steps.h"
#include "drivers/stm32_brown_out.h"
#include "platform/board.h"
#include "platform/chip.h"

#define USART3 0x40004800u
#define USART3_IRQ 39

/* What a handler reads of a UART takes some 20 cycles each time, as its bus has a quarter of the core's clock, and code may have to come from
 * flash memory first. */
#define GUARD 2048u

CF_VECTORS(USART3_IRQ, USART3_IRQ);

static const struct cf_watchdog watchdog = CF_IWDG(1, 3, 32760);

const struct cf_chip cf_chip = {
    .uart = &cf_stm32_usart2,
    .uart_base = USART3,
    .uart_irq = USART3_IRQ,
    .clock = &cf_systick,
    .clock_irq = CF_IRQ_CORE,
    .guard = GUARD,
    .irq = &cf_nvic,
    .watchdog = &watchdog,
};

#define RCC 0x40023800u
#define RCC_CR RCC
#define RCC_PLLCFGR (RCC + 0x04u)
#define RCC_CFGR (RCC + 0x08u)
#define RCC_AHB1ENR (RCC + 0x30u)
#define RCC_AHB2ENR (RCC + 0x34u)
#define RCC_AHB3ENR (RCC + 0x38u)
#define RCC_APB1ENR (RCC + 0x40u)
#define RCC_APB2ENR (RCC + 0x44u)
#define RCC_DCKCFGR2 (RCC + 0x90u)
#define PWR_CR1 0x40007000u
#define PWR_CSR1 0x40007004u
#define FLASH_ACR 0x40023c00u
#define GPIOD 0x40020c00u
#define GPIOD_MODER GPIOD
#define GPIOD_OSPEEDR (GPIOD + 0x08u)
#define GPIOD_PUPDR (GPIOD + 0x0cu)
#define GPIOD_AFRH (GPIOD + 0x24u)

#define CR_INTERNAL 0x81u /* the internal oscillator, and its trimming */
#define CR_HSIRDY (1u << 1)
#define CR_HSEON (1u << 16)
#define CR_HSERDY (1u << 17)
#define CR_HSEBYP (1u << 18)
#define CR_PLLON (1u << 24)
#define CR_PLLRDY (1u << 25)
#define CR_OTHER_PLLS_READY (1u << 27 | 1u << 29)
#define PLLCFGR_M(divisor) (divisor)
#define PLLCFGR_N(factor) ((factor) << 6)
#define PLLCFGR_P_2 0u
#define PLLCFGR_HSE (1u << 22)
#define PLLCFGR_Q_9 (9u << 24) /* 48 MHz for USB, random numbers and memory cards */
#define PLLCFGR_R_2 (2u << 28)
#define CFGR_SW_PLL 2u
#define CFGR_SWS (3u << 2)
#define CFGR_SWS_PLL (2u << 2)
#define CFGR_DIVISORS 0xfcf0u
#define CFGR_BUSES (5u << 10 | 4u << 13) /* APB1 has a quarter of the core's clock, APB2 the half of it */
#define AHB1ENR_PORT_D (1u << 3)
#define AHB1ENR_DATA (1u << 20) /* the memory that is tightly coupled, which variables and stack lie in */
#define APB1ENR_USART3 (1u << 18)
#define APB1ENR_PWR (1u << 28)
#define DCKCFGR2_APB1 0u /* is the clock of USART3 */
#define CR1_SCALE_1 (3u << 14)
#define CR1_ODEN (1u << 16)
#define CR1_ODSWEN (1u << 17)
#define CSR1_VOSRDY (1u << 14)
#define CSR1_ODRDY (1u << 16)
#define CSR1_ODSWRDY (1u << 17)
#define ACR_WAIT_STATES 7u /* up to 216 MHz at 2.7 V. The chip's own cache is for the other bus to flash memory. */
#define AF_USART 7u

#define INTERNAL_HZ 16000000u
#define INPUT_HZ 2000000u
#define FACTOR 216u
#define CORE_HZ (INPUT_HZ * FACTOR / 2u)
#define UART_DIVIDE 4u

/* A boot loader may hand over on the PLL, with the internal oscillator off. Given the bypass of an oscillator that is on, which must not
 * change before that is off. */
static const struct cf_step internal_on[] = {
    CF_GIVEN(RCC_CR, CR_INTERNAL),
    CF_AWAIT_ONES(RCC_CR, CR_HSIRDY),
    CF_END,
};

/* Given the same, once the core is asked to have the internal oscillator. Then everything that does not run on it is turned off: a PLL can be set,
 * and a voltage chosen, only while all of them are off, and no device may have a clock while over-drive comes. */
static const struct cf_step to_internal[] = {
    CF_AWAIT_ZEROS(RCC_CFGR, CFGR_SWS),
    CF_WRITE(RCC_CFGR, CFGR_BUSES),
    CF_GIVEN(RCC_CR, CR_INTERNAL),
    CF_AWAIT_ZEROS(RCC_CR, CR_PLLRDY | CR_OTHER_PLLS_READY | CR_HSERDY),
    CF_WRITE(RCC_AHB1ENR, AHB1ENR_DATA),
    CF_WRITE(RCC_AHB2ENR, 0),
    CF_WRITE(RCC_AHB3ENR, 0),
    CF_WRITE(RCC_APB1ENR, APB1ENR_PWR),
    CF_WRITE(RCC_APB2ENR, 0),
    CF_READ(RCC_APB1ENR),
    CF_WRITE(PWR_CR1, CR1_SCALE_1),
    CF_AWAIT_ZEROS(PWR_CSR1, CSR1_ODRDY | CSR1_ODSWRDY),
    CF_END,
};

static const struct cf_step to_oscillator[] = {
    CF_WRITE(RCC_CR, CR_INTERNAL | CR_HSEBYP), /* the bypass is chosen while it is off */
    CF_WRITE(RCC_CR, CR_INTERNAL | CR_HSEBYP | CR_HSEON),
    CF_AWAIT_ONES(RCC_CR, CR_HSERDY),
    CF_END,
};

/* Given the oscillator, if it is the PLL's input. */
static const struct cf_step to_pll[] = {
    CF_GIVEN(RCC_CR, CR_INTERNAL | CR_HSEBYP | CR_PLLON),
    CF_AWAIT_ONES(RCC_CR, CR_PLLRDY),
    CF_AWAIT_ONES(PWR_CSR1, CSR1_VOSRDY), /* the voltage is the lowest while there is no PLL */
    CF_WRITE(PWR_CR1, CR1_SCALE_1 | CR1_ODEN),
    CF_AWAIT_ONES(PWR_CSR1, CSR1_ODRDY),
    CF_WRITE(PWR_CR1, CR1_SCALE_1 | CR1_ODEN | CR1_ODSWEN),
    CF_AWAIT_ONES(PWR_CSR1, CSR1_ODSWRDY),
    CF_WRITE(FLASH_ACR, ACR_WAIT_STATES),
    CF_AWAIT_ONES(FLASH_ACR, ACR_WAIT_STATES), /* in effect before the clock is */
    CF_WRITE(RCC_CFGR, CFGR_BUSES | CFGR_SW_PLL),
    CF_AWAIT_ONES(RCC_CFGR, CFGR_SWS_PLL),
    CF_END,
};

/* A look at the register that turns a device's clock on takes as long as the clock needs to be there. */
static const struct cf_step pins[] = {
    CF_WRITE(RCC_DCKCFGR2, DCKCFGR2_APB1),
    CF_WRITE(RCC_APB1ENR, APB1ENR_PWR | APB1ENR_USART3),
    CF_READ(RCC_APB1ENR),
    CF_WRITE(RCC_AHB1ENR, AHB1ENR_DATA | AHB1ENR_PORT_D),
    CF_READ(RCC_AHB1ENR),
    CF_WRITE(GPIOD_AFRH, AF_USART << 0 | AF_USART << 4),
    CF_WRITE(GPIOD_OSPEEDR, 0xau << 16),
    CF_WRITE(GPIOD_PUPDR, 5u << 16), /* up: an unconnected input reads as an idle line */
    CF_WRITE(GPIOD_MODER, 0xau << 16),
    CF_END,
};

/* Returns whether the rate is from the oscillator that the board has; *hz is the rate. */
static bool start_clocks(uint32_t *hz) {
    const uint32_t bypass = cf_mmio_read(RCC_CR) & CR_HSEBYP;
    uint32_t input = PLLCFGR_M(INTERNAL_HZ / INPUT_HZ);
    uint32_t oscillator = 0;

    *hz = INTERNAL_HZ;
    if (!cf_steps(internal_on, bypass)) {
        return false;
    }
    /* The divisors stay until the slower clock is there: with others the faster one might be too fast. */
    cf_mmio_write(RCC_CFGR, cf_mmio_read(RCC_CFGR) & CFGR_DIVISORS);
    if (!cf_steps(to_internal, bypass)) {
        return false;
    }
    set_brown_out();
    if (cf_board.crystal_hz != 0 && cf_steps(to_oscillator, 0)) {
        input = PLLCFGR_HSE | PLLCFGR_M(cf_board.crystal_hz / INPUT_HZ);
        oscillator = CR_HSEON;
    }
    cf_mmio_write(RCC_PLLCFGR, input | PLLCFGR_N(FACTOR) | PLLCFGR_P_2 | PLLCFGR_Q_9 | PLLCFGR_R_2);
    if (!cf_steps(to_pll, oscillator)) {
        return false;
    }
    *hz = CORE_HZ;
    return oscillator != 0 || cf_board.crystal_hz == 0;
}

struct cf_rates cf_chip_init(void) {
    struct cf_rates rates = {0};

    if (!start_clocks(&rates.clock_hz)) {
        rates.conditions = CF_CONDITION_INTERNAL_CLOCK;
    }
    (void)cf_steps(pins, 0);
    rates.uart_hz = rates.clock_hz / UART_DIVIDE;
    return rates;
}
