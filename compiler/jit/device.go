package jit

import (
	"context"
	"errors"
	"sync"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/protocol/packet"
)

// Device is where functions run. Its methods, and calls of its functions, may come
// from several goroutines. Programs in this process run at the same time, one call of each; what goes over a line
// is carried out one after the other.
type Device struct {
	*place
	workers int // of Map; 0: GOMAXPROCS
}

// place is a device and what is loaded there.
type place struct {
	line sync.Mutex // for dev, but for its programs in this process
	dev  closer

	ctx    context.Context // ended by Close
	cancel func()

	mu     sync.Mutex
	direct map[*program]struct{} // those in this process; nil: closed
}

type closer interface {
	device.Device
	Close()
}

// errClosed is of calls that come after Close.
var errClosed = errors.New("the device was closed: open one with jit.Open")

// Open opens a device by its name, as copaflash run --target takes it: "local" for this machine,
// "qemu:rpi3" for an emulated board, a serial port, or "oracle", which
// evaluates functions on every system. It ends with ctx.
func Open(ctx context.Context, name string) (*Device, error) {
	// The target is closed by Close alone, which waits for calls of programs in this process, whose
	// memory goes with it.
	opening, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	t, err := target.Open(opening, name, target.Options{})
	if err != nil {
		stop()
		cancel()
		return nil, err
	}
	d := on(t)
	if stop() {
		stop = context.AfterFunc(ctx, d.Close)
	}
	context.AfterFunc(d.ctx, func() { stop(); cancel() })
	if err := ctx.Err(); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// on is a Device of any device.
func on(dev closer) *Device {
	p := &place{dev: dev, direct: map[*program]struct{}{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return &Device{place: p}
}

// Arch is the architecture that functions are compiled for.
func (d *Device) Arch() string { return d.dev.Arch() }

// Parallel is the same device for functions whose method Map is to have n workers, each with a
// program of its own; n <= 0: GOMAXPROCS, which is what functions have without it.
func (d *Device) Parallel(n int) *Device { return &Device{d.place, max(n, 0)} }

// Close ends the device and all of its functions. It waits for calls of programs in this process,
// and ends others.
func (d *Device) Close() {
	d.mu.Lock()
	direct := d.direct
	d.direct = nil
	d.mu.Unlock()
	d.cancel()
	if direct == nil {
		return
	}
	var ended []*program
	for p := range direct {
		if p.end() {
			ended = append(ended, p)
		}
	}
	d.dev.Close()
	for _, p := range ended {
		p.release()
	}
}

// note remembers a program in this process. It fails when the device is closed.
func (d *place) note(p *program) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.direct == nil {
		return errClosed
	}
	if p.direct != nil {
		d.direct[p] = struct{}{}
	}
	return nil
}

func (d *place) forget(p *program) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.direct, p)
}

// single is a place as a device of whose programs one is used at a time.
type single struct{ *place }

func (d single) Arch() string              { return d.dev.Arch() }
func (d single) Features() packet.Features { return d.dev.Features() }

func (d single) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	d.line.Lock()
	defer d.line.Unlock()
	loaded, err := d.dev.Load(ctx, p)
	if err != nil {
		return nil, err
	}
	if direct, ok := loaded.(device.Direct); ok {
		return singleDirect{direct, d.place}, nil
	}
	return singleProgram{loaded, d.place}, nil
}

type singleProgram struct {
	device.Program
	at *place
}

func (p singleProgram) Call(ctx context.Context, c device.Call) (device.Result, error) {
	p.at.line.Lock()
	defer p.at.line.Unlock()
	return p.Program.Call(ctx, c)
}

func (p singleProgram) Release() {
	p.at.line.Lock()
	defer p.at.line.Unlock()
	p.Program.Release()
}

// singleDirect is one that runs at any time.
type singleDirect struct {
	device.Direct
	at *place
}

func (p singleDirect) Release() {
	p.at.line.Lock()
	defer p.at.line.Unlock()
	p.Direct.Release()
}

// Must returns v, and panics where there is an error.
func Must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
