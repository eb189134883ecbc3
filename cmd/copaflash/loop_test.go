package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
)

func float(x float64) *float64 { return &x }

// loopImage is a program with a variable of each kind, of which the first 4 bytes of code make it
// another one.
func loopImage(code byte) *image.Image {
	meta := func(r graph.Role, unit string, low, high *float64, safe ...float64) *image.Meta {
		return &image.Meta{Role: r, Unit: unit, Low: low, High: high, Safe: safe}
	}
	data := make([]byte, 64)
	copy(data[4:], []byte{0, 0, 0x80, 0x3f}) // kp = 1
	return &image.Image{
		Version: image.Version, Arch: packet.ArchAarch64, Code: bytes.Repeat([]byte{code, 0x20, 0x03, 0xd5}, 16), Data: data,
		Entries: []image.Entry{{Name: "main", Divisor: 1, Rate: 500}},
		Symbols: []image.Symbol{
			{Name: "kp", Kind: image.Input, DType: graph.F32, Offset: 4, Meta: meta(graph.RoleParam, "V", float(0), float(10))},
			{Name: "gains", Kind: image.Input, DType: graph.F32, Shape: graph.Shape{3}, Offset: 8, Meta: meta(graph.RoleParam, "", nil, nil)},
			{Name: "n", Kind: image.Input, DType: graph.I32, Offset: 20, Meta: meta(graph.RoleParam, "", nil, nil)},
			{Name: "on", Kind: image.Input, DType: graph.Bool, Offset: 24, Meta: meta(graph.RoleParam, "", nil, nil)},
			{Name: "x", Kind: image.Input, DType: graph.F32, Offset: 28, Meta: meta(graph.RoleInput, "rad", nil, nil)},
			{Name: "sum", Kind: image.State, DType: graph.F32, Offset: 32},
			{Name: "u", Kind: image.Output, DType: graph.F32, Offset: 36, Meta: meta(graph.RoleOutput, "rad/s", float(-100), float(100), 7)},
			{Name: "d", Kind: image.Output, DType: graph.F64, Offset: 40, Meta: meta(graph.RoleLog, "", nil, nil)},
		},
	}
}

// loopFile writes an image file, and gives the test a cache of its own.
func loopFile(t *testing.T, img *image.Image) string {
	t.Helper()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, t.TempDir())
	}
	t.Setenv("COPAFLASH_PORT", fakeName)
	t.Setenv("COPAFLASH_TARGET", "")
	return imageFile(t, img)
}

func imageFile(t *testing.T, img *image.Image) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "prog.copa")
	require.NoError(t, writeImage(file, img))
	return file
}

// started is a board with a loop that was started from a file.
func started(t *testing.T, args ...string) *fakeBoard {
	t.Helper()
	b := &fakeBoard{}
	b.ok(t, append([]string{"start", loopFile(t, loopImage(1)), "-q"}, args...)...)
	return b
}

func document1(t *testing.T, text string) map[string]any {
	t.Helper()
	var d map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &d), text)
	return d
}

func TestStartLeavesTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := loopFile(t, loopImage(1))
		b := &fakeBoard{}
		begun := time.Now()
		out, diag := b.ok(t, "start", file, "--rate", "1kHz", "--set", "kp=2V", "--set", "x=3", "--misses", "4", "--limit", "3ms", "--hardware-watchdog", "2s")
		assert.Equal(t, fakeSettle, time.Since(begun))
		assert.Contains(t, out, "running, 1 kHz: ")
		assert.Contains(t, out, "3 missed")
		assert.Regexp(t, `lateness +1 us +2 us +2 us +3 us +4 us +5 us`, out)
		assert.Regexp(t, `slack +900 us +910 us +- +- +- +920 us`, out, "no percentiles without a histogram")
		assert.Contains(t, diag, "the program is made for 500 Hz, and runs at 1 kHz")
		assert.Contains(t, diag, "the loop goes on")
		assert.True(t, b.running())
		assert.Equal(t, device.LoopConfig{Period: time.Millisecond, Hz: 1000, Tasks: []device.Task{{Entry: 0, Divisor: 1}}, Limit: 3 * time.Millisecond,
			Misses: 4, Watchdog: 2 * time.Second, Safe: []device.Piece{{Offset: 36, Bytes: []byte{0, 0, 0xe0, 0x40}}}}, b.config)
		out, _ = b.ok(t, "get", "kp", "x", "gains[1]")
		assert.Equal(t, "kp = 2 V\nx = 3 rad\ngains[1] = 0\n", out)

		// Nothing is loaded over a loop that runs: it may hold a machine.
		assert.Contains(t, b.fails(t, exitBusy, "start", file, "--rate", "1kHz"), "hint: replace its program without stopping it: copaflash swap "+file)
		assert.Contains(t, b.fails(t, exitBusy, "deploy", file, "--rate", "1kHz"), "a loop runs on "+fakeName)

		out, _ = b.ok(t, "status", "--json")
		loop := document1(t, out)["loop"].(map[string]any)
		assert.Equal(t, true, loop["running"])
		assert.Equal(t, 1000.0, loop["rate_hz"])
		assert.NotContains(t, loop["slack_ns"], "p99")
		out, _ = b.ok(t, "stop")
		assert.Contains(t, out, "ended (stopped), 1 kHz")
		assert.False(t, b.running())
		assert.Contains(t, b.fails(t, exitFailed, "stop"), "no loop runs on "+fakeName)
		out, diag = b.ok(t, "get", "u")
		assert.Equal(t, "u = 7 rad/s\n", out, "the safe value")
		assert.Contains(t, diag, "no loop runs")

		// Again, with the values that are there, at the program's own rate.
		out, _ = b.ok(t, "start", "--json")
		d := document1(t, out)
		assert.Equal(t, true, d["detached"])
		assert.Equal(t, 500.0, d["loop"].(map[string]any)["rate_hz"])
		out, _ = b.ok(t, "get", "kp", "--json")
		assert.Equal(t, 2.0, document1(t, out)["values"].([]any)[0].(map[string]any)["value"])
	})
}

func TestStartStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := loopFile(t, loopImage(1))
		b := &fakeBoard{}
		out, _ := b.ok(t, "start", file, "--for", "120ms")
		assert.Contains(t, out, "ended (stopped)")
		assert.False(t, b.running())

		// An interrupt leaves the loop of a board alone.
		ctx, cancel := context.WithTimeout(t.Context(), 110*time.Millisecond)
		defer cancel()
		code, _, diag := b.cli(t, ctx, "start", file, "--watchdog", "40ms")
		require.Equal(t, exitOK, code, diag)
		assert.True(t, b.running())
		assert.Equal(t, 40*time.Millisecond, b.config.Silence)
		assert.Contains(t, diag, "when no command has talked to it for 40ms")
		b.finish("stopped", nil)

		for want, args := range map[string][]string{
			"--detach and --for":                      {"--detach", "--for", "1s"},
			"--watchdog -1s: a time":                  {"--watchdog", "-1s"},
			"--misses -1: want a number":              {"--misses", "-1"},
			"--detach: a loop on local ends":          {"--detach", "--target", "local"},
			"kp: 11 V is not within the limits":       {"--set", "kp=11"},
			"--rate 1: it is no rate":                 {"--rate", "1"},
			`the program has no variable "nowhere"`:   {"--set", "nowhere=1"},
			"prog.copa is compiled already: --unroll": {"--fast"},
		} {
			assert.Contains(t, b.fails(t, exitUsage, append([]string{"start", file}, args...)...), want)
		}
		plain := loopImage(2)
		plain.Entries = []image.Entry{{Name: "main"}}
		assert.Contains(t, b.fails(t, exitUsage, "start", imageFile(t, plain)), "hint: give the rate: --rate 1kHz")
		assert.Contains(t, (&fakeBoard{}).fails(t, exitFailed, "start"), "there is no program on")
	})
}

// TestLoopEnds: how a loop ended is told with the next step, and by the exit code where it ended
// while somebody was there.
func TestLoopEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for end, want := range loopEnds {
			b := started(t)
			b.finish(end, map[bool]error{true: errors.New("it fell over")}[end == "fault"])
			out, diag := b.ok(t, "status")
			assert.Contains(t, out, "ended ("+end+")")
			assert.Contains(t, diag, "hint: "+want.hint)
			out, _ = b.ok(t, "status", "--json")
			assert.Equal(t, want.hint, document1(t, out)["hint"])
			if end == "fault" {
				assert.Contains(t, out, "it fell over")
			}
		}
		file := loopFile(t, loopImage(1))
		b := &fakeBoard{}
		time.AfterFunc(20*time.Millisecond, func() { b.finish("misses", nil) })
		assert.Contains(t, b.fails(t, exitBudget, "start", file), "too many due times in a row were missed")
		_, diag := b.ok(t, "start", "-q")
		assert.Empty(t, diag)
		b.finish("fault", errors.New("it fell over"))
		_, diag = b.ok(t, "start")
		assert.Contains(t, diag, "the program has faulted, and is loaded again")
		for _, s := range []packet.LoopEnd{packet.LoopEndFault, packet.LoopEndTimeLimit, packet.LoopEndMisses, packet.LoopEndSilence, packet.LoopEndPlan} {
			assert.Contains(t, loopEnds, s.String())
		}
	})
}

