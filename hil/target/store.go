package target

import (
	"context"
	"errors"
	"time"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
)

// Record returns the requests with which this target would load an image, give variables values and start its loop, as a runner
// can keep them to carry them out by itself. The target is not touched. Without a loop they end before START.
func (t *Runner) Record(ctx context.Context, img *image.Image, writes []device.Piece, c *device.LoopConfig) (bodies [][]byte, err error) {
	recorder := session.NewRecorder(*t.Hello())
	r := &Runner{name: t.name, opt: Options{Baud: DefaultBaud, Session: session.Options{Timeout: t.opt.Session.Timeout}}}
	if err := r.greet(ctx, recorder, r.opt.Session); err != nil {
		return nil, err
	}
	defer r.Close()
	p, err := r.LoadImage(ctx, img)
	if err == nil && len(writes) > 0 {
		_, err = p.Call(ctx, device.Call{Writes: writes})
	}
	if err == nil && c != nil {
		_, err = p.StartLoop(ctx, *c)
	}
	bodies, other := recorder.Bodies()
	if err = errors.Join(err, other); err != nil {
		return nil, err
	}
	return bodies, nil
}

// usualWatchdog is the time of the hardware watchdog of a loop that nobody looks after. It is a few times longer where periods are.
const (
	usualWatchdog   = time.Second
	watchdogPeriods = 8
)

// AloneWatchdog is the time of the hardware watchdog for a loop with that period that starts without a host; 0: there is no
// watchdog, or it does not reach that far.
func (t *Runner) AloneWatchdog(period time.Duration) time.Duration {
	if t.Hello().LoopFeatures&packet.LoopWatchdog == 0 {
		return 0
	}
	d := max(usualWatchdog, watchdogPeriods*period)
	b, err := boards.Find(t.Board())
	if err != nil || b.Watchdog == nil {
		return d
	}
	if IsEmulated(t.name) && (b.QEMU == nil || !b.QEMU.Watchdog) {
		return 0
	}
	ms := func(n uint32) time.Duration { return time.Duration(n) * time.Millisecond }
	d = min(max(d, ms(b.Watchdog.Least)), ms(b.Watchdog.Most))
	if d <= 2*period {
		return 0
	}
	return d
}

// Rate is how many ticks a second the loop has, exactly; 0: that is not known.
func (r *remoteLoop) Rate(ctx context.Context) (float64, error) {
	s, err := r.Live(ctx)
	if err != nil || s.Period == 0 {
		return 0, ended(err)
	}
	return float64(r.link.Info().TimerHz) / (float64(s.Period) + float64(s.Rest)/(1<<32)), nil
}
