/* Registers: STM32F405 reference manual RM0090, chapters RCC, PWR, FLASH and GPIO; the same in RM0390 (F446). */
#include "hal/stm32f4_clock.h"

#include "hal/mmio.h"

#define RCC_CR CF_STM32F4_RCC
#define RCC_PLLCFGR (CF_STM32F4_RCC + 0x04u)
#define RCC_CFGR (CF_STM32F4_RCC + 0x08u)
#define RCC_AHB1ENR (CF_STM32F4_RCC + 0x30u)
#define PWR_CR 0x40007000u
#define FLASH_ACR 0x40023c00u
#define GPIO(port) (0x40020000u + 0x400u * (port))
#define GPIO_MODER 0x00u
#define GPIO_OSPEEDR 0x08u
#define GPIO_PUPDR 0x0cu
#define GPIO_AFR 0x20u

#define CR_HSIRDY (1u << 1)
#define CR_HSEON (1u << 16)
#define CR_HSERDY (1u << 17)
#define CR_HSEBYP (1u << 18)
#define CR_PLLON (1u << 24)
#define CR_PLLRDY (1u << 25)
#define PLLCFGR_HSE (1u << 22)
#define PLLCFGR_RESERVED (2u << 28) /* the F446's divider R; reserved with this value on the F405 */
#define CFGR_APB1_4 (5u << 10)
#define CFGR_APB2_2 (4u << 13)
#define CFGR_SW_PLL 2u
#define CFGR_SWS_PLL (2u << 2)
#define APB1ENR_PWR (1u << 28)
#define PWR_CR_SCALE_1 (3u << 14) /* on the F405 only bit 14 is there */
#define ACR_168_MHZ 0x705u        /* 5 wait states, prefetch, caches */

#define INTERNAL_HZ 16000000u
#define CORE_HZ 168000000u

/* A crystal takes 2 ms, the PLL 0.3 ms; a turn is at least 5 cycles of the internal 16 MHz. */
#define READY_TURNS 20000u

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

struct cf_stm32f4_clocks cf_stm32f4_clock(uint32_t crystal_hz, bool bypass) {
    static const struct cf_stm32f4_clocks full = {CORE_HZ, CORE_HZ / 4u, CORE_HZ / 2u};

    if ((cf_mmio_read(RCC_CR) & CR_HSIRDY) == 0) {
        return full; /* it runs without any oscillator: QEMU's model, whose clock is fixed */
    }
    uint32_t source_hz = INTERNAL_HZ;
    uint32_t source = 0;
    if (crystal_hz != 0) {
        set(RCC_CR, bypass ? CR_HSEBYP | CR_HSEON : CR_HSEON);
        if (ready(RCC_CR, CR_HSERDY)) {
            source_hz = crystal_hz;
            source = PLLCFGR_HSE;
        }
    }
    set(CF_STM32F4_APB1ENR, APB1ENR_PWR);
    set(PWR_CR, PWR_CR_SCALE_1);
    /* 1 MHz times 336 is 336 MHz, halved for the core (P = 0) and divided by 7 for USB (Q). */
    cf_mmio_write(RCC_PLLCFGR, source_hz / 1000000u | 336u << 6 | source | 7u << 24 | PLLCFGR_RESERVED);
    set(RCC_CR, CR_PLLON);
    if (!ready(RCC_CR, CR_PLLRDY)) {
        return (struct cf_stm32f4_clocks){INTERNAL_HZ, INTERNAL_HZ, INTERNAL_HZ};
    }
    cf_mmio_write(FLASH_ACR, ACR_168_MHZ);
    (void)cf_mmio_read(FLASH_ACR); /* in effect before the clock is */
    cf_mmio_write(RCC_CFGR, CFGR_APB1_4 | CFGR_APB2_2 | CFGR_SW_PLL);
    (void)ready(RCC_CFGR, CFGR_SWS_PLL);
    return full;
}

static void replace(uintptr_t address, uint32_t mask, uint32_t bits) {
    cf_mmio_write(address, (cf_mmio_read(address) & ~mask) | bits);
}

void cf_stm32f4_pins(uint32_t port, uint32_t first, uint32_t function) {
    const uintptr_t base = GPIO(port);
    const uint32_t nibble = first % 8u * 4u;
    const uint32_t pair = first * 2u;

    set(RCC_AHB1ENR, 1u << port);
    (void)cf_mmio_read(RCC_AHB1ENR); /* two cycles after the clock is on the port answers */
    replace(base + GPIO_AFR + first / 8u * 4u, 0xffu << nibble, function * 0x11u << nibble);
    set(base + GPIO_OSPEEDR, 0xau << pair);
    set(base + GPIO_PUPDR, 5u << pair); /* up: an unconnected input reads as an idle line */
    replace(base + GPIO_MODER, 15u << pair, 0xau << pair);
}
