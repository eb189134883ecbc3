package device

import (
	"context"
	"errors"

	"github.com/copaflash/copaflash/compiler/image"
)

// ErrTasks says that a program of several tasks was to run with a period, which its loop does.
var ErrTasks = errors.New("a program of several tasks runs with a period in its loop only")

// HasTasks tells programs of which a run is a tick in which some of several entries may be due.
func HasTasks(m *image.Image) bool { return len(m.Entries) > 1 || m.Entries[0].Every() > 1 }

// Ticks carries out a call whose runs are ticks from number first on: in each, the entries of the program that are
// due run one after the other. A program of one task that runs in every tick takes it as any other call.
func Ticks(ctx context.Context, p Program, m *image.Image, first uint32, c Call) (Result, error) {
	if c.Runs == 0 || !HasTasks(m) {
		r, err := p.Call(ctx, c)
		if c.Runs > 0 && err == nil {
			r.Flags = p.Flags()
		}
		return r, err
	}
	if c.Period != 0 {
		return Result{}, ErrTasks
	}
	var total Result
	step := Call{Writes: c.Writes, Limit: c.Limit, Timed: c.Timed}
	// What calls one entry again and again goes to the device at once.
	carryOut := func() error {
		if step.Runs == 0 {
			return nil
		}
		r, err := p.Call(ctx, step)
		total.Total += r.Total
		step.Writes, step.Runs = nil, 0
		if err == nil {
			total.Flags |= p.Flags()
		}
		return err
	}
	for n := range c.Runs {
		for i := range m.Entries {
			if (uint64(first)+uint64(n))%uint64(m.Entries[i].Every()) != 0 {
				continue
			}
			if i != step.Entry {
				if err := carryOut(); err != nil {
					return total, err
				}
			}
			step.Entry = i
			step.Runs++
		}
	}
	if err := carryOut(); err != nil || step.Writes == nil && len(c.Reads) == 0 {
		return total, err
	}
	r, err := p.Call(ctx, Call{Writes: step.Writes, Reads: c.Reads})
	total.Data = r.Data
	return total, err
}