func TestSet(t *testing.T) {
	b := started(t)
	out, diag := b.ok(t, "set", "kp=2.5", "gains=1,2,3", "n=-4", "on=true")
	assert.Equal(t, "kp = 2.5 V (was 1)\ngains = [1, 2, 3] (was [0, 0, 0])\nn = -4 (was 0)\non = True (was False)\n", out)
	assert.Contains(t, diag, "since tick ")
	assert.EqualValues(t, 1, b.applied, "all together")
	out, _ = b.ok(t, "set", "kp=3 V", "gains[1]=9", "sum=1", "--at", "2000000000", "--json")
	d := document1(t, out)
	assert.Equal(t, 2e9, d["tick"])
	assert.Equal(t, map[string]any{"name": "gains[1]", "value": 9.0, "was": 2.0}, d["set"].([]any)[1])
	out, _ = b.ok(t, "get", "gains", "sum")
	assert.Equal(t, "gains = [1, 9, 3]\nsum = 1\n", out)

	before := bytes.Clone(b.memory)
	for arg, want := range map[string]string{
		"kp=11":        "kp: 11 V is not within the limits: 0 to 10 V",
		"kp=nan":       "is not within the limits",
		"kp=2A":        "kp is in V, and not in A: nothing is converted",
		"n=2 V":        "n has no unit",
		"n=2.5":        "n is a 32-bit int",
		"gains=1,2":    "gains has 3 elements, and 2 were given",
		"gains[3]=1":   "there is no element gains[3]: the shape of gains is (3,)",
		"gains[0,1]=1": "there is no element gains[0,1]",
		"x=1":          "x is an input: what is measured overwrites it",
		"u=1":          "u is an output: the program computes it anew in each tick",
		"nowhere=1":    `no variable "nowhere"`,
		"kp":           `"kp" is not NAME=VALUE`,
		"kp=":          "kp has 1 element, and 0 were given",
	} {
		assert.Contains(t, b.fails(t, exitUsage, "set", "on=false", arg), want)
	}
	assert.Contains(t, b.fails(t, exitUsage, "set", "gains=1,2,3", "gains[0]=2"), "given two values")
	assert.Contains(t, b.fails(t, exitUsage, "set", "u=1"), "hint: parameters are kp, gains, n, on; --force")
	assert.Contains(t, b.fails(t, exitUsage, "set"), "nothing to set")
	assert.Equal(t, before, b.memory, "nothing is set unless all of it can be")
	b.ok(t, "set", "--force", "kp=11", "x=1", "u=2")
	out, _ = b.ok(t, "get", "kp", "x", "u")
	assert.Equal(t, "kp = 11 V\nx = 1 rad\nu = 2 rad/s\n", out)
}

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := started(t)
		out, diag := b.ok(t, "watch", "u", "gains[2]", "--every", "5", "--for", "300ms")
		lines := strings.Split(out, "\n")
		require.Greater(t, len(lines), 6)
		assert.Equal(t, "0  0.000000 s  u=0 rad/s  gains[2]=0  missed 3", lines[0])
		assert.Equal(t, "20  0.040000 s  u=20 rad/s  gains[2]=0  missed 3  lost 1 before", lines[3])
		assert.Contains(t, out, "u=105 rad/s !", "beyond its limits")
		assert.Contains(t, diag, "1 record lost")
		assert.Contains(t, diag, "the loop on "+fakeName+" goes on")
		assert.True(t, b.running())

		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		code, out, _ := b.cli(t, ctx, "watch", "u", "gains", "--json")
		require.Equal(t, exitOK, code, "an interrupt is how watching ends")
		assert.True(t, strings.HasPrefix(out, `{"tick":0,"time_s":0,"values":{"u":0,"gains":[0,0,0]},"drops":0,"missed":3}`+"\n"), out)
		for line := range strings.Lines(out) {
			assert.True(t, json.Valid([]byte(line)), line)
		}
		assert.Equal(t, 50, b.every, "ten records a second")

		// What the link does not carry is thinned out, unless it was asked for.
		b.budget = device.Budget{LeastEvery: 80, BytesPerSec: 2e4, LinkBytes: 1e4, GreatestRate: 6}
		b.ok(t, "watch", "--for", "50ms")
		assert.Equal(t, 80, b.every)
		diag = b.fails(t, exitUsage, "watch", "--every", "10")
		assert.Contains(t, diag, "telemetry of 20000 bytes a second does not fit a link of 10000")
		assert.Contains(t, diag, "hint: a record every 80 ticks fits")

		assert.Contains(t, b.fails(t, exitUsage, "watch", "--every", "0"), "want a number of ticks from 1 to 2147483647")
		time.AfterFunc(200*time.Millisecond, func() { b.finish("fault", errors.New("it fell over")) })
		assert.Contains(t, b.fails(t, exitFault, "watch"), "it fell over")
	})
}

