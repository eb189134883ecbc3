package main

import (
	"context"
	"errors"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
)

// compileOnly stands in for the target of a script of which only the program is wanted. A script
// that starts a loop is left there: what follows watches and tunes it, maybe for ever.
type compileOnly struct {
	device.Device
	started *compiler.Program // whose loop the script wanted to start; nil: none
	hz      float64           // at this rate
}

// errStarts leaves a script that starts a loop.
var errStarts = errors.New("the script starts a loop, and is only compiled")

// Load makes a program runnable, but not as a loop.
func (d *compileOnly) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	loaded, err := d.Device.Load(ctx, p)
	if err != nil {
		return nil, err
	}
	return compiledOnly{loaded, d, p}, nil
}

// keepRate has an image say the rate that its script starts it at, unless it says one itself.
func (d *compileOnly) keepRate(p *compiler.Program) {
	if m := p.Image; p == d.started && m.TickRate() == 0 && len(m.Entries) == 1 {
		m.Entries[0].Rate = d.hz
		m.Version = max(m.Version, m.LeastFormat())
	}
}

type compiledOnly struct {
	device.Program
	dev  *compileOnly
	prog *compiler.Program
}

var _ device.Looper = compiledOnly{}

// StartLoop ends the script.
func (p compiledOnly) StartLoop(_ context.Context, c device.LoopConfig) (device.Loop, error) {
	p.dev.started, p.dev.hz = p.prog, c.Hz
	return nil, errStarts
}
