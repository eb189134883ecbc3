/* STM32F405: reference manual RM0090. USART1 on PA9 (sends) and PA10 (receives). */
#include "arch/cortex-m/cortex_m.h"
#include "arch/cortex-m/devices.h"
#include "drivers/mmio.h"
#include "drivers/noise.h"
#include "drivers/stm32f4_clock.h"
#include "platform/board.h"
#include "platform/chip.h"

#define USART1 0x40011000u
#define USART1_IRQ 37
#define USART1_ENABLE (1u << 4)
#define PORT_A 0u
#define FUNCTION_USART 7u

#define RNG_ENABLE (1u << 6)
#define RNG_CR 0x50060800u
#define RNG_DR 0x50060808u
#define RNG_ON (1u << 2)

/* A number takes 40 cycles of the PLL's 48 MHz, and is read as 0 before. Without the PLL there is none. */
#define RNG_TURNS 1000u

uint32_t cf_chip_noise(void) {
    cf_mmio_write(CF_STM32F4_AHB2ENR, RNG_ENABLE);
    cf_mmio_write(RNG_CR, RNG_ON);
    return cf_noise(RNG_DR, RNG_TURNS);
}

CF_VECTORS(USART1_IRQ, USART1_IRQ);

static const struct cf_watchdog watchdog = CF_IWDG(1, 3, 32760);

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

struct cf_rates cf_chip_init(void) {
    cf_m_own_vectors();
    const uint32_t hz = cf_stm32f4_clock(cf_board.crystal_hz, false);

    cf_stm32f4_pins(PORT_A, 9, FUNCTION_USART);
    cf_mmio_write(CF_STM32F4_APB2ENR, cf_mmio_read(CF_STM32F4_APB2ENR) | USART1_ENABLE);
    return (struct cf_rates){.clock_hz = hz, .uart_hz = hz / 2u};
}
