package compiler_test

import (
	"bytes"
	"cmp"
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
	"github.com/copaflash/copaflash/stencils/arch"
)

// machine is a way to run programs of an architecture here.
type machine struct {
	arch     string
	features packet.Features // beyond the base
	program  arch.Program
	services bool // programs call services of the runner, for float arithmetic
	lanes    int  // at a time, 0 where there are no vectors
	// share is how many random graphs run, of a hundred: those that are also run by a
	// library with the same passes behind it need not all be run again.
	share int
}

// machines are all architectures, and x86_64 with every feature that the library can use.
var machines = allMachines()

func allMachines() []machine {
	shares := map[string]int{"x86_64": 100, "aarch64": 100, "x86_32": 50, "rv64gc": 25, "armv7a": 25, "thumbv7em-sp": 25, "armv6": 10, "thumbv7em-dp": 10}
	var all []machine
	for _, name := range compiler.Archs() {
		f, err := arch.Load(name)
		if err != nil {
			panic(err) // every library is made of such a file
		}
		m := machine{arch: name, program: f.Program, services: f.SoftFloat, share: cmp.Or(shares[name], 15)}
		if f.Vectors {
			m.lanes = 4
		}
		all = append(all, m)
		if name == "x86_64" {
			m.features, m.lanes, m.share = packet.FeatSSE41|packet.FeatAVX2, 8, 40
			if !cpu.X86.HasAVX2 {
				m.program = m.program.Emulated()
			}
			all = append(all, m)
		}
	}
	return all
}

// name is that of tests.
func (m *machine) name() string {
	return strings.Join(append([]string{m.arch}, m.features.Names()...), "+")
}

// harness builds the program that runs images, once for each architecture, and
// returns the command line. It skips the test where a tool is missing.
func (m *machine) harness(t testing.TB) []string {
	t.Helper()
	if tool := m.program.Missing(); tool != "" {
		t.Skipf("SKIP: %s programs cannot run here: %s is not installed", m.arch, tool)
	}
	build, _ := harnesses.LoadOrStore(m.name(), sync.OnceValues(func() (string, error) {
		dir, err := tempDir()
		if err != nil {
			return "", err
		}
		exe := filepath.Join(dir, "harness-"+m.name())
		args := append(slices.Clone(m.program.Flags), "-O2", "-Wall", "-Wextra", "-Werror", "-o", exe)
		if !m.program.Libc {
			args = append(args, "-ffreestanding", "-nostdlib", "-static", "-no-pie", "testdata/bare.c")
			if m.services {
				args = append(args, "-I../firmware", "../firmware/services/services.c")
			}
			if !m.program.Alone {
				args = append(args, "-lgcc")
			}
		} else {
			args = append(args, "-static", "testdata/harness.c")
		}
		out, err := exec.Command(m.program.Tool(), args...).CombinedOutput()
		if err != nil {
			t.Logf("%s", out)
		}
		return exe, err
	}))
	exe, err := build.(func() (string, error))()
	require.NoError(t, err)
	if m.program.Native() {
		if !errors.Is(exec.Command(exe).Run(), syscall.ENOEXEC) {
			return []string{exe}
		}
		t.Logf("EMULATED: compiled %s programs run under %s, not natively: this kernel refuses them", m.arch, m.program.Emulator[0])
	}
	return append(slices.Clone(m.program.Emulator), exe)
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

// runJobs runs programs in one process, and in this one where it can run them, and compares outputs
// and sticky flags bit for bit.
func (m *machine) runJobs(t testing.TB, jobs []*job) {
	t.Helper()
	m.runNative(t, jobs)
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
