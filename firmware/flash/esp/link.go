package esp

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// Commands of the loader in ROM, from esptool's documentation, "Serial Protocol".
const (
	cmdFlashBegin   = 0x02
	cmdFlashData    = 0x03
	cmdSync         = 0x08
	cmdWriteReg     = 0x09
	cmdReadReg      = 0x0A
	cmdSetParams    = 0x0B
	cmdAttach       = 0x0D
	cmdMD5          = 0x13
	cmdSecurityInfo = 0x14
)

// Codes of errors that noise on the line can lead to, and that of a command that there is not.
const (
	codeNone    = 0x00
	codeInvalid = 0x05
	codeSum     = 0x07
)

// codes are what the loader says of a command that failed.
var codes = map[byte]string{
	codeInvalid: "invalid message", 0x06: "failed", codeSum: "wrong sum", 0x08: "flash reads back differently",
	0x09: "flash cannot be read", 0x0a: "too much to read", 0x0b: "wrong compressed data",
}

// Timing says how long the loader may take.
type Timing struct {
	Tick   time.Duration // unit of the sequences on the lines
	Sync   time.Duration // to answer SYNC, and to end with what it still has to say
	Answer time.Duration // to any other command, writing a block among them
	Erase  time.Duration // of what an image takes
	MD5    time.Duration // of the same
}

// DefaultTiming is as generous as esptool's.
var DefaultTiming = Timing{Tick: 50 * time.Millisecond, Sync: 100 * time.Millisecond, Answer: 3 * time.Second, Erase: 10 * time.Second, MD5: 10 * time.Second}

const (
	// attempts bounds how often a step is tried that noise may have spoiled.
	attempts = 4
	// syncs bounds how often SYNC is sent before the board is reset again, and resets how often that is.
	syncs  = 5
	resets = 6
	// chatter bounds the frames that are waited out.
	chatter = 64
)

var (
	errTimeout = errors.New("no answer in time")
	errCut     = errors.New("an answer was cut short")
)

// A StatusError says that the loader refused a command.
type StatusError struct{ Command, Code byte }

func (e *StatusError) Error() string {
	text, ok := codes[e.Code]
	if !ok {
		text = "unknown reason"
	}
	return fmt.Sprintf("the boot loader refused command %#02x: %s (%#02x)", e.Command, text, e.Code)
}

// link exchanges frames with the loader. Reading and writing have a goroutine each, so that a line that takes nothing holds up nobody;
// both end with the line.
type link struct {
	out    chan []byte
	in     chan []byte
	timing Timing

	ended chan struct{} // closed when the line has failed
	once  sync.Once
	err   error // of that

	mu   sync.Mutex
	text []byte // the last of what came between frames: what the ROM prints when it starts
}

