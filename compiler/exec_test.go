package compiler_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/cpu"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/patch"
)

// machine is a way to run programs of an architecture here.
type machine struct {
	arch     string
	features packet.Features // beyond the base
	compiler []string
	runner   []string // put in front of the harness
	// otherwise is put in front of it where the host's kernel does not run such programs.
	otherwise string
	bare      bool // the compiler has no C library
	alone     bool // nor any library of its own
	services  bool // programs call services of the runner, for float arithmetic
	lanes     int  // at a time, 0 where there are no vectors
	// share is how many random graphs run, of a hundred: those that are also run by a
	// library with the same passes behind it need not all be run again.
	share int
}

var machines = []machine{
	{arch: "x86_64", compiler: []string{"gcc"}, lanes: 4, share: 100},
	withAVX2(),
	{arch: "x86_32", compiler: []string{"gcc", "-m32", "-march=pentium4", "-mfpmath=sse"}, otherwise: "qemu-i386-static", bare: true, alone: true, lanes: 4, share: 50},
	{arch: "aarch64", compiler: []string{"aarch64-linux-gnu-gcc", "-static"}, runner: []string{"qemu-aarch64-static"}, lanes: 4, share: 100},
	{arch: "rv64gc", compiler: []string{"riscv64-unknown-elf-gcc", "-march=rv64g", "-mabi=lp64d", "-mno-relax"}, runner: []string{"qemu-riscv64-static"}, bare: true, share: 25},
	arm("armv7a", "cortex-a8", 25, "-marm", "-march=armv7-a", "-mfpu=vfpv3-d16"),
	arm("armv6", "arm1176", 10, "-marm", "-march=armv6", "-mfpu=vfp"),
	arm("thumbv7em-sp", "cortex-a15", 25, "-mthumb", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16"),
	arm("thumbv7em-dp", "max", 10, "-mthumb", "-mcpu=cortex-m7", "-mfpu=fpv5-d16"),
	{arch: "rv32imafc", compiler: []string{"riscv64-unknown-elf-gcc", "-march=rv32imafc", "-mabi=ilp32f", "-mno-relax"}, runner: []string{"qemu-riscv32-static"}, bare: true, share: 15},
	{arch: "rv32imac", compiler: []string{"riscv64-unknown-elf-gcc", "-march=rv32imac", "-mabi=ilp32", "-mno-relax"}, runner: []string{"qemu-riscv32-static"}, bare: true, services: true, share: 15},
	softThumb("thumbv7m", "-mcpu=cortex-m3"),
	softThumb("thumbv6m", "-mcpu=cortex-m0"),
}

// withAVX2 is x86_64 with every feature that the library can use, on this processor if it
// has them.
func withAVX2() machine {
	m := machine{arch: "x86_64", features: packet.FeatSSE41 | packet.FeatAVX2, compiler: []string{"gcc"}, lanes: 8, share: 40}
	if !cpu.X86.HasAVX2 {
		m.compiler = append(m.compiler, "-static")
		m.runner = []string{"qemu-x86_64-static", "-cpu", "max"}
	}
	return m
}

// name is that of tests.
func (m *machine) name() string {
	return strings.Join(append([]string{m.arch}, m.features.Names()...), "+")
}

// softThumb is a Cortex-M without float registers.
func softThumb(arch, cpu string) machine {
	m := arm(arch, "cortex-a15", 15, "-mthumb", cpu)
	m.compiler[1] = "-mfloat-abi=soft" // the last of two would not choose the libraries
	m.services = true
	return m
}

// arm is a 32-bit Arm core under QEMU's user mode, emulated as the given one; see
// stencils/selftest for the reason why that is not a Cortex-M.
func arm(arch, cpu string, share int, flags ...string) machine {
	compiler := append([]string{"arm-none-eabi-gcc", "-mfloat-abi=hard", "-masm-syntax-unified", "-Wl,-Ttext-segment=0x100000"}, flags...)
	return machine{arch: arch, compiler: compiler, runner: []string{"qemu-arm-static", "-cpu", cpu}, bare: true, share: share}
}

// harness builds the program that runs images, once for each architecture, and
// returns the command line. It skips the test where a tool is missing.
func (m *machine) harness(t testing.TB) []string {
	t.Helper()
	tools := []string{m.compiler[0]}
	if len(m.runner) > 0 {
		tools = append(tools, m.runner[0]) // its arguments follow
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIP: %s programs cannot run here: %s is not installed", m.arch, tool)
		}
	}
	build, _ := harnesses.LoadOrStore(m.name(), sync.OnceValues(func() (string, error) {
		dir, err := tempDir()
		if err != nil {
			return "", err
		}
		exe := filepath.Join(dir, "harness-"+m.name())
		args := append(m.compiler[1:len(m.compiler):len(m.compiler)], "-O2", "-Wall", "-Wextra", "-Werror", "-o", exe)
		if m.bare {
			args = append(args, "-ffreestanding", "-nostdlib", "-static", "-no-pie", "testdata/bare.c")
			if m.services {
				args = append(args, "-I../firmware", "../firmware/services/services.c")
			}
			if !m.alone {
				args = append(args, "-lgcc")
			}
		} else {
			args = append(args, "testdata/harness.c")
		}
		out, err := exec.Command(m.compiler[0], args...).CombinedOutput()
		if err != nil {
			t.Logf("%s", out)
		}
		return exe, err
	}))
	exe, err := build.(func() (string, error))()
	require.NoError(t, err)
	if m.otherwise != "" && errors.Is(exec.Command(exe).Run(), syscall.ENOEXEC) {
		t.Logf("EMULATED: compiled %s programs run under %s, not natively: this kernel refuses them", m.arch, m.otherwise)
		return []string{m.otherwise, exe}
	}
	return append(m.runner[:len(m.runner):len(m.runner)], exe)
}

