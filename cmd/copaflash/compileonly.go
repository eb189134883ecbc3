package main

import (
	"context"
	"errors"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
)

// compileOnly stands in for the target of a script of which only the program is wanted. A script
// that starts a loop is left there: what follows watches and tunes it, maybe for ever.
type compileOnly struct{ device.Device }

// errStarts leaves a script that starts a loop.
var errStarts = errors.New("the script starts a loop, and is only compiled")

// Load makes a program runnable, but not as a loop.
func (d compileOnly) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	loaded, err := d.Device.Load(ctx, p)
	if err != nil {
		return nil, err
	}
	return compiledOnly{loaded}, nil
}

type compiledOnly struct{ device.Program }

var _ device.Looper = compiledOnly{}

// StartLoop ends the script.
func (compiledOnly) StartLoop(context.Context, device.LoopConfig) (device.Loop, error) {
	return nil, errStarts
}
