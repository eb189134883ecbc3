package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/share"
	"github.com/copaflash/copaflash/hil/target"
)

// sockets gives the test a folder of its own for shares; other tests' folders may have too long paths for a socket.
func sockets(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("", "cfshare")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv(map[bool]string{true: "LocalAppData", false: "XDG_RUNTIME_DIR"}[runtime.GOOS == "windows"], dir)
}

// shareBoard runs copaflash share on a board until the test ends, or stop is called, which tells what it printed.
func shareBoard(t *testing.T, b *fakeBoard, args ...string) (stop func() (code exitCode, stdout, stderr string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	type result struct {
		code           exitCode
		stdout, stderr string
	}
	done := make(chan result, 1)
	go func() {
		code, stdout, stderr := b.cli(t, ctx, append([]string{"share"}, args...)...)
		done <- result{code, stdout, stderr}
	}()
	var last *result
	stop = func() (exitCode, string, string) {
		cancel()
		if last == nil {
			r := <-done
			last = &r
		}
		return last.code, last.stdout, last.stderr
	}
	t.Cleanup(func() { stop() })
	require.Eventually(t, func() bool {
		_, err := share.Dial(t.Context(), fakeName)
		return err == nil || len(done) > 0
	}, time.Minute, time.Millisecond)
	return stop
}

// other runs a command in a process that cannot open the port.
func other(t *testing.T, args ...string) (code exitCode, stdout, stderr string) {
	t.Helper()
	var out, diag bytes.Buffer
	a := &app{ui: newUI(&out, &diag), settle: fakeSettle, opener: func(context.Context, place) (target.Target, error) {
		return nil, errors.New("the port is held by the share")
	}}
	code = a.run(t.Context(), args, &out, &diag)
	return code, out.String(), diag.String()
}

func otherOK(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := other(t, args...)
	require.Equal(t, exitOK, code, "%v\n%s%s", args, stdout, stderr)
	return stdout
}

// TestShare: commands find the share by the port, and by nothing where it is the only one.
func TestShare(t *testing.T) {
	sockets(t)
	b := started(t)
	stop := shareBoard(t, b, "--tune")
	assert.Contains(t, otherOK(t, "status"), "running, 500 Hz")
	t.Setenv("COPAFLASH_PORT", "")
	assert.Equal(t, "kp = 2 V (was 1)\n", otherOK(t, "set", "kp=2"))
	assert.Equal(t, "kp = 2 V\n", otherOK(t, "get", "kp"))
	file := filepath.Join(t.TempDir(), "run.csv")
	recorded := make(chan exitCode)
	go func() {
		var out, diag bytes.Buffer
		recorded <- (&app{ui: newUI(&out, &diag)}).run(t.Context(), []string{"record", "u", "-o", file, "--every", "2", "--for", "300ms"}, &out, &diag)
	}()
	assert.NotEmpty(t, otherOK(t, "watch", "u", "kp", "--for", "300ms", "--json"))
	require.Equal(t, exitOK, <-recorded)
	got, err := readRecording(file)
	require.NoError(t, err)
	assert.Greater(t, got.Rows(), 5)
	for i := 1; i < got.Rows(); i++ {
		require.Equal(t, 2*(got.Drops[i]+1), got.Ticks[i]-got.Ticks[i-1], "nothing is lost untold")
	}
	otherOK(t, "capture", "u", "--when", "u>1", "--before", "1", "--after", "2")
	second := imageFile(t, loopImage(2))
	assert.Contains(t, otherOK(t, "swap", second, "--port", fakeName), "77")
	otherOK(t, "stop")
	assert.False(t, b.running())
	otherOK(t, "start", second, "--port", fakeName, "--rate", "100Hz", "--detach")
	assert.True(t, b.running())
	code, stdout, stderr := stop()
	assert.Equal(t, exitOK, code)
	assert.Equal(t, fakeName+"\n", stdout)
	assert.Contains(t, stderr, "is shared, to watch and to tune")
	assert.Contains(t, stderr, "2 commands with telemetry")
	assert.True(t, b.running(), "the loop goes on")
	code, _, _ = other(t, "status")
	assert.Equal(t, exitNoDevice, code)
}

// TestShareOfAnEndedLoop: how a loop has ended is told by a share as it is directly at the board.
func TestShareOfAnEndedLoop(t *testing.T) {
	for end, fault := range map[string]error{"stopped": nil, "misses": nil, "fault": errors.New("it fell over")} {
		t.Run(end, func(t *testing.T) {
			sockets(t)
			b := started(t)
			stop := shareBoard(t, b)
			b.finish(end, fault)
			shared := otherOK(t, "status")
			assert.Contains(t, shared, "ended ("+end+")")
			document := otherOK(t, "status", "--json")
			code, _, stderr := other(t, "get", "kp")
			assert.Equal(t, exitFailed, code)
			assert.Contains(t, stderr, "no loop runs")
			stop()
			direct, _ := b.ok(t, "status")
			assert.Equal(t, direct, shared)
			directly, _ := b.ok(t, "status", "--json")
			assert.JSONEq(t, directly, document)
		})
	}
	loopFile(t, loopImage(1)) // where the port is named
	sockets(t)
	shareBoard(t, &fakeBoard{}, "--tune")
	code, _, stderr := other(t, "status")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stderr, "no loop runs")
}

