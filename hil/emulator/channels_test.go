//go:build linux

package emulator_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/channels"
	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/registers"
	"github.com/copaflash/copaflash/protocol/packet"
)

// Channels of Raspberry Pi boards on their runners: an input with a resistor, whose set-up waits for the system timer, and an
// output. What the output gets comes from the divider of the PWM's clock, which can be written from outside and which nothing uses.
func TestChannelsOfRaspberryPis(t *testing.T) {
	for name, base := range map[string]uint32{"rpi1": 0x20000000, "rpizero": 0x20000000, "rpi2": 0x3f000000, "rpi3": 0x3f000000, "rpi3-32": 0x3f000000, "rpi4": 0xfe000000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := boards.Find(name)
			require.NoError(t, err)
			plan, err := channels.Resolve(&b, []channels.Binding{
				{Variable: "in", Direction: chips.In, Channel: "GPIO27", Options: map[string]string{"pull": "up"}},
				{Variable: "out", Direction: chips.Out, Channel: "GPIO17", Safe: new(float64)},
			})
			require.NoError(t, err)
			divider, levels := base+0x1010a4, base+0x200034
			const set, clear = 1 << 17, 1 << 18
			lists := registers.Lists{Start: plan.Start, After: plan.After, Safe: plan.Safe}
			lists.Before = append(plan.Before,
				registers.Entry{Op: registers.Load, Width: 32, Address: divider, Mask: set, Slot: "out.set"},
				registers.Entry{Op: registers.Load, Width: 32, Address: divider, Mask: clear, Shift: 1, Slot: "out.clear"},
			)
			block, err := lists.Encode(map[string]uint32{"in.level": 32, "out.set": 36, "out.clear": 40})
			require.NoError(t, err)
			c, p := bootProbed(t, name)
			hello := c.hello(1)
			m := pinImages(c.isa.counter, hello.CodeCapacity, [][]byte{withRoom(block)})[0]
			c.load(m.code, nil, dataLen)
			c.start(hello.TimerHz, 1000, func(r *packet.StartRequest) { r.Pins = m.places[0] })
			for _, high := range []bool{true, false, true} {
				bit := uint32(clear)
				if high {
					bit = set
				}
				p.do("writel %#x %#x", divider, 0x5a000000|bit)
				p.eventually(levels, 1<<17, map[bool]uint32{true: 1 << 17}[high])
			}
			functions := p.read(base + 0x200004)
			require.Equal(t, uint32(1), functions>>21&7, "GPIO17 is an output")
			require.Equal(t, uint32(4|4<<3), functions>>12&0x3f, "the UART's pins are as they were")
			require.Zero(t, p.read(base+0x200008)>>21&7, "GPIO27 is an input")
			s := c.stop()
			require.Equal(t, packet.LoopEndStopped, s.Counts.End)
			require.Zero(t, p.read(levels)&(1<<17), "safe")
		})
	}
}

// PWM of a Netduino: QEMU has the registers of TIM2, and those of TIM4, which the width comes from.
func TestPulsesOfANetduino(t *testing.T) {
	t.Parallel()
	const tim2, source = 0x40000000, 0x40000834
	b, err := boards.Find("netduinoplus2")
	require.NoError(t, err)
	half := 0.5
	plan, err := channels.Resolve(&b, []channels.Binding{
		{Variable: "out", Direction: chips.Out, Channel: "D10", Kind: "pwm", Options: map[string]string{"freq": "20kHz"}, Safe: &half},
	})
	require.NoError(t, err)
	lists := registers.Lists{Start: plan.Start, After: plan.After, Safe: plan.Safe}
	lists.Before = []registers.Entry{{Op: registers.Load, Width: 32, Address: source, Mask: 0xffff, Slot: "out.level"}}
	block, err := lists.Encode(map[string]uint32{"out.level": 32})
	require.NoError(t, err)
	c, p := bootProbed(t, b.Name)
	hello := c.hello(1)
	m := pinImages(c.isa.counter, hello.CodeCapacity, [][]byte{withRoom(block)})[0]
	c.load(m.code, nil, dataLen)
	c.start(hello.TimerHz, 1000, func(r *packet.StartRequest) { r.Pins = m.places[0] })
	for register, want := range map[uint32]uint32{0x00: 1, 0x1c: 0x68, 0x20: 1 << 8, 0x28: 0, 0x2c: 84e6/20e3 - 1} {
		require.Equal(t, want, p.read(tim2+register), "register %#x", register)
	}
	for _, level := range []uint32{1, 4200, 0, 1234} {
		p.do("writel %#x %#x", source, level)
		p.eventually(tim2+0x3c, 0xffffffff, level)
	}
	require.Equal(t, packet.LoopEndStopped, c.stop().Counts.End)
	require.Equal(t, uint32(2100), p.read(tim2+0x3c), "safe")
}

// Ports of the IoT node: the LED, and the button, whose resistor is all that is there. What the LED gets comes from functions of port E,
// which no pin has.
func TestPortsOfTheIoTNode(t *testing.T) {
	t.Parallel()
	const portB, portC, source, clocks = 0x48000400, 0x48000800, 0x48001020, 0x4002104c
	b, err := boards.Find("b-l475e-iot01a")
	require.NoError(t, err)
	plan, err := channels.Resolve(&b, []channels.Binding{
		{Variable: "in", Direction: chips.In, Channel: "BTN", Options: map[string]string{"pull": "up"}},
		{Variable: "out", Direction: chips.Out, Channel: "LED", Safe: new(float64)},
	})
	require.NoError(t, err)
	lists := registers.Lists{Start: plan.Start, After: plan.After, Safe: plan.Safe}
	lists.Before = append(plan.Before, registers.Entry{Op: registers.Load, Width: 32, Address: source, Mask: 1<<32 - 1, Slot: "out.word"})
	block, err := lists.Encode(map[string]uint32{"in.level": 32, "out.word": 36})
	require.NoError(t, err)
	c, p := bootProbed(t, b.Name)
	hello := c.hello(1)
	m := pinImages(c.isa.counter, hello.CodeCapacity, [][]byte{withRoom(block)})[0]
	c.load(m.code, nil, dataLen)
	c.start(hello.TimerHz, 100, func(r *packet.StartRequest) { r.Pins = m.places[0] })
	for _, high := range []bool{true, false, true} {
		word := uint32(1 << 30)
		if high {
			word = 1 << 14
		}
		p.do("writel %#x %#x", source, word)
		p.eventually(portB+0x14, 1<<14, map[bool]uint32{true: 1 << 14}[high])
	}
	require.Equal(t, uint32(6), p.read(clocks)&7, "clocks of the ports B and C")
	require.Equal(t, uint32(1), p.read(portB)>>28&3, "PB14 is an output")
	require.Equal(t, uint32(0xa), p.read(portB)>>12&0xf, "the UART's pins are as they were")
	require.Zero(t, p.read(portC)>>26&3, "PC13 is an input")
	require.Equal(t, uint32(1), p.read(portC+0x0c)>>26&3, "with its resistor")
	require.Equal(t, packet.LoopEndStopped, c.stop().Counts.End)
	require.Equal(t, uint32(1), binary.LittleEndian.Uint32(c.read(32, 4)), "the button is not pressed")
	require.Zero(t, p.read(portB+0x14)&(1<<14), "safe")
}
