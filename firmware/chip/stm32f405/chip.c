/* STM32F405: reference manual RM0090. USART1 on PA9 (sends) and PA10 (receives). */
#include "arch/cortex-m/devices.h"
#include "drivers/mmio.h"
#include "drivers/noise.h"
#include "platform/chip.h"

#define USART1 0x40011000u
#define USART1_IRQ 37

#define RCC 0x40023800u
#define RCC_AHB1ENR (RCC + 0x30u)
#define RCC_AHB2ENR (RCC + 0x34u)
#define RCC_APB1ENR (RCC + 0x40u)
#define RCC_APB2ENR (RCC + 0x44u)
#define AHB1ENR_PORT_A 0x00100001u /* and of the core-coupled memory, as after reset */
#define APB1ENR_PWR (1u << 28)
#define APB2ENR_USART1 (1u << 4)

#define RNG_ENABLE (1u << 6)
#define RNG_CR 0x50060800u
#define RNG_DR 0x50060808u
#define RNG_ON (1u << 2)

/* A number takes 40 cycles of the PLL's 48 MHz, and is read as 0 before. Without the PLL there is none. */
#define RNG_TURNS 1000u

uint32_t cf_chip_noise(void) {
    cf_mmio_write(RCC_AHB2ENR, RNG_ENABLE);
    cf_mmio_write(RNG_CR, RNG_ON);
    return cf_noise(RNG_DR, RNG_TURNS);
}

CF_VECTORS(USART1_IRQ, USART1_IRQ);

static const struct cf_watchdog watchdog = CF_IWDG(1, 3, 32760);

/* Sectors 10 and 11, the last ones. */
const struct cf_store_memory cf_hal_store_memory = {
    .length = 0x20000,
    .page = 0x20000,
    .unit = 4,
    .erase_ms = 2000,
    .slots = (const uint8_t *)(uintptr_t)0x080c0000u,
    .first = 32,
};

const struct cf_chip cf_chip = {
    .uart = &cf_stm32_usart,
    .uart_base = USART1,
    .uart_irq = USART1_IRQ,
    .clock = &cf_systick,
    .clock_irq = CF_IRQ_CORE,
    .guard = CF_M_GUARD,
    .irq = &cf_nvic,
    .watchdog = &watchdog,
    .flash = &cf_stm32f4_flash,
};

#define STM32F4_OSCILLATOR (1u << 16)
#define STM32F4_ENABLE CF_WRITE(RCC_AHB1ENR, AHB1ENR_PORT_A), CF_WRITE(RCC_APB2ENR, APB2ENR_USART1)
#define STM32F4_AFR 0x40020024u
#define STM32F4_PIN 9u
#define STM32F4_UART_DIVIDE 2u

#include "drivers/stm32f4.h"
