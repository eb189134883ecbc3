/* The registers that lists for the pins may access, of a chip without channels: none. In C, and with link-time optimisation, the sizes of this one
 * and of a chip's would have to be the same. */
    .weak cf_pin_windows
    .section .rodata.cf_pin_windows, "a"
    .balign 4
cf_pin_windows:
    .zero 16
