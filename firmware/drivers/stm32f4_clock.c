/* Registers: STM32F405 reference manual RM0090, chapters RCC, PWR, FLASH and GPIO; the same in RM0390 (F446). */
#include "drivers/stm32f4_clock.h"

#include "drivers/mmio.h"

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
#define CR_HSEBYP (1u << 18)
#define CR_PLLON (1u << 24)
#define PLLCFGR_HSE (1u << 22)
#define PLLCFGR_RESERVED (2u << 28) /* the F446's divider R; reserved with this value on the F405 */
#define CFGR_APB1_4 (5u << 10)
#define CFGR_APB2_2 (4u << 13)
#define CFGR_SW_PLL 2u
#define CFGR_SWS (3u << 2)
#define APB1ENR_PWR (1u << 28)
#define PWR_CR_SCALE_1 (3u << 14) /* on the F405 only bit 14 is there */
#define ACR_168_MHZ 0x705u        /* 5 wait states, prefetch, caches */

#define INTERNAL_HZ 16000000u
#define CORE_HZ 168000000u

/* A crystal takes 2 ms, the PLL 0.3 ms; a turn is at least 5 cycles of the internal 16 MHz. */
#define READY_TURNS 20000u

static void set(uintptr_t address, uint32_t bits) {
    cf_mmio_write(address, cf_mmio_read(address) | bits);
}

/* Switches an oscillator or the PLL on. Each says that it is ready in the bit above. */
static bool start(uint32_t on) {
    set(RCC_CR, on);
    for (uint32_t i = 0; i < READY_TURNS; i++) {
        if ((cf_mmio_read(RCC_CR) & on << 1) != 0) {
            return true;
        }
    }
    return false;
}

uint32_t cf_stm32f4_clock(uint32_t crystal_hz, bool bypass) {
    uint32_t core_hz = CORE_HZ;

    /* Where it runs without any oscillator, it is QEMU's model, whose clock is fixed. */
    if ((cf_mmio_read(RCC_CR) & CR_HSIRDY) != 0) {
        uint32_t source = INTERNAL_HZ / 1000000u; /* and what divides it to 1 MHz */
        /* The boot loader in ROM hands over on the PLL, which can be set only while it is off, and nobody uses it. */
        cf_mmio_write(RCC_CFGR, CFGR_APB1_4 | CFGR_APB2_2);
        while ((cf_mmio_read(RCC_CFGR) & CFGR_SWS) != 0) {
        }
        cf_mmio_write(RCC_CR, cf_mmio_read(RCC_CR) & ~CR_PLLON);
        if (crystal_hz != 0 && start(bypass ? CR_HSEBYP | CR_HSEON : CR_HSEON)) {
            source = PLLCFGR_HSE | crystal_hz / 1000000u;
        }
        set(CF_STM32F4_APB1ENR, APB1ENR_PWR);
        set(PWR_CR, PWR_CR_SCALE_1);
        /* 1 MHz times 336 is 336 MHz, halved for the core (P = 0) and divided by 7 for USB (Q). */
        cf_mmio_write(RCC_PLLCFGR, source | 336u << 6 | 7u << 24 | PLLCFGR_RESERVED);
        if (start(CR_PLLON)) {
            cf_mmio_write(FLASH_ACR, ACR_168_MHZ);
            (void)cf_mmio_read(FLASH_ACR); /* in effect before the clock is */
            set(RCC_CFGR, CFGR_SW_PLL);
        } else {
            core_hz = INTERNAL_HZ;
        }
    }
    return core_hz;
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
