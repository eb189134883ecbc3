// Package device is the interface between users of programs and the places where programs
// run: a Device loads compiled programs, and a Program is written to, run and
// read. Programs of scripts, Go functions, clients of serve and test suites run on any Device.
//
// The package knows neither where programs come from nor how a device is connected.
package device

import (
	"context"
	"errors"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
)

// Device is a place where programs run.
type Device interface {
	// Arch names the architecture to compile for, as stencils.Load takes it.
	Arch() string
	// Features are the bits of the optional instruction sets there.
	Features() packet.Features
	// Load makes a program runnable. Several may be loaded at a time; the
	// device sees to it that the one that is used is resident.
	Load(ctx context.Context, p *compiler.Program) (Program, error)
}

// Program is a program loaded on a device.
type Program interface {
	// Call uses the program. As a device may be far away, what belongs together is
	// best asked for together. A program that was stopped, by a fault or its limit, can
	// be read, and is loaded again, with its inputs, for the next call with runs or writes; as its states
	// are lost then, that call has to write all of them.
	Call(ctx context.Context, c Call) (Result, error)
	// Flags are those that the last call with runs has raised.
	Flags() Flags
	// Transfer tells what loading took: bytes on the wire and time.
	Transfer() (wireBytes int, d time.Duration)
	// Release gives the program's place on the device to others. Calls fail
	// afterwards.
	Release()
}

// ErrReleased says that a program was called after its Release.
var ErrReleased = errors.New("the program is not loaded any more: its target was closed or has compiled again")

// Call says what to do with a program: bytes are stored in its data block, it is
// run, and bytes are read.
type Call struct {
	Writes []Piece // in this order
	Runs   int     // 0: none
	Entry  int     // of the image that they call; Ticks runs the entries of a program of several tasks
	// Period is from the start of one run to that of the next, from MinPeriod to MaxPeriod; 0: back
	// to back. A run that is due before the one before it has ended is late, and starts at once.
	Period time.Duration
	Limit  time.Duration // of each run; 0: the device's own
	Reads  []Span
	// Timed is told the time of each run that the device kept, by its own timer, while the
	// runs go on: there may be more of them than memory for their times. Nil: nobody asks.
	Timed func(time.Duration)
}

// Piece is bytes and where in the data block they lie.
type Piece struct {
	Offset uint32
	Bytes  []byte
}

// Span is a part of the data block.
type Span struct{ Offset, Length uint32 }

// SpanOf is where a symbol of a program lies.
func SpanOf(s *image.Symbol) Span { return Span{Offset: s.Offset, Length: uint32(s.Size())} }

// LengthOf is how many bytes some spans have together.
func LengthOf(spans []Span) (n uint64) {
	for _, s := range spans {
		n += uint64(s.Length)
	}
	return n
}

// Result is what came of a call.
type Result struct {
	Data  [][]byte      // of the reads
	Total time.Duration // of all runs, by the device's timer
	// Timing is that of runs with a period; nil for others.
	Timing *Timing
	// Flags are those that the runs of Ticks raised; of a Call, Program.Flags tells them.
	Flags Flags
}
