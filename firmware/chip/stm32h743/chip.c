/*
 * STM32H743: reference manual RM0433, chapters PWR, RCC, FLASH, GPIO and USART. 400 MHz from another chip's clock at the oscillator pin or,
 * where that does not come, from the internal oscillator of 64 MHz, which is within 1 % at room temperature; USART3 on PD8 (sends) and
 * PD9 (receives), which go to the ST-Link of a Nucleo. The 480 MHz of later revisions need a voltage that the first ones do not have.
 *
 * Registers have the values of reset in the bits that are not named.
 */
#include "arch/cortex-m/devices.h"
#include "drivers/mmio.h"
#include "drivers/steps.h"
#include "platform/board.h"
#include "platform/chip.h"

#define USART3 0x40004800u
#define USART3_IRQ 39
#define IWDG1 0x58004800u

/* What a handler reads of a UART takes some 30 cycles each time, two buses away, and code may have to come from flash memory first. */
#define GUARD 2048u

CF_VECTORS(USART3_IRQ, USART3_IRQ);

static const struct cf_watchdog watchdog = CF_IWDG_AT(IWDG1, 1, 3, 32760);

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

#define RCC 0x58024400u
#define RCC_CR RCC
#define RCC_CFGR (RCC + 0x10u)
#define RCC_D1CFGR (RCC + 0x18u)
#define RCC_D2CFGR (RCC + 0x1cu)
#define RCC_D3CFGR (RCC + 0x20u)
#define RCC_PLLCKSELR (RCC + 0x28u)
#define RCC_PLLCFGR (RCC + 0x2cu)
#define RCC_PLL1DIVR (RCC + 0x30u)
#define RCC_D2CCIP2R (RCC + 0x54u)
#define RCC_AHB4ENR (RCC + 0xe0u)
#define RCC_APB1LENR (RCC + 0xe8u)
#define PWR_CSR1 0x58024804u
#define PWR_D3CR 0x58024818u
#define FLASH_ACR 0x52002000u
#define GPIOD 0x58020c00u
#define GPIOD_MODER GPIOD
#define GPIOD_OSPEEDR (GPIOD + 0x08u)
#define GPIOD_PUPDR (GPIOD + 0x0cu)
#define GPIOD_AFRH (GPIOD + 0x24u)

#define CR_HSION (1u << 0)
#define CR_HSIRDY (1u << 2)
#define CR_HSIDIV (3u << 3)
#define CR_HSEON (1u << 16)
#define CR_HSERDY (1u << 17)
#define CR_HSEBYP (1u << 18)
#define CR_PLL1ON (1u << 24)
#define CR_PLL1RDY (1u << 25)
#define CFGR_SW_HSI 0u
#define CFGR_SW_PLL1 3u
#define CFGR_SWS (7u << 3)
#define CFGR_SWS_PLL1 (3u << 3)
#define D1CFGR_BUSES (8u << 0 | 4u << 4)  /* AHB is half of the core's clock, APB3 half of that */
#define D2CFGR_BUSES (4u << 4 | 4u << 8)  /* so are APB1 and APB2 */
#define D3CFGR_BUSES (4u << 4)            /* and APB4 */
#define PLLCKSELR_OTHERS 0x02020000u      /* divisors of the other two PLLs */
#define PLLCKSELR_HSI 0u
#define PLLCKSELR_HSE 2u
#define PLLCKSELR_M1(divisor) ((divisor) << 4)
#define PLLCFGR_8_TO_16_MHZ (3u << 2)
#define PLLCFGR_P1 (1u << 16)             /* the output for the core, and no other */
#define PLL1DIVR_OTHERS (1u << 16 | 1u << 24)
#define PLL1DIVR_N(factor) ((factor) - 1u)
#define PLL1DIVR_P_2 (1u << 9)
#define CSR1_ACTVOSRDY (1u << 13)
#define D3CR_VOS1 (3u << 14)              /* up to 400 MHz */
#define D3CR_VOSRDY (1u << 13)
#define ACR_FIELDS 0x3fu
#define ACR_200_MHZ 0x22u                 /* two wait states, and the delay of signals that the manual has with them */
#define AHB4ENR_PORT_D (1u << 3)
#define APB1LENR_USART3 (1u << 18)
#define D2CCIP2R_APB1 0u                  /* is the clock of USART3 */
#define AF_USART 7u

#define INTERNAL_HZ 64000000u
#define INPUT_HZ 8000000u
#define FACTOR 100u
#define CORE_HZ (INPUT_HZ * FACTOR / 2u)
#define UART_DIVIDE 4u

