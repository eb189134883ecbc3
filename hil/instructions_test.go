package hil_test

import (
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/hil/emulator/emulatortest"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/stencils/arch"
)

// Under -icount an instruction takes 2^icountShift ns of the board's time: 512 ns are
// eight ticks or more of every board's timer, so that single instructions are counted.
const icountShift = 9

// patient are options for an emulator that is told how to count time, which target.Open
// does not see: it may hardly get its processor.
var patient = target.Options{Session: session.Options{Timeout: 5 * time.Second}}

// A countedProgram is a script, and the same written by hand in C.
type countedProgram struct {
	name   string
	script string
	c      string // in testdata/instructions
	// The data block of the C program behind its flags: how it starts, and how many
	// outputs follow, in the order of those of the script.
	data    []float32
	outputs int
	// runs is how often the script runs it. The mean is counted: what a run takes may
	// depend on the numbers, in GCC's code more than in ours.
	runs   int
	boards []string
}

// asGood is how many times the instructions of GCC's code a run may take. DESIGN.md,
// section 6, has the figures.
const asGood = 1.15

var countedPrograms = []countedProgram{
	{
		name: "inverse kinematics", script: "../examples/inverse_kinematics.py",
		c: "inverse_kinematics.c", data: []float32{0, 0}, outputs: 7, runs: 1,
		boards: []string{"mps2-an385", "mps2-an386"}, // too long for a micro:bit
	},
	{
		name: "inverse kinematics as a loop", script: "testdata/instructions/inverse_kinematics_loop.py",
		c: "inverse_kinematics.c", data: []float32{0, 0}, outputs: 7, runs: 1,
		boards: []string{"microbit", "mps2-an385", "mps2-an386"},
	},
	{
		name: "PID controller, 500 ticks", script: "../examples/pid.py",
		c: "pid.c", data: []float32{1, 0}, outputs: 2, runs: 1,
		boards: []string{"mps2-an385", "mps2-an386"},
	},
	{
		name: "PID controller, a tick", script: "../examples/pid_state.py",
		c: "pid_state.c", data: []float32{1, 0, 0, 0}, outputs: 2, runs: 500,
		boards: []string{"microbit", "mps2-an385", "mps2-an386"},
	},
}

// TestInstructions counts on emulated boards, where the same code always takes the
// same number of instructions, however long it waits for its processor.
func TestInstructions(t *testing.T) {
	t.Parallel()
	for _, p := range countedPrograms {
		for _, board := range p.boards {
			t.Run(p.name+"/"+board, func(t *testing.T) {
				t.Parallel()
				ours, gcc, err := p.count(t, board)
				for try := 0; err != nil && try < 5; try++ { // as TestArrays does
					t.Logf("%v; once more", err)
					ours, gcc, err = p.count(t, board)
				}
				require.NoError(t, err)
				t.Logf("%.2f instructions, GCC %.2f: ratio %.3f", ours, gcc, ours/gcc)
			})
		}
	}
}

// BenchmarkInstructions reports the same of all programs.
func BenchmarkInstructions(b *testing.B) {
	for _, p := range countedPrograms {
		for _, board := range p.boards {
			b.Run(p.name+"/"+board, func(b *testing.B) {
				for b.Loop() {
					ours, gcc, err := p.count(b, board)
					require.NoError(b, err)
					b.ReportMetric(ours, "instructions/run")
					b.ReportMetric(gcc, "gcc-instructions/run")
					b.ReportMetric(ours/gcc, "ratio")
				}
			})
		}
	}
}

// A counter is a board on which instructions are counted.
type counter struct {
	board  boards.Board
	runner []byte // of one's own, or nil
	dev    *target.Runner
	place  uint32  // where code lies in its memory
	beside float64 // what a run costs beside its instructions
	pid    int     // of the emulator
	close  func()
}

// openCounter boots a board that counts its time in instructions.
func openCounter(t testing.TB, name string) *counter {
	t.Helper()
	return openCounterWith(t, name, nil)
}

// needTools skips a test where a board's emulator or the compiler of its architecture is missing.
func needTools(t testing.TB, board *boards.Board) {
	t.Helper()
	_, err := emulator.Find(board.QEMU)
	if err == nil {
		_, err = exec.LookPath(readArch(t, board.Arch).Compiler)
	}
	if err != nil {
		t.Skipf("SKIP: %v", err)
	}
}

