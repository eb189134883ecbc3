// Package selftest executes every stencil and every kernel of every library,
// natively or under QEMU user mode, and compares what it did, and what it left
// alone, with the meaning of the op. It is a test and nothing else: it may
// import the compiler, which package stencils may not.
package selftest

import (
	"bufio"
	"embed"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

//go:embed harness/harness.c
var harnessSource embed.FS

// Limits of the harness, see harness.c.
const (
	dataBytes  = 72 << 10
	maxChanges = 8
)

// state is struct state of harness.c.
type state struct {
	GPR     [32]uint64
	Vec     [32][2]uint64
	Control uint64
	BaseReg uint64
	SPMoved uint64
	Changes uint64
	Change  [maxChanges]word
}

// word is a data word and its offset.
type word struct{ Offset, Word uint32 }

// machine says how an architecture is compiled for, run and looked into.
type machine struct {
	goarch   string // of hosts that run it natively, with gcc
	cross    string // compiler and emulator for all others
	emulator string
	base     int    // hardware number of the data base register
	argument int    // of the first argument in the C calling convention
	control  uint64 // floating-point control of a normal C environment
	mask     uint64 // bits of it that must not change
	strange  uint64 // a control word that changes results: rounding up, subnormals flushed
	ret      []byte // return instruction
	saved    []int  // callee-saved registers of the C calling convention
	savedVec []int  // vectors of which the low half is callee-saved
	zeroTop  bool   // integer results have a zero upper half
}

var machines = map[string]*machine{
	"x86_64": {
		goarch: "amd64", cross: "x86_64-linux-gnu-gcc", emulator: "qemu-x86_64-static",
		base: 3, argument: 7,
		control: 0x1f80, mask: 0xffc0, strange: 0xdfc0, ret: []byte{0xc3},
		saved: []int{3, 5, 12, 13, 14, 15}, zeroTop: true,
	},
	"aarch64": {
		goarch: "arm64", cross: "aarch64-linux-gnu-gcc", emulator: "qemu-aarch64-static",
		base: 19, argument: 0,
		control: 0, mask: 0xffffffff, strange: 1<<22 | 1<<24, ret: []byte{0xc0, 0x03, 0x5f, 0xd6},
		saved: []int{19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29}, savedVec: []int{8, 9, 10, 11, 12, 13, 14, 15},
	},
}

func (m *machine) native() bool { return runtime.GOARCH == m.goarch && runtime.GOOS == "linux" }

func (m *machine) compiler() string {
	if m.native() {
		return "gcc"
	}
	return m.cross
}

// missing names a tool that the machine needs and the host has not.
func (m *machine) missing() string {
	tools := []string{m.compiler()}
	if !m.native() {
		tools = append(tools, m.emulator)
	}
	for _, t := range tools {
		if _, err := exec.LookPath(t); err != nil {
			return t
		}
	}
	return ""
}

// harness is a running harness process.
type harness struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// start builds the harness in dir and runs it.
func start(m *machine, dir string) (*harness, error) {
	source, err := harnessSource.ReadFile("harness/harness.c")
	if err != nil {
		return nil, err
	}
	file, program := filepath.Join(dir, "harness.c"), filepath.Join(dir, "harness")
	if err := os.WriteFile(file, source, 0o666); err != nil {
		return nil, err
	}
	build := exec.Command(m.compiler(), "-O2", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-ffreestanding", "-fno-pic",
		"-fno-stack-protector", "-fno-tree-loop-distribute-patterns", "-nostdlib", "-static", "-no-pie", "-z", "noexecstack", file, "-lgcc", "-o", program)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", build.Args, err, out)
	}
	command := []string{program}
	if !m.native() {
		command = []string{m.emulator, program}
	}
	h := &harness{cmd: exec.Command(command[0], command[1:]...)}
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
		head := [4]uint32{uint32(len(r.code)), uint32(r.entry), uint32(len(r.states)), uint32(pokes)}
		binary.Write(w, binary.LittleEndian, head) // errors stay in w and come out of Flush
		w.Write(r.code)
		for i := range r.states {
			binary.Write(w, binary.LittleEndian, &r.states[i])
			if pokes > 0 {
				binary.Write(w, binary.LittleEndian, r.pokes[i])
			}
		}
		sent <- w.Flush()
	}()
	answers := make([]state, len(r.states))
	for i := range answers {
		if err := binary.Read(h.out, binary.LittleEndian, &answers[i]); err != nil {
			return nil, fmt.Errorf("the harness died in case %d of code % x: %w", i, r.code, err)
		}
	}
	return answers, <-sent
}

// pattern is the word that stands at an offset before any poke.
func pattern(offset uint32) uint32 { return offset/4*2654435761 ^ 0x3f800000 }
