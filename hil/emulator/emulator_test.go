//go:build linux

package emulator_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/hil/emulator"
)

// helperEnv makes the test binary start a machine and wait to be killed.
const helperEnv = "COPAFLASH_EMULATOR_HELPER"

func TestMain(m *testing.M) {
	if name := os.Getenv(helperEnv); name != "" {
		helper(name)
	}
	os.Exit(m.Run())
}

func helper(name string) {
	board, err := boards.Find(name)
	if err == nil {
		var machine *emulator.Machine
		if machine, err = emulator.Start(context.Background(), board, emulator.Options{}); err == nil {
			fmt.Println(machine.PID())
			select {}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// gone reports whether a process has ended within the time. One that nobody has
// waited for yet counts as ended.
func gone(t *testing.T, pid int, limit time.Duration) bool {
	t.Helper()
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			return true
		}
		require.NoError(t, err)
		var id int
		var name, state string
		if _, err := fmt.Sscan(string(stat), &id, &name, &state); err == nil && state == "Z" {
			return true
		}
	}
	return false
}

func start(t *testing.T, ctx context.Context, opts emulator.Options) (*emulator.Machine, error) {
	t.Helper()
	board, err := boards.Find("virt-a53")
	require.NoError(t, err)
	if opts.Binary == "" {
		needQEMU(t, board)
	}
	return emulator.Start(ctx, board, opts)
}

func TestCloseLeavesNothing(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	m, err := start(t, t.Context(), emulator.Options{})
	require.NoError(t, err)
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, left, "files that a killed process would leave behind")
	require.FileExists(t, "/proc/"+fmt.Sprint(m.PID())+"/stat")
	require.NoError(t, m.Err(), "while it runs")

	require.NoError(t, m.Close())
	require.NoError(t, m.Close(), "a second time")
	require.NoFileExists(t, "/proc/"+fmt.Sprint(m.PID())+"/stat")
	require.Error(t, m.Err())
	_, err = os.Stat(m.TTY())
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestContextEndsTheMachine(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m, err := start(t, ctx, emulator.Options{})
	require.NoError(t, err)
	cancel()
	select {
	case <-m.Done():
	case <-time.After(answerTime):
		require.Fail(t, "QEMU still runs")
	}
	require.NoError(t, m.Close())
}

func TestParentDeathEndsTheMachine(t *testing.T) {
	board, err := boards.Find("virt-a53")
	require.NoError(t, err)
	needQEMU(t, board)
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			cmd := exec.Command("env", "--default-signal=INT", os.Args[0]) // which shells ignore for what they run beside them
			cmd.Env = append(os.Environ(), helperEnv+"=virt-a53")
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			line, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			var pid int
			_, err = fmt.Sscan(line, &pid)
			require.NoError(t, err)
			require.NoError(t, cmd.Process.Signal(sig))
			require.Error(t, cmd.Wait())
			require.True(t, gone(t, pid, answerTime), "QEMU outlives its parent")
		})
	}
}

// A client that dies with the port to itself must not lock out the next.
func TestExclusiveUseIsTakenBack(t *testing.T) {
	m, err := start(t, t.Context(), emulator.Options{})
	require.NoError(t, err)
	defer m.Close()
	tty, err := os.OpenFile(m.TTY(), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	defer tty.Close()
	require.NoError(t, unix.IoctlSetInt(int(tty.Fd()), unix.TIOCEXCL, 0))
	require.Eventually(t, func() bool {
		exclusive, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGEXCL)
		return err == nil && exclusive == 0
	}, answerTime, 50*time.Millisecond)
}

// A QEMU that is killed from outside shows as an end of the line and in Err.
func TestMachineEndsByItself(t *testing.T) {
	m, err := start(t, t.Context(), emulator.Options{})
	require.NoError(t, err)
	defer m.Close()
	c := dial(t, m.TTY())
	c.hello(1)
	require.NoError(t, syscall.Kill(m.PID(), syscall.SIGKILL))
	select {
	case <-m.Done():
	case <-time.After(answerTime):
		require.Fail(t, "the end was not noticed")
	}
	require.ErrorContains(t, m.Err(), "killed")
	for late, open := time.After(answerTime), true; open; { // an answer may still be there
		select {
		case _, open = <-c.packets:
		case <-late:
			require.Fail(t, "the tty is still open")
		}
	}
}

func TestStartErrors(t *testing.T) {
	slow := filepath.Join(t.TempDir(), "slow")
	require.NoError(t, os.WriteFile(slow, []byte("#!/bin/sh\necho warming up >&2\nexec sleep 600\n"), 0o755))
	tests := []struct {
		name string
		opts emulator.Options
		want []string
	}{
		{"not installed", emulator.Options{Binary: "qemu-system-nosuch"}, []string{"qemu-system-nosuch is not installed", "apt install qemu-system-arm"}},
		{"bad machine", emulator.Options{Args: []string{"-M", "nosuch"}}, []string{"QEMU ended", "exit status 1", "unsupported machine type"}},
		{"no image", emulator.Options{Image: []byte{}}, []string{"no runner image for virt-a53"}},
		{"no tty", emulator.Options{Binary: slow, Timeout: 3 * time.Second}, []string{"named no tty within 3s", "warming up"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			began := time.Now()
			_, err := start(t, t.Context(), tt.opts)
			require.Error(t, err)
			t.Log(err)
			for _, want := range tt.want {
				require.ErrorContains(t, err, want)
			}
			require.Less(t, time.Since(began), answerTime)
		})
	}
	t.Run("missing is typed", func(t *testing.T) {
		_, err := start(t, t.Context(), emulator.Options{Binary: "qemu-system-nosuch"})
		var missing *emulator.MissingError
		require.ErrorAs(t, err, &missing)
		require.Equal(t, "qemu-system-arm", missing.Package)
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := start(t, ctx, emulator.Options{})
		require.ErrorIs(t, err, context.Canceled)
	})
	t.Run("board without emulator", func(t *testing.T) {
		_, err := emulator.Start(t.Context(), boards.Board{Name: "x"}, emulator.Options{})
		require.EqualError(t, err, "emulator: QEMU does not know x")
	})
}
