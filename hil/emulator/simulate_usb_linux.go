package emulator

import (
	"encoding/binary"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// A usbPort is a pseudo-terminal in the place of the ttyACM that Linux makes of a serial port over USB: the bridge has its bytes,
// and is told its rate and DTR, which a terminal of this kind has not: it comes with whoever opens the terminal, and goes with who
// closes it.
type usbPort struct {
	name         string
	line         *os.File // what is behind the terminal
	ours, theirs *os.File // the bridge's line
	opened       *os.File // inotify's events
	release      func()
}

func newUSBPort() (p *usbPort, err error) {
	p = &usbPort{release: func() {}}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.ours, p.theirs, err = socketPair(); err != nil {
		return p, err
	}
	if p.line, p.name, err = newTTY(); err != nil {
		return p, err
	}
	if p.release, err = holdTTY(p.name); err != nil {
		p.release = func() {}
		return p, err
	}
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return p, err
	}
	p.opened = os.NewFile(uintptr(fd), "inotify")
	_, err = unix.InotifyAddWatch(fd, p.name, unix.IN_OPEN|unix.IN_CLOSE)
	return p, err
}

func (p *usbPort) close() {
	p.release()
	for _, f := range []*os.File{p.line, p.ours, p.opened} {
		if f != nil {
			f.Close()
		}
	}
}

// carry passes bytes on, and what happens to the terminal, until the port is closed.
func (p *usbPort) carry(do func(command string, args map[string]any, answer any) error) {
	go func() { _, _ = io.Copy(p.ours, p.line) }()
	go func() { _, _ = io.Copy(p.line, p.ours) }()
	events := make([]byte, 64*unix.SizeofInotifyEvent)
	for {
		n, err := p.opened.Read(events)
		if err != nil {
			return
		}
		for at := 0; at+unix.SizeofInotifyEvent <= n; at += unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(events[at+12:])) {
			open := binary.NativeEndian.Uint32(events[at+4:])&unix.IN_OPEN != 0
			if !open {
				rate, err := p.rate()
				if err == nil {
					err = do("coding", map[string]any{"baud": rate}, nil)
				}
				if err != nil {
					return
				}
			}
			if do("lines", map[string]any{"ready": open}, nil) != nil {
				return
			}
		}
	}
}

// rate is what the terminal is set to, in bits per second.
func (p *usbPort) rate() (rate uint32, err error) {
	conn, err := p.line.SyscallConn()
	if err != nil {
		return 0, err
	}
	var inner error
	err = conn.Control(func(fd uintptr) {
		var mode *unix.Termios
		if mode, inner = unix.IoctlGetTermios(int(fd), unix.TCGETS2); inner == nil {
			rate = mode.Ospeed
		}
	})
	return rate, errors.Join(err, inner)
}
