//go:build linux || darwin

package emulator

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func supported() error { return nil }

// releaseInterval is how long a port may seem busy after a client has died.
const releaseInterval = 500 * time.Millisecond

// holdTTY keeps a tty open, without making it the controlling one, until release
// is called.
//
// A client may ask for exclusive use, which the system forgets when the last one
// closes the tty. That does not come while it is held, so a client that died
// without giving it back would lock out all others but root: it is taken back
// regularly. Clients of this project exclude each other by lock files.
func holdTTY(path string) (release func(), err error) {
	tty, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	conn, err := tty.SyscallConn()
	if err != nil {
		tty.Close()
		return nil, err
	}
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(releaseInterval)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				// Fails only when QEMU is gone, and then nothing is left to share.
				_ = conn.Control(func(fd uintptr) { _ = unix.IoctlSetInt(int(fd), unix.TIOCNXCL, 0) })
			}
		}
	}()
	return func() {
		close(done)
		<-stopped
		tty.Close()
	}, nil
}
