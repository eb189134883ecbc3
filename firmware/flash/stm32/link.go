package stm32

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Bytes and commands of AN3155.
const (
	ack      = 0x79
	nack     = 0x1F
	wakeByte = 0x7F // by which the boot loader finds the rate

	cmdGet      = 0x00
	cmdGetID    = 0x02
	cmdRead     = 0x11
	cmdGo       = 0x21
	cmdWrite    = 0x31
	cmdErase    = 0x43
	cmdExtErase = 0x44
	cmdUnlock   = 0x92 // "readout unprotect": erases all of flash
)

// Timing says how long the boot loader may take.
type Timing struct {
	Answer time.Duration // to a byte or a block
	Wake   time.Duration // to each byte sent to find back in step
	Erase  time.Duration // of one sector; the data sheets have up to 4 s for 128 KiB
	Unlock time.Duration // to erase the chip
}

// DefaultTiming suits USB adapters and the slowest chips.
var DefaultTiming = Timing{Answer: time.Second, Wake: 60 * time.Millisecond, Erase: 10 * time.Second, Unlock: 60 * time.Second}

const (
	// attempts bounds how often a step is tried that noise may have spoiled.
	attempts = 4
	// wakes bounds the bytes sent one by one to find back in step: more than any
	// message takes that carries no list and no data.
	wakes = 16
	// chatter bounds the bytes that are waited out: more than all the answers that a
	// boot loader can still owe.
	chatter = 1 << 12
)

var (
	errNack    = errors.New("refused (NACK)")
	errTimeout = errors.New("no answer in time")
)

// ErrSilent says that nobody answered as a boot loader does.
var ErrSilent = errors.New("no boot loader answers")

// link exchanges bytes with the boot loader.
type link struct {
	w      io.Writer
	in     chan byte
	failed error // why in was closed
	timing Timing
}

// newLink reads until the line or the context ends.
func newLink(ctx context.Context, rw io.ReadWriter, t Timing) *link {
	l := &link{w: rw, in: make(chan byte, 1024), timing: t}
	go func() {
		defer close(l.in)
		var p [256]byte
		for {
			n, err := rw.Read(p[:])
			for _, b := range p[:n] {
				select {
				case l.in <- b:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				l.failed = err
				return
			}
		}
	}()
	return l
}

// receive fills p within the time.
func (l *link) receive(ctx context.Context, p []byte, d time.Duration) error {
	end := time.NewTimer(d)
	defer end.Stop()
	for i := range p {
		select {
		case b, ok := <-l.in:
			if !ok {
				return cmp.Or(l.failed, ctx.Err(), io.ErrUnexpectedEOF)
			}
			p[i] = b
		case <-end.C:
			return errTimeout
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// acknowledged waits for the byte that says yes or no. Another byte is noise.
func (l *link) acknowledged(ctx context.Context, d time.Duration) error {
	var b [1]byte
	if err := l.receive(ctx, b[:], d); err != nil {
		return err
	}
	switch b[0] {
	case ack:
		return nil
	case nack:
		return errNack
	}
	return fmt.Errorf("%w: byte %#02x where an acknowledgement was due", errTimeout, b[0])
}

// send sends bytes with their sum by exclusive or, and waits for the answer. The
// sum of a single byte is its complement.
func (l *link) send(ctx context.Context, d time.Duration, p ...byte) error {
	sum := byte(0)
	if len(p) == 1 {
		sum = 0xFF
	}
	for _, b := range p {
		sum ^= b
	}
	if _, err := l.w.Write(append(p[:len(p):len(p)], sum)); err != nil {
		return err
	}
	return l.acknowledged(ctx, d)
}

// quiet throws away what comes until nothing does. A line on which somebody keeps
// talking, such as a board that runs its program, is no boot loader's.
func (l *link) quiet(ctx context.Context) error {
	var b [1]byte
	for range chatter {
		if err := l.receive(ctx, b[:], l.timing.Wake); errors.Is(err, errTimeout) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: something else keeps talking on the line", ErrSilent)
}

// wakeUp gets in step with a boot loader in any state: just started, waiting for
// a command, or in the middle of a message. To the first it answers yes; else it
// says no, at the latest when its message is complete and its sum is wrong.
func (l *link) wakeUp(ctx context.Context, fresh bool) error {
	if err := l.quiet(ctx); err != nil {
		return err
	}
	if fresh {
		return l.wake(ctx, attempts, l.timing.Answer, true)
	}
	err := l.wake(ctx, wakes, l.timing.Wake, false)
	if errors.Is(err, ErrSilent) {
		if err := l.flood(ctx); err != nil {
			return err
		}
		err = l.wake(ctx, wakes, l.timing.Wake, false)
	}
	if err != nil {
		return err
	}
	return l.quiet(ctx) // an answer that came late must not be taken for another
}

// wake sends the byte until the boot loader says no, or yes if that counts.
func (l *link) wake(ctx context.Context, tries int, wait time.Duration, yes bool) error {
	for range tries {
		if _, err := l.w.Write([]byte{wakeByte}); err != nil {
			return err
		}
		err := l.acknowledged(ctx, wait)
		switch {
		case err == nil && yes, errors.Is(err, errNack):
			return nil
		case err == nil, errors.Is(err, errTimeout):
			continue
		}
		return err
	}
	return ErrSilent
}

// flood completes the longest message there is: a list of 65536 sectors, which a
// damaged count has announced. The boot loader refuses it for its sum or for
// sectors that there are not.
func (l *link) flood(ctx context.Context) error {
	const longest = 2*65536 + 3
	block := bytes.Repeat([]byte{wakeByte}, 256)
	for sent := 0; sent < longest; sent += len(block) {
		if _, err := l.w.Write(block); err != nil {
			return err
		}
		err := l.acknowledged(ctx, min(time.Millisecond, l.timing.Wake))
		if errors.Is(err, errNack) {
			break
		} else if err != nil && !errors.Is(err, errTimeout) {
			return err
		}
	}
	return l.quiet(ctx)
}

// retry carries out a step until noise leaves it alone. The error is that of the
// last attempt.
func (l *link) retry(ctx context.Context, step func() error) error {
	var err error
	for range attempts {
		if err = step(); err == nil || !noisy(err) {
			return err
		}
		if err := l.wakeUp(ctx, false); err != nil {
			return err
		}
	}
	return err
}

func noisy(err error) bool { return errors.Is(err, errNack) || errors.Is(err, errTimeout) }

func be32(v uint32) []byte { return []byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)} }