// openCounterWith does so with a runner of one's own.
func openCounterWith(t testing.TB, name string, runner []byte) *counter {
	t.Helper()
	board, err := boards.Find(name)
	require.NoError(t, err)
	needTools(t, &board)
	args := []string{"-icount", fmt.Sprintf("shift=%d,sleep=off", icountShift)}
	release := emulatortest.Alone(t)
	c := &counter{board: board, runner: runner}
	var m *emulator.Machine
	c.close = sync.OnceFunc(func() {
		defer release()
		if m != nil {
			m.Close()
		}
		if c.dev != nil {
			c.dev.Close()
		}
	})
	t.Cleanup(c.close)
	m, err = emulator.Start(t.Context(), board, emulator.Options{Args: args, PlainLine: true, Image: runner})
	require.NoError(t, err)
	c.pid = m.PID()
	c.dev, err = target.OpenRunner(t.Context(), m.TTY(), patient)
	require.NoError(t, err)
	probe, ok := probes[board.Arch]
	require.True(t, ok, "no probe for %s", board.Arch)
	c.beside = math.Inf(1)
	for range 3 { // an interrupt does not come in each of them
		got, took, err := c.run(t.Context(), bareProgram(t, board.Arch, probe.code, 0, nil, 1), 1)
		require.NoError(t, err)
		c.place, c.beside = got[0]-probe.ahead, min(c.beside, took-float64(probe.instructions))
	}
	return c
}

// again boots the board anew: an emulator that counts, on a busy computer, may not get its processor.
func (c *counter) again(t testing.TB) {
	t.Helper()
	c.close()
	*c = *openCounterWith(t, c.board.Name, c.runner)
}

// probes store an address of the code in the data block and return: GCC's routines for
// floats have absolute addresses in tables.
var probes = map[string]probe{
	"thumbv6m": thumbProbe, "thumbv7m": thumbProbe, "thumbv7em-sp": thumbProbe, "thumbv7em-dp": thumbProbe,
	"aarch64": {[]byte{
		0x01, 0x00, 0x00, 0x10, // adr x1, .
		0x01, 0x04, 0x00, 0xb9, // str w1, [x0, #4]
		0xc0, 0x03, 0x5f, 0xd6, // ret
	}, 3, 0},
	"rv32imafc": {[]byte{
		0x97, 0x05, 0x00, 0x00, // auipc a1, 0
		0x23, 0x22, 0xb5, 0x00, // sw a1, 4(a0)
		0x67, 0x80, 0x00, 0x00, // ret
	}, 3, 0},
}

// A probe is code, its instructions, and how far ahead of its start the address is.
type probe struct {
	code         []byte
	instructions int
	ahead        uint32
}

var thumbProbe = probe{[]byte{
	0x79, 0x46, // mov r1, pc: its address and 4
	0x41, 0x60, // str r1, [r0, #4]
	0x70, 0x47, // bx lr
}, 3, 4}

// count returns the instructions of a run of the script's program and of GCC's, with
// the same kernels and routines for floats, sent to the same runner. The results must
// have the same bits, and the counts be as they are meant to be.
func (p *countedProgram) count(t testing.TB, name string) (ours, gcc float64, err error) {
	t.Helper()
	c := openCounter(t, name)
	defer c.close()
	var mine, theirs *image.Image
	c.pause(t, func() { mine, theirs = compileScript(t, c.dev, p.script), p.compileC(t, c.board.Arch, c.place) })
	want, ours, err := c.run(t.Context(), mine, p.runs)
	if err != nil {
		return 0, 0, err
	}
	got, gcc, err := c.run(t.Context(), theirs, p.runs)
	if err != nil {
		return 0, 0, err
	}
	require.Len(t, got, p.outputs)
	require.Equal(t, want[:p.outputs], got, "GCC's program computes something else")
	ours, gcc = ours-c.beside, gcc-c.beside
	require.LessOrEqual(t, ours, asGood*gcc)
	return ours, gcc, nil
}

// run returns the words of the outputs of a program after its last run and the
// instructions of a run, with what the runner adds to them.
func (c *counter) run(ctx context.Context, img *image.Image, runs int) (outputs []uint32, instructions float64, err error) {
	loaded, err := c.dev.LoadImage(ctx, img)
	if err != nil {
		return nil, 0, err
	}
	defer loaded.Release()
	times, err := loaded.Run(ctx, runs)
	if err != nil {
		return nil, 0, err
	}
	for i := range img.Symbols {
		s := &img.Symbols[i]
		if s.Kind != image.Output {
			continue
		}
		raw, err := loaded.Read(ctx, s.Offset, uint32(s.Size()))
		if err != nil {
			return nil, 0, err
		}
		for w := range len(raw) / graph.WordSize {
			outputs = append(outputs, binary.LittleEndian.Uint32(raw[w*graph.WordSize:]))
		}
	}
	for _, run := range times {
		instructions += math.Round(float64(run.Nanoseconds()) / (1 << icountShift))
	}
	return outputs, instructions / float64(runs), nil
}