func TestCapture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := started(t)
		file := filepath.Join(t.TempDir(), "step.csv")
		_, diag := b.ok(t, "capture", "u", "gains", "--when", "kp>2V", "--before", "2", "--after", "1", "-o", file)
		assert.Contains(t, diag, "4 records, the event at tick 1000")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, "tick,time_s,from_event,u (rad/s),gains[0],gains[1],gains[2],kp (V)\n"+
			"998,1.996000000,-2,998,0,0,0,1\n999,1.998000000,-1,999,0,0,0,1\n1000,2.000000000,0,1000,0,0,0,1\n1001,2.002000000,1,1001,0,0,0,1\n", string(text))
		assert.Equal(t, device.Trigger{Kind: "above", Offset: 4, Float: true, Threshold: 0x40000000}, b.capture.Trigger)
		out, _ := b.ok(t, "capture", "u", "--after", "1", "--json")
		assert.Equal(t, "now", b.capture.Trigger.Kind)
		d := document1(t, out)
		assert.Equal(t, []any{1000.0, 1001.0}, d["values"].(map[string]any)["u"])
		out, _ = b.ok(t, "capture", "u", "--after", "0")
		assert.Equal(t, "tick,time_s,from_event,u (rad/s)\n1000,2.000000000,0,1000\n", out)
		b.ok(t, "capture", "u", "-o", strings.TrimSuffix(file, "csv")+"json", "--after", "0")

		assert.Contains(t, b.fails(t, exitTransport, "capture", "--when", "u<0", "--wait", "50ms"), "the event u<0 has not come within 50ms")
		assert.True(t, b.canceled)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		b.canceled = false
		code, _, diag := b.cli(t, ctx, "capture", "--when", "u<0")
		assert.Equal(t, exitFailed, code)
		assert.Contains(t, diag, "interrupted")
		assert.True(t, b.canceled, "the memory is given back")
		assert.Contains(t, b.fails(t, exitUsage, "capture", "-o", "x.pdf"), "x.pdf: captures are written as .csv or .json")
		assert.Contains(t, b.fails(t, exitUsage, "capture", "--before", "-1"), "must not be negative")
		assert.True(t, b.running())
	})
}

