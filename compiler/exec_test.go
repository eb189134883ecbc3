package compiler_test

import (
	"bytes"
	"encoding/binary"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

// machine is a way to run programs of an architecture here.
type machine struct {
	arch     string
	compiler []string
	runner   []string // put in front of the harness
}

var machines = []machine{
	{arch: "x86_64", compiler: []string{"gcc"}},
	{arch: "aarch64", compiler: []string{"aarch64-linux-gnu-gcc", "-static"}, runner: []string{"qemu-aarch64-static"}},
}

// harness builds the program that runs images, once for each architecture, and
// returns the command line. It skips the test where a tool is missing.
func (m *machine) harness(t testing.TB) []string {
	t.Helper()
	for _, tool := range append(m.runner, m.compiler[0]) {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIP: %s programs cannot run here: %s is not installed", m.arch, tool)
		}
	}
	build, _ := harnesses.LoadOrStore(m.arch, sync.OnceValues(func() (string, error) {
		dir, err := tempDir()
		if err != nil {
			return "", err
		}
		exe := filepath.Join(dir, "harness-"+m.arch)
		args := append(m.compiler[1:len(m.compiler):len(m.compiler)], "-O2", "-Wall", "-Wextra", "-Werror", "-o", exe, "testdata/harness.c")
		out, err := exec.Command(m.compiler[0], args...).CombinedOutput()
		if err != nil {
			t.Logf("%s", out)
		}
		return exe, err
	}))
	exe, err := build.(func() (string, error))()
	require.NoError(t, err)
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
	j.want, states, j.flags, err = eval.Runs(g, ids, nil, runs)
	require.NoError(t, err, name)
	for i, v := range outs {
		if s, ok := states[v.ID()]; ok {
			j.want[i] = s // a state is read as the last run left it
		}
	}
	j.states = states
	return j
}

// runJobs runs programs in one process and compares outputs and sticky flags bit
// for bit.
func (m *machine) runJobs(t testing.TB, jobs []*job) {
	t.Helper()
	var in bytes.Buffer
	for _, j := range jobs {
		p := j.prog.Image
		for _, w := range []uint32{uint32(len(p.Code)), p.Entries[0].Offset, uint32(len(p.Data)), p.BSS, runs, 0, 0} {
			in.Write(binary.LittleEndian.AppendUint32(nil, w))
		}
		in.Write(p.Code)
		in.Write(p.Data)
	}
	line := m.harness(t)
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
		j.compare(t, m.arch, out[:size])
		out = out[size:]
		ran++
	}
	if ran < len(jobs) {
		require.NoError(t, err, "%s: after %d programs, in %s: %s", m.arch, ran, jobs[ran].name, stderr.String())
	}
	require.Empty(t, out)
}

func (j *job) compare(t testing.TB, arch string, data []byte) {
	t.Helper()
	for i, want := range j.want {
		got := readSymbol(j.prog.Output(i), data)
		if !bytesEqual(got, want.Bits) {
			t.Errorf("%s on %s: output %d (node %%%d): got %08x, want %08x", j.name, arch, i, j.outs[i].ID(), got, want.Bits)
		}
	}
	for id, want := range j.states {
		s, ok := j.prog.Variable(id)
		if !ok {
			continue // folded away
		}
		if got := readSymbol(s, data); !bytesEqual(got, want.Bits) {
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

// readSymbol reads the words of a symbol, NaNs as the one that leaves programs.
func readSymbol(s *image.Symbol, data []byte) []uint32 {
	words := make([]uint32, s.Len())
	for i := range words {
		w := binary.LittleEndian.Uint32(data[int(s.Offset)+4*i:])
		if s.DType == image.F32 {
			w = graph.Canonical(graph.F32, w)
		}
		words[i] = w
	}
	return words
}
