/* STM32F446 as on Nucleo boards: reference manual RM0390. USART2 on PA2 (sends) and PA3 (receives), which go to the ST-Link,
 * and the clock of the ST-Link as the crystal. */
#include "arch/cortex-m/cortex_m.h"
#include "arch/cortex-m/devices.h"
#include "drivers/mmio.h"
#include "drivers/stm32f4_clock.h"
#include "platform/board.h"
#include "platform/chip.h"

#define USART2 0x40004400u
#define USART2_IRQ 38
#define USART2_ENABLE (1u << 17)
#define PORT_A 0u
#define FUNCTION_USART 7u

CF_VECTORS(USART2_IRQ, USART2_IRQ);

static const struct cf_watchdog watchdog = CF_IWDG(1, 3, 32760);

const struct cf_chip cf_chip = {
    .uart = &cf_stm32_usart,
    .uart_base = USART2,
    .uart_irq = USART2_IRQ,
    .clock = &cf_systick,
    .clock_irq = CF_IRQ_CORE,
    .guard = CF_M_GUARD,
    .irq = &cf_nvic,
    .watchdog = &watchdog,
};

struct cf_rates cf_chip_init(void) {
    cf_m_own_vectors();
    const uint32_t hz = cf_stm32f4_clock(cf_board.crystal_hz, true);

    cf_stm32f4_pins(PORT_A, 2, FUNCTION_USART);
    cf_mmio_write(CF_STM32F4_APB1ENR, cf_mmio_read(CF_STM32F4_APB1ENR) | USART2_ENABLE);
    return (struct cf_rates){.clock_hz = hz, .uart_hz = hz / 4u};
}
