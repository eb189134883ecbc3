package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSweepInterrupted: the file has the runs that there were, each whole, and the command says how many.
func TestSweepInterrupted(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "slow.py")
	require.NoError(t, os.WriteFile(script, []byte("import copapy as cp\nx = cp.value(1.0)\ny = cp.fori(200, lambda i, a: cp.sin(a + x), 0.0)\ntg = cp.Target()\ntg.compile(y)\n"), 0o600))
	for _, how := range [][]string{{"--quiet"}, {"--json"}, {"--quiet", "--nats", "embedded"}} {
		out := filepath.Join(dir, "out.csv")
		require.NoError(t, os.RemoveAll(out))
		ctx, cancel := context.WithCancel(t.Context())
		go interruptOnceWritten(dir, cancel)
		var stdout, stderr strings.Builder
		code := run(ctx, append([]string{"sweep", script, "--set", "x=0:1:1000000", "--get", "y", "--target", "oracle", "-o", out}, how...), &stdout, &stderr)
		assert.Equal(t, exitFailed, code)
		text, err := os.ReadFile(out)
		require.NoError(t, err)
		lines := strings.Split(string(text), "\n")
		assert.Equal(t, "index,x,y", lines[0])
		assert.Empty(t, lines[len(lines)-1], "the last line is whole")
		said := stdout.String() + stderr.String()
		assert.Contains(t, said, fmt.Sprintf("interrupted after %d of 1000000 runs, which are in ", len(lines)-2))
		for i, line := range lines[1 : len(lines)-1] {
			require.Equal(t, 2, strings.Count(line, ","), "line %d", i)
		}
		left, err := filepath.Glob(filepath.Join(dir, ".copa-*"))
		require.NoError(t, err)
		assert.Empty(t, left)
	}
}

// interruptOnceWritten waits until the table that is being written has some lines.
func interruptOnceWritten(dir string, cancel func()) {
	for {
		names, _ := filepath.Glob(filepath.Join(dir, ".copa-*"))
		for _, name := range names {
			if info, err := os.Stat(name); err == nil && info.Size() > 0 {
				cancel()
				return
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
}
