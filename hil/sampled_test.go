package hil_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/registers"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/firmware/build/runner/runnertest"
	"github.com/copaflash/copaflash/hil/target"
)

// The programs of testdata/sampled have four inputs and two outputs. What stands for their registers are words of the data block,
// behind all that a program has there; behind those are the times between which is counted.
const (
	sampledFolder    = "testdata/sampled/"
	sampledRegisters = 1024
	sampledTimes     = sampledRegisters + 32
	sampledEnd       = sampledTimes + 8
)

var sampledInputs = [4]uint32{1234, 1199, 3000, 2500}

// A sampledBoard has a timer that lists for the pins can read.
type sampledBoard struct {
	name   string
	hz     float64            // of the timer
	window *runnertest.Window // of the timer, if the chip has none
	// capture takes the time, if reading it is not enough, into one of two registers.
	capture [2]uint32
	time    [2]uint32
	most    map[string]float64 // by program: how many times the instructions of C it may take
}

var sampledBoards = []sampledBoard{
	{
		name: "microbit", hz: 16e6, window: &runnertest.Window{Start: "0x40008000u", Length: 0x1000}, // TIMER0
		capture: [2]uint32{0x40008044, 0x4000804c}, time: [2]uint32{0x40008544, 0x4000854c},
		most: map[string]float64{"copy": 1.1, "pids": 1.1, "foc": 1.1, "bank": 1.1},
	},
	{name: "mps2-an385", hz: 25e6, time: [2]uint32{0x40028018, 0x40028018}, most: map[string]float64{"copy": 1.2, "pids": 1.1, "foc": 1.1, "bank": 1.2}},
	{name: "mps2-an386", hz: 25e6, time: [2]uint32{0x40028018, 0x40028018}, most: map[string]float64{"copy": 1.2, "pids": 1.1, "foc": 1.1, "bank": 1.2}},
}

// TestSampledToCommitted counts the instructions from the one that samples the first input to the one that commits the last output,
// both with them: of a script in a loop with lists for the pins, and of the same in C, from entry to return, with the kernels of the
// libraries, that accesses its registers itself. Both are sent to the same runner. The outputs must have the same bits.
func TestSampledToCommitted(t *testing.T) {
	for i := range sampledBoards {
		b := &sampledBoards[i]
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			c := b.open(t)
			for _, name := range []string{"copy", "pids", "foc", "bank"} {
				want, ticks, ours := b.script(t, c, name)
				got, theirs := sampledC(t, c, name, ticks)
				require.Equal(t, want, got, "%s: GCC's program computes something else", name)
				t.Logf("%s: %.0f instructions, GCC %.0f: ratio %.2f", name, ours, theirs, ours/theirs)
				assert.LessOrEqual(t, ours, b.most[name]*theirs, name)
			}
		})
	}
}

// open boots the board with a runner whose lists reach the words and the timer.
func (b *sampledBoard) open(t *testing.T) *counter {
	windows := []runnertest.Window{{Start: fmt.Sprintf("cf_program_data_start + %d", sampledRegisters), Length: sampledTimes - sampledRegisters}}
	if b.window != nil {
		windows = append(windows, *b.window)
	}
	return openCounterWith(t, b.name, runnertest.RunnerWith(t, b.name, windows...))
}

// stamp takes the time: the first or the last in the lists.
func (b *sampledBoard) stamp(n int) []registers.Entry {
	if b.capture[n] != 0 {
		return []registers.Entry{{Op: registers.Write, Width: 32, Address: b.capture[n], Value: 1}}
	}
	return []registers.Entry{b.keep(n)}
}

func (b *sampledBoard) keep(n int) registers.Entry {
	return registers.Entry{Op: registers.Load, Width: 32, Address: b.time[n], Mask: math.MaxUint32, Slot: fmt.Sprint("time", n)}
}

// script runs it in a loop. It returns its outputs, after how many ticks, and the instructions.
func (b *sampledBoard) script(t *testing.T, c *counter, name string) (outputs [2]uint32, ticks uint32, instructions float64) {
	img := compileScript(t, c.dev, sampledFolder+name+".py")
	block := append(img.Data, make([]byte, img.BSS)...)
	require.Less(t, len(block), sampledRegisters)
	block = append(block, make([]byte, sampledEnd-len(block))...)
	start := c.data(t)
	slots := map[string]uint32{"time0": sampledTimes, "time1": sampledTimes + 4}
	var in, out []registers.Entry
	for i := range img.Symbols {
		s := &img.Symbols[i]
		switch s.Kind {
		case image.Input:
			n := len(in)
			binary.LittleEndian.PutUint32(block[sampledRegisters+4*n:], sampledInputs[n])
			in = append(in, registers.Entry{Op: registers.Load, Width: 32, Address: start + sampledRegisters + uint32(4*n), Mask: 0xfff, Slot: s.Name})
			slots[s.Name] = s.Offset
		case image.Output:
			slot := fmt.Sprint("out", len(out))
			out = append(out, registers.Entry{Op: registers.Store, Width: 32, Address: start + sampledRegisters + 16 + uint32(4*len(out)), Mask: math.MaxUint32, Slot: slot})
			slots[slot] = s.Offset
		}
	}
	require.Len(t, in, 4)
	require.Len(t, out, 2)
	img.Data, img.BSS = block, 0
	var keep []registers.Entry
	if b.capture[0] != 0 {
		keep = []registers.Entry{b.keep(0), b.keep(1)}
	}
	join := func(lists ...[]registers.Entry) (all []registers.Entry) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	// What the stamps themselves take, first, with what it takes to come from their registers to others and back: of two runs with one
	// and two reads of another register in between, what is left without any.
	far := []registers.Entry{{Op: registers.Load, Width: 32, Address: in[0].Address, Mask: math.MaxUint32, Slot: in[0].Slot}}
	_, _, once := b.loop(t, c, img, registers.Lists{Before: join(b.stamp(0), far, b.stamp(1), keep)}, slots)
	_, _, twice := b.loop(t, c, img, registers.Lists{Before: join(b.stamp(0), far, far, b.stamp(1), keep)}, slots)
	outputs, ticks, all := b.loop(t, c, img, registers.Lists{Before: join(b.stamp(0), in), After: join(out, b.stamp(1), keep)}, slots)
	return outputs, ticks, all - (2*once - twice)
}

