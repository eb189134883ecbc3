package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/share"
)

// pageCommands are those of docs/live-loops.md, in order.
func pageCommands(t *testing.T) (lines []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/live-loops.md")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^    ((?:copaflash|export) .*)$`).FindAllStringSubmatch(string(text), -1) {
		lines = append(lines, m[1])
	}
	require.Greater(t, len(lines), 15)
	return lines
}

// TestLiveLoopsPage carries out every command of docs/live-loops.md on an emulated board, those that stay in the
// foreground beside the others.
func TestLiveLoopsPage(t *testing.T) {
	if _, err := exec.LookPath("qemu-system-aarch64"); err != nil {
		t.Skipf("qemu-system-aarch64 is not installed: %v", err)
	}
	sockets(t)
	work := t.TempDir()
	examples, err := filepath.Abs("../../examples")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(examples, filepath.Join(work, "examples")))
	home, port := t.TempDir(), ""
	make := func(line string) *exec.Cmd {
		args := strings.Fields(strings.ReplaceAll(line, "'", ""))
		for i, a := range args {
			if a == "3s" || a == "5s" {
				args[i] = "1s" // as much is seen in less time
			}
		}
		c := command(t, args[1:]...)
		c.Dir = work
		c.Env = append(c.Env, "HOME="+home, "XDG_CACHE_HOME="+home, "XDG_CONFIG_HOME="+home, "COPAFLASH_PORT="+port)
		return c
	}
	// What stays in the foreground tells in its first line that others may go on.
	var foreground []*exec.Cmd
	defer func() {
		for _, c := range foreground {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	}()
	stay := func(line string) string {
		c := make(line)
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		foreground = append(foreground, c)
		first, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err, line)
		return strings.TrimSpace(first)
	}
	outputs := map[string]string{}
	tty := ""
	for _, line := range pageCommands(t) {
		switch verb := strings.Fields(line)[1]; verb {
		case "emulate":
			tty = stay(line)
		case "share":
			assert.Equal(t, tty, stay(line))
			_, err := share.Dial(t.Context(), tty)
			require.NoError(t, err)
		case "swap":
			// Everybody else has gone: the share ends, as the page says, and the loop goes on.
			last := foreground[len(foreground)-1]
			require.NoError(t, last.Process.Signal(os.Interrupt))
			require.NoError(t, last.Wait())
			foreground = foreground[:len(foreground)-1]
			fallthrough
		default:
			if strings.HasPrefix(line, "export ") {
				port = tty
				continue
			}
			var stdout, stderr bytes.Buffer
			c := make(line)
			c.Stdout, c.Stderr = &stdout, &stderr
			begin := time.Now()
			require.NoError(t, c.Run(), "%s\n%s%s", line, stdout.String(), stderr.String())
			t.Logf("%v %s", time.Since(begin).Round(time.Millisecond), line)
			outputs[verb] += stdout.String() + stderr.String()
		}
	}
	for verb, says := range map[string]string{
		"run":     "at full speed",
		"start":   "running, 1 kHz",
		"status":  "execution",
		"watch":   "rad/s",
		"set":     "speed_ref = 80 rad/s",
		"get":     "kp_speed = 0.4 A s/rad",
		"record":  "lost on the way",
		"plot":    "event.png",
		"capture": "event.csv: ",
		"swap":    "carried over: ",
		"stop":    "ended (stopped), 1 kHz",
	} {
		assert.Contains(t, outputs[verb], says, verb)
	}
	assert.Contains(t, outputs["set"], "through the share of "+tty)
	for _, file := range []string{"run.csv", "run.svg", "event.csv", "event.png"} {
		assert.FileExists(t, filepath.Join(work, file))
	}
}
