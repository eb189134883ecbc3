package jit

import "context"

// On is a Device of any device, for tests.
var On = on

// Code runs the program that a function called last and does nothing else.
func (f *function) Code() func() error {
	p := f.latest.Load()
	return func() error { return p.direct.Run(context.Background()) }
}

// Loaded is how many programs in this process a device has.
func Loaded(d *Device) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.direct)
}
