package esp32c3

// Registers of GPIO.
const (
	gpioOut     = 0x04
	gpioEnable  = 0x20
	gpioIn      = 0x3c
	gpioPin     = 0x74  // of GPIO0
	gpioInSel   = 0x154 // of signal 0
	gpioOutSel  = 0x554 // of GPIO0
	gpioCount   = 22
	gpioMask    = 1<<gpioCount - 1
	gpioSignals = 128
)

// pins are GPIO and IO_MUX.
type pins struct {
	gpio, mux *block
	ledc      *ledc
	driven    uint32 // from outside
	outside   uint32 // with these levels
}

func (c *Chip) addPins() {
	b := &block{name: "GPIO", base: 0x6000_4000}
	c.pins.gpio = b
	rows := []register{
		all(0x00, "BT_SELECT", 0),
		{offset: 0x1c, name: "SDIO_SELECT", rw: 0xff},
		{offset: 0x38, name: "STRAP", reset: 8, ro: 0xffff},
		{offset: gpioIn, name: "IN", ro: gpioMask, load: func() uint32 {
			levels := uint32(0)
			for i := range uint32(gpioCount) {
				if c.pins.mux.values[4+4*i]&(1<<9) != 0 { // FUN_IE: else it reads 0
					levels |= bit(c.pins.pin(i).High, int(i))
				}
			}
			return levels
		}},
		{offset: 0x44, name: "STATUS", rw: gpioMask},
		{offset: 0x48, name: "STATUS_W1TS", wo: gpioMask, store: func(value uint32) { b.values[0x44] |= value & gpioMask }},
		{offset: 0x4c, name: "STATUS_W1TC", wo: gpioMask, store: func(value uint32) { b.values[0x44] &^= value }},
	}
	for _, r := range []struct {
		offset uint32
		name   string
	}{{gpioOut, "OUT"}, {gpioEnable, "ENABLE"}} {
		rows = append(rows,
			register{offset: r.offset, name: r.name, rw: gpioMask},
			register{offset: r.offset + 4, name: r.name + "_W1TS", wo: gpioMask, store: func(value uint32) { b.values[r.offset] |= value & gpioMask }},
			register{offset: r.offset + 8, name: r.name + "_W1TC", wo: gpioMask, store: func(value uint32) { b.values[r.offset] &^= value }})
	}
	for i := range uint32(gpioCount) {
		rows = append(rows,
			register{offset: gpioPin + 4*i, name: "PIN", rw: 0x3ffff &^ 0x60},
			register{offset: gpioOutSel + 4*i, name: "FUNC_OUT_SEL_CFG", reset: 128, rw: 0x7ff})
	}
	for i := range uint32(gpioSignals) {
		rows = append(rows, register{offset: gpioInSel + 4*i, name: "FUNC_IN_SEL_CFG", rw: 0x7f})
	}
	c.add(b, rows...)

	m := &block{name: "IO_MUX", base: 0x6000_9000}
	c.pins.mux = m
	rows = []register{{offset: 0, name: "PIN_CTRL", reset: 0x7ff, rw: 0xfff}}
	for i := range uint32(gpioCount) {
		rows = append(rows, register{offset: 4 + 4*i, name: "GPIO", reset: 0xb00, rw: 0xffff})
	}
	c.add(m, rows...)
}

// Drive sets the level that a pin has from outside, until it is released.
func (c *Chip) Drive(pin int, high bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pins.driven |= 1 << pin
	c.pins.outside = c.pins.outside&^(1<<pin) | bit(high, pin)
}

// Release leaves a pin to its resistors.
func (c *Chip) Release(pin int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pins.driven &^= 1 << pin
}
