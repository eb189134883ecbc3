package target

import (
	"errors"
	"fmt"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/session"
)

// A stoppage is what has stopped a program, by a fault or its limit of time, since it was loaded. Its data can be
// read; before it is written to or run, it is loaded again, with the inputs that it had. States are lost: nobody
// knows which of them had changed.
type stoppage struct {
	cause  error         // nil: none
	states []device.Span // of the program
}

func newStoppage(img *image.Image) (s stoppage) {
	for i := range img.Symbols {
		if sym := &img.Symbols[i]; sym.Kind == image.State {
			s.states = append(s.states, device.SpanOf(sym))
		}
	}
	return s
}

// note notes the error of a call, if it tells of a stoppage.
func (s *stoppage) note(err error) {
	if fault := (*session.FaultError)(nil); errors.As(err, &fault) {
		s.cause = err
	}
}

// ended tells whether the program has to be loaded again for a call. The error is that of a call which does not say
// what the states are to be.
func (s *stoppage) ended(c device.Call) (again bool, err error) {
	if s.cause == nil || c.Runs == 0 && len(c.Writes) == 0 {
		return false, nil
	}
	var writes device.Pieces
	for _, w := range c.Writes {
		writes.Note(w)
	}
	if !writes.Cover(s.states) {
		return false, fmt.Errorf("the states of this program were lost when it was stopped: set all of them, or load it again: %w", s.cause)
	}
	return true, nil
}
