/* STM32F405: reference manual RM0090. USART1 on PA9 (sends) and PA10 (receives). */
#include "arch/cortex-m/cortex_m.h"
#include "arch/cortex-m/systick.h"
#include "hal/mcu.h"
#include "hal/mmio.h"
#include "hal/stm32f4_clock.h"

#define USART1 0x40011000u
#define USART1_IRQ 37
#define USART1_ENABLE (1u << 4)
#define PORT_A 0u
#define FUNCTION_USART 7u

CF_VECTORS(USART1_IRQ, USART1_IRQ);

const struct cf_mcu cf_chip = {
    .uart = &cf_stm32_usart,
    .uart_base = USART1,
    .uart_irq = USART1_IRQ,
    .clock = &cf_systick,
    .clock_irq = CF_NO_IRQ,
};

struct cf_mcu_rates cf_chip_init(void) {
    cf_m_own_vectors();
    const uint32_t hz = cf_stm32f4_clock(cf_board.crystal_hz, false);

    cf_stm32f4_pins(PORT_A, 9, FUNCTION_USART);
    cf_mmio_write(CF_STM32F4_APB2ENR, cf_mmio_read(CF_STM32F4_APB2ENR) | USART1_ENABLE);
    return (struct cf_mcu_rates){.clock_hz = hz, .uart_hz = hz / 2u};
}
