package session_test

import (
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
	"github.com/copaflash/copaflash/protocol/transport"
)

// The tests in this file use the system's own streams and clock.

func overSocketPair(t testing.TB) *session.Session {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	host, err := transport.FromFile(os.NewFile(uintptr(fds[0]), "host"), "socketpair")
	require.NoError(t, err)
	runner, err := transport.FromFile(os.NewFile(uintptr(fds[1]), "runner"), "socketpair")
	require.NoError(t, err)
	r := sessiontest.New()
	r.Program = count
	r.Hello.MaxPacket, r.Hello.Window, r.Hello.CodeCapacity, r.Hello.DataCapacity = 4096, 65536, 64<<20, 64<<20
	served := make(chan error)
	go func() { served <- r.Serve(runner) }()
	s, err := session.Open(t.Context(), host, session.Options{})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, <-served)
	})
	return s
}

// A round trip over a socket pair takes less than 100 us. Other work on the
// machine may disturb it, so the quietest round counts, of ten or more.
func TestLatency(t *testing.T) {
	s := overSocketPair(t)
	best := time.Hour
	const most = 100 * time.Microsecond
	for i, deadline := 0, time.Now().Add(time.Minute); i < 10 || best >= most && !raceEnabled && time.Now().Before(deadline); i++ {
		took := make([]time.Duration, 200)
		for i := range took {
			start := time.Now()
			_, err := s.Status(t.Context())
			require.NoError(t, err)
			took[i] = time.Since(start)
		}
		slices.Sort(took)
		best = min(best, took[len(took)/2])
	}
	t.Logf("median of the quietest round: %v", best)
	if !raceEnabled { // which makes everything several times slower
		assert.Less(t, best, most)
	}
}

func TestLargeImageOverSocketPair(t *testing.T) {
	s := overSocketPair(t)
	report, err := s.Load(t.Context(), someImage(8<<20), nil)
	require.NoError(t, err)
	t.Logf("%.0f MB/s", float64(report.Bytes)/1e6/report.Took.Seconds())
	assert.Zero(t, report.Resent)
}

func BenchmarkStatus(b *testing.B) {
	s := overSocketPair(b)
	for b.Loop() {
		if _, err := s.Status(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// ptyMaster is the runner's side of a pseudo terminal.
type ptyMaster struct{ *os.File }

func (p ptyMaster) Read(b []byte) (int, error) {
	n, err := p.File.Read(b)
	if err != nil {
		err = transport.ErrHangup
	}
	return n, err
}

func (ptyMaster) Baud() int         { return 115200 }
func (ptyMaster) SetBaud(int) error { return nil }
func (ptyMaster) String() string    { return "pty" }

func openPty(t *testing.T) (ptyMaster, string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	raw, err := master.SyscallConn()
	require.NoError(t, err)
	var number int
	require.NoError(t, raw.Control(func(fd uintptr) {
		require.NoError(t, unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0))
		number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		require.NoError(t, err)
	}))
	return ptyMaster{master}, "/dev/pts/" + strconv.Itoa(number)
}

// A pseudo terminal is what an emulated board has for a serial port.
func TestPty(t *testing.T) {
	master, name := openPty(t)
	port, err := transport.OpenSerial(name, 115200)
	require.NoError(t, err)
	r := sessiontest.New()
	r.Program = count
	served := make(chan error)
	go func() { served <- r.Serve(master) }()
	s, err := session.Open(t.Context(), port, session.Options{})
	require.NoError(t, err)
	m := someImage(image64K)
	report, err := s.Load(t.Context(), m, nil)
	require.NoError(t, err)
	t.Logf("%.1f MB/s, %d sent again", float64(report.Bytes)/1e6/report.Took.Seconds(), report.Resent)
	got, err := s.Read(t.Context(), 0, len(m.Data))
	require.NoError(t, err)
	assert.Equal(t, m.Data, got)
	require.NoError(t, s.SetBaud(t.Context(), 921600))
	require.NoError(t, s.Close())
	require.NoError(t, master.Close())
	require.NoError(t, <-served)
}

func TestPtyHangsUp(t *testing.T) {
	master, name := openPty(t)
	port, err := transport.OpenSerial(name, 115200)
	require.NoError(t, err)
	r := sessiontest.New()
	go func() { _ = r.Serve(master) }()
	s, err := session.Open(t.Context(), port, session.Options{})
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, master.Close())
	_, err = s.Status(t.Context())
	assert.ErrorIs(t, err, transport.ErrHangup)
}

// A runner that stops reading fills the pseudo terminal. The session gives up
// in time, and can be closed.
func TestPtyThatNobodyReads(t *testing.T) {
	master, name := openPty(t)
	defer master.Close()
	port, err := transport.OpenSerial(name, 115200)
	require.NoError(t, err)
	junk := make([]byte, 1<<20)
	go func() { _, _ = port.Write(junk) }()
	time.Sleep(50 * time.Millisecond)
	start := time.Now()
	_, err = session.Open(t.Context(), port, session.Options{Timeout: 300 * time.Millisecond})
	var timeout *session.TimeoutError
	require.ErrorAs(t, err, &timeout)
	assert.Less(t, time.Since(start), time.Minute)
}
