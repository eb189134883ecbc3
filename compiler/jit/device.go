package jit

import (
	"context"
	"sync"

	"github.com/copaflash/copaflash/hil/target"
)

// Device is where functions run. Its methods, and calls of its functions, may come
// from several goroutines; they are carried out one after the other.
type Device struct {
	mu sync.Mutex
	t  target.Target
}

// Open opens a device by its name, as copaflash run --target takes it: "local" for the host
// runner (Linux), "qemu:rpi3" for an emulated board, a serial port, or "oracle", which
// evaluates functions on every system. It ends with ctx.
func Open(ctx context.Context, name string) (*Device, error) {
	t, err := target.Open(ctx, name, target.Options{})
	if err != nil {
		return nil, err
	}
	return &Device{t: t}, nil
}

// Arch is the architecture that functions are compiled for.
func (d *Device) Arch() string { return d.t.Arch() }

// Close ends the device and all of its functions.
func (d *Device) Close() { d.t.Close() }

// Must returns v, and panics where there is an error.
func Must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
