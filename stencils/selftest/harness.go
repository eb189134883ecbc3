// Package selftest executes every stencil and every kernel of every library,
// natively or under QEMU user mode, and compares its results, and everything that it
// must not change, with the meaning of the op. It contains tests only, so it may
// import the compiler, which package stencils may not.
package selftest

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sys/cpu"

	"github.com/copaflash/copaflash/stencils"
	"github.com/copaflash/copaflash/stencils/arch"
)

// Limits of the harness, see harness.c.
const (
	dataBytes  = 72 << 10
	maxChanges = 8
)

// state is struct state of harness.c.
type state struct {
	GPR     [32]uint64
	Vec     [32][2]uint64 // on x86_64, from upperHalves on, the upper halves of the YMM registers
	Control uint64
	BaseReg uint64
	Bias    uint64
	SPMoved uint64
	Changes uint64
	Change  [maxChanges]word
}

// upperHalves is where the upper halves of YMM registers begin in state.
const upperHalves = 16

// word is a data word and its offset.
type word struct{ Offset, Word uint32 }

// machine is an architecture as tests run it.
type machine struct {
	arch.Program
	arch.ABI
	ymm bool // the upper halves of the YMM registers are loaded and stored
}

// newMachine reads the architecture's file.
func newMachine(name string) (*machine, error) {
	f, err := arch.Load(name)
	if err != nil {
		return nil, err
	}
	return &machine{Program: f.Program, ABI: f.ABI}, nil
}

// soft reports whether floats lie in integer registers, and their arithmetic is services.
func (m *machine) soft() bool { return m.Floats != nil }

// withFeature is the machine for code that needs a feature of some processors; "" is none.
func (m *machine) withFeature(name string) *machine {
	if name == "" {
		return m
	}
	f := *m
	here := false
	switch name {
	case "sse41":
		here = cpu.X86.HasSSE41
	case "avx2":
		here = cpu.X86.HasAVX2
		f.ymm, f.Flags = true, append(slices.Clone(m.Flags), "-DCF_YMM")
	default:
		panic("selftest: how is the feature " + name + " tested?")
	}
	if !here {
		f.Program = f.Emulated()
	}
	return &f
}

// harness is a running harness process.
type harness struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	refused bool // natively, by the kernel: not every one of 64 bits runs programs of 32
}

// start builds the harness in dir, from the folder of this package, and runs it.
func start(m *machine, dir string) (*harness, error) {
	program := filepath.Join(dir, "harness")
	files := []string{"harness/harness.c"}
	if m.soft() {
		files = append(files, "-DCF_SERVICES", "-I../../firmware", "../../firmware/services/services.c")
	}
	args := append(slices.Clone(m.Flags), "-O2", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-ffreestanding", "-fno-pic",
		"-fno-stack-protector", "-fno-tree-loop-distribute-patterns", "-nostdlib", "-static", "-no-pie", "-z", "noexecstack", "-o", program)
	args = append(args, files...)
	if !m.Alone {
		args = append(args, "-lgcc")
	}
	build := exec.Command(m.Tool(), args...)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", build.Args, err, out)
	}
	h := &harness{refused: m.Native() && errors.Is(exec.Command(program).Run(), syscall.ENOEXEC)}
	command := []string{program}
	if !m.Native() || h.refused {
		command = append(slices.Clone(m.Emulator), program)
	}
	h.cmd = exec.Command(command[0], command[1:]...)
	var err error
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	h.out = bufio.NewReaderSize(stdout, 1<<20)
	h.cmd.Stderr = os.Stderr
	return h, h.cmd.Start()
}

// stop ends the process and reports how it went.
func (h *harness) stop() error {
	h.in.Close()
	return h.cmd.Wait()
}

// serviceWord is a poke of the address of a service.
func serviceWord(offset uint32, s stencils.Service) word { return word{offset | 1, uint32(s.Of())} }

// request is code and the states to run it in. Every state has the same number
// of pokes: data words written before the run.
type request struct {
	code   []byte
	entry  int
	states []state
	pokes  [][]word
}

// run executes the code once for each state and returns the states after.
func (h *harness) run(r *request) ([]state, error) {
	pokes := 0
	if len(r.pokes) > 0 {
		pokes = len(r.pokes[0])
	}
	sent := make(chan error, 1)
	go func() {
		w := bufio.NewWriterSize(h.in, 1<<16)
		var b []byte
		for _, v := range []int{len(r.code), r.entry, len(r.states), pokes} {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
		b = append(b, r.code...)
		w.Write(append(b, make([]byte, -len(b)&3)...)) // errors stay in w and come out of Flush
		for i := range r.states {
			b = r.states[i].append(b[:0])
			if pokes > 0 {
				for _, p := range r.pokes[i] {
					b = p.append(b)
				}
			}
			w.Write(b)
		}
		sent <- w.Flush()
	}()
	answers := make([]state, len(r.states))
	raw := make([]byte, stateBytes)
	for i := range answers {
		if _, err := io.ReadFull(h.out, raw); err != nil {
			return nil, fmt.Errorf("the harness died in case %d or, at most %d answers being on their way, soon after, of code % x: %w", i, answersAtOnce, r.code, err)
		}
		answers[i].decode(raw)
	}
	return answers, <-sent
}

// stateBytes is the size of a state on the wire, and answersAtOnce how many the harness sends
// together: what its buffer of 64 KB holds.
var (
	stateBytes    = binary.Size(state{})
	answersAtOnce = 64 << 10 / stateBytes
)

// append and decode are what encoding/binary would do, ten times slower.
func (s *state) append(b []byte) []byte {
	for _, v := range s.GPR {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	for _, v := range s.Vec {
		b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, v[0]), v[1])
	}
	for _, v := range []uint64{s.Control, s.BaseReg, s.Bias, s.SPMoved, s.Changes} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	for _, c := range s.Change {
		b = c.append(b)
	}
	return b
}

func (s *state) decode(b []byte) {
	next := func() uint64 {
		v := binary.LittleEndian.Uint64(b)
		b = b[8:]
		return v
	}
	for i := range s.GPR {
		s.GPR[i] = next()
	}
	for i := range s.Vec {
		s.Vec[i] = [2]uint64{next(), next()}
	}
	for _, v := range []*uint64{&s.Control, &s.BaseReg, &s.Bias, &s.SPMoved, &s.Changes} {
		*v = next()
	}
	for i := range s.Change {
		v := next()
		s.Change[i] = word{uint32(v), uint32(v >> 32)}
	}
}

func (w word) append(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, w.Offset), w.Word)
}

// pattern is the word that stands at an offset before any poke.
func pattern(offset uint32) uint32 { return offset/4*2654435761 ^ 0x3f800000 }
