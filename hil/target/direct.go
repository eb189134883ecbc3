package target

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/native"
	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
)

// direct is a program in this process.
type direct struct {
	t       *InProcess
	prog    *compiler.Program
	native  *native.Program // nil: released
	memory  []byte
	took    time.Duration // by loading
	most    time.Duration // that a run takes
	short   bool          // so that no run takes longer than the target's limit
	flags   device.Flags  // of the last call with runs
	stopped stoppage
	cleanup runtime.Cleanup

	looping atomic.Pointer[device.Loop] // nil: none runs
	// first is the program as it was loaded, if a loop has gone on with another one: its memory was handed out.
	first *native.Program
	swaps sync.Mutex // of native and first, when a loop goes on with another program, or ends

	// sandboxed is the program once more, for runs under a limit that only the sandbox can hold.
	sandboxed device.Program
}

// usable tells why a program cannot be used, if so.
func (d *direct) usable(ctx context.Context) error {
	if err := ctx.Err(); err != nil && d.native != nil {
		return err
	}
	if d.native == nil || d.t.ctx.Err() != nil {
		return device.ErrReleased
	}
	if d.looping.Load() != nil {
		return d.ticking(ctx)
	}
	return nil
}

// Memory is the data block: after a loop that has gone on with another program, that one's.
func (d *direct) Memory() []byte { return d.memory }

// Run runs the program once.
func (d *direct) Run(ctx context.Context) error {
	if !d.short {
		_, err := d.Call(ctx, device.Call{Runs: 1})
		return err
	}
	if err := d.usable(ctx); err != nil {
		return err
	}
	if d.stopped.cause != nil {
		if err := d.start(device.Call{Runs: 1}); err != nil {
			return err
		}
	}
	d.lowerFlags()
	if err := d.native.Run(); err != nil {
		return d.faulted(err, 0)
	}
	d.noteFlags()
	return nil
}

// Call uses the program.
func (d *direct) Call(ctx context.Context, c device.Call) (r device.Result, err error) {
	if err := d.usable(ctx); err != nil {
		return r, err
	}
	for _, w := range c.Writes {
		if err := d.within(w.Offset, len(w.Bytes)); err != nil {
			return r, err
		}
	}
	for _, s := range c.Reads {
		if err := d.within(s.Offset, int(s.Length)); err != nil {
			return r, err
		}
	}
	if n := len(d.prog.Image.Entries); c.Entry < 0 || c.Entry >= n {
		return r, fmt.Errorf("entry %d of a program with %d", c.Entry, n)
	}
	if err := d.start(c); err != nil {
		return r, err
	}
	for _, w := range c.Writes {
		copy(d.memory[w.Offset:], w.Bytes)
	}
	if c.Runs > 0 {
		if r, err = d.run(ctx, c); err != nil {
			return r, err
		}
	}
	r.Data = make([][]byte, len(c.Reads))
	all := make([]byte, 0, device.LengthOf(c.Reads))
	for i, s := range c.Reads {
		from := len(all)
		all = append(all, d.memory[s.Offset:s.Offset+s.Length]...)
		r.Data[i] = all[from:len(all):len(all)]
	}
	runtime.KeepAlive(d) // for the memory
	return r, nil
}

// run carries out the runs of a call where their limit can be held: here, if no run can take as long; in the
// sandbox, which ends those that do; and where there is none, here, and a run that took longer is an error.
func (d *direct) run(ctx context.Context, c device.Call) (device.Result, error) {
	limit := cmp.Or(c.Limit, d.t.opt.Limit, ownLimit)
	if limit > ownLimit {
		return device.Result{}, &session.LimitError{Want: limit}
	}
	if d.most <= limit {
		return d.runHere(ctx, c, d.most) // a clock that says otherwise has counted other processes
	}
	r, err := d.runInSandbox(ctx, c)
	if errors.Is(err, local.ErrUnsupported) {
		return d.runHere(ctx, c, limit)
	}
	return r, err
}

// lowerFlags clears the sticky flags.
func (d *direct) lowerFlags() { binary.NativeEndian.PutUint32(d.memory[image.FlagsOffset:], 0) }

// noteFlags reads the flags that runs have raised.
func (d *direct) noteFlags() {
	d.flags = device.Flags(binary.NativeEndian.Uint32(d.memory[image.FlagsOffset:]))
	if d.flags != 0 {
		d.t.opt.warn(d.flags)
	}
}

