//go:build !(linux || darwin || freebsd || openbsd)

package transport

import (
	"errors"

	"go.bug.st/serial"
)

// setLines sets one after the other. DTR is set twice: Windows' driver for ports on USB tells the device of a change of RTS only with the
// next one of DTR, says esptool's reset.py.
func (portLock) setLines(port serial.Port, dtr, rts bool) error {
	return errors.Join(port.SetDTR(dtr), port.SetRTS(rts), port.SetDTR(dtr))
}
