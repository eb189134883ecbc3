package target_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/protocol/packet"
)

const patience = time.Minute

// A tree is files as those of /sys, in a folder of the test's.
type tree struct {
	t    *testing.T
	root string
}

func newTree(t *testing.T, files map[string]string) *tree {
	r := &tree{t, t.TempDir()}
	for name, text := range files {
		r.put(name, text)
	}
	return r
}

func (r *tree) path(name string) string { return filepath.Join(r.root, filepath.FromSlash(name)) }

// put writes a file in its place, so that who has it open reads the new text.
func (r *tree) put(name, text string) {
	r.t.Helper()
	require.NoError(r.t, os.MkdirAll(filepath.Dir(r.path(name)), 0o755))
	f, err := os.OpenFile(r.path(name), os.O_CREATE|os.O_WRONLY, 0o644) // not emptied first: that would be a text of its own
	require.NoError(r.t, err)
	defer f.Close()
	if text == "" {
		require.NoError(r.t, f.Truncate(0))
	}
	_, err = f.WriteAt([]byte(text), 0)
	require.NoError(r.t, err)
}

func (r *tree) text(name string) string {
	text, err := os.ReadFile(r.path(name))
	require.NoError(r.t, err)
	first, _, _ := strings.Cut(string(text), "\n") // a file, other than one of sysfs, keeps what was behind a shorter text
	return first
}

// open starts the runner of this machine on the tree, and connects to it.
func (r *tree) open(allow ...string) *target.Runner {
	r.t.Helper()
	socket := "unix:" + filepath.Join(r.t.TempDir(), "s")
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	ready := make(chan bool, 1)
	go func() {
		ended <- local.Serve(ctx, local.Service{Listen: socket, CPU: -1, Allow: allow, Root: r.root}, func(line string) {
			r.t.Log(line)
			if strings.HasPrefix(line, "listens at ") {
				ready <- true
			}
		})
	}()
	r.t.Cleanup(func() { cancel(); <-ended })
	select {
	case <-ready:
	case err := <-ended:
		ended <- err
		require.NoError(r.t, err)
	case <-time.After(patience):
		require.Fail(r.t, "the runner does not listen")
	}
	dev, err := target.OpenRunner(r.t.Context(), socket, target.Options{})
	require.NoError(r.t, err)
	r.t.Cleanup(dev.Close)
	return dev
}

// A control is a program with a float input and output, bound.
type control struct {
	prog *compiler.Program
	loop device.Loop
}

// begin compiles "out = in * gain" with bindings of in and out, and starts it.
func begin(t *testing.T, dev *target.Runner, gain float64, safe float64, bindings ...string) (*control, error) {
	t.Helper()
	g := graph.New()
	in := sensed(g, g.InputF32("in", 0))
	set := &bind.Set{}
	set.On(dev)
	for _, b := range bindings {
		require.NoError(t, set.Add(b))
	}
	out := driven("out", in.Mul(g.F32(float32(gain))), safe)
	meta := graph.Meta{Role: graph.RoleOutput}
	positive := compiler.Output{Name: "positive", Value: in.Gt(g.F32(0)), Meta: meta}
	negative := compiler.Output{Name: "negative", Value: in.Lt(g.F32(0)), Meta: meta}
	prog, err := compiler.Compile(g, []compiler.Output{out, positive, negative}, compiler.Options{Arch: dev.Arch(), Features: dev.Features(), Bind: set})
	if err != nil {
		return nil, err
	}
	p, err := dev.Load(t.Context(), prog)
	require.NoError(t, err)
	c, err := device.LoopOf(prog.Image, 500)
	require.NoError(t, err)
	l, err := p.(device.Looper).StartLoop(t.Context(), c)
	return &control{prog, l}, err
}

func (c *control) value(t *testing.T, name string) float32 {
	t.Helper()
	s, ok := c.prog.Image.Symbol(image.Output, name)
	require.True(t, ok, name)
	data, _, err := c.loop.Read(t.Context(), []device.Span{device.SpanOf(s)})
	require.NoError(t, err)
	return math.Float32frombits(s.Decode(data[0]).Bits[0])
}

// becomes waits until the input is that, but for the rounding of its conversion.
func (c *control) becomes(t *testing.T, want float32) {
	t.Helper()
	require.Eventually(t, func() bool { return math.Abs(float64(c.value(t, "in")-want)) < 1e-5 }, patience, time.Millisecond, "%v, at the end %v", want, c.value(t, "in"))
}

// ended waits for the end of the loop.
func (c *control) ended(t *testing.T) *device.LoopStatus {
	t.Helper()
	var s *device.LoopStatus
	require.Eventually(t, func() bool {
		var err error
		s, err = c.loop.Status(t.Context())
		require.NoError(t, err)
		return s.End != ""
	}, patience, time.Millisecond)
	return s
}

