//go:build linux || darwin || freebsd || openbsd

package transport

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// A portLock keeps other programs off a port. Exclusive mode of the terminal
// does not stop root, so the device is locked as well, by the lock that
// terminal programs such as picocom and tio respect. It vanishes with the
// process, whatever ends it.
type portLock struct{ f *os.File }

func lockPort(name string) (portLock, error) {
	// Non-blocking, or a modem line that is not up would hold up the open.
	fd, err := unix.Open(name, unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return portLock{}, err
	}
	f := os.NewFile(uintptr(fd), name)
	if err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = ErrBusy
		}
		return portLock{}, err
	}
	return portLock{f}, nil
}

// release unlocks the device before it closes it: a process that is being started elsewhere in this
// program has copies of all descriptors for a moment, and the lock would last as long as they.
func (l portLock) release() {
	_ = unix.Flock(int(l.f.Fd()), unix.LOCK_UN)
	l.f.Close()
}
