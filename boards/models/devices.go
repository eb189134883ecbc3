package models

import (
	"errors"
	"fmt"
	"math"
)

// MCP3208 is the ADC by Microchip's data sheet DS21298E: 5.0, 6.1.
type MCP3208 struct {
	VRef  float64
	Volts [8]float64
	bits  int // that were clocked in since the chip select
	start int // when the start bit came, 0: not yet
	word  uint32
	code  uint32
}

// Select begins a conversion.
func (d *MCP3208) Select(bool) { d.bits, d.start, d.word = 0, 0, 0 }

// Exchange is bit by bit: the start bit, single or differential, D2 to D0, a bit for sampling, a null bit, and twelve of the result.
func (d *MCP3208) Exchange(out byte, mode int, hz float64) (in byte, err error) {
	if mode != 0 && mode != 3 {
		err = fmt.Errorf("MCP3208 in mode %d", mode)
	}
	if hz > 2e6 || hz < 10e3 {
		err = fmt.Errorf("MCP3208 at %v Hz", hz)
	}
	for i := 7; i >= 0; i-- {
		d.bits++
		bit := uint32(out) >> i & 1
		if d.start == 0 && bit == 1 {
			d.start = d.bits
		}
		since := d.bits - d.start
		if d.start != 0 && since >= 1 && since <= 4 {
			d.word = d.word<<1 | bit
		}
		if since == 4 && d.start != 0 {
			d.code = d.convert()
		}
		in <<= 1
		switch at := since - 6; { // 6.1: the null bit follows the fifth bit and one for sampling
		case d.start == 0 || at < 0:
			in |= 1 // high impedance
		case at == 0:
		case at <= 12:
			in |= byte(d.code >> (12 - at) & 1)
		}
	}
	return in, err
}

func (d *MCP3208) convert() uint32 {
	channel := d.word & 7
	v := d.Volts[channel]
	if d.word>>3 == 0 { // table 5-2: the pair's other one is negative
		v -= d.Volts[channel^1]
	}
	return uint32(min(max(v*4096/d.VRef, 0), 4095))
}

// MCP4922 is the DAC by Microchip's data sheet DS22250A, 5.0: 16 bits, taken over when the chip select rises.
type MCP4922 struct {
	VRef     float64
	Volts    [2]float64
	Writes   int
	Buffered bool
	bits     int
	word     uint32
}

// Select ends a word: of other than 16 bits nothing is taken over.
func (d *MCP4922) Select(selected bool) {
	if selected {
		d.bits, d.word = 0, 0
		return
	}
	if d.bits != 16 {
		return
	}
	d.Writes++
	gain := 2.0
	if d.word>>13&1 != 0 {
		gain = 1
	}
	v := gain * d.VRef * float64(d.word&0xfff) / 4096
	if d.word>>12&1 == 0 { // shut down
		v = math.NaN()
	}
	d.Buffered = d.word>>14&1 != 0
	d.Volts[d.word>>15&1] = v
}

// Exchange shifts a byte in; there is no output.
func (d *MCP4922) Exchange(out byte, mode int, hz float64) (byte, error) {
	d.word = d.word<<8 | uint32(out)
	d.bits += 8
	switch {
	case mode != 0 && mode != 3:
		return 0xff, fmt.Errorf("MCP4922 in mode %d", mode)
	case hz > 20e6:
		return 0xff, fmt.Errorf("MCP4922 at %v Hz", hz)
	}
	return 0xff, nil
}

// MPU6050 is the accelerometer and gyroscope by InvenSense's register map RM-MPU-6000A, revision 4.2.
type MPU6050 struct {
	Address   byte
	Identity  byte       // WHO_AM_I, 4.32
	Motion    [3]float64 // g
	Turn      [3]float64 // degrees per second
	Degrees   float64    // Celsius
	Dead      bool       // it answers to nothing
	Changing  bool       // the acceleration is another one at each burst
	registers [128]byte
	pointer   byte
	first     bool
	bad       error
}

// NewMPU6050 returns one after its power has come: asleep.
func NewMPU6050(address byte) *MPU6050 {
	d := &MPU6050{Address: address, Identity: 0x68}
	d.registers[0x6b] = 0x40 // 4.28
	return d
}

// Start is an address on the bus.
func (d *MPU6050) Start(address byte, read bool) bool {
	if d.Dead || address != d.Address {
		return false
	}
	d.first = !read
	if read {
		d.sample()
	}
	return true
}

// Write is a register's number first, then what it is to have, and the next ones.
func (d *MPU6050) Write(b byte) bool {
	if d.first {
		d.pointer, d.first = b, false
		return true
	}
	switch d.pointer {
	case 0x19, 0x1a, 0x1b, 0x1c, 0x6b:
	default:
		d.bad = fmt.Errorf("MPU-6050: write of %#x to register %#x", b, d.pointer)
	}
	d.registers[d.pointer&0x7f] = b
	d.pointer++
	return true
}

func (d *MPU6050) Read() byte {
	b := d.registers[d.pointer&0x7f]
	if d.pointer == 0x75 {
		b = d.Identity
	}
	d.pointer++
	return b
}

// Stop ends a transfer.
func (d *MPU6050) Stop() {}

// sample puts what is measured into the registers: 4.17 to 4.19. One that is asleep measures nothing.
func (d *MPU6050) sample() {
	if d.registers[0x6b]>>6&1 != 0 {
		return
	}
	put := func(at int, v float64) {
		n := uint16(int16(min(max(math.Round(v), -32768), 32767)))
		d.registers[at], d.registers[at+1] = byte(n>>8), byte(n)
	}
	for i := range 3 {
		put(0x3b+2*i, d.Motion[i]*float64(int(16384)>>(d.registers[0x1c]>>3&3)))
		put(0x43+2*i, d.Turn[i]*131/float64(int(1)<<(d.registers[0x1b]>>3&3)))
		if d.Changing {
			d.Motion[i] += 0.125
		}
	}
	put(0x41, (d.Degrees-36.53)*340)
}

// Filter is the setting of the low-pass, 4.3.
func (d *MPU6050) Filter() byte { return d.registers[0x1a] & 7 }

// Check reports what the register map forbids.
func (d *MPU6050) Check() error {
	if d.bad == nil && d.registers[0x6b]&7 != 1 {
		return errors.New("MPU-6050: PWR_MGMT_1 is not set")
	}
	return d.bad
}