var machineFiles = map[string]string{
	"sys/bus/iio/devices/iio:device3/name":              "ads1115\n",
	"sys/bus/iio/devices/iio:device3/in_voltage0_raw":   "4000\n",
	"sys/bus/iio/devices/iio:device3/in_voltage0_scale": "0.125000\n",
	"sys/bus/iio/devices/iio:device3/in_voltage_offset": "-8\n",
	"sys/class/hwmon/hwmon1/name":                       "lm75\n",
	"sys/class/hwmon/hwmon1/temp1_input":                "23500\n",
	"sys/class/hwmon/hwmon1/pwm1":                       "0\n",
	"sys/class/hwmon/hwmon1/pwm1_enable":                "2\n",
	"sys/class/pwm/pwmchip0/export":                     "",
	"sys/class/pwm/pwmchip0/pwm1/period":                "0\n",
	"sys/class/pwm/pwmchip0/pwm1/duty_cycle":            "0\n",
	"sys/class/pwm/pwmchip0/pwm1/enable":                "0\n",
}

// TestDriversOfTheMachine: an input and an output of each kind that is a file, from one to the other, and the safe value.
func TestDriversOfTheMachine(t *testing.T) {
	for _, c := range []struct {
		in, input string
		raw       []string
		values    []float32
		out, file string
		gain      float64
		want      []string
		safe      string
	}{
		{"iio/ads1115/in_voltage0", "sys/bus/iio/devices/iio:device3/in_voltage0_raw", []string{"4008\n", "8\n", "-1592\n"}, []float32{0.5, 0, -0.2},
			"pwmchip0/1:pwm,freq=20kHz", "sys/class/pwm/pwmchip0/pwm1/duty_cycle", 1, []string{"25000", "0", "0"}, "12500"},
		{"hwmon1/temp1", "sys/class/hwmon/hwmon1/temp1_input", []string{"20000\n", "0\n", "-40000\n"}, []float32{20, 0, -40},
			"hwmon/lm75/pwm1", "sys/class/hwmon/hwmon1/pwm1", 0.05, []string{"255", "0", "0"}, "64"},
	} {
		r := newTree(t, machineFiles)
		channel, _, _ := strings.Cut(c.out, ":")
		dev := r.open(c.in+"=in", channel)
		for _, empty := range []string{"pwmchip0/pwm1/duty_cycle", "pwmchip0/pwm1/period", "pwmchip0/pwm1/enable"} {
			r.put("sys/class/pwm/"+empty, "")
		}
		l, err := begin(t, dev, c.gain, 0.25, "in="+c.in, "out="+c.out)
		require.NoError(t, err)
		for i, raw := range c.raw {
			r.put(c.input, raw)
			l.becomes(t, c.values[i])
			require.Eventually(t, func() bool { return r.text(c.file) == c.want[i] }, patience, time.Millisecond, "%v", c.want[i])
		}
		s, err := l.loop.Stop(t.Context())
		require.NoError(t, err)
		require.Equal(t, "stopped", s.End)
		require.Equal(t, c.safe, r.text(c.file), "the safe value")
	}
}

// TestDriverFails: a loop ends with the name of the driver that failed, and safe outputs. A pipe in the place of a file
// is one that does not return.
func TestDriverFails(t *testing.T) {
	const input = "sys/class/hwmon/hwmon1/temp1_input"
	for name, c := range map[string]struct {
		spoil func(r *tree)
		want  string
	}{
		"garbage":       {func(r *tree) { r.put(input, "warm\n") }, "no whole number"},
		"empty":         {func(r *tree) { r.put(input, "") }, "no whole number"},
		"two numbers":   {func(r *tree) { r.put(input, "1 2\n") }, "no whole number"},
		"too large":     {func(r *tree) { r.put(input, "2147483648\n") }, "more than 32 bits"},
		"too many bits": {func(r *tree) { r.put(input, strings.Repeat("9", 4000)) }, "more than 32 bits"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTree(t, machineFiles)
			dev := r.open("hwmon1/temp1", "hwmon1/pwm1")
			l, err := begin(t, dev, 0.01, 0.5, "in=hwmon1/temp1", "out=hwmon1/pwm1")
			require.NoError(t, err)
			l.becomes(t, 23.5)
			c.spoil(r)
			s := l.ended(t)
			require.Equal(t, packet.LoopEndDevice.String(), s.End)
			require.ErrorContains(t, s.Fault, "hwmon1/temp1 failed in tick ")
			require.ErrorContains(t, s.Fault, c.want)
			require.Equal(t, "128", r.text("sys/class/hwmon/hwmon1/pwm1"), "the safe value")
			_, err = l.loop.Stop(t.Context())
			require.NoError(t, err)
			r.put(input, "1000\n") // and it can be started again
			again, err := begin(t, dev, 0.01, 0.5, "in=hwmon1/temp1", "out=hwmon1/pwm1")
			require.NoError(t, err)
			again.becomes(t, 1)
		})
	}
}

