package copapy

import (
	"context"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/protocol/packet"
)

// Device is where the programs of a script run.
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
	// best asked for together.
	Call(ctx context.Context, c Call) (Result, error)
	// Transfer tells what loading took: bytes on the wire and time.
	Transfer() (wireBytes int, d time.Duration)
}

// Releaser is a Program whose place on the device can be given to another one. It is
// not called afterwards.
type Releaser interface{ Release() }

// Call says what to do with a program: bytes are stored in its data block, it is
// run, and bytes are read.
type Call struct {
	Writes []Piece       // in this order
	Runs   int           // back to back; 0: none
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

// Result is what came of a call.
type Result struct {
	Data  [][]byte      // of the reads
	Total time.Duration // of all runs, by the device's timer
}

// Stats says what became of one compiled program.
type Stats struct {
	Program  *compiler.Program
	Trace    time.Duration       // from the start of the script, or the end of the compilation before, to this one
	Compile  time.Duration       // graph to image
	Transfer time.Duration       // image to device
	Wire     int                 // bytes sent to load it
	Runs     int                 // number of runs
	Timed    func(time.Duration) // is told the time of each run that the device keeps; Options.Compiled may set it

	// Again runs the program so many times more, as long as its target has it.
	Again func(ctx context.Context, runs int) error
}
