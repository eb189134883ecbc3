package transport_test

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/transport"
)

// listen accepts one connection and hands it over.
func listen(t *testing.T, network, addr string) (string, <-chan net.Conn) {
	l, err := net.Listen(network, addr)
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	conns := make(chan net.Conn, 1)
	go func() {
		if c, err := l.Accept(); err == nil {
			conns <- c
		}
	}()
	return l.Addr().String(), conns
}

func TestDial(t *testing.T) {
	for network, dial := range map[string]func(context.Context, string) (transport.Transport, error){
		"tcp": transport.DialTCP, "unix": transport.DialUnix,
	} {
		t.Run(network, func(t *testing.T) {
			addr := "127.0.0.1:0"
			if network == "unix" {
				addr = filepath.Join(t.TempDir(), "runner")
			}
			addr, conns := listen(t, network, addr)
			tr, err := dial(t.Context(), addr)
			require.NoError(t, err)
			assert.Equal(t, network+":"+addr, tr.String())
			checkStream(t, tr, <-conns)
		})
	}
}

// checkStream tests a transport whose other end is peer.
func checkStream(t *testing.T, tr transport.Transport, peer io.ReadWriteCloser) {
	t.Helper()
	_, err := tr.Write([]byte("ping"))
	require.NoError(t, err)
	buf := make([]byte, 4)
	_, err = io.ReadFull(peer, buf)
	require.NoError(t, err)
	assert.Equal(t, "ping", string(buf))
	_, err = peer.Write([]byte("pong"))
	require.NoError(t, err)
	_, err = io.ReadFull(tr, buf)
	require.NoError(t, err)
	assert.Equal(t, "pong", string(buf))

	assert.Zero(t, tr.Baud())
	assert.ErrorIs(t, tr.SetBaud(9600), transport.ErrNotSerial)

	require.NoError(t, peer.Close())
	_, err = tr.Read(buf)
	assert.ErrorIs(t, err, transport.ErrHangup)
	assert.ErrorContains(t, err, tr.String())
	require.Eventually(t, func() bool {
		_, err = tr.Write(buf)
		return err != nil
	}, time.Second, time.Millisecond)
	assert.ErrorIs(t, err, transport.ErrHangup)
	require.NoError(t, tr.Close())
	_, err = tr.Read(buf)
	assert.ErrorIs(t, err, transport.ErrClosed)
}

func TestCloseEndsARead(t *testing.T) {
	addr, _ := listen(t, "tcp", "127.0.0.1:0")
	tr, err := transport.DialTCP(t.Context(), addr)
	require.NoError(t, err)
	checkCloseEndsARead(t, tr)
}

func checkCloseEndsARead(t *testing.T, tr transport.Transport) {
	t.Helper()
	got := make(chan error)
	go func() {
		_, err := tr.Read(make([]byte, 1))
		got <- err
	}()
	time.Sleep(20 * time.Millisecond)
	require.NoError(t, tr.Close())
	select {
	case err := <-got:
		assert.ErrorIs(t, err, transport.ErrClosed)
	case <-time.After(2 * time.Second):
		t.Fatal("Read goes on after Close")
	}
}

func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := l.Addr().String()
	l.Close()
	_, err = transport.DialTCP(t.Context(), addr)
	assert.ErrorIs(t, err, transport.ErrNoDevice)
	_, err = transport.DialUnix(t.Context(), filepath.Join(t.TempDir(), "none"))
	assert.ErrorIs(t, err, transport.ErrNoDevice)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = transport.DialTCP(ctx, addr)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestSerialPortThatIsNone(t *testing.T) {
	_, err := transport.OpenSerial(filepath.Join(t.TempDir(), "ttyUSB9"), 115200)
	assert.ErrorIs(t, err, transport.ErrNoDevice)
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, name := range []string{file, folder} {
		_, err = transport.OpenSerial(name, 115200)
		assert.ErrorIs(t, err, transport.ErrNoDevice)
		assert.ErrorContains(t, err, "not a serial port")
	}
}
