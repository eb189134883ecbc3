//go:build unix

package transport_test

import (
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/transport"
)

// TestMain lets the test program be its own child: it answers on descriptor 3.
func TestMain(m *testing.M) {
	switch os.Getenv("TRANSPORT_TEST_CHILD") {
	case "echo":
		f := os.NewFile(3, "socket")
		_, _ = io.Copy(f, f)
		os.Exit(0)
	case "fail":
		os.Exit(7)
	case "stubborn":
		time.Sleep(time.Minute)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func start(t *testing.T, what string) (transport.Transport, *exec.Cmd) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "TRANSPORT_TEST_CHILD="+what,
		"GORACE=atexit_sleep_ms=0") // else a child under the race detector is slow to end
	tr, err := transport.StartCommand(cmd)
	require.NoError(t, err)
	t.Cleanup(func() { tr.Close() })
	return tr, cmd
}

func TestCommand(t *testing.T) {
	tr, cmd := start(t, "echo")
	_, err := tr.Write([]byte("hello"))
	require.NoError(t, err)
	got := make([]byte, 5)
	_, err = io.ReadFull(tr, got)
	require.NoError(t, err)
	assert.Equal(t, "hello", string(got))
	require.NoError(t, tr.Close())
	require.NotNil(t, cmd.ProcessState, "waited for")
	assert.True(t, cmd.ProcessState.Success(), "ended by itself")
}

func TestCommandThatEnds(t *testing.T) {
	tr, _ := start(t, "fail")
	_, err := tr.Read(make([]byte, 1))
	require.ErrorIs(t, err, transport.ErrHangup)
	assert.ErrorContains(t, err, "exit status 7")
}

func TestCommandThatDoesNotEnd(t *testing.T) {
	tr, cmd := start(t, "stubborn")
	begin := time.Now()
	require.NoError(t, tr.Close())
	assert.Less(t, time.Since(begin), time.Minute)
	assert.Contains(t, cmd.ProcessState.String(), "killed")
}

func TestCommandThatIsNot(t *testing.T) {
	_, err := transport.StartCommand(exec.Command("/nonexistent/runner"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
