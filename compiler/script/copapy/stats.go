package copapy

import (
	"context"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
)

// Stats says what became of one compiled program.
type Stats struct {
	Program  *compiler.Program
	Trace    time.Duration       // from the start of the script, or the end of the compilation before, to this one
	Compile  time.Duration       // graph to image
	Transfer time.Duration       // image to device
	Wire     int                 // bytes sent to load it
	Runs     int                 // number of runs
	Timed    func(time.Duration) // is told the time of each run that the device keeps; Options.Compiled may set it

	// Again runs the program so many times more, as long as its target has it, with a period as
	// in device.Call.
	Again func(ctx context.Context, runs int, period time.Duration) (*device.Timing, error)
}