// TestProcessOfThePins: where that is held up, or has ended, the loop ends, and the outputs become safe all the same.
func TestProcessOfThePins(t *testing.T) {
	for _, signal := range []unix.Signal{unix.SIGSTOP, unix.SIGKILL} {
		r := newTree(t, machineFiles)
		dev := r.open("hwmon1/temp1", "hwmon1/pwm1")
		l, err := begin(t, dev, 0.01, 0.5, "in=hwmon1/temp1", "out=hwmon1/pwm1")
		require.NoError(t, err)
		l.becomes(t, 23.5)
		require.NoError(t, unix.Kill(r.holder("temp1_input"), signal))
		s := l.ended(t)
		require.Equal(t, packet.LoopEndDevice.String(), s.End)
		require.ErrorContains(t, s.Fault, "did not return in time")
		require.Equal(t, "128", r.text("sys/class/hwmon/hwmon1/pwm1"), "the safe value")
		again, err := begin(t, dev, 0.01, 0.5, "in=hwmon1/temp1", "out=hwmon1/pwm1")
		require.NoError(t, err)
		again.becomes(t, 23.5)
	}
}

// holder is the process of the pins: of those that have a file open the latest.
func (r *tree) holder(file string) int {
	r.t.Helper()
	latest := 0
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	require.NoError(r.t, err)
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && strings.HasPrefix(to, r.root) && strings.HasSuffix(to, file) {
			pid, err := strconv.Atoi(strings.Split(link, "/")[2])
			require.NoError(r.t, err)
			latest = max(latest, pid)
		}
	}
	require.NotZero(r.t, latest)
	return latest
}

// TestDriversThatAreNotAllowed: bindings and options that do not fit are refused, with what would.
func TestDriversThatAreNotAllowed(t *testing.T) {
	r := newTree(t, machineFiles)
	dev := r.open("hwmon1/temp1", "hwmon1/pwm1", "pwmchip0/1")
	for binding, want := range map[string]string{
		"in=hwmon1/temp2":              "hwmon1/temp1, hwmon1/pwm1, pwmchip0/1",
		"in=pwmchip0/1":                "What can: hwmon1/temp1",
		"out=hwmon1/temp1":             "What can: hwmon1/pwm1, pwmchip0/1",
		"out=pwmchip0/1:pwm,freq=5MHz": "the nearest is 1000000",
		"out=pwmchip0/1:fan":           "does not offer",
		"out=../../etc/passwd":         "no such channel",
	} {
		_, err := begin(t, dev, 1, 0, binding)
		require.ErrorContains(t, err, want, binding)
	}
	plain, err := local.Start(t.Context())
	require.NoError(t, err)
	plain.Close()
	none, err := target.OpenRunner(t.Context(), target.SandboxName, target.Options{})
	require.NoError(t, err)
	defer none.Close()
	_, err = none.Pins()
	require.ErrorContains(t, err, "--allow")
}

// TestRunnerRefusesToAllow: what is not there or not understood ends the runner at its start, with a reason.
func TestRunnerRefusesToAllow(t *testing.T) {
	r := newTree(t, machineFiles)
	for name, want := range map[string]string{
		"hwmon1/temp9":                  "no such driver",
		"hwmon1/temp1=out":              "no such direction",
		"hwmon1/../../secret":           "want gpiochip0/17",
		"hwmon1/temp1/../x":             "want gpiochip0/17",
		"hwmon9/temp1":                  "no such driver",
		"hwmon/nothing/temp1":           "want hwmon0/temp1",
		"iio3/out_voltage0":             "want iio0/in_voltage0",
		"pwmchip0":                      "want gpiochip0/17",
		"pwmchip0/x":                    "want pwmchip0/1",
		"pwmchip1/0":                    "no such driver",
		"gpiochip0/17":                  "no such driver",
		"gpiochip0/":                    "want gpiochip0/17",
		"gpio/LED":                      "no line of this machine",
		"can0/12":                       "three hexadecimal digits",
		"can0/1234567g":                 "three hexadecimal digits",
		"nonsense":                      "want gpiochip0/17",
		"hwmon1/temp1=both":             "want gpiochip0/17",
		strings.Repeat("a", 100) + "/1": "want gpiochip0/17",
	} {
		err := local.Serve(t.Context(), local.Service{Listen: "unix:" + filepath.Join(t.TempDir(), "s"), CPU: -1, Allow: []string{name}, Root: r.root}, func(string) {})
		require.ErrorContains(t, err, want, name)
	}
	var many []string
	for i := range 65 {
		many = append(many, fmt.Sprintf("hwmon1/temp%d", i))
	}
	err := local.Serve(t.Context(), local.Service{Listen: "unix:" + filepath.Join(t.TempDir(), "s"), CPU: -1, Allow: many, Root: r.root}, func(string) {})
	require.ErrorContains(t, err, "at most 64")
	err = local.Serve(t.Context(), local.Service{Listen: "unix:" + filepath.Join(t.TempDir(), "s"), CPU: -1, Allow: []string{"hwmon1/temp1", "hwmon1/temp1"}, Root: r.root}, func(string) {})
	require.ErrorContains(t, err, "twice")
}
