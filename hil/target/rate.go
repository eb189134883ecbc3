package target

import (
	"context"
	"errors"
	"time"

	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport"
)

// opener opens a connection; baud is for serial lines.
type opener func(baud int) (transport.Transport, error)

// rates are those at which a runner is looked for that is not at DefaultBaud: all that
// a board of this project can be told to use, the likely ones first.
var rates = []int{
	921600, 460800, 230400, 1_000_000, 2_000_000, 3_000_000, 1_500_000, 57600, 38400, 19200, 9600,
}

// probeWait is how long a runner may take to answer at one of them. It has started long ago.
const probeWait = 300 * time.Millisecond

// meet opens the first session, at the rate that is wanted. A runner is met at
// the rate that it starts with, and asked to change. One that a program has left at
// another rate, since it was killed, is looked for.
func (t *Runner) meet(ctx context.Context, open opener) error {
	conn, err := open(DefaultBaud)
	if err != nil {
		return err
	}
	serial := conn.Baud() != 0
	rate := DefaultBaud
	if serial && !IsEmulated(t.name) {
		rate, err = t.find(ctx, open, conn)
	} else {
		err = t.greet(ctx, conn, t.opt.Session)
	}
	t.raised = err == nil && serial && t.opt.Baud != DefaultBaud
	if err != nil || !serial || t.opt.Baud == rate {
		return err
	}
	return t.links[0].SetBaud(ctx, t.opt.Baud)
}

// find looks for the runner at all rates, first by conn at DefaultBaud. Who gave no time to wait has enough
// for one that is deaf inside a run, at whatever rate.
func (t *Runner) find(ctx context.Context, open opener, conn transport.Transport) (int, error) {
	start := time.Now()
	opt := t.opt.Session
	patient := opt.Timeout == 0 && opt.Greeting == 0
	if patient {
		opt.Greeting = session.DefaultTimeout
	}
	rate, err := t.round(ctx, open, conn, opt)
	var silent, again *session.TimeoutError
	if !patient || !errors.As(err, &silent) || !silent.MayBeDeaf() || ctx.Err() != nil {
		return rate, err
	}
	if opt.Notice != nil {
		opt.Notice(session.DeafNotice)
	}
	if conn, err = open(DefaultBaud); err != nil {
		return 0, err
	}
	opt.Greeting = max(session.MayBeDeaf-time.Since(start), probeWait)
	rate, err = t.round(ctx, open, conn, opt)
	if errors.As(err, &again) {
		again.Wait = time.Since(start)
		again.Tries += silent.Tries
		again.Others += silent.Others
	}
	return rate, err
}

// round looks once at each rate.
func (t *Runner) round(ctx context.Context, open opener, conn transport.Transport, opt session.Options) (int, error) {
	err := t.greet(ctx, conn, opt)
	var silent *session.TimeoutError
	if errors.As(err, &silent) && silent.Others == 0 && ctx.Err() == nil {
		return t.search(ctx, open, err)
	}
	return DefaultBaud, err
}

// search looks for the runner at other rates than DefaultBaud. It returns the rate, or
// the error that there is nobody at that one.
func (t *Runner) search(ctx context.Context, open opener, nobody error) (int, error) {
	opt := t.opt.Session
	opt.Greeting = probeWait
	for _, rate := range append([]int{t.opt.Baud}, rates...) {
		if rate == DefaultBaud {
			continue
		}
		conn, err := open(rate)
		if err != nil {
			continue // not every adapter has every rate
		}
		if err = t.greet(ctx, conn, opt); err == nil {
			return rate, nil
		}
		if ctx.Err() != nil {
			return 0, err
		}
	}
	return 0, nobody
}

// lowerWait bounds how long Close takes to bring a runner back.
const lowerWait = time.Second

// lower brings the runner back to the rate at which the next program looks for it.
func (t *Runner) lower() {
	if !t.raised || len(t.links) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lowerWait)
	defer cancel()
	_ = t.links[0].SetBaud(ctx, DefaultBaud) // a runner that is gone starts with it
}