// runHere runs the program in this process.
func (d *direct) runHere(ctx context.Context, c device.Call, limit time.Duration) (r device.Result, err error) {
	pace, err := startPace(c.Period)
	if err != nil {
		return r, err
	}
	defer pace.end()
	held := limit >= d.most
	d.lowerFlags()
	each := c.Timed != nil || !held || pace != nil
	start := device.Clock()
	for i := range c.Runs {
		if err := d.usable(ctx); err != nil {
			return r, err
		}
		if pace != nil {
			if err := pace.wait(ctx); err != nil {
				return r, err
			}
		}
		if each {
			start = device.Clock()
		}
		if err := d.native.RunEntry(c.Entry); err != nil {
			return r, d.faulted(err, i)
		}
		if !each {
			continue
		}
		took := device.Clock() - start
		r.Total += took
		if !held && took > limit {
			return r, d.late(i)
		}
		if pace != nil {
			pace.Ended(took)
		}
		if c.Timed != nil {
			c.Timed(took)
		}
	}
	if !each {
		r.Total = device.Clock() - start
	}
	if pace != nil {
		r.Timing = pace.Timing()
	}
	d.noteFlags()
	if d.most > ceiling(longest) {
		return r, ctx.Err() // nothing could interrupt it
	}
	return r, nil
}

// runInSandbox runs the program there, with the variables that it has here, and fetches what came of them.
func (d *direct) runInSandbox(ctx context.Context, c device.Call) (device.Result, error) {
	if err := d.toSandbox(ctx); err != nil {
		return device.Result{}, err
	}
	there := device.Call{Runs: c.Runs, Entry: c.Entry, Period: c.Period, Limit: c.Limit, Timed: c.Timed}
	for i := range d.prog.Image.Symbols {
		s := &d.prog.Image.Symbols[i]
		if s.Kind != image.Output {
			there.Writes = append(there.Writes, device.Piece{Offset: s.Offset, Bytes: s.In(d.memory)})
		}
		there.Reads = append(there.Reads, device.SpanOf(s))
	}
	d.t.mu.Lock()
	defer d.t.mu.Unlock()
	r, err := d.sandboxed.Call(ctx, there)
	if fault := (*session.FaultError)(nil); errors.As(err, &fault) {
		// What a program has computed until it was stopped can be read.
		d.stopped.note(err)
		r, _ = d.sandboxed.Call(ctx, device.Call{Reads: there.Reads})
	}
	for i, data := range r.Data {
		copy(d.memory[there.Reads[i].Offset:], data)
	}
	if err == nil {
		d.flags = d.sandboxed.Flags()
	}
	return device.Result{Total: r.Total, Timing: r.Timing}, err
}

// faultHere is a fault of a program in this process.
type faultHere struct {
	session.FaultError
	cause error
}

func (e *faultHere) Error() string { return e.cause.Error() }

func (e *faultHere) Unwrap() []error { return []error{&e.FaultError, e.cause} }

// faulted notes what stopped run i, if it was a fault: a defect of the compiler.
func (d *direct) faulted(err error, i int) error {
	f := faultOf(err, uint32(i))
	d.stopped.note(f)
	return f
}

// late is the error of run i, which took longer than its limit.
func (d *direct) late(i int) error {
	f := &session.FaultError{Fault: packet.Fault{Kind: packet.FaultTimeLimit, Run: uint32(i)}, Runs: uint32(i)}
	d.stopped.note(f)
	return f
}

// start loads a program that was stopped again, in its place, if a call needs that.
func (d *direct) start(c device.Call) error {
	again, err := d.stopped.ended(c)
	if !again {
		return err
	}
	var inputs []device.Piece
	for i := range d.prog.Image.Symbols {
		if s := &d.prog.Image.Symbols[i]; s.Kind == image.Input {
			inputs = append(inputs, device.Piece{Offset: s.Offset, Bytes: bytes.Clone(s.In(d.memory))})
		}
	}
	if err := d.native.Renew(); err != nil {
		return err
	}
	for _, p := range inputs {
		copy(d.memory[p.Offset:], p.Bytes)
	}
	d.stopped.cause = nil
	return nil
}

func (d *direct) within(offset uint32, n int) error {
	if end := uint64(offset) + uint64(n); end > uint64(len(d.memory)) {
		return fmt.Errorf("bytes %d to %d are outside the data block of %d bytes", offset, end, len(d.memory))
	}
	return nil
}

// Flags are those that the last call with runs has raised.
func (d *direct) Flags() device.Flags { return d.flags }

// Transfer is no bytes on any line, and the time that loading took.
func (d *direct) Transfer() (wireBytes int, took time.Duration) { return 0, d.took }

// Release gives the memory back.
func (d *direct) Release() {
	if d.native == nil {
		return
	}
	d.endLoop()
	d.cleanup.Stop()
	_ = d.native.Close()
	if d.first != nil {
		_ = d.first.Close()
	}
	d.native, d.first, d.memory = nil, nil, nil
	if d.sandboxed != nil {
		d.t.mu.Lock()
		defer d.t.mu.Unlock()
		d.sandboxed.Release()
	}
}
