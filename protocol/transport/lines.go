package transport

import (
	"errors"
	"fmt"
)

// Lines are the outputs of a serial port beside its data. The transports of OpenSerial have them.
type Lines interface {
	// SetLines sets both, at once where the system can do that. It fails with ErrNoLines where there are none, as at a pseudo
	// terminal.
	SetLines(dtr, rts bool) error
}

// ErrNoLines says that a port has no modem lines, or that they cannot be set.
var ErrNoLines = errors.New("the port has no modem lines")

func (s *serialPort) SetLines(dtr, rts bool) error {
	if s.closed.Load() {
		return fmt.Errorf("%s: %w", s.name, ErrClosed)
	}
	if err := s.lock.setLines(s.port, dtr, rts); err != nil {
		return fmt.Errorf("%s: %w (%v)", s.name, ErrNoLines, err)
	}
	return nil
}
