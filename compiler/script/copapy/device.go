package copapy

import (
	"context"
	"time"

	"github.com/copaflash/copaflash/compiler"
)

// Device is where the programs of a script run.
type Device interface {
	// Arch names the architecture to compile for, as stencils.Load takes it.
	Arch() string
	// Features are the bits of the optional instruction sets there.
	Features() uint64
	// Load makes a program runnable. Several may be loaded at a time; the
	// device sees to it that the one that is used is resident.
	Load(ctx context.Context, p *compiler.Program) (Program, error)
}

// Program is a program loaded on a device.
type Program interface {
	// Run runs the program n times, back to back, and returns the time of each
	// run that the device kept, by its own timer.
	Run(ctx context.Context, n int) ([]time.Duration, error)
	// Read returns n bytes of the data block from an offset.
	Read(ctx context.Context, offset, n uint32) ([]byte, error)
	// Write stores bytes into the data block, for the next run to see.
	Write(ctx context.Context, offset uint32, data []byte) error
	// Transfer tells what loading took: bytes on the wire and time.
	Transfer() (wireBytes int, d time.Duration)
}

// Stats says what became of one compiled program.
type Stats struct {
	Program  *compiler.Program
	Trace    time.Duration   // from the start of the script, or the end of the compilation before, to this one
	Compile  time.Duration   // graph to image
	Transfer time.Duration   // image to device
	Wire     int             // bytes sent to load it
	Runs     int             // number of runs
	Times    []time.Duration // of each run that the device kept
}