// load loads an image, if need be into the board booted anew, as in TestArrays.
func (c *counter) load(t *testing.T, img *image.Image) *target.Program {
	loaded, err := c.dev.LoadImage(t.Context(), img)
	for try := 0; err != nil && try < 5; try++ {
		t.Logf("%v; once more", err)
		c.again(t)
		loaded, err = c.dev.LoadImage(t.Context(), img)
	}
	require.NoError(t, err)
	return loaded
}

// loop runs an image with lists for some ticks, and returns the instructions between the stamps, of the tick that took the fewest:
// others are interrupted by what the host sends, and on a busy machine these may be most.
func (b *sampledBoard) loop(t *testing.T, c *counter, img *image.Image, lists registers.Lists, slots map[string]uint32) (outputs [2]uint32, ticks uint32, instructions float64) {
	ctx := t.Context()
	words, err := lists.Encode(slots)
	require.NoError(t, err)
	with := *img
	with.Code = append([]byte(nil), img.Code...)
	with.Code = append(with.Code, make([]byte, -len(with.Code)&3)...)
	with.Entries = append([]image.Entry(nil), img.Entries...)
	with.Entries[0].Pins = uint32(len(with.Code))
	with.Code = append(append(with.Code, words...), make([]byte, lists.Room())...)
	with.Version = max(with.Version, with.LeastFormat())
	loaded := c.load(t, &with)
	defer loaded.Release()
	l, err := loaded.StartLoop(ctx, device.LoopConfig{Hz: 20, Pins: with.Entries[0].Pins})
	require.NoError(t, err)
	const least, most = 5, 15 // ticks that are looked at: more than the least until the fewest were seen twice
	fewest, alike := uint32(math.MaxUint32), 0
	for seen := 0; seen < least || alike < 2 && seen < most; seen++ {
		data, n, err := l.Read(ctx, []device.Span{{Offset: sampledTimes, Length: 8}})
		require.NoError(t, err)
		took := binary.LittleEndian.Uint32(data[0][4:]) - binary.LittleEndian.Uint32(data[0])
		switch {
		case n == 0: // before the first tick
			seen--
		case took < fewest:
			fewest, alike = took, 1
		case took == fewest:
			alike++
		}
	}
	instructions = float64(fewest) / b.hz * 1e9 / (1 << icountShift)
	s, err := l.Stop(ctx)
	require.NoError(t, err)
	require.Equal(t, "stopped", s.End)
	return readOutputs(t, loaded), s.Ticks, math.Round(instructions)
}

func readOutputs(t *testing.T, p *target.Program) (outputs [2]uint32) {
	raw, err := p.Read(t.Context(), sampledRegisters+16, 8)
	require.NoError(t, err)
	return [2]uint32{binary.LittleEndian.Uint32(raw), binary.LittleEndian.Uint32(raw[4:])}
}

// earlyRuns are those before a controller of C is at its limits, from where on it skips a part: how many ticks there are is a matter of luck.
const earlyRuns = 50

// sampledC runs the program in C as often as there were ticks. The instructions are those of the last early one.
func sampledC(t *testing.T, c *counter, name string, ticks uint32) (outputs [2]uint32, instructions float64) {
	const kernels = "../stencils/src/kernels/f32int/"
	a := readArch(t, c.board.Arch)
	files := []string{sampledFolder + name + ".c", kernels + "sincos.c"}
	if a.SoftFloat {
		files[1] = kernels + "sincos_bits.c"
	}
	if a.SoftDivision {
		files = append(files, kernels+"multiply.c")
	}
	code, symbols := linkC(t, c.board.Arch, c.place, []string{fmt.Sprintf("-DREGISTERS=%#xu", c.data(t)+sampledRegisters)}, files...)
	words := make([]uint32, sampledEnd/4-1)
	for i, v := range sampledInputs {
		words[sampledRegisters/4-1+i] = v
	}
	img := bareProgram(t, c.board.Arch, code, symbols["program"].at&^1, words, 0)
	loaded := c.load(t, img)
	defer loaded.Release()
	times, err := loaded.Run(t.Context(), int(ticks))
	require.NoError(t, err)
	instructions = math.Round(float64(times[min(len(times), earlyRuns)-1].Nanoseconds()) / (1 << icountShift))
	return readOutputs(t, loaded), instructions - c.beside
}

// data is where the runner has the data blocks of programs.
func (c *counter) data(t *testing.T) uint32 {
	code := []byte{0x40, 0x60, 0x70, 0x47} // str r0, [r0, #4]; bx lr
	got, _, err := c.run(context.WithoutCancel(t.Context()), bareProgram(t, c.board.Arch, code, 0, nil, 1), 1)
	require.NoError(t, err)
	return got[0]
}
