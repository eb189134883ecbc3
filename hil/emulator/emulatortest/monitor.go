// Package emulatortest starts boards for tests: emulated ones whose reset button it can press, and simulated ones.
package emulatortest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/hil/emulator"
)

// patience bounds how long QEMU may take for a command on a busy computer.
const patience = 5 * time.Minute

// A Board is an emulated board with a monitor.
type Board struct {
	*emulator.Machine
	conn net.Conn
	in   *bufio.Scanner
}

// Start boots a board with further arguments for QEMU.
func Start(t *testing.T, name string, args ...string) *Board {
	t.Helper()
	b, err := boards.Find(name)
	require.NoError(t, err)
	socket := filepath.Join(t.TempDir(), "qmp")
	m, err := emulator.Start(t.Context(), b, emulator.Options{Args: append(args, "-qmp", "unix:"+socket+",server=on,wait=off"), Timeout: time.Minute})
	require.NoError(t, err)
	t.Cleanup(func() { _ = m.Close() })
	board := &Board{Machine: m}
	require.Eventually(t, func() bool { // QEMU tells of the line before it makes the socket
		board.conn, err = net.Dial("unix", socket)
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	t.Cleanup(func() { board.conn.Close() })
	require.NoError(t, board.conn.SetDeadline(time.Now().Add(patience)))
	board.in = bufio.NewScanner(board.conn)
	require.True(t, board.in.Scan(), "%v", board.in.Err()) // QEMU's greeting
	require.NoError(t, board.do("qmp_capabilities", ""))
	return board
}

// Reset presses the reset button.
func (b *Board) Reset() error { return b.do("system_reset", "RESET") }

// do has QEMU carry out a command, and waits for the event that it leads to, if any.
func (b *Board) do(command, event string) error {
	if _, err := fmt.Fprintf(b.conn, "{%q:%q}\n", "execute", command); err != nil {
		return err
	}
	for answered, seen := false, event == ""; !answered || !seen; {
		if !b.in.Scan() {
			return fmt.Errorf("%s: the monitor ended: %w", command, b.in.Err())
		}
		var line struct {
			Return, Error json.RawMessage
			Event         string
		}
		if err := json.Unmarshal(b.in.Bytes(), &line); err != nil {
			return err
		}
		if line.Error != nil {
			return fmt.Errorf("%s: %s", command, line.Error)
		}
		answered = answered || line.Return != nil
		seen = seen || line.Event == event
	}
	return nil
}
