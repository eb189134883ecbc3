package esp32c3

// Registers of USB_SERIAL_JTAG.
const (
	usbEP1     = 0x00
	usbEP1Conf = 0x04
	usbIntRaw  = 0x08
	usbIntSt   = 0x0c
	usbIntEna  = 0x10
	usbIntClr  = 0x14
	usbFrame   = 0x24
	usbInEP1   = 0x2c
	usbOutEP1  = 0x3c
)

// Bits of them.
const (
	usbWriteDone = 1 << 0 // EP1_CONF
	usbFree      = 1 << 1
	usbAvailable = 1 << 2

	usbIntFrame  = 1 << 1 // of interrupts
	usbIntOut    = 1 << 2
	usbIntEmpty  = 1 << 3
	usbIntToken  = 1 << 8
	usbIntAll    = 0xfff
	usbPacket    = 64                 // bytes, of both FIFOs
	framePeriod  = second / 1000      // from one start of frame to the next
	packetPeriod = second / 1_000_000 // of what a packet takes on its way, 50 of them
	packetDelay  = 50 * packetPeriod  // full speed has about 19 packets of 64 bytes a frame
)

// A usb is the serial port of USB Serial/JTAG.
type usb struct {
	chip  *Chip
	block *block
	raw   uint32
	frame uint64 // number of the last start of frame

	in      []byte // what the firmware wrote, at most a packet
	sending bool   // the packet waits for the host
	sent    uint64 // since when

	out   []byte // what is left of a packet of the host
	empty uint64 // since when there is room for one
	count uint32 // bytes of the last one
}

func (c *Chip) addUSB() {
	u := &usb{chip: c}
	c.usb = u
	b := &block{name: "USB_SERIAL_JTAG", base: 0x6004_3000, gate: gateUSB, device: u}
	u.block = b
	c.add(b,
		register{offset: usbEP1, name: "EP1", rw: 0xff, takes: true, load: u.readByte, store: u.writeByte},
		register{offset: usbEP1Conf, name: "EP1_CONF", ro: usbFree | usbAvailable, wo: usbWriteDone, load: u.conf, store: func(value uint32) {
			if value&usbWriteDone != 0 {
				u.flush()
			}
		}},
		register{offset: usbIntRaw, name: "INT_RAW", ro: usbIntAll, load: u.flags},
		register{offset: usbIntSt, name: "INT_ST", ro: usbIntAll, load: func() uint32 { return u.flags() & b.values[usbIntEna] }},
		register{offset: usbIntEna, name: "INT_ENA", rw: usbIntAll},
		register{offset: usbIntClr, name: "INT_CLR", wo: usbIntAll, store: func(value uint32) { u.raw &^= value }},
		register{offset: 0x18, name: "CONF0", reset: 1<<14 | 1<<9, rw: 0x7fff},
		register{offset: 0x1c, name: "TEST", rw: 0xf},
		register{offset: 0x20, name: "JFIFO_ST", reset: 1<<6 | 1<<2, rw: 3 << 8, ro: 0xff},
		register{offset: usbFrame, name: "FRAM_NUM", ro: 0x7ff, load: func() uint32 { return uint32(c.now() / framePeriod & 0x7ff) }},
		register{offset: usbInEP1, name: "IN_EP1_ST", reset: 1, ro: 0xffff},
		register{offset: usbOutEP1, name: "OUT_EP1_ST", ro: 0x7f_ffff, load: func() uint32 { return u.count << 16 }},
		register{offset: 0x44, name: "MISC_CONF", rw: 1},
		register{offset: 0x48, name: "MEM_CONF", reset: 2, rw: 3},
		all(0x80, "DATE", 0x2007300),
	)
	u.reset()
}

func (u *usb) reset() {
	u.raw = usbIntEmpty
	u.in, u.sending, u.out, u.count = nil, false, nil, 0
	u.empty = u.chip.now()
}

func (u *usb) free() bool { return !u.sending && len(u.in) < usbPacket }

func (u *usb) conf() uint32 { return bit(u.free(), 1) | bit(len(u.out) > 0, 2) }

func (u *usb) readByte() uint32 {
	if len(u.out) == 0 {
		u.chip.complain("a byte is read from USB where there is none")
		return 0
	}
	b := u.out[0]
	if u.out = u.out[1:]; len(u.out) == 0 {
		u.empty = u.chip.now()
	}
	return uint32(b)
}

// writeByte sends a packet by itself when it is full, as esp-idf's hal/esp32c3/usb_serial_jtag_ll.h tells.
func (u *usb) writeByte(value uint32) {
	if !u.free() {
		u.chip.complain("a byte is written to USB where there is no room")
		return
	}
	if u.in = append(u.in, byte(value)); len(u.in) == usbPacket {
		u.flush()
	}
}

// flush gives the packet to the host; one without bytes, too, which ends a transfer of whole packets.
func (u *usb) flush() {
	if !u.sending {
		u.sending, u.sent = true, u.chip.now()
	}
}

// flags are INT_RAW, with that of a frame that has begun.
func (u *usb) flags() uint32 {
	if frame := u.chip.now() / framePeriod; frame != u.frame {
		u.frame = frame
		u.raw |= usbIntFrame
	}
	return u.raw
}

func (u *usb) advance(now uint64) (next uint64) {
	next = never
	u.flags()
	if u.block.values[usbIntEna]&usbIntFrame != 0 {
		next = (u.frame + 1) * framePeriod
	}
	h := &u.chip.host
	if u.sending && h.reads() {
		if due := u.sent + packetDelay; now < due {
			next = min(next, due)
		} else {
			h.take(u.in)
			u.in, u.sending = nil, false
			u.raw |= usbIntEmpty | usbIntToken
		}
	}
	if len(u.out) == 0 && len(h.toChip) > 0 {
		if due := max(u.empty, h.since) + packetDelay; now < due {
			next = min(next, due)
		} else {
			u.out = h.give()
			u.count = uint32(len(u.out))
			u.raw |= usbIntOut
		}
	}
	return next
}
