package target_test

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/firmware/build/runner"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/protocol/session"
)

// TestOwnDriverByName: a program is bound to channels of a driver of one's own, which its file names: the length of a pass of an
// emulated timer, which is read from outside, and what the driver counts.
func TestOwnDriverByName(t *testing.T) {
	t.Parallel()
	const folder = "../../examples/drivers/"
	b, err := boards.Find("mps2-an386")
	require.NoError(t, err)
	own, _, err := runner.BuildOwn(t.Context(), &b, []string{folder + "cmsdk_timer.c"})
	if missing := (*runner.MissingError)(nil); errors.As(err, &missing) && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	dev, chip := probedWith(t, b.Name, emulator.Options{Image: own})

	g := graph.New()
	wanted := g.InputF32("wanted", 0.002)
	left, writes := sensed(g, g.InputF32("left", 0)), sensed(g, g.InputI32("writes", 0))
	// The pass is twice as long as is wanted as soon as the driver has counted something.
	out := driven("length", writes.Gt(g.I32(0)).Select(wanted.Add(wanted), wanted).Add(left.Mul(g.F32(0))), 1.0/1024)
	const file = folder + "cmsdk_timer.json."
	prog, l := startBound(t, dev, g, []compiler.Output{out}, 100, "left="+file+"left", "writes="+file+"writes", "length="+file+"length")
	reload := func() uint32 {
		v, err := chip.Read(0x40001008)
		require.NoError(t, err)
		return v
	}
	require.Eventually(t, func() bool { return reload() == 100_000-1 }, time.Minute, time.Millisecond, "4 ms of 25 MHz")
	shown, ok := prog.Image.Symbol(image.Output, "left")
	require.True(t, ok)
	data, _, err := l.Read(t.Context(), []device.Span{device.SpanOf(shown)})
	require.NoError(t, err)
	seconds := math.Float32frombits(binary.LittleEndian.Uint32(data[0]))
	require.True(t, seconds >= 0 && seconds <= 0.004, "%v s", seconds)
	_, err = l.Stop(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 25_000_000/1024-1, reload(), "safe")

	// A runner without the driver has no such registers.
	standard, _ := probedWith(t, b.Name, emulator.Options{})
	p, err := standard.Load(t.Context(), prog)
	require.NoError(t, err)
	c, err := device.LoopOf(prog.Image, 100)
	require.NoError(t, err)
	_, err = p.(device.Looper).StartLoop(t.Context(), c)
	var refused *session.PinsError
	require.ErrorAs(t, err, &refused)
	require.False(t, refused.Vain)
	require.Contains(t, refused.Hint(), "built with the driver")
}
