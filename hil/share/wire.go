package share

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/copaflash/copaflash/compiler/device"
)

// version of what is said on the sockets. Both ends are of the same program, but not always of the same release.
const version = 1

// Bounds of messages, in bytes, and of what is in one.
const (
	maxRequest = 64 << 10 // without an image
	maxWhole   = 64 << 20 // with one, and answers
	maxSpans   = 4096
	maxRead    = 16 << 20 // bytes that one request reads
	maxRecord  = 64 << 10 // bytes of values of one record
	maxCapture = 1 << 20  // records of a capture
	maxRuns    = 1 << 20  // of one call
	frameHead  = 4
	readAtOnce = 64 << 10
)

// request is what a client sends, once on each connection. Fields that an operation has no use for are absent.
type request struct {
	Version int                   `cbor:"1,keyasint"`
	Op      string                `cbor:"2,keyasint"`
	Digest  []byte                `cbor:"3,keyasint,omitempty"` // of the program that offsets refer to
	Spans   []device.Span         `cbor:"4,keyasint,omitempty"`
	Writes  []device.Piece        `cbor:"5,keyasint,omitempty"`
	At      uint32                `cbor:"6,keyasint,omitempty"`
	Every   int                   `cbor:"7,keyasint,omitempty"`
	Capture *device.CaptureConfig `cbor:"8,keyasint,omitempty"`
	Config  *device.LoopConfig    `cbor:"9,keyasint,omitempty"`
	Call    *call                 `cbor:"10,keyasint,omitempty"`
	Swap    *swap                 `cbor:"11,keyasint,omitempty"`
	Image   []byte                `cbor:"12,keyasint,omitempty"`
}

// call is a device.Call without its function.
type call struct {
	Writes []device.Piece `cbor:"1,keyasint,omitempty"`
	Runs   int            `cbor:"2,keyasint,omitempty"`
	Period time.Duration  `cbor:"3,keyasint,omitempty"`
	Limit  time.Duration  `cbor:"4,keyasint,omitempty"`
	Reads  []device.Span  `cbor:"5,keyasint,omitempty"`
	Timed  bool           `cbor:"6,keyasint,omitempty"` // the time of each run is asked for
	Entry  int            `cbor:"7,keyasint,omitempty"`
}

// swap is a device.Next, whose program is the request's image.
type swap struct {
	Tasks []device.Task  `cbor:"1,keyasint,omitempty"`
	Moves []device.Move  `cbor:"2,keyasint,omitempty"`
	Trial int            `cbor:"3,keyasint,omitempty"`
	Safe  []device.Piece `cbor:"4,keyasint,omitempty"`
}

// response is what the share sends: once for a request, many times for a stream.
type response struct {
	Err     *failure        `cbor:"1,keyasint,omitempty"`
	Hello   *hello          `cbor:"2,keyasint,omitempty"`
	Digest  []byte          `cbor:"3,keyasint,omitempty"`
	Status  *status         `cbor:"4,keyasint,omitempty"`
	Data    [][]byte        `cbor:"5,keyasint,omitempty"`
	Tick    uint32          `cbor:"6,keyasint,omitempty"`
	Budget  *device.Budget  `cbor:"7,keyasint,omitempty"`
	Report  *swapped        `cbor:"8,keyasint,omitempty"`
	Records []device.Record `cbor:"9,keyasint,omitempty"`
	Called  *called         `cbor:"10,keyasint,omitempty"`
	Image   []byte          `cbor:"11,keyasint,omitempty"`
	End     bool            `cbor:"12,keyasint,omitempty"` // of a stream
	Lost    uint32          `cbor:"13,keyasint,omitempty"` // records after the last one of a stream
}

// hello describes a share.
type hello struct {
	Name     string `cbor:"1,keyasint"`
	Arch     string `cbor:"2,keyasint"`
	Features uint64 `cbor:"3,keyasint,omitempty"`
	Tune     bool   `cbor:"4,keyasint,omitempty"`
	Board    string `cbor:"5,keyasint,omitempty"`
	Pins     bool   `cbor:"6,keyasint,omitempty"`
	Drivers  string `cbor:"7,keyasint,omitempty"`
}

// status is a device.LoopStatus, whose fault travels beside it.
type status struct {
	Status device.LoopStatus `cbor:"1,keyasint"`
	Fault  *failure          `cbor:"2,keyasint,omitempty"`
}

// swapped is a device.SwapReport, whose cause travels beside it.
type swapped struct {
	Tick  uint32   `cbor:"1,keyasint"`
	Back  bool     `cbor:"2,keyasint,omitempty"`
	Cause *failure `cbor:"3,keyasint,omitempty"`
}

// called is a device.Result and what else a program tells of a call.
type called struct {
	Data   [][]byte        `cbor:"1,keyasint,omitempty"`
	Total  time.Duration   `cbor:"2,keyasint,omitempty"`
	Timing *device.Timing  `cbor:"3,keyasint,omitempty"`
	Flags  device.Flags    `cbor:"4,keyasint,omitempty"`
	Times  []time.Duration `cbor:"5,keyasint,omitempty"`
}

var (
	encoding = must(cbor.EncOptions{}.EncMode())
	decoding = must(cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, MaxNestedLevels: 16, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
	}.DecMode())
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // options that contradict each other
	}
	return v
}

// errTooLong says that a message is longer than it may be.
var errTooLong = errors.New("the message is too long")

// send writes a message as one frame.
func send(w io.Writer, m any) error {
	body, err := encoding.Marshal(m)
	if err != nil {
		return fmt.Errorf("share: %w", err)
	}
	if len(body) > maxWhole {
		return fmt.Errorf("share: %w: %d bytes of %d", errTooLong, len(body), maxWhole)
	}
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, frameHead+len(body)), uint32(len(body)))
	_, err = w.Write(append(frame, body...))
	return err
}

// receive reads one frame of at most limit bytes. Memory is taken as bytes come, not as the frame's head promises.
func receive(r io.Reader, m any, limit int) error {
	var head [frameHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(head[:])
	if uint64(n) > uint64(limit) {
		return fmt.Errorf("share: %w: %d bytes of %d", errTooLong, n, limit)
	}
	var body bytes.Buffer
	body.Grow(min(int(n), readAtOnce))
	if _, err := io.CopyN(&body, r, int64(n)); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	if err := decoding.Unmarshal(body.Bytes(), m); err != nil {
		return fmt.Errorf("share: %w", err)
	}
	return nil
}