// tracer compiles the first program of a script for a device, and runs none.
type tracer struct {
	*target.Runner
	program *compiler.Program
}

var errTraced = errors.New("the program is known")

func (d *tracer) Load(_ context.Context, p *compiler.Program) (device.Program, error) {
	d.program = p
	return nil, errTraced
}

func compileScript(t testing.TB, dev *target.Runner, file string) *image.Image {
	t.Helper()
	d := &tracer{Runner: dev}
	err := script.Run(t.Context(), file, script.Options{Open: func(context.Context) (device.Device, error) { return d, nil }})
	require.ErrorContains(t, err, errTraced.Error())
	return d.program.Image
}

// bareProgram is code that gets nothing but the address of the data block, which holds
// words and has room for outputs.
func bareProgram(t testing.TB, arch string, code []byte, entry uint32, data []uint32, outputs int) *image.Image {
	t.Helper()
	img := bareImage(t, arch, code, entry)
	img.Data, img.BSS = make([]byte, graph.WordSize), uint32(outputs*graph.WordSize)
	for _, v := range data {
		img.Data = binary.LittleEndian.AppendUint32(img.Data, v)
	}
	if outputs > 0 {
		img.Symbols = []image.Symbol{{Name: "outputs", Kind: image.Output, DType: graph.I32, Shape: graph.Shape{outputs}, Offset: uint32(len(img.Data))}}
	}
	return img
}

// bareImage is code that no compiler of ours has made.
func bareImage(t testing.TB, arch string, code []byte, entry uint32) *image.Image {
	t.Helper()
	a, err := packet.ParseArch(arch)
	require.NoError(t, err)
	return &image.Image{Version: image.Version, Arch: a, Code: code, Entries: []image.Entry{{Name: "run", Offset: entry}}}
}

// compileC compiles the program by the flags of the kernels and links it with them, to
// lie at an address.
func (p *countedProgram) compileC(t testing.TB, arch string, address uint32) *image.Image {
	t.Helper()
	const folder, kernels = "testdata/instructions/", "../stencils/src/kernels/f32int/"
	a := readArch(t, arch)
	files := []string{folder + p.c, kernels + "sincos.c"}
	if a.SoftFloat {
		files[1] = kernels + "sincos_bits.c"
	}
	if a.SoftDivision {
		files = append(files, kernels+"multiply.c")
	}
	code, symbols := linkC(t, arch, address, nil, files...)
	var words []uint32
	for _, v := range p.data {
		words = append(words, math.Float32bits(v))
	}
	return bareProgram(t, arch, code, symbols["program"].at&^1, words, p.outputs)
}

func readArch(t testing.TB, name string) *arch.File {
	t.Helper()
	f, err := arch.Load(name)
	require.NoError(t, err)
	return f
}

// A cSymbol is where in the code a symbol is, in Thumb code with bit 0 set, and its bytes.
type cSymbol struct{ at, size uint32 }

// linkC compiles C files by the flags of the kernels and others to lie at an address. It
// returns the code and its symbols.
func linkC(t testing.TB, arch string, address uint32, flags []string, files ...string) (code []byte, symbols map[string]cSymbol) {
	t.Helper()
	a := readArch(t, arch)
	exe := filepath.Join(t.TempDir(), "program.elf")
	args := []string{"-o", exe}
	for _, f := range a.KernelFlags {
		args = append(args, f.Flag)
	}
	args = append(args, "-Wall", "-Wextra", "-Werror", "-nostdlib", "-static", "-no-pie", "-T", "testdata/instructions/program.ld",
		fmt.Sprintf("-Wl,--gc-sections,--defsym=code=%#x", address), "-ffunction-sections")
	args = append(append(args, flags...), files...)
	out, err := exec.Command(a.Compiler, append(args, "-lgcc")...).CombinedOutput()
	require.NoError(t, err, "%s", out)

	f, err := elf.Open(exe)
	require.NoError(t, err)
	defer f.Close()
	code, err = f.Section(".text").Data()
	require.NoError(t, err)
	list, err := f.Symbols()
	require.NoError(t, err)
	symbols = map[string]cSymbol{}
	for _, s := range list {
		symbols[s.Name] = cSymbol{uint32(s.Value) - address, uint32(s.Size)}
	}
	require.Contains(t, symbols, "program")
	return code, symbols
}
