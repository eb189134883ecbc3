package pins_test

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/hil/emulator/qtest"
	"github.com/copaflash/copaflash/hil/target"
)

// patience is how long an emulated board may take for anything.
const patience = time.Minute

// presets give variables of a program their values.
func presets(t *testing.T, prog *compiler.Program, set map[string]float32) (writes []device.Piece) {
	t.Helper()
	for name, v := range set {
		s, ok := prog.Image.Symbol(image.Input, name)
		require.True(t, ok, name)
		writes = append(writes, device.Piece{Offset: s.Offset, Bytes: binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))})
	}
	return writes
}

// onEmulated starts a script's loop on an emulated board, with variables set before.
func onEmulated(t *testing.T, file, board string, hz float64, set map[string]float32, bindings ...string) (*compiler.Program, device.Loop, *qtest.Probe) {
	t.Helper()
	b, err := boards.Find(board)
	require.NoError(t, err)
	if _, err := emulator.Find(b.QEMU); err != nil {
		t.Skipf("SKIP: %v", err)
	}
	dir := t.TempDir()
	m, err := emulator.Start(t.Context(), b, emulator.Options{Args: qtest.Args(dir)})
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	probe, err := qtest.Dial(t.Context(), dir, patience)
	require.NoError(t, err)
	t.Cleanup(func() { probe.Close() })
	dev, err := target.Open(t.Context(), m.TTY(), target.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { dev.Close() })
	prog := compile(t, file, compiler.Options{Arch: dev.Arch(), Features: dev.Features()}, board, bindings...)
	p, err := dev.Load(t.Context(), prog)
	require.NoError(t, err)
	_, err = p.Call(t.Context(), device.Call{Writes: presets(t, prog, set)})
	require.NoError(t, err)
	c, err := device.LoopOf(prog.Image, hz)
	require.NoError(t, err)
	l, err := p.(device.Looper).StartLoop(t.Context(), c)
	require.NoError(t, err)
	return prog, l, probe
}

// blinks is what the oracle has as the LED's level when so many ticks have ended.
func blinks(t *testing.T, ticks int, set map[string]float32) []uint32 {
	t.Helper()
	dev, err := oracle.New("x86_64")
	require.NoError(t, err)
	prog := compile(t, "blink.py", compiler.Options{Arch: dev.Arch()}, "")
	p, err := dev.Load(t.Context(), prog)
	require.NoError(t, err)
	led, ok := prog.Image.Symbol(image.Output, "led")
	require.True(t, ok)
	call := device.Call{Runs: 1, Writes: presets(t, prog, set), Reads: []device.Span{device.SpanOf(led)}}
	levels := []uint32{0}
	for tick := range uint32(ticks) {
		r, err := device.Ticks(t.Context(), p, prog.Image, tick, call)
		require.NoError(t, err)
		levels = append(levels, uint32(r.Data[0][0]))
		call.Writes = nil
	}
	return levels
}

// TestBlink: the LED of emulated boards blinks, as a register shows from outside, as the
// oracle has it for the ticks of the board, and is dark in the end.
func TestBlink(t *testing.T) {
	for _, c := range []struct {
		board, led string
		address    uint32 // of the register that has the pin's level
		bit        int
		dark       uint32
	}{
		{"microbit", "P0", 0x50000504, 3, 0},         // GPIO.OUT of the nRF51, P0.03
		{"microbit", "COL1", 0x50000504, 4, 1},       // lit by a low level
		{"mps2-an385", "LED0", 0x40028000, 0, 0},     // LED of FPGAIO
		{"rpi1", "GPIO17", 0x20200034, 17, 0},        // GPLEV0
		{"sifive-e", "LED_GREEN", 0x1001200c, 19, 1}, // output_val; lit by a low level
	} {
		t.Run(c.board+" "+c.led, func(t *testing.T) {
			t.Parallel()
			// 20 ticks of each period, 8 of them lit. Slow, since a busy computer takes its time for each look.
			setup, hz := map[string]float32{"frequency": 5, "duty": 0.4}, 10.0
			_, l, probe := onEmulated(t, "blink.py", c.board, hz, setup, "led="+c.led)
			level := func() uint32 {
				v, err := probe.Read(c.address)
				require.NoError(t, err)
				return v >> c.bit & 1
			}
			// What a look sees is what the oracle has for one of the ticks during the look.
			want := blinks(t, 4000, setup)
			ended := func() int {
				s, err := l.Status(t.Context())
				require.NoError(t, err)
				return int(s.Ticks)
			}
			sure, changes, last := 0, 0, uint32(2)
			for began := time.Now(); changes < 6; {
				require.Less(t, time.Since(began), 3*patience, "%d looks, %d changes", sure, changes)
				first := ended()
				now := level() ^ c.dark
				during := want[first : ended()+2] // the output is there before its tick has ended
				require.Contains(t, during, now, "from tick %d on", first)
				if slices.Max(during) != slices.Min(during) {
					continue
				}
				sure++
				if now != last {
					changes++
				}
				last = now
			}
			s, err := l.Stop(t.Context())
			require.NoError(t, err)
			require.Equal(t, "stopped", s.End)
			require.Equal(t, c.dark, level(), "dark, which is safe")
		})
	}
}
