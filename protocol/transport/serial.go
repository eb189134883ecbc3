package transport

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.bug.st/serial"
)

const (
	// writePiece bounds one write where a write cannot be interrupted.
	writePiece = 512
	// closeWait is how long Close lets a write under way come to its end.
	closeWait = 500 * time.Millisecond
)

// A serialPort is a Transport over a serial device or a pseudo terminal.
type serialPort struct {
	port   serial.Port
	lock   portLock
	name   string
	parity serial.Parity
	baud   atomic.Int64
	closed atomic.Bool
	// writing is held during a write: the port's descriptor must not be closed,
	// and perhaps used again for something else, under it.
	writing sync.Mutex
}

// OpenSerial opens a serial port with 8 data bits, no parity and one stop bit,
// for this program alone.
func OpenSerial(name string, baud int) (Transport, error) {
	return openSerial(name, baud, serial.NoParity)
}

// OpenSerialEven does the same with even parity, which boot loaders want.
func OpenSerialEven(name string, baud int) (Transport, error) {
	return openSerial(name, baud, serial.EvenParity)
}

func openSerial(name string, baud int, parity serial.Parity) (Transport, error) {
	lock, err := lockPort(name)
	if err != nil {
		return nil, serialError(name, err)
	}
	s := &serialPort{lock: lock, name: name, parity: parity}
	port, err := serial.Open(name, s.mode(baud))
	if err != nil {
		lock.release()
		return nil, serialError(name, err)
	}
	// Many USB adapters send nothing before they see these two. A pseudo
	// terminal has neither and says ENOTTY; no failure here makes the port useless.
	// DTR comes first: RTS without DTR resets boards with an Espressif chip. Linux has
	// set both at once when the port was opened.
	_ = port.SetDTR(true)
	_ = port.SetRTS(true)
	// Discard what was received before the port was ours.
	_ = port.ResetInputBuffer()
	s.port = port
	s.baud.Store(int64(baud))
	return s, nil
}

// Break keeps the line of a serial port low for some time, which a runner that starts meanwhile takes as a sign not to carry out
// the program that it keeps.
func Break(name string, baud int, d time.Duration) error {
	t, err := OpenSerial(name, baud)
	if err != nil {
		return err
	}
	if err := t.(*serialPort).port.Break(d); err != nil {
		return errors.Join(fmt.Errorf("%s: a break: %w", name, err), t.Close())
	}
	return t.Close()
}

// mode is the setting of the line at a rate.
func (s *serialPort) mode(baud int) *serial.Mode {
	return &serial.Mode{BaudRate: baud, DataBits: 8, Parity: s.parity}
}

func (s *serialPort) Read(p []byte) (int, error) {
	for {
		n, err := s.port.Read(p)
		switch {
		case n > 0:
			return n, nil
		case s.closed.Load():
			return 0, fmt.Errorf("%s: %w", s.name, ErrClosed)
		case err == nil, errors.Is(err, syscall.EINTR):
			continue
		}
		return 0, transferError(s.name, err)
	}
}

func (s *serialPort) Write(p []byte) (int, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	done := 0
	for done < len(p) {
		if s.closed.Load() {
			return done, fmt.Errorf("%s: %w", s.name, ErrClosed)
		}
		n, err := s.lock.write(s.port, p[done:min(done+writePiece, len(p))])
		done += n
		if err != nil && !errors.Is(err, syscall.EINTR) && !s.closed.Load() {
			return done, transferError(s.name, err)
		}
	}
	return done, nil
}

func (s *serialPort) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	defer s.lock.release()
	// What has not left is thrown away: it may be stuck, and closing a serial
	// device waits for it.
	for end := time.Now().Add(closeWait); ; time.Sleep(time.Millisecond) {
		_ = s.port.ResetOutputBuffer()
		s.lock.interrupt()
		if s.writing.TryLock() {
			defer s.writing.Unlock()
			break
		}
		if time.Now().After(end) {
			break // a write that cannot be ended is left behind
		}
	}
	return s.port.Close()
}

func (s *serialPort) Baud() int { return int(s.baud.Load()) }

func (s *serialPort) SetBaud(baud int) error {
	if err := s.port.SetMode(s.mode(baud)); err != nil {
		return serialError(s.name, err)
	}
	s.baud.Store(int64(baud))
	return nil
}

func (s *serialPort) String() string { return s.name }

// transferError is serialError for a port that is open. Whatever the system says
// then means that the device is gone: Windows denies access to one that was
// unplugged, or no longer finds it.
func transferError(name string, err error) error {
	if e := serialError(name, err); errors.Is(e, ErrHangup) {
		return e
	}
	return fmt.Errorf("%s: %w (%v)", name, ErrHangup, err)
}

// serialError finds the error of this package that fits.
func serialError(name string, err error) error {
	kind := err
	var port *serial.PortError
	switch {
	case errors.As(err, &port):
		switch port.Code() {
		case serial.PortBusy:
			kind = ErrBusy
		case serial.PortNotFound:
			kind = ErrNoDevice
		case serial.PermissionDenied:
			kind = ErrPermission
		case serial.PortClosed:
			// Not by Close, which is asked first: a device that was unplugged
			// reads as the end of a file.
			kind = ErrHangup
		case serial.InvalidSerialPort:
			kind = fmt.Errorf("%w: not a serial port", ErrNoDevice)
		}
	case errors.Is(err, syscall.EISDIR):
		kind = fmt.Errorf("%w: not a serial port", ErrNoDevice)
	case errors.Is(err, ErrBusy):
	case errors.Is(err, syscall.EBUSY):
		kind = ErrBusy
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENODEV):
		kind = ErrNoDevice
	case errors.Is(err, fs.ErrPermission):
		kind = ErrPermission
	case errors.Is(err, syscall.EIO), errors.Is(err, syscall.ENXIO):
		kind = ErrHangup
	}
	return fmt.Errorf("%s: %w", name, kind)
}
