// Package transport carries bytes between the host and a runner: over a serial
// port, TCP, a unix socket, or a socket pair with a child process.
//
// A transport knows nothing of frames or packets; it must not import the other
// protocol packages. It guarantees one set of errors, and that Close ends
// a Read or Write in progress.
package transport

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
)

// A Transport is an open byte stream to a runner. Read and Write may be called
// at the same time, each by one goroutine.
type Transport interface {
	// Read blocks until there is at least one byte. It fails with ErrHangup
	// when the other end is gone, and with ErrClosed after Close.
	// Write blocks until all bytes are accepted, and fails like Read.
	io.ReadWriteCloser
	// Baud returns the line rate in bits per second, 0 if this is not a
	// serial line. Ten bits carry a byte.
	Baud() int
	// SetBaud changes the line rate; it fails with ErrNotSerial if there is none.
	SetBaud(baud int) error
	// String names the other end for people, such as /dev/ttyUSB0.
	String() string
}

var (
	// ErrClosed says that the transport was closed on this side.
	ErrClosed = errors.New("transport is closed")
	// ErrHangup says that the other end is gone: unplugged, ended or closed.
	ErrHangup = errors.New("the other end hung up")
	// ErrBusy says that another program uses the port.
	ErrBusy = errors.New("port is in use by another program")
	// ErrNoDevice says that there is no such port, or nothing listens there.
	ErrNoDevice = errors.New("no such device")
	// ErrPermission says that the user may not open the port.
	ErrPermission = errors.New("no permission to open the port")
	// ErrNotSerial says that a transport has no line rate.
	ErrNotSerial = errors.New("not a serial line")
)

// A stream is a Transport over a network connection.
type stream struct {
	net.Conn
	name string
}

// FromConn makes a Transport of a connection, such as one end of a socket
// pair, and takes it over.
func FromConn(c net.Conn, name string) Transport { return &stream{c, name} }

// FromFile makes a Transport of a connected socket and takes it over.
func FromFile(f *os.File, name string) (Transport, error) {
	c, err := net.FileConn(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	// FileConn works on a duplicate.
	return FromConn(c, name), f.Close()
}

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	return n, s.translate(err)
}

func (s *stream) Write(p []byte) (int, error) {
	n, err := s.Conn.Write(p)
	return n, s.translate(err)
}

func (*stream) Baud() int         { return 0 }
func (*stream) SetBaud(int) error { return ErrNotSerial }
func (s *stream) String() string  { return s.name }

func (s *stream) translate(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, net.ErrClosed):
		return fmt.Errorf("%s: %w", s.name, ErrClosed)
	case errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return fmt.Errorf("%s: %w", s.name, ErrHangup)
	}
	return fmt.Errorf("%s: %w", s.name, err)
}
