/* What pins.S relies on, and the way to a list. */
#include "arch/cortex-m/pins.h"

#include <stddef.h>

#include "arch/cortex-m/cortex_m.h"
#include "arch/cortex-m/mpu.h"
#include "core/core.h"
#include "platform/arch.h"

struct cf_m_around cf_m_around;

#if CF_PINS_ARE_CODE

_Static_assert(sizeof(struct cf_pin_entry) == CF_M_ENTRY && sizeof(cf_word[CF_PIN_LISTS]) == CF_M_ENTRY && offsetof(struct cf_pin_entry, address) == 4
                   && offsetof(struct cf_pin_entry, mask) == 8 && offsetof(struct cf_pin_entry, value) == 12,
               "an entry, and the counts in front of the first");
_Static_assert(CF_PIN_READ == 1 && CF_PIN_WRITE == 2 && CF_PIN_SLOT == 4 && CF_PIN_WIDTH(0x30u) == 3 && CF_PIN_WIDTH_32 == 2
                   && CF_PIN_SHIFT(0x1f00u) == 31 && CF_PIN_ONE_READ == 1u << 16,
               "its control");
_Static_assert(offsetof(struct cf_image, space.data_length) == CF_M_DATA_LENGTH && offsetof(struct cf_image, region[CF_REGION_CODE].bytes) == CF_M_CODE
                   && offsetof(struct cf_image, announced[CF_IMAGE_CODE]) == CF_M_CODE_LENGTH,
               "an image");
_Static_assert(offsetof(struct cf_program, list) == CF_M_LISTS && sizeof(struct cf_pin_code) == 8 && offsetof(struct cf_pin_code, code) == 4
                   && offsetof(struct cf_program, apart) == CF_M_APART && offsetof(struct cf_program, space.data) == CF_M_DATA,
               "a program");
_Static_assert(offsetof(struct cf_loop, tick) == CF_M_TICK && offsetof(struct cf_loop, failure) == CF_M_FAILURE
                   && offsetof(struct cf_loop, current) == CF_M_CURRENT && offsetof(struct cf_loop, program) == CF_M_PROGRAM
                   && sizeof(struct cf_program) == 1u << CF_M_PROGRAM_SHIFT
                   && offsetof(struct cf_failure, fault.kind) == 0 && offsetof(struct cf_failure, fault.cause) == 4 && offsetof(struct cf_failure, fault.pc) == 8
                   && offsetof(struct cf_failure, fault.address) == 12 && offsetof(struct cf_failure, entry) == 16 && offsetof(struct cf_failure, run) == 20,
               "a loop, and what has failed");
_Static_assert(offsetof(struct cf_m_around, read) == 0 && offsetof(struct cf_m_around, waited) == CF_M_WAITED
                   && offsetof(struct cf_m_around, lists) == CF_M_AROUND && offsetof(struct cf_m_around, sp) == CF_M_SP,
               "for vectors.S, too");
_Static_assert(CF_PINS_START == 0 && CF_PINS_BEFORE == 1 && CF_PINS_AFTER == 2 && CF_PINS_SAFE == 3, "the order of the lists");
_Static_assert(offsetof(struct cf_pin_windows, window) == 4 && sizeof(struct cf_pin_window) == 12, "the windows");

void cf_m_carry_out(void *data, const struct cf_pin_code *list) {
    cf_m_mpu_code(true);
#ifdef CF_NO_MPU
    cf_m_barrier(); /* it may have been made just now */
#endif
    cf_m_enter((uintptr_t)cf_m_listed, data, list, 0);
    cf_arch_irq_unmask();
    cf_m_mpu_code(false);
}
#endif
