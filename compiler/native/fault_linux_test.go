//go:build amd64 || arm64

package native

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/copaflash/copaflash/protocol/packet"
)

// wrong is what a program does that the compiler never makes.
type wrong struct {
	name string
	kind packet.FaultKind
	pc   int64 // -1: outside of the code
	code []byte
}

var wrongs = map[packet.Arch][]wrong{
	packet.ArchX86_64: {
		{"read at zero", packet.FaultMemory, 2, []byte{0x31, 0xc0, 0x8b, 0x00, 0xc3}},
		{"write above data", packet.FaultMemory, 0, []byte{0xc7, 0x47, 0x40, 1, 0, 0, 0, 0xc3}},
		{"write below data", packet.FaultMemory, 0, []byte{0xc7, 0x87, 0, 0, 0xff, 0xff, 1, 0, 0, 0, 0xc3}},
		{"wild store, 2 GB below", packet.FaultMemory, 0, []byte{0xc7, 0x87, 0, 0, 0, 0x80, 1, 0, 0, 0, 0xc3}},
		{"wild store, index of 4 GB", packet.FaultMemory, 5, []byte{0xb8, 0xff, 0xff, 0xff, 0xff, 0xc7, 0x84, 0x07, 0xff, 0xff, 0xff, 0x7f, 1, 0, 0, 0, 0xc3}},
		{"no address", packet.FaultMemory, 10, []byte{0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x8b, 0x00, 0xc3}},
		{"misaligned", packet.FaultAlignment, 7, []byte{0x9c, 0x80, 0x4c, 0x24, 2, 4, 0x9d, 0x8b, 0x47, 1, 0xc3}},
		{"illegal instruction", packet.FaultIllegal, 1, []byte{0x90, 0x0f, 0x0b}},
		{"stack overflow", packet.FaultStack, 0, []byte{0xe8, 0xfb, 0xff, 0xff, 0xff}},
		{"execute data", packet.FaultMemory, -1, []byte{0xff, 0xe7}},
		{"jump to zero", packet.FaultMemory, -1, []byte{0x31, 0xc0, 0xff, 0xe0}},
		{"write code", packet.FaultMemory, 7, []byte{0x48, 0x8d, 0x05, 0xf9, 0xff, 0xff, 0xff, 0xc6, 0x00, 1, 0xc3}},
		{"write the gate", packet.FaultMemory, 7, []byte{0x48, 0x8d, 0x05, 0xb9, 0xff, 0xff, 0xff, 0xc6, 0x00, 1, 0xc3}},
		{"stack pointer lost", packet.FaultIllegal, 2, []byte{0x31, 0xe4, 0x0f, 0x0b}},
		{"stack pointer lost, push", packet.FaultMemory, 2, []byte{0x31, 0xe4, 0x50}},
		{"breakpoint", packet.FaultOther, 1, []byte{0xcc, 0xc3}},
		{"single steps", packet.FaultOther, 8, []byte{0x9c, 0x80, 0x4c, 0x24, 1, 1, 0x9d, 0x90, 0x90, 0xc3}},
		{"division", packet.FaultArithmetic, 9, []byte{0x31, 0xc9, 0x31, 0xd2, 0xb8, 1, 0, 0, 0, 0xf7, 0xf9, 0xc3}},
		{"float exception", packet.FaultArithmetic, 15, []byte{0xc7, 0x07, 0, 0, 0, 0, 0x0f, 0xae, 0x17, 0x0f, 0x57, 0xc0, 0x0f, 0x57, 0xc9, 0xf3, 0x0f, 0x5e, 0xc1, 0xc3}},
		{"backwards, then illegal", packet.FaultIllegal, 1, []byte{0xfd, 0x0f, 0x0b}},
		{"registers lost", packet.FaultIllegal, int64(len(spoilX86()) - 1), append(spoilX86()[:len(spoilX86())-1], 0x0f, 0x0b)},
	},
	packet.ArchAarch64: {
		{"read at zero", packet.FaultMemory, 4, code(0xd2800001, 0xb9400021)},
		{"write above data", packet.FaultMemory, 0, code(0xb9004001, 0xd65f03c0)},
		{"write below data", packet.FaultMemory, 4, code(0xd1404001, 0xb9000021)},
		{"write code", packet.FaultMemory, 4, code(0x10000001, 0xb9000021)},
		{"execute data", packet.FaultMemory, -1, code(0xd61f0000)},
		{"illegal instruction", packet.FaultIllegal, 4, code(0xd503201f, 0)},
		{"stack overflow", packet.FaultStack, 0, code(0xa9bf7bfd, 0x17ffffff)},
		{"stack pointer lost", packet.FaultIllegal, 8, code(0xd2800001, 0x9100003f, 0)},
		{"breakpoint", packet.FaultOther, 0, code(0xd4200000)},
		{"registers lost", packet.FaultIllegal, int64(len(spoilA64()) - 4), append(spoilA64()[:len(spoilA64())-4], 0, 0, 0, 0)},
	},
}