func newLink(ctx context.Context, rw io.ReadWriter, t Timing) *link {
	l := &link{out: make(chan []byte), in: make(chan []byte, chatter), timing: t, ended: make(chan struct{})}
	go func() {
		for {
			select {
			case p := <-l.out:
				if _, err := rw.Write(p); err != nil {
					l.fail(err)
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() {
		var d deframer
		var p [256]byte
		for {
			n, err := rw.Read(p[:])
			for _, piece := range d.take(p[:n]) {
				select {
				case l.in <- piece:
				case <-ctx.Done():
					return
				}
			}
			l.keepText(p[:n])
			if err != nil {
				l.fail(err)
				return
			}
		}
	}()
	return l
}

func (l *link) fail(err error) {
	l.once.Do(func() {
		l.err = err
		close(l.ended)
	})
}

func (l *link) keepText(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	l.text = l.text[max(0, len(l.text)-maxText):]
}

// said returns what has come since the last call.
func (l *link) said() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.text
	l.text = nil
	return text
}

// send hands over a frame, when the one before has left.
func (l *link) send(ctx context.Context, p []byte, end <-chan time.Time) error {
	select {
	case l.out <- p:
		return nil
	case <-l.ended:
		return l.err
	case <-end:
		return errTimeout
	case <-ctx.Done():
		return ctx.Err()
	}
}

// receive waits for a piece of what comes.
func (l *link) receive(ctx context.Context, end <-chan time.Time) ([]byte, error) {
	select {
	case p := <-l.in:
		return p, nil
	case <-l.ended:
		return nil, l.err
	case <-end:
		return nil, errTimeout
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// An answer is one of the loader: a value, and data that end with the status.
type answer struct {
	command byte
	value   uint32
	body    []byte
}

// parseAnswer reads a piece; it is not ok where that is noise or text.
func parseAnswer(piece []byte) (a answer, ok bool) {
	p, ok := unescape(piece)
	const head = 8
	if !ok || len(p) < head+2 || p[0] != 1 {
		return answer{}, false
	}
	return answer{p[1], binary.LittleEndian.Uint32(p[4:]), p[head:]}, true
}

// status is the error that an answer tells behind n bytes of data. One that failed has none, and one that was cut is told by its length:
// the ROM appends two bytes more than count, so that the loss of a byte or two that are zero does not matter.
func (a *answer) status(n int) error {
	at := a.body
	if len(at) >= n+2 {
		at = at[n:]
	} else if at[0] == 0 {
		return errCut
	}
	if at[0] != 0 {
		return &StatusError{a.command, at[1]}
	}
	return nil
}

// exchange sends a command and waits for its answer, whatever comes before. The sum is that of the data to be written.
func (l *link) exchange(ctx context.Context, d time.Duration, command byte, sum byte, data []byte) (answer, error) {
	end := time.NewTimer(d)
	defer end.Stop()
	p := []byte{0, command}
	p = binary.LittleEndian.AppendUint16(p, uint16(len(data)))
	p = binary.LittleEndian.AppendUint32(p, uint32(sum))
	if err := l.send(ctx, frame(append(p, data...)), end.C); err != nil {
		return answer{}, err
	}
	for {
		piece, err := l.receive(ctx, end.C)
		if err != nil {
			return answer{}, err
		}
		a, ok := parseAnswer(piece)
		switch {
		case !ok:
		case a.command == command:
			return a, nil
		case a.body[0] != 0 && a.body[1] == codeInvalid: // of a command that the ROM has not, with another number
			return answer{}, &StatusError{command, codeInvalid}
		}
	}
}

// ask exchanges until noise leaves it alone, for data of n bytes in front of the status.
func (l *link) ask(ctx context.Context, d time.Duration, command byte, n int, words ...uint32) (a answer, err error) {
	err = l.retry(ctx, func() error {
		if a, err = l.exchange(ctx, d, command, 0, le32(words...)); err == nil {
			err = a.status(n)
		}
		return err
	})
	return a, err
}

// retry carries out a step again that noise may have spoiled. The error is that of the last attempt.
func (l *link) retry(ctx context.Context, step func() error) error {
	var err error
	for range attempts {
		if err = step(); err == nil || !noisy(err) {
			return err
		}
		if err := l.sync(ctx); err != nil {
			return err
		}
	}
	return err
}

func noisy(err error) bool {
	var s *StatusError
	return errors.Is(err, errTimeout) || errors.Is(err, errCut) || errors.As(err, &s) && (s.Code == codeNone || s.Code == codeInvalid || s.Code == codeSum)
}

// syncData is what the ROM finds the rate by.
var syncData = slices.Concat([]byte{0x07, 0x07, 0x12, 0x20}, bytes.Repeat([]byte{0x55}, 32))

// sync finds the loader in any state: the first SYNC may end a frame that was damaged. It is answered eight times.
func (l *link) sync(ctx context.Context) error {
	if err := l.quiet(ctx); err != nil {
		return err
	}
	for range syncs {
		_, err := l.exchange(ctx, l.timing.Sync, cmdSync, 0, syncData)
		if err == nil {
			return l.quiet(ctx)
		}
		if !noisy(err) {
			return err
		}
	}
	return ErrSilent
}

// quiet throws away what comes until nothing does. A line on which somebody keeps talking is no loader's.
func (l *link) quiet(ctx context.Context) error {
	for range chatter {
		_, err := l.receive(ctx, time.After(l.timing.Sync))
		if errors.Is(err, errTimeout) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: something else keeps talking on the line", ErrSilent)
}

func le32(words ...uint32) (p []byte) {
	for _, w := range words {
		p = binary.LittleEndian.AppendUint32(p, w)
	}
	return p
}