var harnesses sync.Map // string -> func() (string, error)

// job is a program to run and what to expect of it.
type job struct {
	name  string
	g     *graph.Graph
	outs  []graph.Value
	prog  *compiler.Program
	want  []eval.Tensor
	flags uint32
	// states are their words after all runs.
	states map[graph.ID]eval.Tensor
}

// runs is how often each program runs in the same memory: one that spoils its
// inputs, constants or states is found out.
const runs = 3

// newJob compiles a program and computes what it should give.
func newJob(t testing.TB, name string, g *graph.Graph, outs []graph.Value, opt compiler.Options) *job {
	t.Helper()
	j := &job{name: name, g: g, outs: outs}
	var list []compiler.Output
	var ids []graph.ID
	for _, v := range outs {
		list = append(list, compiler.Output{Value: v})
		ids = append(ids, v.ID())
	}
	opt.Verify = true
	var err error
	j.prog, err = compiler.Compile(g, list, opt)
	require.NoError(t, err, name)
	var states map[graph.ID]eval.Tensor
	evaluated := j.prog.Evaluated()
	if j.prog.Image.Fast == image.Strict {
		require.Same(t, g, evaluated.Graph, "without fast, the graph itself is evaluated")
	}
	j.want, states, j.flags, err = eval.Runs(evaluated.Graph, evaluated.Outs, nil, runs)
	require.NoError(t, err, name)
	j.states = map[graph.ID]eval.Tensor{}
	for i := range g.NumNodes() {
		if s, ok := states[evaluated.At(graph.ID(i))]; ok && g.Node(graph.ID(i)).Op == graph.OpState {
			j.states[graph.ID(i)] = s
		}
	}
	for i, id := range ids {
		if s, ok := j.states[id]; ok {
			j.want[i] = s // a state is read as the last run left it
		}
	}
	return j
}

// runJobs runs programs in one process and compares outputs and sticky flags bit
// for bit.
func (m *machine) runJobs(t testing.TB, jobs []*job) {
	t.Helper()
	var in bytes.Buffer
	line := m.harness(t)
	var services []uint64
	if m.services {
		services = serviceAddresses(t, line[len(line)-1])
	}
	for _, j := range jobs {
		p := j.prog.Image
		require.NoError(t, patch.Apply(p.Patches, patch.Memory{Code: patch.Region{Bytes: p.Code}, Data: patch.Region{Bytes: p.Data}, Services: services}), j.name)
		for _, w := range []uint32{uint32(len(p.Code)), p.Entries[0].Offset, uint32(len(p.Data)), p.BSS, runs, 0, 0} {
			in.Write(binary.LittleEndian.AppendUint32(nil, w))
		}
		in.Write(p.Code)
		in.Write(p.Data)
	}
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Stdin = &in
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	ran := 0
	for _, j := range jobs {
		size := int(j.prog.Image.DataSize())
		if len(out) < size {
			break
		}
		j.compare(t, m.name(), out[:size])
		out = out[size:]
		ran++
	}
	if ran < len(jobs) {
		require.NoError(t, err, "%s: after %d programs, in %s: %s", m.arch, ran, jobs[ran].name, stderr.String())
	}
	require.Empty(t, out)
}

// serviceAddresses reads the runner's table of services out of a harness.
func serviceAddresses(t testing.TB, exe string) []uint64 {
	t.Helper()
	f, err := elf.Open(exe)
	require.NoError(t, err)
	defer f.Close()
	symbols, err := f.Symbols()
	require.NoError(t, err)
	i := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == "cf_services" })
	require.GreaterOrEqual(t, i, 0)
	table := symbols[i]
	section := f.Sections[table.Section]
	content, err := section.Data()
	require.NoError(t, err)
	var list []uint64
	for at := table.Value - section.Addr; at < table.Value-section.Addr+table.Size; at += 4 {
		list = append(list, uint64(binary.LittleEndian.Uint32(content[at:])))
	}
	return list
}

func (j *job) compare(t testing.TB, arch string, data []byte) {
	t.Helper()
	for i, want := range j.want {
		o := j.prog.Output(i)
		got := o.Decode(o.In(data)).Bits
		if !bytesEqual(got, want.Bits) {
			t.Errorf("%s on %s: output %d (node %%%d): got %08x, want %08x", j.name, arch, i, j.outs[i].ID(), got, want.Bits)
		}
	}
	for id, want := range j.states {
		s, ok := j.prog.Variable(id)
		if !ok {
			continue // folded away
		}
		if got := s.Decode(s.In(data)).Bits; !bytesEqual(got, want.Bits) {
			t.Errorf("%s on %s: state %%%d after %d runs: got %08x, want %08x", j.name, arch, id, runs, got, want.Bits)
		}
	}
	if flags := binary.LittleEndian.Uint32(data[image.FlagsOffset:]); flags != j.flags {
		t.Errorf("%s on %s: flags %#x, want %#x", j.name, arch, flags, j.flags)
	}
}

func bytesEqual(a, b []uint32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
