/*
 * nRF52833 and nRF52840: chapters CLOCK, GPIO, PPI, PWM, SAADC and UART of their product specifications. The registers that a runner has to do with;
 * every other access is refused. TXD_PIN and RXD_PIN are the pins as PSEL has them, and WORDS is where those of EasyDMA are.
 */
#include "platform/board.h"
#include "test/clocks/models.h"

#define CLOCK 0x40000000u
#define UART 0x40002000u
#define GPIO 0x50000000u
#define GPIOTE 0x40006000u
#define TIMER1 0x40009000u
#define PPI 0x4001f000u
#define SAADC 0x40007000u
#define PWM0 0x4001c000u
#define PWM1 0x40021000u

#define OFF 0u
#define ON 4u
#define UNCONNECTED 0xffffffffu

const uint32_t model_holds = 6;

static struct {
    uint32_t enable, txd, rxd, baud, inten, error;
    uint32_t out, dir, fifo, looks;
    uint32_t event[2], task[2];
    uint32_t result, results, sequence[2][2], lengths[2][2];
    uint32_t pulses[8]; /* pins, and that they are chosen */
    bool crystal, asked, receives, sends, ready, left;
    uint8_t bytes[6];
    uint8_t sent[64];
    uint32_t count;
} m;

void model_start(enum start start) {
    __builtin_memset(&m, 0, sizeof m);
    m.txd = m.rxd = UNCONNECTED;
    m.baud = 0x04000000u;
    m.crystal = has_crystal(start);
    if (start == START_LOADER) { /* which has used the other UART in the same place */
        m.enable = 8;
        m.txd = RXD_PIN;
        m.rxd = TXD_PIN;
        m.asked = true;
    }
}

/* TIMER0 counts the same of either oscillator. */
uint32_t model_clock_hz(void) {
    return 16000000;
}

uint32_t model_uart_hz(void) {
    return 16000000;
}

static void write_pin(uint32_t *pin, uint32_t value) {
    if (m.enable != OFF) {
        refuse("the pins of a UART that is on", value);
    }
    if (value >= 48u) {
        refuse("a pin that is not there", value);
    }
    *pin = value;
}

static void task(bool *what, uint32_t value) {
    if (value != 1) {
        refuse("a task is triggered by 1", value);
    }
    if (m.enable != ON) {
        refuse("a task of a UART that is off", value);
    }
    *what = true;
}

static void write_uart(uint32_t offset, uint32_t value) {
    switch (offset) {
    case 0x000: task(&m.receives, value); return;
    case 0x008: task(&m.sends, value); return;
    case 0x108:
    case 0x11c:
        if (value != 0) {
            refuse("an event is cleared by 0", value);
        }
        *(offset == 0x108 ? &m.ready : &m.left) = false;
        return;
    case 0x304:
        if (value != 1u << 2) {
            refuse("interrupts that nobody needs", value);
        }
        m.inten |= value;
        return;
    case 0x480:
        if (value > 0xf) {
            refuse("reserved bits of ERRORSRC", value);
        }
        m.error &= ~value;
        return;
    case 0x500:
        if (value != OFF && value != ON) {
            refuse("a reserved value of ENABLE", value);
        }
        m.receives &= value == ON;
        m.sends &= value == ON;
        m.enable = value;
        return;
    case 0x50c: write_pin(&m.txd, value); return;
    case 0x514: write_pin(&m.rxd, value); return;
    case 0x51c:
        if (!m.sends || m.left || m.count == sizeof m.sent) {
            refuse("a byte on a line that is not there, or is busy", value);
        }
        m.sent[m.count++] = (uint8_t)value;
        m.left = true;
        return;
    case 0x524:
        if ((value & 0xfffu) != 0 || value > 0x10000000u) {
            refuse("a rate above 1 Mbit/s, or between steps", value);
        }
        m.baud = value;
        return;
    default: refuse("a register of the UART", offset);
    }
}

static void write_gpio(uint32_t offset, uint32_t value) {
    if (value != 1u << TXD_PIN) {
        refuse("other pins", value);
    }
    switch (offset) {
    case 0x508: m.out |= value; return;
    case 0x518:
        if ((m.out & value) == 0) {
            refuse("a line that begins with a break", value);
        }
        m.dir |= value;
        return;
    default: refuse("a register of GPIO", offset);
    }
}

