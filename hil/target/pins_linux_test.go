package target_test

import (
	"bufio"
	"fmt"
	"net"
	"path/filepath"
	"strings"
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
	"github.com/copaflash/copaflash/hil/target"
)

// outside is QEMU's qtest line, which drives and reads the chip while it runs.
type outside struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

func (o *outside) do(format string, args ...any) string {
	o.t.Helper()
	_, err := fmt.Fprintf(o.conn, format+"\n", args...)
	require.NoError(o.t, err)
	line, err := o.in.ReadString('\n')
	require.NoError(o.t, err)
	require.True(o.t, strings.HasPrefix(line, "OK"), line)
	return strings.TrimSpace(line[2:])
}

// TestPinsOfABoard: a program's input and output on the pins of an emulated micro:bit, driven and read from outside.
func TestPinsOfABoard(t *testing.T) {
	b, err := boards.Find("microbit")
	require.NoError(t, err)
	socket := filepath.Join(t.TempDir(), "qtest")
	m, err := emulator.Start(t.Context(), b, emulator.Options{Args: []string{"-accel", "tcg", "-qtest", "unix:" + socket + ",server=on,wait=off"}})
	require.NoError(t, err)
	defer m.Close()
	var conn net.Conn
	require.Eventually(t, func() bool { conn, err = net.Dial("unix", socket); return err == nil }, time.Minute, 10*time.Millisecond)
	defer conn.Close()
	chip := &outside{t, conn, bufio.NewReader(conn)}
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
		var out uint32
		_, err := fmt.Sscanf(chip.do("readl 0x50000504"), "%v", &out) // GPIO.OUT of the nRF51
		require.NoError(t, err)
		return out>>16&1 != 0
	}
	shown, ok := prog.Image.Symbol(image.Output, "BTN_A")
	require.True(t, ok)
	for _, down := range []bool{true, false, true, false, true} {
		level := map[bool]int{true: 0, false: 1}[down] // buttons connect P0.17 to ground
		chip.do("set_irq_in /machine/nrf51 unnamed-gpio-in 17 %d", level)
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
