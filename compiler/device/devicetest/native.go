//go:build amd64 || arm64

// Package devicetest has devices for tests.
package devicetest

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/native"
	"github.com/copaflash/copaflash/protocol/packet"
)

// Native runs programs in this process and nowhere else: the least that a device of Direct
// programs can be.
type Native struct {
	// Fail is asked before each run, unless it is nil: an error is that of the run.
	Fail func() error
}

// Arch is that of this process.
func (*Native) Arch() string { return native.Arch.String() }

// Features are those of this processor.
func (*Native) Features() packet.Features { return native.Features() }

// Load makes a program runnable. It is a device.Direct.
func (d *Native) Load(_ context.Context, p *compiler.Program) (device.Program, error) {
	code, err := native.Load(p.Image)
	if err != nil {
		return nil, err
	}
	return &program{dev: d, code: code, memory: code.Data()}, nil
}

// Close does nothing: programs are released one by one.
func (*Native) Close() {}

type program struct {
	dev    *Native
	code   *native.Program // nil: released
	memory []byte
	flags  device.Flags
	_      [64]byte // its flags are in a cache line of their own
}

func (p *program) Memory() []byte { return p.memory }

func (p *program) Run(ctx context.Context) error { return p.runEntry(ctx, 0) }

func (p *program) runEntry(ctx context.Context, entry int) error {
	if p.code == nil {
		return device.ErrReleased
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.dev.Fail != nil {
		if err := p.dev.Fail(); err != nil {
			return err
		}
	}
	err := p.code.RunEntry(entry)
	word := p.memory[image.FlagsOffset:][:4]
	p.flags = device.Flags(binary.LittleEndian.Uint32(word))
	clear(word)
	return err
}

func (p *program) Call(ctx context.Context, c device.Call) (r device.Result, err error) {
	if p.code == nil {
		return r, device.ErrReleased
	}
	if c.Period != 0 {
		return r, errors.New("native: no periods here")
	}
	for _, w := range c.Writes {
		copy(p.memory[w.Offset:], w.Bytes)
	}
	var raised device.Flags
	for range c.Runs {
		start := time.Now()
		if err := p.runEntry(ctx, c.Entry); err != nil {
			return r, err
		}
		raised |= p.flags
		r.Total += time.Since(start)
	}
	if c.Runs > 0 {
		p.flags = raised
	}
	for _, s := range c.Reads {
		r.Data = append(r.Data, append([]byte(nil), p.memory[s.Offset:][:s.Length]...))
	}
	return r, nil
}

func (p *program) Flags() device.Flags { return p.flags }

func (p *program) Transfer() (wireBytes int, d time.Duration) { return 0, 0 }

func (p *program) Release() {
	if p.code != nil {
		_ = p.code.Close()
		p.code, p.memory = nil, nil
	}
}
