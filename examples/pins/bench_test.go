package pins_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/compiler/bind/bindtest"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/compiler/script/copapy"
	"github.com/copaflash/copaflash/hil/pil"
	"github.com/copaflash/copaflash/hil/target"
)

// compile makes the program of a script for a device, bound to channels of a board.
func compile(t *testing.T, file string, arch compiler.Options, board string, bindings ...string) *compiler.Program {
	t.Helper()
	dev, err := oracle.New(arch.Arch)
	require.NoError(t, err)
	dev.SetFeatures(arch.Features)
	set := &bind.Set{Plant: func(file string) (*compiler.Program, error) { return pil.Compile(t.Context(), file, dev) }}
	if board != "" {
		b, err := boards.Find(board)
		require.NoError(t, err)
		set.Board = &b
	}
	for _, text := range bindings {
		require.NoError(t, set.Add(text))
	}
	var programs []*compiler.Program
	err = script.Run(t.Context(), file, script.Options{
		Open:     func(context.Context) (device.Device, error) { return dev, nil },
		Compiled: func(s *copapy.Stats) { programs = append(programs, s.Program) },
		Compiler: arch, Bind: set,
	})
	require.NoError(t, err, "%s on %s", file, board)
	require.Len(t, programs, 1)
	return programs[0]
}

// A loop is a script on a board, beside the model of its chip and of what is connected to it.
type loop struct {
	t     *testing.T
	bench *bindtest.Bench
	prog  *compiler.Program
}

// onModel has a loop run on the oracle or on this machine.
func onModel(t *testing.T, where, file, board string, chip models.Chip, bindings ...string) *loop {
	t.Helper()
	dev, err := target.Open(t.Context(), where, target.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { dev.Close() })
	prog := compile(t, file, compiler.Options{Arch: dev.Arch(), Features: dev.Features()}, board, bindings...)
	p, err := dev.Load(t.Context(), prog)
	require.NoError(t, err)
	l := &loop{t, bindtest.New(chip, prog.Image, p), prog}
	require.NoError(t, l.bench.Start(t.Context()))
	return l
}

func (l *loop) tick() {
	l.t.Helper()
	require.NoError(l.t, l.bench.Tick(l.t.Context()))
}

func (l *loop) stop() {
	l.t.Helper()
	require.NoError(l.t, l.bench.Stop(l.t.Context()))
}

// symbol is a variable of whatever kind.
func (l *loop) symbol(name string) *image.Symbol {
	l.t.Helper()
	for _, kind := range []image.Kind{image.Output, image.Input} {
		if s, ok := l.prog.Image.Symbol(kind, name); ok {
			return s
		}
	}
	require.Fail(l.t, "no variable "+name)
	return nil
}

func (l *loop) value(name string) float64 {
	l.t.Helper()
	v, err := l.bench.Word(l.t.Context(), l.symbol(name).Offset)
	require.NoError(l.t, err)
	return float64(math.Float32frombits(v))
}

func (l *loop) set(name string, value float64) {
	l.t.Helper()
	require.NoError(l.t, l.bench.SetWord(l.t.Context(), l.symbol(name).Offset, math.Float32bits(float32(value))))
}

// bits are those of all outputs and logs.
func (l *loop) bits() (all []uint32) {
	l.t.Helper()
	for i := range l.prog.Image.Symbols {
		s := &l.prog.Image.Symbols[i]
		if s.Kind != image.Output {
			continue
		}
		v, err := l.bench.Word(l.t.Context(), s.Offset)
		require.NoError(l.t, err)
		all = append(all, v)
	}
	require.NotEmpty(l.t, all)
	return all
}

// simulated is a script with its plant, which needs no board.
func simulated(t *testing.T, where, file, plant string) *loop {
	t.Helper()
	dev, err := target.Open(t.Context(), where, target.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { dev.Close() })
	prog := compile(t, file, compiler.Options{Arch: dev.Arch(), Features: dev.Features()}, "", "sim:plant="+plant)
	p, err := dev.Load(t.Context(), prog)
	require.NoError(t, err)
	return &loop{t, bindtest.New(nil, prog.Image, p), prog}
}

// everywhere runs a closed loop on the oracle and on this machine, and compares all bits of all ticks.
func everywhere(t *testing.T, run func(t *testing.T, where string, note func(*loop))) {
	var first [][]uint32
	for _, where := range []string{"oracle", "local"} {
		var ticks [][]uint32
		t.Run(where, func(t *testing.T) {
			run(t, where, func(l *loop) { ticks = append(ticks, l.bits()) })
		})
		if first == nil {
			first = ticks
		}
		require.NotEmpty(t, ticks)
		require.Equal(t, first, ticks, "%s and the oracle", where)
	}
}

// pinOf is the pin of a channel.
func pinOf(t *testing.T, board, channel string) string {
	t.Helper()
	b, err := boards.Find(board)
	require.NoError(t, err)
	for _, c := range b.Channels {
		for _, name := range append([]string{c.Name}, c.Aliases...) {
			if strings.EqualFold(name, channel) {
				return c.Pin
			}
		}
	}
	require.Fail(t, board+" has no channel "+channel)
	return ""
}
