/* The drivers of the Linux runner, on a model of the kernel: what is opened, what registers do, and what happens when a driver fails. */
#include <asm/errno.h>
#include <linux/can.h>
#include <linux/gpio.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/drivers.h"
#include "host/host.h"
#include "model.h"
#include "test/check.h"

#define AT(driver, reg) (CF_HOST_DRIVERS_AT + (uint32_t)(driver) * CF_HOST_DRIVER_LENGTH + 4u * (uint32_t)(reg))
#define S 1000000000u

struct cf_host_world cf_host;

struct file files[] = {
    {"/sys/class/pwm/pwmchip0/export", "", 0},
    {"/sys/class/pwm/pwmchip0/pwm2/duty_cycle", "", 0},
    {"/sys/class/pwm/pwmchip0/pwm2/period", "", 0},
    {"/sys/class/pwm/pwmchip0/pwm2/enable", "", 0},
    {"/sys/class/hwmon/hwmon0/name", "lm75\n", 0},
    {"/sys/class/hwmon/hwmon0/temp1_input", "23500\n", 0},
    {"/sys/bus/iio/devices/iio:device0/in_voltage0_raw", "-5\n", 0},
    {"/sys/bus/iio/devices/iio:device0/in_voltage_scale", "0.5 evil\n", 0},
    {NULL, "", 0},
};

static jmp_buf died;
static char reason[400];

_Noreturn void cf_host_die(const char *what, long err) {
    (void)err;
    snprintf(reason, sizeof reason, "%s", what);
    longjmp(died, 1);
}

uint64_t cf_hal_ticks(void) {
    return now;
}

void cf_host_sleep_until(uint64_t at) {
    now = at;
}

enum { BUTTON, LED, BY_NAME, INPUT_ONLY, PWM, TEMP, VOLTAGE, RECEIVED, SENT, EXTENDED, DRIVERS };

static void start(void) {
    static struct cf_platform p;
    static const char *const names[] = {
        "gpiochip0/3", "gpiochip0/4", "gpio/RELAY", "gpiochip1/0=in", "pwmchip0/2", "hwmon/lm75/temp1", "iio0/in_voltage0",
        "can0/123=in", "can0/7ff=out", "can0/12345678",
    };
    lines[0][3].name = "BUTTON";
    lines[1][5].name = "RELAY";
    lines[1][6].name = "a name with as many bytes as there are"; /* more than 32 */
    cf_host.root = "";
    cf_host.allows = DRIVERS;
    memcpy(cf_host.allow, names, sizeof names);
    if (setjmp(died)) {
        fprintf(stderr, "%s\n", reason);
        exit(1);
    }
    cf_host_drivers_init(&p);
    CHECK(p.windows->feature == (CF_LOOP_PINS | CF_LOOP_DRIVERS) && p.windows->window[0].address == AT(0, 0));
    CHECK(p.windows->window[0].length == DRIVERS * CF_HOST_DRIVER_LENGTH && p.windows->window[1].length == 0);
    CHECK(p.drivers_length == 4 + strlen((const char *)p.drivers + 4));
    CHECK(strcmp((const char *)p.drivers + 4,
                 "gpiochip0/3 gpio inout alias=BUTTON\ngpiochip0/4 gpio inout\ngpio/RELAY gpio inout alias=RELAY\n"
                 "gpiochip1/0 gpio in\npwmchip0/2 pwm out\nhwmon/lm75/temp1 hwmon in input=temp1\n"
                 "iio0/in_voltage0 iio in input=in_voltage0\ncan0/123 can in\ncan0/7ff can out\ncan0/12345678 can inout\n") == 0);
    CHECK(lines[0][3].taken && lines[0][4].taken && lines[1][5].taken && lines[0][3].flags == 0 && sent_count == 0);
}

static uint32_t at;

static void begin(void) {
    cf_host_drivers_begin(&at, 0);
}

static uint32_t get(uint32_t address) {
    begin();
    const uint32_t v = cf_hal_register_read(address, 2);
    CHECK(cf_host_drivers_end().address == 0 && at == 0);
    return v;
}

static void put(uint32_t address, uint32_t value) {
    begin();
    cf_hal_register_write(address, 2, value);
    CHECK(cf_host_drivers_end().address == 0 && at == 0);
}

/* The error of one access. */
static uint32_t refused(uint32_t address, uint32_t width, int is_write, uint32_t value) {
    begin();
    if (is_write) {
        cf_hal_register_write(address, width, value);
    } else {
        (void)cf_hal_register_read(address, width);
    }
    const struct cf_host_trouble t = cf_host_drivers_end();
    CHECK(t.address == 0 || t.address == address || t.address == (address & ~(CF_HOST_DRIVER_LENGTH - 1u)));
    return t.address == 0 ? 0 : t.error;
}