// TestFaults: what a program does wrong is an error, however it is called and however often, and the program, others
// and Go itself go on.
func TestFaults(t *testing.T) {
	require.NoError(t, GuardFaults())
	good := loop(t, 3)
	beside := load(t, good.Image)
	for _, w := range wrongs[Arch] {
		p := load(t, forged(w.code...))
		for i := range 500 {
			p.long = i%2 == 0
			err := p.Run()
			var fault *Fault
			require.ErrorAs(t, err, &fault, w.name)
			require.Equal(t, w.kind, fault.Kind, "%s: %v", w.name, err)
			require.Equal(t, w.pc >= 0, fault.Inside, "%s: %v", w.name, err)
			if fault.Inside {
				require.Equal(t, w.pc, fault.PC, "%s: %v", w.name, err)
			}
			if i == 0 {
				t.Log(w.name+":", err)
			}
		}
		good.spoil(beside.Data())
		require.NoError(t, beside.Run())
		require.NoError(t, good.check(beside.Data()), "after: %s", w.name)
		require.NoError(t, p.Close())
	}
	goFaults(t)
}

// goFaults: what Go does wrong is its runtime's as ever.
func goFaults(t *testing.T) {
	var nowhere *int
	require.Panics(t, func() { *nowhere = 1 })
	zero := 0
	require.Panics(t, func() { zero = 1 / zero })
	none, err := reserve(page)
	require.NoError(t, err)
	defer release(none)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	require.Panics(t, func() { none[5] = 1 })
}

// TestAddress: the error tells where, from the data on.
func TestAddress(t *testing.T) {
	require.NoError(t, GuardFaults())
	for _, w := range wrongs[Arch] {
		want, ok := map[string]int64{"write above data": 64, "write below data": -page}[w.name]
		if ok {
			var fault *Fault
			require.ErrorAs(t, load(t, forged(w.code...)).Run(), &fault)
			require.Equal(t, want, fault.Address, w.name)
		}
	}
}

// TestUnguarded: without GuardFaults a fault ends the process, as the documentation says.
func TestUnguarded(t *testing.T) {
	inside, output, err := child(t)
	if inside {
		defer func() { recover() }()
		_ = load(t, forged(wrongs[Arch][0].code...)).Run()
		return
	}
	require.Error(t, err)
	require.Contains(t, output, "fatal error") // which recover does not see
}

// mapping is a line of /proc/self/maps.
type mapping struct {
	from, to uintptr
	mode     string
}

func mappings(t *testing.T) (list []mapping) {
	f, err := os.Open("/proc/self/maps")
	require.NoError(t, err)
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var m mapping
		_, err := fmt.Sscanf(s.Text(), "%x-%x %s", &m.from, &m.to, &m.mode)
		require.NoError(t, err, s.Text())
		list = append(list, m)
	}
	return list
}

