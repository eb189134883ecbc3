package target_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/hil/emulator/qtest"
	"github.com/copaflash/copaflash/hil/target"
)

// TestPinsOfABoard: a program's input and output on the pins of an emulated micro:bit, driven and read from outside.
func TestPinsOfABoard(t *testing.T) {
	b, err := boards.Find("microbit")
	require.NoError(t, err)
	dir := t.TempDir()
	m, err := emulator.Start(t.Context(), b, emulator.Options{Args: qtest.Args(dir)})
	require.NoError(t, err)
	defer m.Close()
	chip, err := qtest.Dial(t.Context(), dir, time.Minute)
	require.NoError(t, err)
	defer chip.Close()
	dev, err := target.Open(t.Context(), m.TTY(), target.Options{})
	require.NoError(t, err)
	defer dev.Close()

	g := graph.New()
	pressed := g.InputBool("BTN_A", false) // bound by its name
	g.InputInfo(pressed.ID()).Meta = &graph.Meta{Role: graph.RoleInput}
	set := &bind.Set{}
	set.On(dev)
	require.NoError(t, set.Add("lit=P16"))
	prog, err := compiler.Compile(g, []compiler.Output{{Name: "lit", Value: pressed.Not(), Meta: graph.Meta{Role: graph.RoleOutput, Safe: []float64{1}}}},
		compiler.Options{Arch: dev.Arch(), Features: dev.Features(), Bind: set})
	require.NoError(t, err)
	p, err := dev.Load(t.Context(), prog)
	require.NoError(t, err)
	c, err := device.LoopOf(prog.Image, 100)
	require.NoError(t, err)
	l, err := p.(device.Looper).StartLoop(t.Context(), c)
	require.NoError(t, err)
	lit := func() bool {
		out, err := chip.Read(0x50000504) // GPIO.OUT of the nRF51
		require.NoError(t, err)
		return out>>16&1 != 0
	}
	shown, ok := prog.Image.Symbol(image.Output, "BTN_A")
	require.True(t, ok)
	for _, down := range []bool{true, false, true, false, true} {
		require.NoError(t, chip.Drive("/machine/nrf51", 17, !down)) // buttons connect P0.17 to ground
		require.Eventually(t, func() bool { return lit() != down }, time.Minute, time.Millisecond)
		data, _, err := l.Read(t.Context(), []device.Span{device.SpanOf(shown)})
		require.NoError(t, err)
		require.Equal(t, down, data[0][0] == 1)
	}
	require.False(t, lit())
	s, err := l.Stop(t.Context())
	require.NoError(t, err)
	require.Equal(t, "stopped", s.End)
	require.True(t, lit(), "the safe value")
}
