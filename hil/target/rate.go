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

// meet opens the first session, at the rate that is wanted. A runner is met at
// the rate that it starts with, and asked to change. One that a program has left at
// the wanted rate, since it was killed, is met there.
func (t *Target) meet(ctx context.Context, open opener) error {
	conn, err := open(DefaultBaud)
	if err != nil {
		return err
	}
	serial := conn.Baud() != 0
	err = t.greet(ctx, conn)
	if !serial || t.opt.Baud == DefaultBaud {
		return err
	}
	t.raised = true
	if err == nil {
		return t.links[0].SetBaud(ctx, t.opt.Baud)
	}
	var silent *session.TimeoutError
	if !errors.As(err, &silent) {
		return err
	}
	if conn, again := open(t.opt.Baud); again == nil && t.greet(ctx, conn) == nil {
		return nil
	}
	return err
}

// lowerWait bounds how long Close takes to bring a runner back.
const lowerWait = time.Second

// lower brings the runner back to the rate at which the next program looks for it.
func (t *Target) lower() {
	if !t.raised || len(t.links) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lowerWait)
	defer cancel()
	_ = t.links[0].SetBaud(ctx, DefaultBaud) // a runner that is gone starts with it
}
