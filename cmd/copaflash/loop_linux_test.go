package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// loopScript is a program with everything that the verbs tell of variables.
const loopScript = `import copapy as cp
kp = cp.param("kp", 2.0, unit="V", low=0.0, high=10.0)
with cp.task(rate=200):
    n = cp.state(0)
    n.next = n + 1
    u = cp.output("u", kp * cp.sin(n * 0.1), unit="V", low=-10.0, high=10.0, safe=0.5)
tg = cp.Target()
tg.compile(u, n)
tg.start()
while True:
    tg.get("u")
`

// TestLoopOutlivesItsHosts: the loop of an emulated board goes on whatever becomes of the processes
// that use it, and each of them knows its program.
func TestLoopOutlivesItsHosts(t *testing.T) {
	if _, err := exec.LookPath("qemu-system-aarch64"); err != nil {
		t.Skipf("qemu-system-aarch64 is not installed: %v", err)
	}
	tty := emulated(t, "rpi3")
	env := []string{"COPAFLASH_PORT=" + tty, "XDG_CACHE_HOME=" + t.TempDir()}
	script := filepath.Join(t.TempDir(), "ctl.py")
	require.NoError(t, os.WriteFile(script, []byte(loopScript), 0o600))

	begun := jsonOf(t, env, "start", script, "--limit", "2s") // a busy machine holds QEMU up
	assert.Equal(t, true, begun["detached"])
	assert.Equal(t, 200.0, begun["loop"].(map[string]any)["rate_hz"])

	// A host that is killed while it watches, and one that is interrupted.
	for _, end := range []os.Signal{os.Kill, os.Interrupt} {
		watch := command(t, "watch", "u", "n", "--every", "2", "--json")
		watch.Env = append(watch.Env, env...)
		lines, err := watch.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, watch.Start())
		in := bufio.NewScanner(lines)
		for range 5 {
			require.True(t, in.Scan())
			var r struct {
				Tick   uint32
				Values struct{ U, N float64 }
			}
			require.NoError(t, json.Unmarshal(in.Bytes(), &r), in.Text())
			assert.Zero(t, r.Tick%2)
		}
		require.NoError(t, watch.Process.Signal(end))
		for in.Scan() {
		}
		err = watch.Wait()
		if end == os.Interrupt {
			require.NoError(t, err, "an interrupt is how watching ends")
		}
	}
	status := jsonOf(t, env, "status")["loop"].(map[string]any)
	assert.Equal(t, true, status["running"])
	late := status["lateness_ns"].(map[string]any)
	assert.LessOrEqual(t, late["min"], late["mean"])
	assert.LessOrEqual(t, late["mean"], late["max"])

	set := jsonOf(t, env, "set", "kp=4V")["set"].([]any)[0].(map[string]any)
	assert.Equal(t, map[string]any{"name": "kp", "value": 4.0, "unit": "V", "was": 2.0}, set)
	for attempt := 1; ; attempt++ { // the event may come before there are three records
		captured := jsonOf(t, env, "capture", "u", "--when", "rising(u>3V)", "--before", "3", "--after", "2")
		values, ticks := captured["values"].(map[string]any)["u"].([]any), captured["ticks"].([]any)
		if len(values) < 6 && attempt < 20 {
			continue
		}
		require.Len(t, values, 6)
		assert.LessOrEqual(t, values[2], 3.0)
		assert.Greater(t, values[3], 3.0)
		assert.Equal(t, ticks[3], captured["trigger_tick"])
		break
	}

	before := jsonOf(t, env, "get", "n")["values"].([]any)[0].(map[string]any)["value"].(float64)
	next := filepath.Join(t.TempDir(), "next.py")
	require.NoError(t, os.WriteFile(next, []byte(loopScript[:len(loopScript)-1]+"\n# and a state more\n"), 0o600))
	swapped := jsonOf(t, env, "swap", next, "--fast", "--trial", "0") // under load QEMU misses due times
	assert.Contains(t, swapped["carried"], "kp")
	after := jsonOf(t, env, "get", "n", "kp")["values"].([]any)
	assert.Greater(t, after[0].(map[string]any)["value"], before, "the state went on")
	assert.Equal(t, 4.0, after[1].(map[string]any)["value"], "and so did what was set")

	stopped := jsonOf(t, env, "stop")["loop"].(map[string]any)
	assert.Equal(t, "stopped", stopped["end"])
	u := jsonOf(t, env, "get", "u")["values"].([]any)[0].(map[string]any)
	assert.Equal(t, map[string]any{"name": "u", "value": 0.5, "unit": "V"}, u, "the safe value")
}

// emulated is the tty of a board that is emulated while the test runs.
func emulated(t *testing.T, board string) string {
	t.Helper()
	emulator := command(t, "emulate", board, "--json")
	stdout, err := emulator.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, emulator.Start())
	t.Cleanup(func() {
		_ = emulator.Process.Signal(os.Interrupt)
		_ = emulator.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	var booted struct{ TTY string }
	require.NoError(t, json.Unmarshal([]byte(line), &booted))
	return booted.TTY
}
