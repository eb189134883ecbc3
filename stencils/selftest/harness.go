// Package selftest executes every stencil and every kernel of every library,
// natively or under QEMU user mode, and compares what it did, and what it left
// alone, with the meaning of the op. It is a test and nothing else: it may
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
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/sys/cpu"

	"github.com/copaflash/copaflash/stencils"
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

// machine says how an architecture is compiled for, run and looked into.
type machine struct {
	goarch   string // of hosts that run it natively, with gcc
	cross    string // compiler and emulator for all others
	emulator []string
	flags    []string // of the compiler, for the harness
	alone    bool     // the compiler has no library of its own for this architecture
	base     int      // hardware number of the data base register
	bias     uint64   // what it points behind the start of the data
	argument int      // of the first argument in the C calling convention
	control  uint64   // floating-point control of a normal C environment
	mask     uint64   // bits of it that must not change
	ret      []byte   // return instruction
	saved    []int    // callee-saved registers of the C calling convention
	savedVec []int    // vectors of which the low half is callee-saved
	zeroTop  bool     // integer results have a zero upper half
	signTop  bool     // integer results are sign-extended to 64 bits
	boxed    bool     // floats have all ones above them, in registers of 64 bits
	// paired: double n is in the lower halves of vec 2n and 2n+1.
	paired bool
	// soft: floats lie in integer registers, and their arithmetic is services. Kernels
	// take and give floats in these registers, by hardware number.
	soft []int
	ymm  bool // the upper halves of the YMM registers are loaded and stored
	lame bool // this processor lacks a feature that the code needs
}

// withFeature is the machine for code that needs a feature of some processors; "" is none.
func (m *machine) withFeature(name string) *machine {
	if name == "" {
		return m
	}
	f := *m
	switch name {
	case "sse41":
		f.lame = !cpu.X86.HasSSE41
	case "avx2":
		f.lame = !cpu.X86.HasAVX2
		f.ymm, f.flags = true, append(slices.Clone(m.flags), "-DCF_YMM")
	default:
		panic("selftest: how is the feature " + name + " tested?")
	}
	f.emulator = append(slices.Clone(m.emulator), "-cpu", "max")
	return &f
}

