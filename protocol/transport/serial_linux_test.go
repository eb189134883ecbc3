package transport_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/copaflash/copaflash/protocol/transport"
)

// openPty returns the master of a new pseudo terminal and the name of its
// other end.
func openPty(t *testing.T) (*os.File, string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { master.Close() })
	raw, err := master.SyscallConn()
	require.NoError(t, err)
	var number int
	var failed error
	require.NoError(t, raw.Control(func(fd uintptr) {
		if failed = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); failed == nil {
			number, failed = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	}))
	require.NoError(t, failed)
	return master, fmt.Sprintf("/dev/pts/%d", number)
}

func openSerial(t *testing.T) (*os.File, transport.Transport) {
	t.Helper()
	master, name := openPty(t)
	tr, err := transport.OpenSerial(name, 115200)
	require.NoError(t, err)
	t.Cleanup(func() { tr.Close() })
	assert.Equal(t, name, tr.String())
	return master, tr
}

func TestSerialCarriesEveryByte(t *testing.T) {
	master, tr := openSerial(t)
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for range 20 {
		_, err := tr.Write(all)
		require.NoError(t, err)
		got := make([]byte, len(all))
		_, err = io.ReadFull(master, got)
		require.NoError(t, err)
		require.Equal(t, all, got)
		_, err = master.Write(all)
		require.NoError(t, err)
		_, err = io.ReadFull(tr, got)
		require.NoError(t, err)
		require.Equal(t, all, got)
	}
}

func TestSerialBaud(t *testing.T) {
	_, tr := openSerial(t)
	assert.Equal(t, 115200, tr.Baud())
	for _, baud := range []int{921600, 3_000_000, 250_000, 9600} {
		require.NoError(t, tr.SetBaud(baud))
		assert.Equal(t, baud, tr.Baud())
	}
}

func TestSerialHangup(t *testing.T) {
	master, tr := openSerial(t)
	time.AfterFunc(20*time.Millisecond, func() { master.Close() })
	_, err := tr.Read(make([]byte, 1))
	assert.ErrorIs(t, err, transport.ErrHangup)
	_, err = tr.Write([]byte{1})
	assert.ErrorIs(t, err, transport.ErrHangup)
	assert.NoError(t, tr.Close())
}

func TestSerialCloseEndsARead(t *testing.T) {
	_, tr := openSerial(t)
	checkCloseEndsARead(t, tr)
	assert.NoError(t, tr.Close(), "twice")
	_, err := tr.Write([]byte{1})
	assert.ErrorIs(t, err, transport.ErrClosed)
}

// A write that is stuck because nobody reads ends when the port is closed.
func TestSerialCloseEndsAWrite(t *testing.T) {
	_, tr := openSerial(t)
	got := make(chan error)
	go func() {
		_, err := tr.Write(bytes.Repeat([]byte{7}, 1<<20))
		got <- err
	}()
	time.Sleep(50 * time.Millisecond)
	start := time.Now()
	require.NoError(t, tr.Close())
	assert.Less(t, time.Since(start), time.Minute)
	select {
	case err := <-got:
		assert.Error(t, err)
	case <-time.After(2 * time.Second):
		t.Fatal("Write goes on after Close")
	}
}

func TestSerialPortInUse(t *testing.T) {
	_, tr := openSerial(t)
	_, err := transport.OpenSerial(tr.String(), 115200)
	assert.ErrorIs(t, err, transport.ErrBusy)
	assert.ErrorContains(t, err, tr.String())
	require.NoError(t, tr.Close())
	again, err := transport.OpenSerial(tr.String(), 115200)
	require.NoError(t, err)
	require.NoError(t, again.Close())
}

func TestSerialForgetsWhatCameBefore(t *testing.T) {
	master, name := openPty(t)
	keep, err := os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY, 0) // so that bytes are kept
	require.NoError(t, err)
	defer keep.Close()
	_, err = master.Write([]byte("old\n"))
	require.NoError(t, err)
	tr, err := transport.OpenSerial(name, 115200)
	require.NoError(t, err)
	defer tr.Close()
	_, err = master.Write([]byte("new"))
	require.NoError(t, err)
	got := make([]byte, 3)
	_, err = io.ReadFull(tr, got)
	require.NoError(t, err)
	assert.Equal(t, "new", string(got))
}

// A pseudo terminal has no modem lines, and says so.
func TestSerialWithoutLines(t *testing.T) {
	_, tr := openSerial(t)
	lines, ok := tr.(transport.Lines)
	require.True(t, ok)
	assert.ErrorIs(t, lines.SetLines(true, false), transport.ErrNoLines)
	require.NoError(t, tr.Close())
	assert.ErrorIs(t, lines.SetLines(true, false), transport.ErrClosed)
}
