package share

import (
	"context"
	"errors"
	"os"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport"
)

// failure is an error on its way from the share to a client: its texts, and what callers branch on.
type failure struct {
	Text   string         `cbor:"1,keyasint"`
	Hint   string         `cbor:"2,keyasint,omitempty"`
	Kinds  []string       `cbor:"3,keyasint,omitempty"` // rows of kinds
	Budget *device.Budget `cbor:"4,keyasint,omitempty"` // of an OversubscribedError
	Fault  *packet.Fault  `cbor:"5,keyasint,omitempty"` // of a FaultError
	Status packet.Status  `cbor:"6,keyasint,omitempty"` // of a RemoteError
	Op     packet.Message `cbor:"7,keyasint,omitempty"`
	Detail uint32         `cbor:"8,keyasint,omitempty"`
}

// kinds are the errors that keep their identity.
var kinds = map[string]error{
	"ticking":   device.ErrTicking,
	"released":  device.ErrReleased,
	"read-only": ErrReadOnly,
	"changed":   ErrChanged,
	"taken":     session.ErrTaken,
	"hang-up":   transport.ErrHangup,
	"closed":    transport.ErrClosed,
	"busy":      transport.ErrBusy,
	"time":      os.ErrDeadlineExceeded,
}

// describe makes an error ready for its way; nil for none.
func describe(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Text: err.Error()}
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		f.Hint = h.Hint()
	}
	for name, kind := range kinds {
		if errors.Is(err, kind) {
			f.Kinds = append(f.Kinds, name)
		}
	}
	var timeout interface{ Timeout() bool }
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		f.Kinds = append(f.Kinds, "time")
	}
	var over *device.OversubscribedError
	if errors.As(err, &over) {
		f.Budget = &over.Budget
	}
	var fault *session.FaultError
	if errors.As(err, &fault) {
		f.Fault = &fault.Fault
	}
	var remote *session.RemoteError
	if errors.As(err, &remote) {
		f.Op, f.Status, f.Detail = remote.Op, remote.Status, remote.Detail
	}
	return f
}

// farError is an error that happened in the process of the share.
type farError struct {
	text string
	is   []error
}

func (e *farError) Error() string   { return e.text }
func (e *farError) Unwrap() []error { return e.is }

// err is the error that was described.
func (f *failure) err() error {
	if f == nil {
		return nil
	}
	e := &farError{text: f.Text}
	for _, name := range f.Kinds {
		if kind, ok := kinds[name]; ok {
			e.is = append(e.is, kind)
		}
	}
	if f.Budget != nil {
		e.is = append(e.is, &device.OversubscribedError{Budget: *f.Budget})
	}
	if f.Fault != nil {
		e.is = append(e.is, &session.FaultError{Fault: *f.Fault, Runs: f.Fault.Run})
	}
	if f.Status != 0 {
		e.is = append(e.is, &session.RemoteError{Op: f.Op, Status: f.Status, Detail: f.Detail})
	}
	if f.Hint != "" {
		return &hintedError{e, f.Hint}
	}
	return e
}

// hintedError is an error with its next step.
type hintedError struct {
	error
	hint string
}

// Hint says what to do next.
func (e *hintedError) Hint() string  { return e.hint }
func (e *hintedError) Unwrap() error { return e.error }