static void write_ppi(uint32_t offset, uint32_t value) {
    const uint32_t channel = (offset - 0x510u) / 8u;

    if (offset == 0x504) {
        for (uint32_t i = 0; i < 2; i++) {
            if (value != 3 || m.event[i] != GPIOTE + 0x100u + 4u * i || m.task[i] != TIMER1 + 0x1000u * i + 8u) {
                refuse("channels that do not count edges", value);
            }
        }
        return;
    }
    if (channel > 1 || offset % 4u != 0) {
        refuse("a register of PPI", offset);
    }
    *(offset % 8u == 0 ? &m.event[channel] : &m.task[channel]) = value;
}

static void write_saadc(uint32_t offset, uint32_t value) {
    switch (offset) {
    case 0x62c: m.result = value; return;
    case 0x630: m.results = value; return;
    default: refuse("a register of the SAADC", offset);
    }
}

static void write_pulses(uint32_t slot, uint32_t value) {
    const uint32_t pin = value & 0x3fu;

    if (value != (0x80000000u | pin) || pin >= 48u || pin == TXD_PIN || pin == RXD_PIN) {
        refuse("a pin of a PWM that is connected, not there, or the UART's", value);
    }
    for (uint32_t i = 0; i < 8; i++) {
        if (i != slot && m.pulses[i] == value) {
            refuse("a pin of a PWM that another channel has", value);
        }
    }
    m.pulses[slot] = value;
}

static void write_pwm(uint32_t number, uint32_t offset, uint32_t value) {
    switch (offset) {
    case 0x520:
    case 0x540: m.sequence[number][offset == 0x540] = value; return;
    case 0x524:
    case 0x544: m.lengths[number][offset == 0x544] = value; return;
    case 0x560:
    case 0x564:
    case 0x568:
    case 0x56c: write_pulses(4u * number + (offset - 0x560u) / 4u, value); return;
    default: refuse("a register of a PWM", offset);
    }
}

static bool dma_ready(void) {
    bool ready = m.result == WORDS && m.results == 1;

    for (uint32_t i = 0; i < 8; i++) {
        ready &= m.pulses[i] != 0;
    }
    for (uint32_t i = 0; i < 4; i++) {
        ready &= m.sequence[i / 2][i % 2] == WORDS + 8u + i / 2 * 8u && m.lengths[i / 2][i % 2] == 4;
    }
    return ready;
}

void model_write(uintptr_t address, uint32_t value) {
    if (address == CLOCK) {
        if (value != 1) {
            refuse("a task is triggered by 1", value);
        }
        m.asked = true;
    } else if (address - UART < 0x1000u) {
        write_uart((uint32_t)(address - UART), value);
    } else if (address - GPIO < 0x1000u) {
        write_gpio((uint32_t)(address - GPIO), value);
    } else if (address - PPI < 0x1000u) {
        write_ppi((uint32_t)(address - PPI), value);
    } else if (address - SAADC < 0x1000u) {
        write_saadc((uint32_t)(address - SAADC), value);
    } else if (address - PWM0 < 0x1000u || address - PWM1 < 0x1000u) {
        write_pwm(address >= PWM1, (uint32_t)(address & 0xfffu), value);
    } else {
        refuse("a write of a register that is not the runner's", (uint32_t)address);
    }
}

uint32_t model_read(uintptr_t address) {
    switch (address) {
    case CLOCK + 0x100u: return m.crystal && m.asked && m.looks++ > 100u;
    case UART + 0x108u: return m.ready;
    case UART + 0x11cu: return m.left;
    case UART + 0x480u: return m.error;
    case UART + 0x518u: {
        const uint8_t byte = m.bytes[0];
        if (m.ready) {
            refuse("the event of a byte, cleared after it was read: the next one may be lost", byte);
        }
        __builtin_memmove(m.bytes, m.bytes + 1, sizeof m.bytes - 1);
        m.fifo -= m.fifo != 0;
        m.ready = m.fifo != 0;
        return byte;
    }
    default: refuse("a read of a register that is not the runner's", (uint32_t)address);
    }
}

bool model_uart_ready(void) {
    return m.txd == TXD_PIN && m.rxd == RXD_PIN && m.dir == 1u << TXD_PIN && dma_ready();
}

uint32_t model_baud(void) {
    return m.enable == ON && m.receives && m.sends && m.inten != 0 ? (uint32_t)(((uint64_t)m.baud * 16000000u) >> 32) : 0;
}

void model_receive(uint8_t byte) {
    if (m.fifo == sizeof m.bytes) {
        m.error |= 1;
        return;
    }
    m.bytes[m.fifo++] = byte;
    m.ready = true;
}

uint32_t model_sent(uint8_t *bytes) {
    const uint32_t count = m.count;

    __builtin_memcpy(bytes, m.sent, count);
    m.count = 0;
    return count;
}
