package transport

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"syscall"
)

// DialTCP connects to a runner behind a TCP port, such as QEMU's
// "-serial tcp:..." or a terminal server in raw mode. addr is host:port.
func DialTCP(ctx context.Context, addr string) (Transport, error) { return dial(ctx, "tcp", addr) }

// DialUnix connects to a runner behind a unix socket.
func DialUnix(ctx context.Context, path string) (Transport, error) { return dial(ctx, "unix", path) }

func dial(ctx context.Context, network, addr string) (Transport, error) {
	name := network + ":" + addr
	var d net.Dialer
	c, err := d.DialContext(ctx, network, addr) // TCP has no delay by default
	switch {
	case err == nil:
		return FromConn(c, name), nil
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w: nothing listens there", name, ErrNoDevice)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%s: %w", name, ErrPermission)
	}
	return nil, fmt.Errorf("%s: %w", name, err)
}