// TestGuards: around code, stack and data nothing can be read, written or executed for as far as
// the documentation says, and nothing is ever writable and executable.
func TestGuards(t *testing.T) {
	p := load(t, loop(t, 3).Image)
	m := p.memory
	text, end := address(m.text), address(m.all)+uintptr(len(m.all))
	guard := (address(m.data) + uintptr(len(m.data)) + 63) &^ 63 // the data end at it
	data := guard - uintptr(pages(uint64(len(m.data))))
	open := map[string][2]uintptr{
		"r-xp": {text, text + uintptr(len(m.text))},
		"rw-p": {m.stack - stackSize, m.stack},
	}
	bytes := map[string]uintptr{}
	for _, r := range mappings(t) {
		require.NotContains(t, r.mode, "wx")
		if r.to <= address(m.all) || r.from >= end {
			continue
		}
		if mode := r.mode[:3] + "p"; mode != "---p" {
			from, to := max(r.from, address(m.all)), min(r.to, end)
			bytes[mode] += to - from
			want := open[mode]
			if from >= data {
				want = [2]uintptr{data, guard}
			}
			require.Equal(t, want, [2]uintptr{from, to}, mode)
		}
	}
	require.Equal(t, uintptr(len(m.text)), bytes["r-xp"])
	require.Equal(t, uintptr(stackSize+pages(uint64(len(m.data)))), bytes["rw-p"])
	require.GreaterOrEqual(t, text-address(m.all), uintptr(page))
	require.GreaterOrEqual(t, m.stack-stackSize-(text+uintptr(len(m.text))), uintptr(page))
	require.GreaterOrEqual(t, data-m.stack, uintptr(reach))
	require.GreaterOrEqual(t, end-guard, uintptr(3*reach))
}

// TestHardened: where the system refuses new code, Load says that programs are for elsewhere.
func TestHardened(t *testing.T) {
	inside, output, err := child(t)
	if !inside {
		require.NoError(t, err, output)
		return
	}
	runtime.LockOSThread()
	const loadWord, jumpEqual, jumpSet, result = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ, unix.BPF_JMP | unix.BPF_JSET, unix.BPF_RET
	filter := []unix.SockFilter{ // of mprotect with PROT_EXEC, as systemd's MemoryDenyWriteExecute does it
		{Code: loadWord, K: 0}, {Code: jumpEqual, Jf: 3, K: unix.SYS_MPROTECT},
		{Code: loadWord, K: 16 + 2*8}, {Code: jumpSet, Jf: 1, K: unix.PROT_EXEC},
		{Code: result, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)},
		{Code: result, K: unix.SECCOMP_RET_ALLOW},
	}
	require.NoError(t, unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
	require.NoError(t, unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]})), 0, 0))
	before := loaded.Load()
	_, err = Load(forged(codes[Arch].nothing...))
	require.ErrorIs(t, err, ErrUnsupported)
	require.ErrorContains(t, err, unix.EACCES.Error())
	require.NotErrorIs(t, err, unix.EACCES, "which would be about a file")
	require.Equal(t, before, loaded.Load())
}

// TestNarrow: a process without room for large guards has small ones.
func TestNarrow(t *testing.T) {
	inside, output, err := child(t)
	if !inside {
		require.NoError(t, err, output)
		return
	}
	s := loop(t, 3)
	limit := unix.Rlimit{Cur: 4 << 30, Max: 4 << 30}
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_AS, &limit))
	p := load(t, s.Image)
	require.Less(t, len(p.memory.all), 8*near)
	require.NoError(t, p.Run())
	require.NoError(t, s.check(p.Data()))
	require.NoError(t, GuardFaults())
	var fault *Fault
	require.ErrorAs(t, load(t, forged(wrongs[Arch][1].code...)).Run(), &fault)
}
