package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// command is the command under test as another process: the test binary under
// the command's name.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), self)
	c.Args = append([]string{"copaflash"}, args...)
	home := t.TempDir()
	c.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+home, "XDG_CONFIG_HOME="+home, "COPAFLASH_PORT=")
	return c
}

// jsonOf runs the command and decodes its one JSON document.
func jsonOf(t *testing.T, env []string, args ...string) map[string]any {
	t.Helper()
	c := command(t, append(args, "--json")...)
	c.Env = append(c.Env, env...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	require.NoError(t, err, "%v\n%s%s", args, stdout.String(), stderr.String())
	d := json.NewDecoder(&stdout)
	var doc map[string]any
	require.NoError(t, d.Decode(&doc))
	_, err = d.Token()
	require.ErrorIs(t, err, io.EOF, "more than one document")
	require.Equal(t, true, doc["ok"])
	return doc
}

// TestEmulatedBoards walks through the tour of the README on every emulated board:
// the tty, a script, an image file, variables, and the end of QEMU.
func TestEmulatedBoards(t *testing.T) {
	if _, err := exec.LookPath("qemu-system-aarch64"); err != nil {
		t.Skipf("qemu-system-aarch64 is not installed: %v", err)
	}
	const example = "../../examples/inverse_kinematics.py"
	expected, err := os.ReadFile("../../examples/inverse_kinematics.out")
	require.NoError(t, err)
	for _, board := range []string{"rpi3", "virt-a53"} {
		t.Run(board, func(t *testing.T) {
			emulator := command(t, "emulate", board, "--json")
			stdout, err := emulator.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, emulator.Start())
			defer emulator.Wait()
			defer emulator.Process.Kill()
			line, err := bufio.NewReader(stdout).ReadString('\n')
			require.NoError(t, err)
			var booted struct {
				OK         bool
				Board, TTY string
			}
			require.NoError(t, json.Unmarshal([]byte(line), &booted))
			require.True(t, booted.OK)
			require.Equal(t, board, booted.Board)
			tty := booted.TTY
			qemu := children(t, emulator.Process.Pid)
			require.NotEmpty(t, qemu, "no QEMU process")

			env := []string{"XDG_CACHE_HOME=" + t.TempDir()}
			info := jsonOf(t, env, "info", "--port", tty)
			assert.Equal(t, board, info["board"])
			assert.Equal(t, "aarch64", info["arch"])

			script := jsonOf(t, env, "deploy", "--port", tty, example)
			assert.Equal(t, string(expected), script["stdout"])
			program := script["programs"].([]any)[0].(map[string]any)
			assert.Less(t, program["wire_bytes"], 32768.0, "an image of at most 32 KB in all")
			assert.LessOrEqual(t, program["patches"], 200.0)
			assert.Positive(t, program["transfer_ns"])
			assert.Positive(t, program["run_ns"].(map[string]any)["mean"])

			// Its variables are known by the names that the script gives them.
			theta := jsonOf(t, env, "read", "--port", tty, "theta")
			first := theta["values"].([]any)[0].(map[string]any)["value"].([]any)[0]
			assert.InEpsilon(t, -0.72295493, first, 1e-6)

			// Through an image file, and its variables by name afterwards.
			file := filepath.Join(t.TempDir(), "ik.copa")
			jsonOf(t, env, "compile", example, "--arch", "aarch64", "-o", file)
			image := jsonOf(t, env, "deploy", "--port", tty, file, "--runs", "10")
			outputs := map[string]any{}
			for _, o := range image["outputs"].([]any) {
				v := o.(map[string]any)
				outputs[v["name"].(string)] = v["value"]
			}
			assert.InEpsilon(t, 5.0105166e-07, outputs["error"], 1e-6)
			read := jsonOf(t, env, "read", "--port", tty, "error")
			assert.Equal(t, outputs["error"], read["values"].([]any)[0].(map[string]any)["value"])

			// For people: results on stdout, rate and timing on stderr.
			text := command(t, "deploy", "--port", tty, example)
			var diag bytes.Buffer
			text.Stderr = &diag
			out, err := text.Output()
			require.NoError(t, err, diag.String())
			assert.Equal(t, string(expected), string(out))
			assert.Regexp(t, `sent \d+ B in .* \(.*B/s\)`, diag.String())
			assert.Regexp(t, `1 run: .* mean`, diag.String())

			require.NoError(t, emulator.Process.Signal(os.Interrupt))
			require.NoError(t, emulator.Wait(), "interrupted, emulate ends well")
			for _, pid := range qemu {
				assert.Eventually(t, func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) },
					time.Minute, 10*time.Millisecond, "QEMU outlived the command")
			}
		})
	}
}

// children lists the child processes of a process.
func children(t *testing.T, pid int) []int {
	t.Helper()
	tasks, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "children"))
	require.NoError(t, err)
	var out []int
	for _, f := range tasks {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, field := range strings.Fields(string(text)) {
			n, err := strconv.Atoi(field)
			require.NoError(t, err)
			out = append(out, n)
		}
	}
	return out
}
