package esp

import (
	"context"
	"time"
)

// Lines are the two modem lines by which a board is reset. Both are set at once where the system can do that.
type Lines interface {
	SetLines(dtr, rts bool) error
}

// A step is a state of the lines and how long it lasts, in ticks.
type step struct {
	dtr, rts bool
	ticks    int
}

// The sequences are those of esptool's reset.py.
//
// A bridge's two transistors pull EN low while RTS is set and DTR is not, and GPIO9 low while DTR is set and RTS is not; both or none
// leave the chip alone. The chip reads GPIO9 when EN rises.
//
// The chip's own USB port has no such pins: RTS without DTR resets it, and DTR without RTS before that has it start its loader. Neither
// of the two may be set between them, which would be taken back.
var (
	enterByBridge = []step{{false, false, 0}, {true, true, 0}, {false, true, 2}, {true, false, 1}, {false, false, 0}}
	// enterSlowly is for boards on which EN rises slowly.
	enterSlowly = []step{{false, false, 0}, {true, true, 0}, {false, true, 2}, {true, false, 11}, {false, false, 0}}
	enterByUSB  = []step{{false, false, 2}, {true, false, 2}, {true, true, 0}, {false, true, 2}, {false, false, 0}}

	// restart has the chip start from flash. It is long enough for USB.
	restart = []step{{false, false, 0}, {false, true, 4}, {false, false, 4}}
)

// A Wiring says what the lines lead to.
type Wiring int

const (
	// Unknown wiring is tried as both: what is meant for one resets the other, but does not start its loader.
	Unknown Wiring = iota
	// Bridge is a USB-UART bridge with two transistors.
	Bridge
	// USB is the chip's own USB Serial/JTAG port.
	USB
)

// entries are the sequences to try, in order, over and over.
var entries = map[Wiring][][]step{
	Unknown: {enterByBridge, enterByUSB, enterSlowly},
	Bridge:  {enterByBridge, enterSlowly},
	USB:     {enterByUSB},
}

// play sets the lines step by step.
func play(ctx context.Context, l Lines, steps []step, tick time.Duration) error {
	for _, s := range steps {
		if err := l.SetLines(s.dtr, s.rts); err != nil {
			return err
		}
		select {
		case <-time.After(time.Duration(s.ticks) * tick):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