var machines = map[string]*machine{
	"x86_64": {
		goarch: "amd64", cross: "x86_64-linux-gnu-gcc", emulator: []string{"qemu-x86_64-static"},
		base: 3, argument: 7,
		control: 0x1f80, mask: 0xffc0, ret: []byte{0xc3},
		saved: []int{3, 5, 12, 13, 14, 15}, zeroTop: true,
	},
	"x86_32": {
		goarch: "amd64", cross: "x86_64-linux-gnu-gcc", emulator: []string{"qemu-i386-static"},
		flags: []string{"-m32", "-march=pentium4", "-mfpmath=sse"}, alone: true,
		base: 5, argument: 0,
		control: 0x1f80, mask: 0xffc0, ret: []byte{0xc3},
		saved: []int{3, 5, 6, 7},
	},
	"aarch64": {
		goarch: "arm64", cross: "aarch64-linux-gnu-gcc", emulator: []string{"qemu-aarch64-static"},
		base: 19, argument: 0,
		control: 0, mask: 0xffffffff, ret: []byte{0xc0, 0x03, 0x5f, 0xd6},
		saved: []int{19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29}, savedVec: []int{8, 9, 10, 11, 12, 13, 14, 15},
	},
	"rv32imac": {
		goarch: "riscv32", cross: "riscv64-unknown-elf-gcc", emulator: []string{"qemu-riscv32-static"},
		flags: []string{"-march=rv32imac", "-mabi=ilp32", "-mno-relax"},
		base:  9, bias: 2048, argument: 10, ret: []byte{0x83, 0x21, 0x02, 0x32, 0x67, 0x80, 0x01, 0x00}, // lw gp, 800(tp); jr gp

		saved: []int{8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27}, soft: []int{10, 11},
	},
	"rv32imafc": {
		goarch: "riscv32", cross: "riscv64-unknown-elf-gcc", emulator: []string{"qemu-riscv32-static"},
		flags: []string{"-march=rv32imafc", "-mabi=ilp32f", "-mno-relax"},
		base:  9, bias: 2048, argument: 10,
		control: 0, mask: 0xe0, ret: []byte{0x67, 0x80, 0x00, 0x00},
		saved: []int{8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27}, savedVec: []int{8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27},
	},
	"rv64gc": {
		goarch: "riscv64", cross: "riscv64-unknown-elf-gcc", emulator: []string{"qemu-riscv64-static"},
		flags: []string{"-march=rv64g", "-mabi=lp64d", "-mno-relax"},
		base:  9, bias: 2048, argument: 10,
		control: 0, mask: 0xe0, ret: []byte{0x67, 0x80, 0x00, 0x00},
		saved: []int{8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27}, savedVec: []int{8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27},
		signTop: true, boxed: true,
	},
	"armv7a":       arm("cortex-a8", returnA32, "-marm", "-march=armv7-a", "-mfpu=vfpv3-d16"),
	"armv6":        arm("arm1176", returnA32, "-marm", "-march=armv6", "-mfpu=vfp"),
	"thumbv7em-sp": arm("cortex-a15", returnThumb, "-mthumb", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16"),
	"thumbv7em-dp": arm("max", returnThumb, "-mthumb", "-mcpu=cortex-m7", "-mfpu=fpv5-d16"),
	"thumbv7m":     softThumb(10, "-mcpu=cortex-m3"),
	"thumbv6m":     softThumb(4, "-mcpu=cortex-m0"),
}

// arm is a 32-bit Arm core, emulated as the given one, with the code of `bx lr`. QEMU
// runs no program of Linux on a Cortex-M, so Thumb code runs on an A-class core with
// the same instructions. The program is not at the low address of bare metal, where
// Linux lets nothing lie.
func arm(cpu string, ret []byte, flags ...string) *machine {
	return &machine{
		goarch: "none", cross: "arm-none-eabi-gcc", emulator: []string{"qemu-arm-static", "-cpu", cpu},
		flags: append(armFlags("hard"), flags...),
		base:  10, argument: 0,
		control: 0, mask: 0x07c00000, ret: ret,
		saved:    []int{4, 5, 6, 7, 8, 9, 10, 11},
		paired:   true,
		savedVec: []int{16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
	}
}

func armFlags(floats string) []string {
	return []string{"-mfloat-abi=" + floats, "-masm-syntax-unified", "-Wl,-Ttext-segment=0x100000"}
}

// softThumb is a Cortex-M without float registers, whose base is the given register. Code
// returns by ldr pc, [sp].
func softThumb(base int, flags ...string) *machine {
	m := arm("cortex-a15", []byte{0xdd, 0xf8, 0x00, 0xf0})
	m.flags = append(append(armFlags("soft"), "-mthumb"), flags...)
	m.base, m.control, m.mask, m.savedVec, m.soft = base, 0, 0, nil, []int{0, 1}
	return m
}

var (
	returnA32   = []byte{0x1e, 0xff, 0x2f, 0xe1}
	returnThumb = []byte{0x70, 0x47}
)

func (m *machine) native() bool {
	return runtime.GOARCH == m.goarch && runtime.GOOS == "linux" && !m.lame
}

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
		tools = append(tools, m.emulator[0])
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
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	refused bool // natively, by the kernel: not every one of 64 bits runs programs of 32
}

// start builds the harness in dir, from the folder of this package, and runs it.
func start(m *machine, dir string) (*harness, error) {
	program := filepath.Join(dir, "harness")
	files := []string{"harness/harness.c"}
	if m.soft != nil {
		files = append(files, "-DCF_SERVICES", "-I../../firmware", "../../firmware/services/services.c")
	}
	args := append(slices.Clone(m.flags), "-O2", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-ffreestanding", "-fno-pic",
		"-fno-stack-protector", "-fno-tree-loop-distribute-patterns", "-nostdlib", "-static", "-no-pie", "-z", "noexecstack", "-o", program)
	args = append(args, files...)
	if !m.alone {
		args = append(args, "-lgcc")
	}
	build := exec.Command(m.compiler(), args...)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", build.Args, err, out)
	}
	h := &harness{refused: m.native() && errors.Is(exec.Command(program).Run(), syscall.ENOEXEC)}
	command := []string{program}
	if !m.native() || h.refused {
		command = append(slices.Clone(m.emulator), program)
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
func serviceWord(offset uint32, s stencils.Service) word { return word{offset | 1, s.Index()} }

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
