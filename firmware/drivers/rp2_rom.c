/* The way from the runner to the boot loader: RP2040 datasheet, 2.8.3.1.4 (reset_to_usb_boot); RP2350 datasheet, 5.4.8.24 (reboot). */
#include "drivers/rp2_rom.h"

#include "drivers/rp2_usb.h"
#include "platform/arch.h"

#if CF_SMALL

#define REBOOT_TO_LOADER 0x102u /* BOOTSEL, and no return */
#define REBOOT_MS 10u

CF_USB_CODE void cf_rp2_to_loader(void) {
    cf_arch_irq_mask();
#if __ARM_ARCH >= 8
    (void)((int32_t(*)(uint32_t, uint32_t, uint32_t, uint32_t))cf_rp2_routine(CF_RP2_ROM('R', 'B')))(REBOOT_TO_LOADER, REBOOT_MS, 0, 0);
    for (;;) { /* until that has passed */
    }
#else
    ((void (*)(uint32_t, uint32_t))cf_rp2_routine(CF_RP2_ROM('U', 'B')))(0, 0); /* no lamp; drive and commands */
#endif
}

#endif
