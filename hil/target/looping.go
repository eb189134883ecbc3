package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/loop"
	"github.com/copaflash/copaflash/compiler/native"
	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
)

// A body is a program of this process as its loop runs it.
type body struct {
	d      *direct // which keeps the memory
	prog   *compiler.Program
	native *native.Program
	memory []byte
}

func (b *body) Memory() []byte { return b.memory }

func (b *body) Run(entry int, tick uint32) error {
	err := b.native.RunEntry(entry)
	if err != nil {
		return faultOf(err, tick)
	}
	return nil
}

// StartLoop starts the loop of the program: in this process where no tick can take longer than its limit, and
// otherwise in the sandbox, which ends one that does. Where there is none the loop ends behind such a tick.
func (d *direct) StartLoop(ctx context.Context, c device.LoopConfig) (device.Loop, error) {
	if err := d.usable(ctx); err != nil {
		return nil, err
	}
	if err := d.start(device.Call{Runs: 1}); err != nil {
		return nil, err
	}
	if err := c.Check(len(d.prog.Image.Entries), uint64(len(d.memory))); err != nil {
		return nil, err
	}
	ns, _, err := c.Counts(1e9)
	if err != nil {
		return nil, err
	}
	limit := cmp.Or(c.Limit, 4*time.Duration(ns))
	if d.most > limit {
		l, err := d.startInSandbox(ctx, c)
		if !errors.Is(err, local.ErrUnsupported) {
			return l, err
		}
		c.Limit = limit
	} else {
		c.Limit = 0 // a clock that says otherwise has counted other processes
	}
	l, err := loop.New(&body{d, d.prog, d.native, d.memory}, len(d.prog.Image.Entries), c, loop.Host{
		Load: d.loadNext(limit), Drop: d.dropNext, Ended: d.loopEnded,
		Late: func(tick uint32) error {
			return &session.FaultError{Fault: packet.Fault{Kind: packet.FaultTimeLimit, Run: tick}, Runs: tick}
		},
	})
	if err != nil {
		return nil, err
	}
	var running device.Loop = &localLoop{Loop: l, stop: context.AfterFunc(d.t.ctx, func() { _, _ = l.Stop(context.Background()) })}
	d.looping.Store(&running)
	l.Start()
	return running, nil
}

// localLoop is a loop in this process, which ends with the target.
type localLoop struct {
	*loop.Loop
	stop func() bool
}

// ticking is the error of a call while a loop runs, or is thought to.
func (d *direct) ticking(ctx context.Context) error {
	if there, ok := (*d.looping.Load()).(*sandboxLoop); ok {
		return there.fetch(ctx)
	}
	return device.ErrTicking
}

// endLoop ends the loop of a program that is released.
func (d *direct) endLoop() {
	l := d.looping.Load()
	if l == nil {
		return
	}
	switch l := (*l).(type) {
	case *localLoop:
		l.Forget()
	case *sandboxLoop:
		_, _ = l.Loop.Stop(context.Background())
	}
}

// loadNext loads the programs of swaps. No tick of theirs may take longer than the limit.
func (d *direct) loadNext(limit time.Duration) func(context.Context, *compiler.Program) (loop.Body, int, error) {
	return func(ctx context.Context, p *compiler.Program) (loop.Body, int, error) {
		if most := ceiling(p.Image.Budget.Instructions); most > limit && d.most <= limit {
			return nil, 0, fmt.Errorf("the next program takes up to %v, and a tick at most %v: stop the loop, and start this one with a longer period", most, limit)
		}
		if err := fitsHere(p.Image); err != nil {
			return nil, 0, err
		}
		n, err := native.Load(p.Image)
		if err != nil {
			return nil, 0, err
		}
		return &body{d, p, n, n.Data()}, len(p.Image.Entries), nil
	}
}

// dropNext closes a program that no loop runs any more, but for the one whose memory is in other hands.
func (d *direct) dropNext(b loop.Body) {
	d.swaps.Lock()
	defer d.swaps.Unlock()
	if n := b.(*body).native; n != d.native && n != d.first {
		_ = n.Close()
	}
}

