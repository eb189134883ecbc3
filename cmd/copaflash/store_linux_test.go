package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/emulator/emulatortest"
)

// TestStoredLoopIsReached: after a reset of an emulated board, each verb of a process that comes anew knows the loop that the board
// has started by itself.
func TestStoredLoopIsReached(t *testing.T) {
	if _, err := exec.LookPath("qemu-system-aarch64"); err != nil {
		t.Skipf("qemu-system-aarch64 is not installed: %v", err)
	}
	board := emulatortest.Start(t, "virt-a53")
	env := []string{"COPAFLASH_PORT=" + board.TTY(), "XDG_CACHE_HOME=" + t.TempDir()}
	script := filepath.Join(t.TempDir(), "ctl.py")
	require.NoError(t, os.WriteFile(script, []byte(loopScript), 0o600))

	begun := jsonOf(t, env, "deploy", script, "--store", "--autostart", "--set", "kp=3", "--limit", "2s")
	assert.Equal(t, true, begun["loop"].(map[string]any)["running"], "it runs at once")
	stored := begun["stored"].(map[string]any)["program"].(map[string]any)
	assert.Equal(t, []any{"kp=3"}, stored["values"])
	assert.Equal(t, 200.0, stored["rate_hz"], "as the program's task says")

	require.NoError(t, board.Reset())
	status := jsonOf(t, env, "status")
	assert.Equal(t, "ctl.py", status["source"])
	assert.Equal(t, 200.0, status["loop"].(map[string]any)["rate_hz"])
	kp := jsonOf(t, env, "get", "kp")["values"].([]any)[0].(map[string]any)
	assert.Equal(t, 3.0, kp["value"])
	assert.Equal(t, "done", jsonOf(t, env, "info")["store"].(map[string]any)["at_start"])
	jsonOf(t, env, "set", "kp=4V")
	captured := jsonOf(t, env, "capture", "u", "--when", "rising(u>3V)", "--before", "3", "--after", "2")
	u := captured["values"].(map[string]any)["u"].([]any)
	require.LessOrEqual(t, len(u), 3+1+2)
	require.GreaterOrEqual(t, len(u), 1+2, "what was before the event is there as far as the capture had begun by then")

	saved := jsonOf(t, env, "store", "save", "--autostart", "--restart", "--limit", "2s")
	assert.Equal(t, true, saved["loop"].(map[string]any)["running"])
	require.NoError(t, board.Reset())
	kp = jsonOf(t, env, "get", "kp")["values"].([]any)[0].(map[string]any)
	assert.Equal(t, 4.0, kp["value"])
	stopped := jsonOf(t, env, "stop")["loop"].(map[string]any)
	assert.Equal(t, "stopped", stopped["end"])
	safe := jsonOf(t, env, "get", "u")["values"].([]any)[0].(map[string]any)
	assert.Equal(t, 0.5, safe["value"], "the safe value")
	assert.NotContains(t, jsonOf(t, env, "store", "clear")["store"], "program")
	require.NoError(t, board.Reset())
	assert.Equal(t, "idle", jsonOf(t, env, "info")["state"])
}

// TestStoreOfTheRunnerForLinux: a runner that is killed and run again starts the program of its file by itself.
func TestStoreOfTheRunnerForLinux(t *testing.T) {
	folder := t.TempDir()
	listen := "unix:" + filepath.Join(folder, "socket")
	env := []string{"COPAFLASH_PORT=" + listen, "XDG_CACHE_HOME=" + t.TempDir()}
	script := filepath.Join(folder, "ctl.py")
	require.NoError(t, os.WriteFile(script, []byte(loopScript), 0o600))
	begin := func() (end func()) {
		t.Helper()
		c := command(t, "runner", "run", "--listen", listen, "--store", filepath.Join(folder, "store"), "--json")
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		_, err = bufio.NewReader(out).ReadString('\n') // it listens
		require.NoError(t, err)
		return func() {
			_ = c.Process.Signal(os.Interrupt)
			_ = c.Wait()
		}
	}
	end := begin()
	defer func() { end() }()
	begun := jsonOf(t, env, "deploy", script, "--store", "--autostart", "--set", "kp=3", "--limit", "2s")
	assert.Equal(t, true, begun["loop"].(map[string]any)["running"])
	end()
	end = begin()
	assert.Equal(t, 200.0, jsonOf(t, env, "status")["loop"].(map[string]any)["rate_hz"])
	assert.Equal(t, "done", jsonOf(t, env, "store", "list")["store"].(map[string]any)["at_start"])
	kp := jsonOf(t, env, "get", "kp")["values"].([]any)[0].(map[string]any)
	assert.Equal(t, 3.0, kp["value"])
	jsonOf(t, env, "stop")
	assert.NotContains(t, jsonOf(t, env, "store", "clear")["store"], "program")
	end()
	end = begin()
	assert.Equal(t, "idle", jsonOf(t, env, "info")["state"])
}
