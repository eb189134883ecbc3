package models

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// stm32Ports are the ports of the STM32F4 and later families, by RM0090 (8.4): their registers are the same. Two pins are the runner's.
type stm32Ports struct {
	bus       *machine
	ports     [8]stm32Port
	pads      map[string]stm32Pad
	line, pin int // port and lower pin of the runner's USART
	// sunk tells whether something else pulls a pin down, more than its own resistor can pull it up; nil: nothing does.
	sunk func(pin string) bool
}

type stm32Port struct {
	moder, otyper, pupdr, odr *cell
	afr                       [2]*cell
}

func (p *stm32Ports) add(i int, base uint32, on func() bool) {
	reg := func(offset uint32, name string, bits uint32) *cell {
		return p.bus.add(base+offset, cell{name: fmt.Sprintf("GPIO%c_%s", 'A'+i, name), bits: bits, on: on})
	}
	port := &p.ports[i]
	port.moder = reg(0x00, "MODER", 0xffffffff)
	port.otyper = reg(0x04, "OTYPER", 0xffff)
	reg(0x08, "OSPEEDR", 0xffffffff)
	port.pupdr = reg(0x0c, "PUPDR", 0xffffffff)
	idr := reg(0x10, "IDR", 0) // 8.4.5: read-only
	port.odr = reg(0x14, "ODR", 0xffff)
	bsrr := reg(0x18, "BSRR", 0xffffffff)
	port.afr = [2]*cell{reg(0x20, "AFRL", 0xffffffff), reg(0x24, "AFRH", 0xffffffff)}
	port.pupdr.write = func(uint32) {
		for n := range 16 {
			if port.pupdr.value>>(2*n)&3 == 3 {
				p.bus.fault("PUPDR of P%c%d is 3, which is reserved", 'A'+i, n)
			}
		}
	}
	update := func(uint32) { p.driven(i) }
	port.otyper.write, port.odr.write = update, update
	port.moder.write = func(old uint32) {
		p.keep(i, (old^port.moder.value)>>(2*p.pin)&0xf)
		p.driven(i)
	}
	function := port.afr[p.pin/8]
	function.write = func(old uint32) { p.keep(i, (old^function.value)>>(4*(p.pin%8))&0xff) }
	idr.read = func() uint32 { return p.levels(i) }
	bsrr.read = func() uint32 { p.bus.fault("read of a BSRR, which is write-only"); return 0 }
	bsrr.write = func(uint32) { // 8.4.7: setting wins
		port.odr.value = port.odr.value&^(bsrr.value>>16) | bsrr.value&0xffff
		bsrr.value = 0
		p.driven(i)
	}
}

// take gives the runner's USART its pins, whose alternate function has that number.
func (p *stm32Ports) take(function uint32) {
	line := &p.ports[p.line]
	line.moder.value = line.moder.value&^(0xf<<(2*p.pin)) | 0xa<<(2*p.pin)
	line.pupdr.value |= 5 << (2 * p.pin)
	line.afr[p.pin/8].value = function * 0x11 << (4 * (p.pin % 8))
}

// keep has bits that change in a port not be those of the runner's pins.
func (p *stm32Ports) keep(port int, changed uint32) {
	if port == p.line && changed != 0 {
		p.bus.fault("%s or %s changes, which are the runner's", pinName(port, p.pin), pinName(port, p.pin+1))
	}
}

func pinName(port, n int) string { return fmt.Sprintf("P%c%d", 'A'+port, n) }

// pinPlace is the port and the number of a pin such as PA10.
func pinPlace(pin string) (port, n int) {
	n, err := strconv.Atoi(pin[2:])
	if err != nil {
		panic(pin)
	}
	return int(pin[1] - 'A'), n
}

// mode is the two bits of MODER.
func (p *stm32Ports) mode(port, n int) uint32 { return p.ports[port].moder.value >> (2 * n) & 3 }

func (p *stm32Ports) analogue(pin string) bool {
	port, n := pinPlace(pin)
	return p.mode(port, n) == 3
}

func (p *stm32Ports) driven(i int) {
	port := &p.ports[i]
	for n := range 16 {
		if p.mode(i, n) == 1 && port.otyper.value>>n&1 == 0 {
			p.bus.drive(pinName(i, n), port.odr.value>>n&1 != 0)
		}
	}
}

// levels are what IDR shows: nothing of pins in analogue mode.
func (p *stm32Ports) levels(i int) uint32 {
	port, all := &p.ports[i], uint32(0)
	for n := range 16 {
		high := p.outer(pinName(i, n))
		switch p.mode(i, n) {
		case 3:
			high = false
		case 1:
			high = port.odr.value>>n&1 != 0
		}
		if high {
			all |= 1 << n
		}
	}
	return all
}

// outer is the level of a pin that the chip does not drive.
func (p *stm32Ports) outer(pin string) bool {
	if high, driven := p.bus.outside[pin]; driven {
		return high
	}
	port, n := pinPlace(pin)
	return p.ports[port].pupdr.value>>(2*n)&3 == 1 && (p.sunk == nil || !p.sunk(pin))
}

// stm32Pad is a pin, and the channels of timers that it can be connected to, by their functions.
type stm32Pad struct {
	port, n   int
	functions map[uint32]stm32Channel
}

// stm32Channel is a channel of a timer, from 0 on.
type stm32Channel struct{ timer, channel int }

// parseFunctions reads a table of alternate functions; of rows for one pin, all hold.
func parseFunctions(text string) map[string]stm32Pad {
	pads := map[string]stm32Pad{}
	for row := range strings.SplitSeq(text, ", ") {
		words := strings.Fields(row)
		p, ok := pads[words[0]]
		if !ok {
			p = stm32Pad{functions: map[uint32]stm32Channel{}}
			p.port, p.n = pinPlace(words[0])
		}
		for _, word := range words[1:] {
			var function uint32
			var c stm32Channel
			if _, err := fmt.Sscanf(word, "%d:%d.%d", &function, &c.timer, &c.channel); err != nil {
				panic(word)
			}
			c.channel--
			p.functions[function] = c
		}
		pads[words[0]] = p
	}
	return pads
}

// timers has no timers yet, but the pins that they can be connected to.
func (p *stm32Ports) timers(runs func(t *stm32Timer) bool) *stm32Timers {
	t := &stm32Timers{
		machine: p.bus, all: map[int]*stm32Timer{}, pins: slices.Sorted(maps.Keys(p.pads)), runs: runs, outer: p.outer,
		outputs: func(pin string) bool {
			port, n := pinPlace(pin)
			return p.ports[port].otyper.value>>n&1 == 0
		},
	}
	t.connected = func(pin string) (*stm32Timer, int) {
		pad, ok := p.pads[pin]
		if !ok {
			return nil, 0
		}
		c, ok := pad.functions[p.ports[pad.port].afr[pad.n/8].value>>(4*(pad.n%8))&15]
		if !ok || p.mode(pad.port, pad.n) != 2 {
			return nil, 0
		}
		return t.all[c.timer], c.channel
	}
	return t
}