func TestShareReadOnly(t *testing.T) {
	sockets(t)
	b := started(t)
	stop := shareBoard(t, b, "--json")
	code, _, stderr := other(t, "set", "kp=2")
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, "read-only")
	assert.Contains(t, stderr, "copaflash share --tune")
	code, _, _ = other(t, "stop")
	assert.Equal(t, exitUsage, code)
	assert.True(t, b.running())
	assert.Equal(t, "kp = 1 V\n", otherOK(t, "get", "kp"))
	assert.Contains(t, b.fails(t, exitBusy, "share"), "shared already")
	_, stdout, _ := stop()
	d := document1(t, stdout)
	assert.Equal(t, fakeName, d["target"])
	assert.Equal(t, false, d["tune"])

	// Without a loop there is nothing to watch; who may tune may start one.
	b.finish("stopped", nil)
	assert.Contains(t, b.fails(t, exitFailed, "share"), "no loop runs")
	shareBoard(t, b, "--tune")
	otherOK(t, "start", imageFile(t, loopImage(3)), "--rate", "100Hz", "--detach")
	assert.True(t, b.running())
}

// TestShareLocal: a loop of this process is shared, and ends with the share.
func TestShareLocal(t *testing.T) {
	sockets(t)
	loopFile(t, loopImage(1))
	t.Setenv("COPAFLASH_PORT", "")
	var refused, diag bytes.Buffer
	require.Equal(t, exitUsage, run(t.Context(), []string{"share", "--target", "local"}, &refused, &diag))
	assert.Contains(t, diag.String(), "name its program")
	script := filepath.Join(t.TempDir(), "count.py")
	require.NoError(t, os.WriteFile(script, []byte(`import copapy as cp
gain = cp.param("gain", 2.0)
n = cp.state(0.0, name="n")
n.next = n + 1.0
cp.Target().compile(cp.output("u", n * gain))
`), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan exitCode, 1)
	go func() {
		var out, diag bytes.Buffer
		done <- run(ctx, []string{"share", script, "--rate", "200Hz", "--target", "local", "--tune"}, &out, &diag)
	}()
	require.Eventually(t, func() bool {
		_, err := share.Dial(t.Context(), "local")
		return err == nil || len(done) > 0
	}, time.Minute, 5*time.Millisecond)
	assert.Contains(t, otherOK(t, "set", "gain=5"), "gain = 5")
	assert.True(t, strings.HasPrefix(otherOK(t, "status"), "running, 200 Hz"))
	code, _, stderr := other(t, "swap", script)
	assert.NotEqual(t, exitOK, code)
	assert.Contains(t, stderr, "takes no programs")
	cancel()
	assert.Equal(t, exitOK, <-done)
}
