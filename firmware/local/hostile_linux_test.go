package local_test

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/firmware/images"
	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/protocol/packet"
)

// Hostile programs know all of the runner: they find its instructions for system
// calls, and where its memory is. They are written for the two widths of x86, on
// which they run without an emulator.
type attacker struct {
	arch string
	programs
	instruction []byte // of a system call
	// call returns a program that makes a system call by the instruction at an
	// address, 0: its own, and stores the result in data word 4.
	call func(at uint64, number uint32, args ...uint32) []byte
	// read returns a program that reads a word at an address into data word 4.
	read func(at uint64) []byte
	// write returns a program that writes words at addresses, in order, and loops.
	write func(words ...word) []byte
	// data moves the address of the data block to edi or rdi, and address one to eax, ecx or ebx, or all of rax, rcx or rbx.
	data    []byte
	address func(register byte, at uint64) []byte
	// numbers of system calls
	numbers map[string]uint32
}

// A word to be written at an address.
type word struct {
	at    uint64
	value uint32
}

func le32(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
func le64(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// Places in what both processes share, where turn comes first, and a value of that: host.h, loop.h.
const (
	loopAt    = 4096
	takenAt   = loopAt + 16
	endAt     = loopAt + 136
	writtenAt = loopAt + 132
	turnEnded = 6
)

var attacker64 = attacker{
	arch: "x86_64", programs: x86, instruction: []byte{0x0f, 0x05},
	call: func(at uint64, number uint32, args ...uint32) []byte {
		code := []byte{0x57}                                                               // push %rdi, which has the data's address
		regs := [][]byte{{0xbf}, {0xbe}, {0xba}, {0x41, 0xba}, {0x41, 0xb8}, {0x41, 0xb9}} // mov to edi esi edx r10d r8d r9d
		for i, a := range args {
			code = join(code, regs[i], le32(a))
		}
		code = join(code, []byte{0xb8}, le32(number))
		if at == 0 {
			code = join(code, []byte{0x0f, 0x05})
		} else {
			code = join(code, []byte{0x48, 0xbb}, le64(at), []byte{0xff, 0xd3}) // mov to rbx; call
		}
		return join(code, []byte{0x5f, 0x89, 0x47, 0x10, 0xc3}) // pop %rdi; mov %eax, 16(%rdi); ret
	},
	read: func(at uint64) []byte {
		return join([]byte{0x48, 0xb8}, le64(at), []byte{0x8b, 0x00, 0x89, 0x47, 0x10, 0xc3})
	},
	write: func(words ...word) []byte {
		var code []byte
		for _, w := range words {
			code = join(code, []byte{0x48, 0xb8}, le64(w.at), []byte{0xc7, 0x00}, le32(w.value))
		}
		return join(code, []byte{0xc7, 0x47, 0x10, 7, 0, 0, 0, 0xeb, 0xf7}) // data word 4 = 7, for ever
	},
	address: func(register byte, at uint64) []byte { return join([]byte{0x48, 0xb8 | register}, le64(at)) },
	numbers: map[string]uint32{
		"read": 0, "write": 1, "open": 2, "mmap": 9, "mprotect": 10, "socket": 41, "sendto": 44, "clone": 56, "fork": 57,
		"execve": 59, "kill": 62, "ptrace": 101, "prctl": 157, "openat": 257, "process_vm_writev": 311, "memfd_create": 319,
		"clone with another width": 0x40000000 | 56,
	},
}

var attacker32 = attacker{
	arch: "x86_32", programs: x8632, instruction: []byte{0xcd, 0x80},
	call: func(at uint64, number uint32, args ...uint32) []byte {
		code := []byte{0x53, 0x56, 0x57}                         // push ebx esi edi
		regs := [][]byte{{0xbb}, {0xb9}, {0xba}, {0xbe}, {0xbf}} // mov to ebx ecx edx esi edi
		for i, a := range args {
			code = join(code, regs[i], le32(a))
		}
		code = join(code, []byte{0xb8}, le32(number))
		if at == 0 {
			code = join(code, []byte{0xcd, 0x80})
		} else {
			code = join(code, []byte{0xbd}, le32(uint32(at)), []byte{0xff, 0xd5}) // mov to ebp; call
		}
		return join(code, []byte{0x5f, 0x5e, 0x5b, 0x8b, 0x54, 0x24, 4, 0x89, 0x42, 0x10, 0xc3})
	},
	read: func(at uint64) []byte {
		return join([]byte{0xb8}, le32(uint32(at)), []byte{0x8b, 0x00, 0x8b, 0x54, 0x24, 4, 0x89, 0x42, 0x10, 0xc3})
	},
	write: func(words ...word) []byte {
		code := []byte{0x8b, 0x54, 0x24, 4}
		for _, w := range words {
			code = join(code, []byte{0xb8}, le32(uint32(w.at)), []byte{0xc7, 0x00}, le32(w.value))
		}
		return join(code, []byte{0xc7, 0x42, 0x10, 7, 0, 0, 0, 0xeb, 0xf7})
	},
	data:    []byte{0x8b, 0x7c, 0x24, 4}, // mov 4(%esp), %edi
	address: func(register byte, at uint64) []byte { return join([]byte{0xb8 | register}, le32(uint32(at))) },
	numbers: map[string]uint32{
		"read": 3, "write": 4, "open": 5, "mmap": 192, "mprotect": 125, "socket": 359, "sendto": 369, "clone": 120, "fork": 2,
		"execve": 11, "kill": 37, "ptrace": 26, "prctl": 172, "openat": 295, "process_vm_writev": 348, "memfd_create": 356,
		"sigreturn": 119,
	},
}

// attackers calls f for each runner that this machine has for hostile programs.
func attackers(t *testing.T, f func(t *testing.T, a *attacker, c *client)) {
	if runtime.GOARCH != "amd64" {
		t.Logf("EMULATED: hostile programs are written for x86, this is %s", runtime.GOARCH)
		return
	}
	for _, a := range []*attacker{&attacker64, &attacker32} {
		t.Run(a.arch, func(t *testing.T) {
			r, err := local.StartArch(context.Background(), a.arch)
			if errors.Is(err, local.ErrUnsupported) {
				t.Logf("EMULATED: this system runs no programs of 32 bits: %v", err)
				return
			}
			require.NoError(t, err)
			defer r.Close()
			f(t, a, connect(t, r))
		})
	}
}

// places returns the addresses of an instruction in the text of a runner.
func places(t *testing.T, arch string, instruction []byte) []uint64 {
	t.Helper()
	image, err := images.Linux(arch)
	require.NoError(t, err)
	f, err := elf.NewFile(bytes.NewReader(image))
	require.NoError(t, err)
	var all []uint64
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Flags&elf.PF_X == 0 {
			continue
		}
		text := image[p.Off : p.Off+p.Filesz]
		for at := 0; ; at++ {
			i := bytes.Index(text[at:], instruction)
			if i < 0 {
				break
			}
			at += i
			all = append(all, p.Vaddr+uint64(at))
		}
	}
	require.NotEmpty(t, all)
	return all
}

// refused runs a program that the filter has to stop, and then a right one.
func refused(t *testing.T, c *client, code []byte, p programs) {
	t.Helper()
	c.t = t
	c.load(code)
	r := c.run(longest)
	require.Equal(t, packet.StatusFault, r.Status)
	require.Equal(t, packet.FaultOther, r.Fault.Kind)
	require.EqualValues(t, syscall.SIGSYS, r.Fault.Cause>>16)
	c.works(p)
}

// A program that uses the runner's own instructions gets no system call that could reach anything: the stream, files, other
// processes, more memory or more rights.
func TestProgramsHaveNoSystemCalls(t *testing.T) {
	attackers(t, func(t *testing.T, a *attacker, c *client) {
		parent := uint32(c.runner.PID())
		places := places(t, a.arch, a.instruction)
		for name, number := range a.numbers {
			t.Run(name, func(t *testing.T) {
				var args []uint32
				switch name {
				case "write", "read", "sendto":
					args = []uint32{3, 0x400000, 4, 0, 0}
				case "kill":
					args = []uint32{parent, 9}
				case "ptrace":
					args = []uint32{16, parent, 0, 0} // attach
				case "clone":
					args = []uint32{17, 0, 0, 0, 0}
				case "mprotect":
					args = []uint32{0x400000, 4096, 7}
				default:
					args = []uint32{0, 0, 0, 0, 0}
				}
				refused(t, c, a.call(0, number, args...), a.programs)
				for _, at := range []uint64{places[0], places[len(places)/2], places[len(places)-1]} {
					refused(t, c, a.call(at, number, args...), a.programs)
				}
			})
		}
	})
}

// What it may call is of no use: it can end itself, sleep, or stop its own timer, and is
// ended by the runner then.
func TestProgramThatStopsItsTimerIsEnded(t *testing.T) {
	attackers(t, func(t *testing.T, a *attacker, c *client) {
		number := map[string][3]uint32{"x86_64": {38, 231, 202}, "x86_32": {104, 252, 240}}[a.arch] // setitimer, exit_group, futex
		zero := c.dataAddress(a.programs) + 64                                                      // zeros behind what is sent: no interval, no time
		places := places(t, a.arch, a.instruction)
		ended := false
		for _, at := range places {
			code := a.call(at, number[0], 0, uint32(zero), 0)
			if a.arch == "x86_64" {
				code = bytes.Replace(code, join([]byte{0xbe}, le32(uint32(zero))), join([]byte{0x48, 0xbe}, le64(zero)), 1)
			}
			code = append(code[:len(code)-1], loop...)
			c.load(code)
			r := c.run(200 * time.Millisecond)
			if r.Status == packet.StatusOK { // behind the call there, registers are popped: it has returned
				continue
			}
			c.works(a.programs)
			if ended = r.Status == packet.StatusTimeLimit && r.Fault.Cause>>16 == uint64(syscall.SIGKILL); ended { // it took the runner to do so
				break
			}
		}
		require.True(t, ended || a.arch == "x86_32", "one place at least goes on in its loop") // there, all of them fail first
		for _, exit := range []uint32{0, 7} {
			c.load(a.call(places[0], number[1], exit))
			r := c.run(longest)
			require.Equal(t, packet.StatusFault, r.Status)
			require.Equal(t, packet.FaultOther, r.Fault.Kind)
			require.EqualValues(t, exit, r.Fault.Cause)
			c.works(a.programs)
		}
	})
}

// shared returns where both processes have their handshake.
func shared(t *testing.T, c *client) uint64 {
	t.Helper()
	return sharedOf(t, c.runner.PID())
}

func sharedOf(t *testing.T, runner int) uint64 {
	t.Helper()
	for _, m := range maps(t, childOf(t, runner)) {
		if strings.HasPrefix(m.name, "/dev/zero") && m.to-m.from == 65536 {
			return m.from
		}
	}
	return 0
}

// The words of the page that both processes write, and answers that no child gives.
func TestForgedAnswersHarmNobodyElse(t *testing.T) {
	attackers(t, func(t *testing.T, a *attacker, c *client) {
		c.works(a.programs)
		page := shared(t, c)
		if page == 0 {
			return // said why
		}
		// Nobody wakes the runner, which takes half a second more than the limit each time.
		for _, turn := range extent.Of([]uint32{1, 2, 4}, []uint32{0, 1, 2, 3, 4, 5, 0xffffffff}) {
			for _, value := range extent.Of([]uint32{0xffffffff}, []uint32{0, 1, 5, 0x7fffffff, 0xffffffff}) {
				var words []word
				for at := uint64(4); at < 96; at += 4 {
					words = append(words, word{page + at, value})
				}
				c.load(a.write(append(words, word{page, turn})...))
				began := time.Now()
				r := c.run(5 * time.Millisecond)
				took := time.Since(began)
				require.Less(t, took, patience, "turn %d", turn)
				if r.Status == packet.StatusOK { // it said that it has returned, and goes on
					require.LessOrEqual(t, r.Max, uint64(took.Seconds()*float64(c.about.TimerHz)), "more time than has passed")
				} else {
					require.NotNil(t, r.Fault)
					require.True(t, r.Fault.Kind >= packet.FaultMemory && r.Fault.Kind <= packet.FaultOther, "kind %d", r.Fault.Kind)
				}
				for range 3 {
					c.works(a.programs) // data of a program that still ran would show
				}
			}
		}
	})
}

// The runner's memory is not there for a program, wherever it looks.
func TestRunnerMemoryIsOutOfReach(t *testing.T) {
	attackers(t, func(t *testing.T, a *attacker, c *client) {
		c.works(a.programs)
		runner := maps(t, c.runner.PID())
		if runner == nil {
			return // said why
		}
		has := map[uint64]bool{}
		for _, m := range maps(t, childOf(t, c.runner.PID())) {
			has[m.from] = true
		}
		tried := 0
		for _, m := range runner {
			if !strings.HasPrefix(m.mode, "rw") || has[m.from] {
				continue
			}
			for at := m.from; at < m.to; at += 1 << 20 {
				tried++
				for _, code := range [][]byte{a.read(at), a.write(word{at, 1})} {
					c.load(code)
					r := c.run(longest)
					require.Equal(t, packet.StatusFault, r.Status)
					require.Equal(t, packet.FaultMemory, r.Fault.Kind)
					require.Equal(t, at, r.Fault.Address)
				}
			}
		}
		require.NotZero(t, tried)
		c.works(a.programs)
	})
}

// Registers tell a program nothing: all but the stack pointer and the argument are 0.
func TestRegistersAreClearedOnEntry(t *testing.T) {
	attackers(t, func(t *testing.T, a *attacker, c *client) {
		var code []byte // the or of all of them
		if a.arch == "x86_64" {
			for _, or := range [][]byte{{0x48, 0x09, 0xd8}, {0x48, 0x09, 0xc8}, {0x48, 0x09, 0xd0}, {0x48, 0x09, 0xf0}, {0x48, 0x09, 0xe8},
				{0x4c, 0x09, 0xc0}, {0x4c, 0x09, 0xc8}, {0x4c, 0x09, 0xd0}, {0x4c, 0x09, 0xd8}, {0x4c, 0x09, 0xe0}, {0x4c, 0x09, 0xe8},
				{0x4c, 0x09, 0xf0}, {0x4c, 0x09, 0xf8}} { // or rbx rcx rdx rsi rbp r8-r15 into rax
				code = append(code, or...)
			}
			code = append(code, 0x48, 0x89, 0xc2, 0x48, 0xc1, 0xea, 0x20, 0x09, 0xd0, 0x89, 0x47, 0x10) // both halves to data word 4
			for x := byte(1); x < 8; x++ {
				code = append(code, 0x0f, 0x56, 0xc0|x) // orps xmm, xmm0
			}
			for x := byte(0); x < 8; x++ {
				code = append(code, 0x41, 0x0f, 0x56, 0xc0|x)
			}
			code = append(code, 0x0f, 0x11, 0x47, 0x14, 0xc3) // movups to the next four
		} else {
			for _, or := range []byte{0xd8, 0xc8, 0xd0, 0xf0, 0xf8, 0xe8} { // ebx ecx edx esi edi ebp
				code = append(code, 0x09, or)
			}
			code = append(code, 0x8b, 0x54, 0x24, 4, 0x89, 0x42, 0x10)
			for x := byte(1); x < 8; x++ {
				code = append(code, 0x0f, 0x56, 0xc0|x)
			}
			code = append(code, 0x0f, 0x11, 0x42, 0x14, 0xc3)
		}
		c.load(code)
		for range 2 {
			require.Equal(t, packet.StatusOK, c.run(longest).Status)
			read := request[*packet.ReadResponse](c, &packet.ReadRequest{Offset: 16, Length: 20})
			require.Equal(t, make([]byte, 20), read.Bytes)
		}
	})
}

// Others of the same user cannot look into a runner, nor stop it in a debugger. Root can, so
// root tries it as somebody else.
func TestRunnerIsNotDumpable(t *testing.T) {
	if os.Geteuid() != 0 {
		c := start(t)
		c.works(native)
		require.Nil(t, maps(t, c.runner.PID()))
		require.Nil(t, maps(t, childOf(t, c.runner.PID())))
		return
	}
	asNobody(t)
}

// Under an emulator of user programs there is no filter: a program can make system
// calls. It still has a process of its own without the stream.
func TestUnderEmulationTheStreamIsOutOfReach(t *testing.T) {
	c := underEmulation(t, packet.ArchAarch64, "qemu-aarch64-static")
	for fd := range uint32(4) {
		// mov x9, x0; mov x0, fd; mov x1, x9; mov x2, 4; mov x8, write; svc 0; str w0, [x9, 16]; ret
		c.load(words(0xaa0003e9, 0xd2800000|fd<<5, 0xaa0903e1, 0xd2800082, 0xd2800808, 0xd4000001, 0xb9001120, 0xd65f03c0))
		require.Equal(t, packet.StatusOK, c.run(longest).Status)
		read := request[*packet.ReadResponse](c, &packet.ReadRequest{Offset: 16, Length: 4})
		require.EqualValues(t, -int32(syscall.EBADF), int32(binary.LittleEndian.Uint32(read.Bytes)))
	}
	c.load(words(0xd2800000, 0xd2800bc8, 0xd4000001)) // exit_group(0) ends its own process
	answer := c.run(longest)
	require.Equal(t, packet.StatusFault, answer.Status)
	require.Equal(t, packet.FaultOther, answer.Fault.Kind)
	c.works(arm)
}
