//go:build linux || darwin || freebsd || openbsd

package transport

import (
	"errors"

	"go.bug.st/serial"
	"golang.org/x/sys/unix"
)

// setLines sets both at once: to the circuit that resets a board, what lies between two states is one of its own.
func (l portLock) setLines(_ serial.Port, dtr, rts bool) error {
	conn, err := l.f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		var state int
		if state, failed = unix.IoctlGetInt(int(fd), unix.TIOCMGET); failed != nil {
			return
		}
		state &^= unix.TIOCM_DTR | unix.TIOCM_RTS
		if dtr {
			state |= unix.TIOCM_DTR
		}
		if rts {
			state |= unix.TIOCM_RTS
		}
		failed = unix.IoctlSetPointerInt(int(fd), unix.TIOCMSET, state)
	})
	return errors.Join(err, failed)
}