// loopEnded takes over what the loop has left.
func (d *direct) loopEnded(b loop.Body, s *device.LoopStatus) {
	if l, ok := (*d.looping.Load()).(*localLoop); ok {
		l.stop()
	}
	if last := b.(*body); last.native != d.native {
		d.adopt(last.prog, last.native)
	}
	d.flags = s.Flags
	if s.End == packet.LoopEndFault.String() || s.End == packet.LoopEndTimeLimit.String() {
		d.stopped.note(s.Fault)
	}
	d.looping.Store(nil)
}

// adopt makes the program that a loop went on with this one.
func (d *direct) adopt(p *compiler.Program, n *native.Program) {
	d.swaps.Lock()
	defer d.swaps.Unlock()
	old := d.native
	d.become(p, n)
	if d.first == nil {
		d.first = old
		return
	}
	_ = old.Close()
}

// faultOf is a fault of a program in this process, in a tick or a run of several.
func faultOf(err error, run uint32) error {
	var cause *native.Fault
	if !errors.As(err, &cause) {
		return err
	}
	f := &faultHere{cause: err}
	f.Fault = packet.Fault{Kind: cause.Kind, PC: uint64(cause.PC), Address: uint64(cause.Address), Cause: uint64(cause.Cause),
		Run: run, Inside: cause.Inside}
	f.Runs = run
	return f
}

// A sandboxLoop is a loop in the sandbox of a program that this process has, too.
type sandboxLoop struct {
	device.Loop
	d    *direct
	prog *compiler.Program // that it goes on with
}

// startInSandbox starts the loop there, with the variables that the program has here.
func (d *direct) startInSandbox(ctx context.Context, c device.LoopConfig) (device.Loop, error) {
	if err := d.toSandbox(ctx); err != nil {
		return nil, err
	}
	looper, ok := d.sandboxed.(device.Looper)
	if !ok {
		return nil, errors.New("a tick of this program may take longer than its limit, and the sandbox runs no loops: start it with a longer period")
	}
	d.t.mu.Lock()
	defer d.t.mu.Unlock()
	var writes []device.Piece
	for i := range d.prog.Image.Symbols {
		s := &d.prog.Image.Symbols[i]
		writes = append(writes, device.Piece{Offset: s.Offset, Bytes: s.In(d.memory)})
	}
	if _, err := d.sandboxed.Call(ctx, device.Call{Writes: writes}); err != nil {
		return nil, err
	}
	l, err := looper.StartLoop(ctx, c)
	if err != nil {
		return nil, err
	}
	var running device.Loop = &sandboxLoop{l, d, d.prog}
	d.looping.Store(&running)
	return running, nil
}

// Swap goes on with another program there.
func (l *sandboxLoop) Swap(ctx context.Context, next device.Next) (*device.SwapReport, error) {
	r, err := l.Loop.Swap(ctx, next)
	if err == nil && !r.Back {
		l.prog = next.Program
	}
	return r, err
}

// fetch brings the variables back once the loop has ended; until then its error is ErrTicking.
func (l *sandboxLoop) fetch(ctx context.Context) error {
	d := l.d
	s, err := l.Status(ctx)
	if err != nil {
		return err
	}
	if s.Running {
		return device.ErrTicking
	}
	if l.prog != d.prog {
		n, err := native.Load(l.prog.Image)
		if err != nil {
			return err
		}
		d.adopt(l.prog, n)
	}
	var reads []device.Span
	for i := range d.prog.Image.Symbols {
		reads = append(reads, device.SpanOf(&d.prog.Image.Symbols[i]))
	}
	d.t.mu.Lock()
	defer d.t.mu.Unlock()
	r, err := d.sandboxed.Call(ctx, device.Call{Reads: reads})
	if err != nil {
		return err
	}
	for i, data := range r.Data {
		copy(d.memory[reads[i].Offset:], data)
	}
	d.flags = s.Flags
	if s.Fault != nil {
		d.stopped.note(s.Fault)
	}
	d.looping.Store(nil)
	return nil
}

// toSandbox loads the program there, too.
func (d *direct) toSandbox(ctx context.Context) error {
	if d.sandboxed != nil {
		return nil
	}
	p, err := d.t.loadInSandbox(ctx, d.prog)
	if err != nil {
		return err
	}
	d.sandboxed = p
	return nil
}
