/* STM32F100 (value line): reference manual RM0041. 24 MHz from the crystal or, where it does not start, from the internal
 * oscillator; USART1 on PA9 (sends) and PA10 (receives). */
#include "arch/cortex-m/devices.h"
#include "core/codes_gen.h"
#include "drivers/mmio.h"
#include "drivers/steps.h"
#include "platform/chip.h"

#define RCC 0x40021000u
#define RCC_CR RCC
#define RCC_CFGR (RCC + 0x04u)
#define RCC_APB2ENR (RCC + 0x18u)
#define GPIOA_CRH 0x40010804u
#define USART1 0x40013800u
#define USART1_IRQ 37u

#define CR_RESET 0x83u /* the internal oscillator */
#define CR_HSIRDY (1u << 1)
#define CR_HSEON (1u << 16)
#define CR_HSERDY (1u << 17)
#define CR_PLLON (1u << 24)
#define CR_PLLRDY (1u << 25)
#define CFGR_PLLSRC_HSE (1u << 16)
#define CFGR_PLLMUL(n) (((n) - 2u) << 18)
#define CFGR_SW_PLL 2u
#define CFGR_SWS (3u << 2)
#define APB2ENR_PORT_A (1u << 2)
#define APB2ENR_USART1 (1u << 14)
#define GPIOA_BSRR 0x40010810u
/* PA9 is an output of the USART, 50 MHz; PA10 an input with a resistor, which BSRR makes one up: idle; the others are as after reset. */
#define CRH_PA9_PA10 0x444448b4u
#define RECEIVE_PIN 10u

#define CLOCK_HZ 24000000u
#define HALF_INTERNAL_HZ 4000000u

CF_VECTORS(USART1_IRQ, USART1_IRQ);

static const struct cf_watchdog watchdog = CF_IWDG(5, 5, 26208);

const struct cf_chip cf_chip = {
    .uart = &cf_stm32_usart,
    .uart_base = USART1,
    .uart_irq = USART1_IRQ,
    .clock = &cf_systick,
    .clock_irq = CF_IRQ_CORE,
    .guard = CF_M_GUARD,
    .irq = &cf_nvic,
    .watchdog = &watchdog,
};

/* The boot loader in ROM hands over on the PLL, which can be set only while it is off, and nobody uses it. */
static const struct cf_step to_crystal[] = {
    CF_WRITE(RCC_CFGR, 0),
    CF_AWAIT_ZEROS(RCC_CFGR, CFGR_SWS),
    CF_WRITE(RCC_CR, CR_RESET | CR_HSEON),
    CF_AWAIT_ONES(RCC_CR, CR_HSERDY),
    CF_END,
};

/* Given where the PLL has its clock from, and its factor. */
static const struct cf_step to_pll[] = {
    CF_GIVEN(RCC_CFGR, 0),
    CF_WRITE(RCC_CR, CR_RESET | CR_HSEON | CR_PLLON),
    CF_AWAIT_ONES(RCC_CR, CR_PLLRDY),
    CF_GIVEN(RCC_CFGR, CFGR_SW_PLL),
    CF_END,
};

static const struct cf_step devices[] = {
    CF_WRITE(RCC_APB2ENR, APB2ENR_PORT_A | APB2ENR_USART1),
    CF_WRITE(GPIOA_BSRR, 1u << RECEIVE_PIN),
    CF_WRITE(GPIOA_CRH, CRH_PA9_PA10),
    CF_END,
};

/* Both ways to 24 MHz need a divider or a factor that is known here: 8 MHz times 3, or half of the internal 8 MHz times 6.
 * A chip whose internal oscillator is not even ready has none: it is QEMU's model, which runs at 24 MHz. */
static struct cf_rates start_clocks(void) {
    struct cf_rates rates = {.clock_hz = CLOCK_HZ};

    if ((cf_mmio_read(RCC_CR) & CR_HSIRDY) == 0) {
        return rates;
    }
    uint32_t source = CFGR_PLLSRC_HSE | CFGR_PLLMUL(CLOCK_HZ / 8000000u);
    if (!cf_steps(to_crystal, 0)) {
        source = CFGR_PLLMUL(CLOCK_HZ / HALF_INTERNAL_HZ);
        rates.conditions = CF_CONDITION_INTERNAL_CLOCK;
    }
    if (!cf_steps(to_pll, source)) {
        rates.clock_hz = 2u * HALF_INTERNAL_HZ;
        rates.conditions = CF_CONDITION_INTERNAL_CLOCK;
    }
    return rates;
}

struct cf_rates cf_chip_init(void) {
    struct cf_rates rates = start_clocks();

    (void)cf_steps(devices, 0);
    rates.uart_hz = rates.clock_hz;
    return rates;
}
