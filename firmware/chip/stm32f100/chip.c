/* STM32F100 (value line): reference manual RM0041. 24 MHz from the crystal or, where it does not start, from the internal
 * oscillator; USART1 on PA9 (sends) and PA10 (receives). */
#include "arch/cortex-m/cortex_m.h"
#include "arch/cortex-m/devices.h"
#include "drivers/mmio.h"
#include "platform/chip.h"

#define RCC 0x40021000u
#define RCC_CR RCC
#define RCC_CFGR (RCC + 0x04u)
#define RCC_APB2ENR (RCC + 0x18u)
#define GPIOA_CRH 0x40010804u
#define USART1 0x40013800u
#define USART1_IRQ 37u

#define CR_HSIRDY (1u << 1)
#define CR_HSEON (1u << 16)
#define CR_HSERDY (1u << 17)
#define CR_PLLON (1u << 24)
#define CR_PLLRDY (1u << 25)
#define CFGR_PLLSRC_HSE (1u << 16)
#define CFGR_PLLMUL(n) (((n) - 2u) << 18)
#define CFGR_SW_PLL 2u
#define CFGR_SWS (3u << 2)
#define CFGR_SWS_PLL (2u << 2)
#define APB2ENR_PORT_A (1u << 2)
#define APB2ENR_USART1 (1u << 14)
#define GPIOA_BSRR 0x40010810u
#define CRH_PA9_PA10 0x000008b0u /* output of the USART, 50 MHz; input with a resistor, which BSRR makes one up: idle */
#define CRH_MASK 0x00000ff0u
#define RECEIVE_PIN 10u

#define CLOCK_HZ 24000000u
#define HALF_INTERNAL_HZ 4000000u

/* The crystal takes 2 ms at most; a turn is at least 5 cycles of the internal 8 MHz. */
#define READY_TURNS 10000u

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

static bool ready(uintptr_t address, uint32_t bit) {
    for (uint32_t i = 0; i < READY_TURNS; i++) {
        if ((cf_mmio_read(address) & bit) != 0) {
            return true;
        }
    }
    return false;
}

static void set(uintptr_t address, uint32_t bits) {
    cf_mmio_write(address, cf_mmio_read(address) | bits);
}

/* Both ways to 24 MHz need a divider or a factor that is known here: 8 MHz times 3, or half of the internal 8 MHz times 6.
 * A chip whose internal oscillator is not even ready has none: it is QEMU's model, which runs at 24 MHz. */
struct cf_rates cf_chip_init(void) {
    uint32_t hz = CLOCK_HZ;

    cf_m_own_vectors();
    if ((cf_mmio_read(RCC_CR) & CR_HSIRDY) != 0) {
        /* The boot loader in ROM hands over on the PLL, which can be set only while it is off, and nobody uses it. */
        cf_mmio_write(RCC_CFGR, 0);
        while ((cf_mmio_read(RCC_CFGR) & CFGR_SWS) != 0) {
        }
        cf_mmio_write(RCC_CR, (cf_mmio_read(RCC_CR) & ~CR_PLLON) | CR_HSEON);
        const bool crystal = ready(RCC_CR, CR_HSERDY);
        const uint32_t source =
            crystal ? CFGR_PLLSRC_HSE | CFGR_PLLMUL(CLOCK_HZ / 8000000u) : CFGR_PLLMUL(CLOCK_HZ / HALF_INTERNAL_HZ);
        cf_mmio_write(RCC_CFGR, source);
        set(RCC_CR, CR_PLLON);
        if (ready(RCC_CR, CR_PLLRDY)) {
            set(RCC_CFGR, CFGR_SW_PLL);
            (void)ready(RCC_CFGR, CFGR_SWS_PLL);
        } else {
            hz = 2u * HALF_INTERNAL_HZ;
        }
    }
    set(RCC_APB2ENR, APB2ENR_PORT_A | APB2ENR_USART1);
    cf_mmio_write(GPIOA_BSRR, 1u << RECEIVE_PIN);
    cf_mmio_write(GPIOA_CRH, (cf_mmio_read(GPIOA_CRH) & ~CRH_MASK) | CRH_PA9_PA10);
    return (struct cf_rates){.clock_hz = hz, .uart_hz = hz};
}
