package esp32c3

import (
	"context"
	"io"
	"sync"
	"time"
)

// slice is how far the chip runs at once, and so ahead of the host's time.
const slice = 250 * time.Microsecond

// maxLag is how far the chip's time may stay behind the host's before what is missing is given up: an emulation of a busy
// core may be slower than the chip.
const maxLag = 100 * time.Millisecond

// Serve runs the chip in the host's time, with the serial port of its host as line, until ctx ends or the line does, which it
// is the caller's to close.
func (c *Chip) Serve(ctx context.Context, line io.ReadWriter) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	wake := make(chan struct{}, 1)
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := line.Read(buffer)
			if n > 0 {
				c.Send(buffer[:n])
				select {
				case wake <- struct{}{}:
				default:
				}
			}
			if err != nil {
				cancel(err)
				return
			}
		}
	}()
	ready := sync.NewCond(&c.mu)
	stop := context.AfterFunc(ctx, ready.Broadcast)
	defer stop()
	go func() {
		for {
			data := c.wait(ctx, ready)
			if data == nil {
				return
			}
			if _, err := line.Write(data); err != nil {
				cancel(err)
				return
			}
		}
	}()
	c.pace(ctx, wake, ready)
	return context.Cause(ctx)
}

// wait returns what the program at the host is to get; nil when ctx has ended.
func (c *Chip) wait(ctx context.Context, ready *sync.Cond) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.host.toHost) == 0 && ctx.Err() == nil {
		ready.Wait()
	}
	if ctx.Err() != nil {
		return nil
	}
	data := c.host.toHost
	c.host.toHost = nil
	return data
}

// pace runs slices, and waits where the chip's time is ahead.
func (c *Chip) pace(ctx context.Context, wake <-chan struct{}, ready *sync.Cond) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	begin := time.Now().Add(-c.Time())
	for ctx.Err() == nil {
		c.mu.Lock()
		c.run(c.now() + uint64(slice.Nanoseconds())*1000)
		now := c.time()
		if len(c.host.toHost) > 0 {
			ready.Signal()
		}
		c.mu.Unlock()
		ahead := now - time.Since(begin)
		if ahead < -maxLag {
			begin = begin.Add(-ahead - maxLag)
		}
		if ahead <= 0 {
			continue
		}
		early := wake
		if ahead > 2*slice { // many small pieces do not drive the time on
			early = nil
		}
		timer.Reset(ahead)
		select {
		case <-timer.C:
		case <-early:
		case <-ctx.Done():
		}
	}
}

// Time is what has passed for the chip since power-up.
func (c *Chip) Time() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time()
}

func (c *Chip) time() time.Duration { return time.Duration(c.now() / 1000) }