static void gpio(void) {
    put(AT(BUTTON, 1), GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_BIAS_PULL_UP);
    for (uint32_t level = 0; level < 2; level++) {
        lines[0][3].level = level;
        CHECK(get(AT(BUTTON, 0)) == level);
    }
    put(AT(LED, 0), 1); /* before it is an output: nothing but what it will be */
    CHECK(lines[0][4].level == 0 && lines[0][4].flags == 0);
    put(AT(LED, 1), GPIO_V2_LINE_FLAG_OUTPUT | GPIO_V2_LINE_FLAG_OPEN_DRAIN);
    CHECK(lines[0][4].level == 1);
    put(AT(LED, 0), 0xfffffffe);
    CHECK(lines[0][4].level == 0);
    put(AT(BY_NAME, 0), 1);
    put(AT(BY_NAME, 1), GPIO_V2_LINE_FLAG_OUTPUT | GPIO_V2_LINE_FLAG_ACTIVE_LOW);
    CHECK(lines[1][5].level == 0);

    CHECK(refused(AT(INPUT_ONLY, 1), 2, 1, GPIO_V2_LINE_FLAG_OUTPUT) == EPERM);
    CHECK(refused(AT(INPUT_ONLY, 0), 2, 1, 1) == EPERM);
    CHECK(refused(AT(LED, 1), 2, 1, GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_OUTPUT) == EPERM);
    CHECK(refused(AT(LED, 1), 2, 1, GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING) == EPERM);
    CHECK(refused(AT(LED, 1), 2, 1, 0) == EPERM);
    CHECK(refused(AT(LED, 2), 2, 1, 1) == EINVAL);
    CHECK(refused(AT(LED, 1), 2, 0, 0) == EINVAL);
    gpio_error = -ENODEV; /* the chip is unplugged */
    CHECK(refused(AT(BUTTON, 0), 2, 0, 0) == ENODEV);
    CHECK(refused(AT(LED, 0), 2, 1, 1) == ENODEV);
    gpio_error = 0;
}

/* An input is sampled once in a list, however often it is read. */
static void once(void) {
    lines[0][3].level = 1;
    begin();
    const uint32_t before = calls;
    CHECK(cf_hal_register_read(AT(BUTTON, 0), 2) == 1);
    lines[0][3].level = 0;
    CHECK(cf_hal_register_read(AT(BUTTON, 0), 2) == 1 && calls == before + 1);
    CHECK(cf_host_drivers_end().address == 0);
    CHECK(get(AT(BUTTON, 0)) == 0);
}

static void numbers(void) {
    struct file *temp = &files[5];
    static const struct {
        const char *text;
        uint32_t error;
        int32_t value;
    } texts[] = {
        {"0", 0, 0}, {"-1\n", 0, -1}, {"2147483647\n", 0, INT32_MAX}, {"-2147483648\n", 0, INT32_MIN}, {"2147483648\n", ERANGE, 0},
        {"-2147483649", ERANGE, 0}, {"99999999999999999999999999999999", ERANGE, 0}, {"", EILSEQ, 0}, {"-", EILSEQ, 0}, {"+1", EILSEQ, 0},
        {" 1", EILSEQ, 0}, {"1 ", EILSEQ, 0}, {"1.5", EILSEQ, 0}, {"0x10", EILSEQ, 0}, {"1e3", EILSEQ, 0}, {"\n", EILSEQ, 0}, {"n/a\n", EILSEQ, 0},
    };

    for (uint32_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        strcpy(temp->text, texts[i].text);
        CHECK(refused(AT(TEMP, 0), 2, 0, 0) == texts[i].error);
        CHECK(texts[i].error != 0 || (int32_t)get(AT(TEMP, 0)) == texts[i].value);
    }
    CHECK((int32_t)get(AT(VOLTAGE, 0)) == -5);
    CHECK(refused(AT(TEMP, 0), 2, 1, 5) == EINVAL && refused(AT(VOLTAGE, 0), 2, 1, 5) == EPERM);
    CHECK(refused(AT(TEMP, 1), 2, 0, 0) == EINVAL);
    for (long r = -EINTR;; r = r == -EINTR ? -EAGAIN : -EBUSY) { /* what passes: the value stays, for a second */
        strcpy(temp->text, "7\n");
        temp->error = 0;
        CHECK(get(AT(TEMP, 0)) == 7);
        temp->error = r;
        now += S;
        CHECK(get(AT(TEMP, 0)) == 7);
        now++;
        CHECK(refused(AT(TEMP, 0), 2, 0, 0) == (uint32_t)-r);
        if (r == -EBUSY) {
            break;
        }
    }
    temp->error = -EIO;
    CHECK(refused(AT(TEMP, 0), 2, 0, 0) == EIO);
    temp->error = 0;
}

static void pwm(void) {
    put(AT(PWM, 1), 50000);
    put(AT(PWM, 0), 12500);
    put(AT(PWM, 2), 1);
    CHECK(strcmp(files[2].text, "50000\n") == 0 && strcmp(files[1].text, "12500\n") == 0 && strcmp(files[3].text, "1\n") == 0);
    CHECK(strcmp(files[0].text, "2\n") == 0);
    CHECK(refused(AT(PWM, 0), 2, 0, 0) == EPERM && refused(AT(PWM, 3), 2, 1, 0) == EINVAL);
    CHECK(refused(AT(PWM, 2), 2, 1, 2) == EINVAL && refused(AT(PWM, 0), 2, 1, UINT32_C(1) << 31) == EINVAL);
    files[2].error = -EINVAL;
    CHECK(refused(AT(PWM, 1), 2, 1, 1) == EINVAL && strcmp(files[1].text, "0\n") == 0); /* it was the duty, maybe */
    files[2].error = 0;
}

