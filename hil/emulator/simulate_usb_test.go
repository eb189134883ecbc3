//go:build linux

package emulator_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/transport"
)

// configured waits until the host has found the serial port.
func configured(t *testing.T, s *emulator.Simulation) *usbDevice {
	t.Helper()
	var d *usbDevice
	require.Eventually(t, func() bool {
		d = stateOf(t, s).USB
		return d != nil && d.State == "configured"
	}, 3*time.Minute, 10*time.Millisecond) // of which a busy machine needs more than one
	return d
}

// A USB host finds a serial port that says which board it is, and the runner talks there and at its pins: wherever the last HELLO
// came from. What comes from the other line meanwhile is not heard.
func TestLinesOfAPico(t *testing.T) {
	t.Parallel()
	for _, b := range picos(t) {
		board := simulate(t, b)
		d := configured(t, board)
		require.Equal(t, "Copaflash", d.Maker)
		require.Equal(t, "Copaflash "+b.Name, d.Product)
		require.Regexp(t, "^[0-9A-F]{16}$", d.Serial)
		require.Equal(t, []int{0x8a, 0x2e, 0x0a, 0x00}, d.Descriptor[8:12])

		uart, usb := dial(t, board.TTY()), dial(t, board.USB())
		for i, c := range []*client{uart, usb, uart, usb} {
			c.isa = isaOf(t, b)
			hello := c.hello(uint32(1 + i))
			runCounter(c)
			c.load(c.isa.counter, nil, 64)
			c.start(hello.TimerHz, 1000, func(*packet.StartRequest) {})
			other := []*client{usb, uart}[i%2]
			if other.session == 0 { // what has no session is a HELLO
				other.session = 999
			}
			other.send(&packet.StatusRequest{}) // of a session that has ended, or never began
			c.ticked(100)
			c.stop()
			require.Equal(t, packet.StateReady, c.status().State)
		}
	}
}

// Requests that no port takes, a cable that is pulled in the middle, resets of the bus and of the board: afterwards the port is there.
func TestHostileHostOfAPico(t *testing.T) {
	t.Parallel()
	for _, b := range picos(t) {
		board := simulate(t, b)
		configured(t, board)
		for _, tt := range []struct {
			setup, data []int
			stalls      bool
			gives       int
		}{
			{setup: []int{0x80, 6, 0, 1, 0, 0, 0xff, 0xff}, gives: 18},
			{setup: []int{0x80, 6, 0, 2, 0, 0, 0, 4}, gives: 75},
			{setup: []int{0x80, 6, 0, 6, 0, 0, 10, 0}, stalls: true},
			{setup: []int{0x80, 6, 99, 3, 9, 4, 255, 0}, stalls: true},
			{setup: []int{0xc0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, stalls: true},
			{setup: []int{0x40, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, data: []int{1}, stalls: true},
			{setup: []int{0x21, 0x20, 0, 0, 0, 0, 0xff, 0xff}, data: []int{1, 2}, stalls: true},
			{setup: []int{0x21, 0x20, 0, 0, 0, 0, 7, 0}, data: []int{0xb0, 4, 0, 0}, stalls: true},
			{setup: []int{0xa1, 0x21, 0, 0, 0, 0, 7, 0}, gives: 7},
		} {
			var answer struct {
				Stall bool
				Error string
				Data  []int
			}
			require.NoError(t, board.Do("control", map[string]any{"setup": tt.setup, "data": tt.data}, &answer))
			require.Empty(t, answer.Error, "%#x", tt.setup)
			require.Equal(t, tt.stalls, answer.Stall, "%#x", tt.setup)
			require.Len(t, answer.Data, tt.gives, "%#x", tt.setup)
		}
		c := dial(t, board.USB())
		c.isa = isaOf(t, b)
		for i, what := range append([]func(){func() {}}, interruptions(t, board)...) {
			what()
			configured(t, board)
			c.hello(uint32(1 + i))
			runCounter(c)
		}
	}
}

// interruptions are what ends all that is under way on the cable.
func interruptions(t *testing.T, board *emulator.Simulation) []func() {
	do := func(what string, how map[string]any) { require.NoError(t, board.Do(what, how, nil)) }
	return []func(){
		func() { do("busreset", nil) },
		func() {
			do("cable", map[string]any{"plugged": false})
			do("cable", map[string]any{"plugged": true})
		},
		func() { do("reset", nil) },
	}
}

// What interrupts a host in the middle of its first requests is no mistake of the image, which answers them when they come anew.
func TestInterruptedEnumerationOfAPico(t *testing.T) {
	t.Parallel()
	for _, b := range picos(t) {
		board := simulate(t, b)
		configured(t, board)
		for _, what := range interruptions(t, board) {
			what()
			require.Eventually(t, func() bool {
				d := stateOf(t, board).USB
				if d != nil && d.State == "configured" { // between two questions
					what()
				}
				return d != nil && d.State == "default"
			}, 3*time.Minute, time.Millisecond)
			what()
			configured(t, board)
		}
	}
}

// A port that is opened and closed at 1200 baud has the boot ROM's loader started, unless a loop runs; any other rate does not.
func TestTouchOfAPico(t *testing.T) {
	t.Parallel()
	for _, b := range picos(t) {
		board := simulate(t, b)
		configured(t, board)
		inLoader := func() bool { return stateOf(t, board).Loader != nil }
		uart := dial(t, board.TTY())
		uart.isa = isaOf(t, b)
		hello := uart.hello(1)
		uart.load(uart.isa.counter, nil, 64)
		uart.start(hello.TimerHz, 1000, func(*packet.StartRequest) {})
		require.NoError(t, transport.Touch(board.USB()))
		uart.ticked(1000)
		uart.stop()
		uart.stays(hello.BootNonce)
		other, err := transport.OpenSerial(board.USB(), 9600)
		require.NoError(t, err)
		require.NoError(t, other.Close())
		uart.stays(hello.BootNonce)
		require.False(t, inLoader())
		require.NoError(t, transport.Touch(board.USB()))
		require.Eventually(t, inLoader, time.Minute, 10*time.Millisecond)
		require.Zero(t, *stateOf(t, board).Loader)
	}
}
