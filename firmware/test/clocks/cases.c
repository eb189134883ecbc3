/* What a chip's chip.c and its UART's driver do at the start, and at every rate of the board's line, on a model of the registers. */
#include "test/clocks/bench.h"
#include "test/clocks/models.h"

#define BEST_RATE_OFF 40u /* one part in so many, as uart.h has it */
#define MOST_BYTES 64

_Noreturn void refuse(const char *what, uint32_t value) {
    fprintf(stderr, "the manual forbids: %s (%#x)\n", what, (unsigned)value);
    exit(1);
}

uint32_t cf_mmio_read(uintptr_t address) {
    return model_read(address);
}

void cf_mmio_write(uintptr_t address, uint32_t value) {
    model_write(address, value);
}

static void check_line(uint32_t uart_hz) {
    const struct cf_uart_driver *uart = cf_chip.uart;

    for (uint32_t i = 0; i < cf_board.platform.baud_count; i++) {
        const uint32_t wanted = cf_board.platform.bauds[i];
        const bool possible = uart->start(cf_chip.uart_base, uart_hz, wanted);
        CHECK(possible || uart_hz < CF_UART_SURE * wanted);
        if (possible) {
            const uint32_t real = model_baud();
            CHECK(real > wanted - wanted / BEST_RATE_OFF && real < wanted + wanted / BEST_RATE_OFF);
        }
    }
    CHECK(uart->start(cf_chip.uart_base, uart_hz, cf_board.platform.bauds[0]));
    CHECK(!uart->start(cf_chip.uart_base, uart_hz, uart_hz / 2u));
    CHECK(model_baud() != 0); /* what cannot be made leaves the line alone */

    uint8_t bytes[16];
    struct cf_ring ring = {.bytes = bytes, .size = sizeof bytes};
    model_receive('a');
    CHECK(uart->interrupt(cf_chip.uart_base, &ring) == 0 && ring.head - ring.tail == 1 && bytes[0] == 'a');
    CHECK(uart->interrupt(cf_chip.uart_base, &ring) == 0 && ring.head - ring.tail == 1);
    for (uint32_t i = 0; i <= model_holds; i++) {
        model_receive('b');
    }
    CHECK(uart->interrupt(cf_chip.uart_base, &ring) == 1); /* one of them is lost, and that is told once */
    CHECK(uart->interrupt(cf_chip.uart_base, &ring) == 0);

    uint8_t sent[MOST_BYTES];
    uart->send(cf_chip.uart_base, (const uint8_t *)"copaflash", 9);
    uart->flush(cf_chip.uart_base);
    CHECK(model_sent(sent) == 9 && memcmp(sent, "copaflash", 9) == 0);
}

static void check(enum start start) {
    model_start(start);
    /* A warm restart of the runner sets everything up once more. */
    for (int again = 0; again < 2; again++) {
        const struct cf_rates rates = cf_chip_init();
        CHECK(rates.clock_hz == model_clock_hz());
        CHECK(rates.uart_hz == model_uart_hz());
        const bool lacks = start == START_NO_PLL || (start == START_NO_CRYSTAL && cf_board.crystal_hz != 0);
        CHECK(rates.conditions == (lacks ? CF_CONDITION_INTERNAL_CLOCK : 0));
        CHECK(model_uart_ready());
        check_line(rates.uart_hz);
    }
}

int main(void) {
    uint32_t hz = 0;

    for (int start = 0; start < STARTS; start++) {
        check((enum start)start);
        if (start == START_RESET) {
            hz = model_clock_hz();
        }
        CHECK(start == START_NO_PLL || model_clock_hz() == hz); /* a PLL makes the same of the internal oscillator */
    }
    printf("%u Hz\n", (unsigned)hz);
    return 0;
}
