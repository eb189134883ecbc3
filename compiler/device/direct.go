package device

import "context"

// Direct is a Program whose data block is memory of this process: writing to it and reading it
// are memory accesses, and a run is a function call.
//
// A Direct program is for one goroutine at a time, its memory included. Several programs of one
// device may be used at the same time.
type Direct interface {
	Program
	// Memory is the data block, with symbols at their offsets (SpanOf), in the byte order of this
	// machine. It is the same slice until Release, after which it must not be touched.
	Memory() []byte
	// Run runs the program once, under the device's own limit of time. Flags tells what it raised.
	Run(ctx context.Context) error
}
