package target

import (
	"context"
	"runtime"
	"time"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/alarm"
)

// pace starts the ticks of a program in this process when they are due. The goroutine keeps its
// thread meanwhile.
type pace struct {
	*device.Pace
	alarm.Alarm
	first   time.Duration // start of the first tick, by the alarm's clock
	started bool
}

// startPace is nil for runs without a period. Otherwise end must be called.
func startPace(period time.Duration) (*pace, error) {
	p, err := device.NewPace(period)
	if p == nil {
		return nil, err
	}
	runtime.LockOSThread()
	return &pace{Pace: p, Alarm: alarm.Set()}, nil
}

func (p *pace) end() {
	if p != nil {
		p.Restore()
		runtime.UnlockOSThread()
	}
}

// nap is how long before a tick is due the context stops being watched: it ends a longer wait at once.
const nap = 5 * time.Millisecond

// wait returns when the next tick is to start.
func (p *pace) wait(ctx context.Context) error {
	now := p.Now()
	if !p.started {
		p.first, p.started = now, true
	}
	due := p.first + p.Due()
	late := now > due
	if early := due - now - nap; early > 0 {
		t := time.NewTimer(early)
		defer t.Stop()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
	}
	for now < due {
		p.Until(due)
		now = p.Now()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	p.Started(now-due, late)
	return nil
}
