package models

import (
	"fmt"
	"math"
	"slices"
)

// An SPIDevice is what is behind a chip select, as it sees the bus.
type SPIDevice interface {
	// Select begins or ends a transfer.
	Select(selected bool)
	// Exchange shifts a byte in and one out, the highest bit first, in the clock's mode, 0 to 3.
	Exchange(out byte, mode int, hz float64) (in byte, err error)
}

// An I2CDevice is one on a bus, as it sees it.
type I2CDevice interface {
	// Start tells whether the device answers to an address.
	Start(address byte, read bool) bool
	Write(b byte) bool
	Read() byte
	Stop()
}

// after calls f with each level that the chip drives a pin to.
func (m *machine) after(pin string, f func(high bool)) {
	if m.watchers == nil {
		m.watchers = map[string][]func(bool){}
	}
	m.watchers[pin] = append(m.watchers[pin], f)
}

// spiBus is a controller's devices.
type spiBus struct {
	m       *machine
	name    string
	devices []*spiSlave
	mode    func() int
	hz      func() float64
	lines   func() string // what is wrong with the pins of the bus; empty: nothing

	tx, rx     []byte
	txMost     int // that are waiting, beside the one that moves
	rxMost     int
	moving     bool
	began      int
	accessRate float64 // accesses per second
}

type spiSlave struct {
	device   SPIDevice
	selected bool
	driven   bool
}

// connect puts a device behind a chip select.
func (s *spiBus) connect(pin string, d SPIDevice, activeHigh bool) {
	slave := &spiSlave{device: d}
	s.devices = append(s.devices, slave)
	s.m.after(pin, func(high bool) {
		slave.driven = true
		s.step()
		if now := high == activeHigh; now != slave.selected {
			if s.moving {
				s.m.fault("%s: the chip select %s changes while a byte moves", s.name, pin)
			}
			slave.selected = now
			d.Select(now)
		}
	})
}

// push is a byte to be sent.
func (s *spiBus) push(b byte) {
	s.step()
	if len(s.tx) >= s.txMost {
		s.m.fault("%s: a byte more than there is room for", s.name)
		return
	}
	s.tx = append(s.tx, b)
	s.start()
}

func (s *spiBus) start() {
	if !s.moving && len(s.tx) > 0 {
		s.moving, s.began = true, s.m.accesses
	}
}

// step ends bytes whose time is over.
func (s *spiBus) step() {
	for s.moving {
		took := int(math.Ceil(8 / s.hz() * s.accessRate))
		if s.m.accesses-s.began < took {
			return
		}
		b := s.tx[0]
		s.tx = s.tx[1:]
		s.moving = false
		in := s.exchange(b)
		if len(s.rx) >= s.rxMost {
			s.m.fault("%s: overrun", s.name)
		} else {
			s.rx = append(s.rx, in)
		}
		at := s.began + took
		s.start()
		s.began = at
	}
}

func (s *spiBus) exchange(b byte) byte {
	if wrong := s.lines(); wrong != "" {
		s.m.fault("%s: %s", s.name, wrong)
	}
	in, selected := byte(0xff), 0
	for _, d := range s.devices {
		if !d.driven {
			s.m.fault("%s: a chip select that nobody drives", s.name)
		}
		if !d.selected {
			continue
		}
		selected++
		v, err := d.device.Exchange(b, s.mode(), s.hz())
		if err != nil {
			s.m.fault("%s: %v", s.name, err)
		}
		in = v
	}
	if selected != 1 {
		s.m.fault("%s: %d devices are selected", s.name, selected)
	}
	return in
}

// pop is a byte that has come; what a register without one reads as does not matter.
func (s *spiBus) pop() uint32 {
	s.step()
	if len(s.rx) == 0 {
		return 0xa5
	}
	b := s.rx[0]
	s.rx = s.rx[1:]
	return uint32(b)
}

func (s *spiBus) reset() { s.tx, s.rx, s.moving = nil, nil, false }

// i2cBus is the wires, and what is at them.
type i2cBus struct {
	devices []I2CDevice
	to      I2CDevice // that was addressed
	// Log is what went over the wires: S, addresses with + or -, bytes, P.
	log []string
}

func (w *i2cBus) start(address byte, read bool) bool {
	w.to = nil
	for _, d := range w.devices {
		if d.Start(address, read) {
			w.to = d
		}
	}
	w.log = append(w.log, fmt.Sprintf("S%02x%s%s", address, map[bool]string{true: "r", false: "w"}[read], map[bool]string{true: "+", false: "-"}[w.to != nil]))
	return w.to != nil
}

func (w *i2cBus) write(b byte) bool {
	w.log = append(w.log, fmt.Sprintf("%02x", b))
	return w.to != nil && w.to.Write(b)
}

func (w *i2cBus) read() byte {
	b := byte(0xff)
	if w.to != nil {
		b = w.to.Read()
	}
	w.log = append(w.log, fmt.Sprintf("<%02x", b))
	return b
}

func (w *i2cBus) stop() {
	w.log = append(w.log, "P")
	if w.to != nil {
		w.to.Stop()
	}
	w.to = nil
}

// Serial are the buses of a chip.
type serial struct {
	spis map[string]*spiBus
	i2cs map[string]*i2cBus
}

func newSerial() serial { return serial{map[string]*spiBus{}, map[string]*i2cBus{}} }

// ConnectSPI puts a device behind a chip select, which is a pin, active when low.
func (s *serial) ConnectSPI(bus, pin string, d SPIDevice) { s.spis[bus].connect(pin, d, false) }

// ConnectI2C puts a device at a bus.
func (s *serial) ConnectI2C(bus string, d I2CDevice) {
	s.i2cs[bus].devices = append(s.i2cs[bus].devices, d)
}

// Log is what went over an I2C bus since the last call.
func (s *serial) Log(bus string) []string {
	log := slices.Clone(s.i2cs[bus].log)
	s.i2cs[bus].log = nil
	return log
}

// Clock is that of an SPI, in Hz.
func (s *serial) Clock(bus string) float64 { return s.spis[bus].hz() }