func TestConditions(t *testing.T) {
	img := loopImage(1)
	const kp, n, on = 4, 20, 24
	for text, want := range map[string]device.Trigger{
		"":                 {Kind: "now"},
		"fault":            {Kind: "end"},
		"kp>0.5":           {Kind: "above", Offset: kp, Float: true, Threshold: 0x3f000000},
		" kp < 0.5 V ":     {Kind: "below", Offset: kp, Float: true, Threshold: 0x3f000000},
		"kp>=0.5":          {Kind: "above", Offset: kp, Float: true, Threshold: 0x3effffff},
		"kp<=0.5":          {Kind: "below", Offset: kp, Float: true, Threshold: 0x3f000001},
		"rising(kp)":       {Kind: "rising", Offset: kp, Float: true},
		"rising( kp > 1 )": {Kind: "rising", Offset: kp, Float: true, Threshold: 0x3f800000},
		"falling(kp<1V)":   {Kind: "falling", Offset: kp, Float: true, Threshold: 0x3f800000},
		"gains[1]>1":       {Kind: "above", Offset: 12, Float: true, Threshold: 0x3f800000},
		"n>2.5":            {Kind: "above", Offset: n, Threshold: 2},
		"n<2.5":            {Kind: "below", Offset: n, Threshold: 3},
		"n>=3":             {Kind: "above", Offset: n, Threshold: 2},
		"n<=-3":            {Kind: "below", Offset: n, Threshold: 0xfffffffe},
		"on":               {Kind: "above", Offset: on},
		"rising(on)":       {Kind: "rising", Offset: on},
		"falling(on)":      {Kind: "falling", Offset: on, Threshold: 1},
		"on>False":         {Kind: "above", Offset: on},
	} {
		got, _, err := parseCondition(img, text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		"kp":             "needs a bound, such as kp>1",
		"kp==1":          "nothing is compared with ==",
		"kp=1":           "nothing is compared with =",
		"kp>two":         `"two" is not a number`,
		"kp>nan":         "is not a number",
		"kp>1A":          "kp is in V, and not in A",
		"gains>1":        "gains is an array: name one of its elements, such as gains[0]",
		"d>1":            "d is a double",
		"rising(kp<1)":   "rising means that the variable becomes greater",
		"falling(kp>=1)": "falling means that the variable becomes less",
		"rising()":       "no variable is named",
		"nowhere>1":      `no variable "nowhere"`,
		"n>=-2147483648": "always or never",
		"n>1e12":         "always or never",
	} {
		_, _, err := parseCondition(img, text)
		require.ErrorContains(t, err, want, text)
		assert.Equal(t, exitUsage, classify(err).Code)
	}
}

func TestSwapVerb(t *testing.T) {
	b := started(t)
	b.ok(t, "set", "kp=4", "sum=5")
	next := loopImage(2)
	next.Symbols[5].Offset, next.Symbols[6].Offset = 36, 32 // sum and u change places
	next.Symbols = append(next.Symbols, image.Symbol{Name: "fresh", Kind: image.State, DType: graph.F32, Offset: 48})
	file := imageFile(t, next)
	out, diag := b.ok(t, "swap", file, "--dry-run", "--json")
	assert.Contains(t, diag, "carried over: kp, gains, n, on, x, sum\nnot carried: fresh: it is new")
	assert.Equal(t, "fresh", document1(t, out)["lost"].([]any)[0].(map[string]any)["name"])
	assert.Nil(t, b.next.Program)
	out, _ = b.ok(t, "swap", file, "--trial", "50")
	assert.Equal(t, "the new program runs since tick 77\n", out)
	assert.Equal(t, 50, b.next.Trial)
	assert.Equal(t, []device.Piece{{Offset: 32, Bytes: []byte{0, 0, 0xe0, 0x40}}}, b.next.Safe)

	// The next command knows the new program, and what was set has stayed.
	out, _ = b.ok(t, "get", "kp", "sum")
	assert.Equal(t, "kp = 4 V\nsum = 5\n", out)

	b.report = &device.SwapReport{Tick: 99, Back: true, Cause: &session.FaultError{}}
	assert.Contains(t, b.fails(t, exitFault, "swap", file), "the old one goes on with its states")
	b.report.Cause = errors.New("a tick was missed")
	assert.Contains(t, b.fails(t, exitBudget, "swap", file), "from tick 99 on; the old one goes on with its states: a tick was missed")
	b.report, b.swapErr = nil, &session.BesideError{Region: "code", Needs: 3000, Have: 2000, Running: 5000}
	assert.Contains(t, b.fails(t, exitIncompatible, "swap", file, "--dry-run"), "and 2000 are left", "before anything is sent")
	diag = b.fails(t, exitIncompatible, "swap", file)
	assert.Contains(t, diag, "needs 3000 bytes of code memory beside the 5000 of the running one, and 2000 are left")
	assert.Contains(t, diag, "hint: stop the loop")
	assert.Contains(t, b.fails(t, exitUsage, "swap", file, "--trial", "-1"), "want a number of ticks")
	assert.Contains(t, b.fails(t, exitUsage, "swap"), "takes one file")
}

// TestOtherProcess: what a command needs to know of the program it finds by the digest on the
// board, or is given.
func TestOtherProcess(t *testing.T) {
	file := loopFile(t, loopImage(1))
	b := &fakeBoard{}
	b.ok(t, "start", file, "-q")
	folder, err := imageFolder()
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(folder))
	diag := b.fails(t, exitUsage, "watch")
	assert.Contains(t, diag, "was not sent from here")
	assert.Contains(t, diag, "hint: give it with --image FILE")
	b.ok(t, "get", "kp", "--image", file)
	assert.Contains(t, b.fails(t, exitVerify, "get", "kp", "--image", imageFile(t, loopImage(3))), "is not the program that is on")
	for _, verb := range []string{"status", "stop", "get", "watch", "capture"} {
		assert.Contains(t, b.fails(t, exitUsage, verb, "--target", "local"), "a loop on local ends with the command that started it")
	}
	assert.Equal(t, 0, countOpened(&fakeBoard{}, t))
}

func countOpened(b *fakeBoard, t *testing.T) int {
	b.fails(t, exitUsage, "status", "--target", "oracle")
	return b.opened
}