/* The boot loader in ROM may hand over on the PLL, which can be turned off and set only while nobody uses it. Given what must not
 * change before that: the divisor of the internal oscillator, while a PLL has it as its input, and the bypass of one that is on. */
static const struct cf_step to_internal[] = {
    CF_GIVEN(RCC_CR, CR_HSION),
    CF_AWAIT_ONES(RCC_CR, CR_HSIRDY),
    CF_WRITE(RCC_CFGR, CFGR_SW_HSI),
    CF_AWAIT_ZEROS(RCC_CFGR, CFGR_SWS),
    CF_WRITE(RCC_D1CFGR, D1CFGR_BUSES),
    CF_WRITE(RCC_D2CFGR, D2CFGR_BUSES),
    CF_WRITE(RCC_D3CFGR, D3CFGR_BUSES),
    CF_GIVEN(RCC_CR, CR_HSION),
    CF_AWAIT_ZEROS(RCC_CR, CR_PLL1RDY | CR_HSERDY),
    CF_WRITE(RCC_CR, CR_HSION),
    CF_END,
};

static const struct cf_step to_oscillator[] = {
    CF_WRITE(RCC_CR, CR_HSION | CR_HSEBYP), /* the bypass is chosen while it is off */
    CF_WRITE(RCC_CR, CR_HSION | CR_HSEBYP | CR_HSEON),
    CF_AWAIT_ONES(RCC_CR, CR_HSERDY),
    CF_END,
};

/* Given the oscillator, if it is the PLL's input. */
static const struct cf_step to_pll[] = {
    CF_AWAIT_ONES(PWR_CSR1, CSR1_ACTVOSRDY),
    CF_WRITE(PWR_D3CR, D3CR_VOS1),
    CF_AWAIT_ONES(PWR_D3CR, D3CR_VOSRDY),
    CF_WRITE(RCC_PLLCFGR, PLLCFGR_8_TO_16_MHZ | PLLCFGR_P1),
    CF_WRITE(RCC_PLL1DIVR, PLL1DIVR_N(FACTOR) | PLL1DIVR_P_2 | PLL1DIVR_OTHERS),
    CF_GIVEN(RCC_CR, CR_HSION | CR_HSEBYP | CR_PLL1ON),
    CF_AWAIT_ONES(RCC_CR, CR_PLL1RDY),
    CF_WRITE(FLASH_ACR, ACR_200_MHZ),
    CF_AWAIT_ZEROS(FLASH_ACR, ACR_FIELDS & ~ACR_200_MHZ), /* in effect before the clock is */
    CF_WRITE(RCC_CFGR, CFGR_SW_PLL1),
    CF_AWAIT_ONES(RCC_CFGR, CFGR_SWS_PLL1),
    CF_END,
};

/* A look at the register that turns a device's clock on takes as long as the clock needs to be there. */
static const struct cf_step pins[] = {
    CF_WRITE(RCC_D2CCIP2R, D2CCIP2R_APB1),
    CF_WRITE(RCC_APB1LENR, APB1LENR_USART3),
    CF_READ(RCC_APB1LENR),
    CF_WRITE(RCC_AHB4ENR, AHB4ENR_PORT_D),
    CF_READ(RCC_AHB4ENR),
    CF_WRITE(GPIOD_AFRH, AF_USART << 0 | AF_USART << 4),
    CF_WRITE(GPIOD_OSPEEDR, 0xau << 16),
    CF_WRITE(GPIOD_PUPDR, 5u << 16), /* up: an unconnected input reads as an idle line */
    CF_WRITE(GPIOD_MODER, 0xfffaffffu),
    CF_END,
};

/* Returns whether the rate is from the oscillator that the board has; *hz is the rate. */
static bool start_clocks(uint32_t *hz) {
    uint32_t input = PLLCKSELR_HSI | PLLCKSELR_M1(INTERNAL_HZ / INPUT_HZ);
    uint32_t oscillator = 0;

    *hz = INTERNAL_HZ;
    if (!cf_steps(to_internal, cf_mmio_read(RCC_CR) & (CR_HSIDIV | CR_HSEBYP))) {
        return false;
    }
    if (cf_board.crystal_hz != 0 && cf_steps(to_oscillator, 0)) {
        input = PLLCKSELR_HSE | PLLCKSELR_M1(cf_board.crystal_hz / INPUT_HZ);
        oscillator = CR_HSEON;
    }
    cf_mmio_write(RCC_PLLCKSELR, PLLCKSELR_OTHERS | input);
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
