//go:build linux

package emulator_test

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/protocol/session"
)

// powerWithButton starts a board and returns what presses its reset button.
func powerWithButton(t *testing.T, name string, args ...string) (m *emulator.Machine, reset func()) {
	t.Helper()
	m, do := powerWithMonitor(t, name, args...)
	return m, func() { t.Helper(); do(`"system_reset"`, "RESET") }
}

// powerWithMonitor starts a board and returns what has QEMU carry out a command, the rest of a JSON object after "execute", and waits
// for the event that it leads to, if any.
func powerWithMonitor(t *testing.T, name string, args ...string) (m *emulator.Machine, do func(command, event string)) {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "qmp")
	m = power(t, name, emulator.Options{Args: append(args, "-qmp", "unix:"+socket+",server=on,wait=off")})
	var conn net.Conn
	require.Eventually(t, func() bool { // QEMU tells of the line before it makes the socket
		var err error
		conn, err = net.Dial("unix", socket)
		return err == nil
	}, answerTime, 10*time.Millisecond)
	t.Cleanup(func() { conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(answerTime)))
	in := bufio.NewScanner(conn)
	require.True(t, in.Scan(), "%v", in.Err()) // QEMU's greeting
	do = func(command, event string) {
		t.Helper()
		_, err := conn.Write([]byte(`{"execute":` + command + "}\n"))
		require.NoError(t, err)
		for answered, seen := false, event == ""; !answered || !seen; {
			require.True(t, in.Scan(), "%s: %v", command, in.Err())
			var line struct {
				Return, Error json.RawMessage
				Event         string
			}
			require.NoError(t, json.Unmarshal(in.Bytes(), &line))
			require.Nil(t, line.Error, "%s", line.Error)
			answered = answered || line.Return != nil
			seen = seen || line.Event == event
		}
	}
	do(`"qmp_capabilities"`, "")
	return m, do
}

// No two starts of a board may look the same to a host, or it takes what is on the
// board for what it has loaded. After power-up RAM is all zero in QEMU, and most boards
// have nothing but the time at which a host first speaks: under -icount, where that can be the
// same tick in every start, only chips with a random number generator could do better.
func TestNonces(t *testing.T) {
	for _, b := range emulated(t) {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			const late = 10 // answers at most to HELLOs of before a reset
			var found []uint32
			for range extent.Of(2, 5) {
				m, reset := powerWithButton(t, b.Name)
				c := dial(t, m.TTY())
				time.Sleep(rand.N(50 * time.Millisecond)) // nobody speaks at the same moment each time
				first := c.hello(1).BootNonce
				reset()
				second := c.hello(2).BootNonce
				for i := 0; i < late && second == first; i++ {
					second = c.hello(2).BootNonce
				}
				for _, nonce := range []uint32{first, second} {
					require.NotContains(t, found, nonce)
					found = append(found, nonce)
				}
				require.NoError(t, m.Close())
			}
			t.Logf("%#x", found)
		})
	}
}

// A host hears at once that a board has lost its program, whatever it asks next.
func TestResetInASession(t *testing.T) {
	const soon = 3 * time.Second // it takes three tries of some tens of milliseconds
	for _, b := range emulated(t) {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			m, reset := powerWithButton(t, b.Name)
			s := open(t, m)
			img := bigImage(isaOf(t, b), 64)
			load := func() {
				t.Helper()
				_, err := s.Load(t.Context(), img, nil)
				require.NoError(t, err)
				_, err = s.Run(t.Context(), session.Run{Count: 3})
				require.NoError(t, err)
			}
			ask := map[string]func() error{
				"read":  func() error { _, err := s.Read(t.Context(), resultAt, 4); return err },
				"write": func() error { return s.Write(t.Context(), resultAt, make([]byte, 4)) },
				"run":   func() error { _, err := s.Run(t.Context(), session.Run{Count: 1}); return err },
			}
			if !extent.All() {
				delete(ask, "write")
			}
			for name, do := range ask {
				took := time.Duration(math.MaxInt64)
				for try := 0; took >= soon; try++ { // a busy machine holds it up, but not each time
					require.Less(t, try, 5, name)
					load()
					reset()
					began := time.Now()
					err := do()
					took = time.Since(began)
					var restart *session.RestartError
					require.ErrorAs(t, err, &restart, name)
					require.ErrorContains(t, err, "has restarted")
					t.Logf("%s: %v after %v", name, err, took.Round(time.Millisecond))
				}
			}
			load() // and it goes on
			data, err := s.Read(t.Context(), resultAt, 4)
			require.NoError(t, err)
			require.EqualValues(t, 3, binary.LittleEndian.Uint32(data))
		})
	}
}