static void can(void) {
    static const uint8_t a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[8] = {0xff, 0xee, 9, 9, 9, 9, 9, 9};

    CHECK(get(AT(RECEIVED, 0)) == 0 && get(AT(RECEIVED, 5)) == INT32_MAX);
    bus_brings(0x123, 8, a);
    bus_brings(0x123 | CAN_RTR_FLAG, 8, b);
    bus_brings(0x123 | CAN_EFF_FLAG, 8, b);
    bus_brings(0x7ff, 8, b);
    bus_brings(0x122, 8, b);
    CHECK(get(AT(RECEIVED, 0)) == 0x04030201 && get(AT(RECEIVED, 1)) == 0x08070605);
    CHECK(get(AT(RECEIVED, 2)) == 0x05060708 && get(AT(RECEIVED, 3)) == 0x01020304);
    now += 5000000;
    CHECK(get(AT(RECEIVED, 5)) == 5);
    bus_brings(0x123, 8, a);
    bus_brings(0x123, 2, b); /* the last one counts, and what it has not is 0 */
    CHECK(get(AT(RECEIVED, 0)) == 0xeeff && get(AT(RECEIVED, 1)) == 0 && get(AT(RECEIVED, 5)) == 0);
    bus_brings(0x123, 9, a);
    CHECK(refused(AT(RECEIVED, 0), 2, 0, 0) == EPROTO);
    CHECK(refused(AT(RECEIVED, 4), 2, 1, 16 + 8) == EPERM && refused(AT(RECEIVED, 0), 2, 1, 1) == EINVAL && sent_count == 0);

    CHECK(refused(AT(SENT, 4), 2, 1, 0) == EPERM && refused(AT(SENT, 4), 2, 1, 16 + 9) == EPERM && refused(AT(SENT, 4), 2, 1, 1) == EPERM);
    CHECK(refused(AT(SENT, 0), 2, 1, 1) == EINVAL); /* nobody has set it up */
    put(AT(SENT, 4), 16 + 6);
    put(AT(EXTENDED, 4), 16 + 8);
    CHECK(sent_count == 0);
    begin();
    cf_hal_register_write(AT(SENT, 0), 2, 0x04030201);
    cf_hal_register_write(AT(SENT, 1), 2, cf_hal_register_read(AT(SENT, 1), 2) | 0x88770605);
    cf_hal_register_write(AT(EXTENDED, 3), 2, 0x01020304);
    CHECK(sent_count == 0 && cf_host_drivers_end().address == 0);
    CHECK(sent_count == 2 && sent[0].id == 0x7ff && sent[0].length == 6 && memcmp(sent[0].data, "\1\2\3\4\5\6\0\0", 8) == 0);
    CHECK(sent[1].id == (0x12345678 | CAN_EFF_FLAG) && sent[1].length == 8 && memcmp(sent[1].data, "\1\2\3\4\0\0\0\0", 8) == 0);
    begin();
    CHECK(cf_host_drivers_end().address == 0 && sent_count == 2); /* nothing was written */
    CHECK(refused(AT(SENT, 5), 2, 1, 1) == EINVAL && refused(AT(SENT, 6), 2, 0, 0) == EINVAL);

    bus_error = -ENOBUFS; /* nobody acknowledges: frames are lost, for a second */
    now += S;
    put(AT(SENT, 0), 1);
    now++;
    CHECK(refused(AT(SENT, 0), 2, 1, 1) == ECOMM);
    bus_error = -ENETDOWN;
    CHECK(refused(AT(SENT, 0), 2, 1, 1) == ENETDOWN && refused(AT(RECEIVED, 0), 2, 0, 0) == ENETDOWN);
    bus_error = 0;
}

/* Registers that are not there, and drivers that are left out. */
static void elsewhere(void) {
    const uint32_t before = calls;

    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t address[] = {AT(DRIVERS, 0), AT(CF_HOST_DRIVERS, 0), AT(0, 0) - 4u, UINT32_MAX - 3u};
        CHECK(refused(address[i], 2, 0, 0) == EINVAL && refused(address[i], 2, 1, 0) == EINVAL);
    }
    for (uint32_t width = 0; width < 4; width++) {
        CHECK(width == 2 || refused(AT(LED, 0), width, 1, 1) == EINVAL);
        CHECK(refused(AT(LED, 0) + 1u, width, 0, 0) == EINVAL);
    }
    cf_host_drivers_begin(&at, UINT64_C(1) << LED);
    cf_hal_register_write(AT(LED, 0), 2, 1);
    const struct cf_host_trouble t = cf_host_drivers_end();
    CHECK(t.error == ETIMEDOUT && t.address == AT(LED, 0) && calls == before);
}

int main(void) {
    start();
    gpio();
    once();
    numbers();
    pwm();
    can();
    elsewhere();
    printf("%u system calls\n", calls);
    return 0;
}
