package oracle

import (
	"context"
	"encoding/binary"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/loop"
	"github.com/copaflash/copaflash/compiler/image"
)

// StartLoop starts the loop of the program. Unlike a Call with a period it keeps to real time: a tick that is not
// due is waited for, and one that takes too long, as evaluations of large programs do, makes others be missed.
// Every evaluation ends by itself, so ticks have no limit.
func (p *program) StartLoop(ctx context.Context, c device.LoopConfig) (device.Loop, error) {
	if p.data == nil {
		return nil, device.ErrReleased
	}
	if p.loop.Load() != nil {
		return nil, device.ErrTicking
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.Limit = 0
	l, err := loop.New(p, len(p.prog.Image.Entries), c, loop.Host{Load: p.dev.loadNext, Ended: p.ended})
	if err != nil {
		return nil, err
	}
	p.loop.Store(l)
	l.Start()
	return l, nil
}

// loadNext makes the program of a swap ready.
func (d *Device) loadNext(ctx context.Context, p *compiler.Program) (loop.Body, int, error) {
	loaded, err := d.Load(ctx, p)
	if err != nil {
		return nil, 0, err
	}
	return loaded.(*program), len(p.Image.Entries), nil
}

// ended takes over what the loop has left.
func (p *program) ended(b loop.Body, s *device.LoopStatus) {
	last := b.(*program)
	p.prog, p.data, p.flags = last.prog, last.data, s.Flags
	p.loop.Store(nil)
}

// Memory is the data block.
func (p *program) Memory() []byte { return p.data }

// Run evaluates an entry in a tick.
func (p *program) Run(entry int, _ uint32) error {
	_, flags, err := p.run(context.Background(), entry)
	word := p.data[image.FlagsOffset:][:4]
	binary.NativeEndian.PutUint32(word, binary.NativeEndian.Uint32(word)|uint32(flags))
	return err
}
