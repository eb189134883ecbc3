//go:build linux

package rv32

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/internal/extent"
)

const (
	pointer  = 31 // holds an address in the middle of the data of random programs, as sp does: nothing else is written to them
	dataSize = 512
)

// Random programs, of all instructions that a user has, leave the same in registers and memory as under QEMU.
func TestRandomPrograms(t *testing.T) {
	t.Parallel()
	qemu, err := exec.LookPath("qemu-riscv32-static")
	if err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	for seed := range uint64(extent.Of(20, 500)) {
		code := randomProgram(rand.New(rand.NewPCG(seed, 0)), 2500)
		require.LessOrEqual(t, len(code), dataAt-base)
		file := filepath.Join(t.TempDir(), "random")
		require.NoError(t, os.WriteFile(file, executable(t, code), 0o700))
		want, err := exec.Command(qemu, file).Output()
		var exit *exec.ExitError
		require.False(t, errors.As(err, &exit), "seed %d: %v", seed, err)
		require.NoError(t, err)
		require.Len(t, want, dataSize+4*32)

		c := newCore()
		for i := range code {
			c.pages[i/PageSize].Data[i%PageSize] = code[i]
		}
		c.step(100_000)
		require.Equal(t, []string{"exception 11, 0x0"}, c.notes, "seed %d", seed)
		got := c.pages[4].Data[:dataSize+4*32]
		for at := 0; at < len(got); at += 4 {
			g, w := binary.LittleEndian.Uint32(got[at:]), binary.LittleEndian.Uint32(want[at:])
			require.Equal(t, w, g, "seed %d, word %d of data and registers", seed, at/4)
		}
	}
}

// executable is an ELF file whose one segment is code and data.
func executable(t *testing.T, code []byte) []byte {
	t.Helper()
	const head = 52 + 32
	header := elf.Header32{
		Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_RISCV), Version: 1, Entry: base, Phoff: 52, Flags: 1, Ehsize: 52, Phentsize: 32, Phnum: 1,
	}
	copy(header.Ident[:], "\x7fELF\x01\x01\x01")
	segment := elf.Prog32{
		Type: uint32(elf.PT_LOAD), Off: PageSize, Vaddr: base, Paddr: base, Filesz: uint32(len(code)), Memsz: topAt - base, Flags: 7, Align: PageSize,
	}
	var file bytes.Buffer
	for _, part := range []any{header, segment, make([]byte, PageSize-head), code} {
		require.NoError(t, binary.Write(&file, binary.LittleEndian, part))
	}
	return file.Bytes()
}

// randomProgram sets all registers, does anything with them, and writes data and registers to its output.
func randomProgram(r *rand.Rand, length int) []byte {
	var code []byte
	word := func(w uint32) { code = binary.LittleEndian.AppendUint32(code, w) }
	half := func(h uint16) { code = binary.LittleEndian.AppendUint16(code, h) }
	set := func(rd, value uint32) {
		word((value+0x800)&^0xfff | rd<<7 | 0x37)
		word(typeI(0x13, rd, rd, value))
	}
	for rd := uint32(1); rd < 32; rd++ {
		set(rd, interesting(r))
	}
	set(pointer, dataAt+dataSize/2)
	set(sp, dataAt+dataSize/2)
	for range length {
		if r.IntN(3) == 0 {
			half(randomShort(r))
			continue
		}
		w := randomWord(r)
		word(w)
		if op := w & 0x7f; op == 0x63 || op == 0x6f { // what is passed over, or not
			word(randomALU(r))
		}
	}
	for n := uint32(1); n < 32; n++ {
		word(typeS(0x2023, pointer, n, dataSize/2+4*n))
	}
	set(10, 1) // write(1, data, all)
	set(11, dataAt)
	set(12, dataSize+4*32)
	set(17, 64)
	word(0x73)
	set(10, 0) // exit(0)
	set(17, 93)
	word(0x73)
	return code
}

func interesting(r *rand.Rand) uint32 {
	values := []uint32{0, 1, 2, minus, least, most, 31, 32, 0x8000, 0xffff}
	if r.IntN(3) == 0 {
		return values[r.IntN(len(values))]
	}
	return r.Uint32()
}

// spared reports whether a register is to keep what it holds.
func spared(rd uint8) bool { return rd == pointer || rd == sp }

// randomShort is a compressed instruction that calculates, or goes to memory by sp.
func randomShort(r *rand.Rand) uint16 {
	for {
		h := uint16(r.Uint32())
		if h&3 == 3 {
			continue
		}
		switch in := decodeCompressed(h); {
		case in.op == opLW && in.rs1 == sp && in.rd != sp && !spared(in.rd), in.op == opSW && in.rs1 == sp:
			return h
		case (in.op == opLUI || in.op >= opADDI && in.op <= opREMU) && !spared(in.rd):
			return h
		}
	}
}

// randomALU is an instruction of four bytes that calculates.
func randomALU(r *rand.Rand) uint32 {
	for {
		e := encodings[r.IntN(len(encodings))]
		w := e.bits | r.Uint32()&^e.mask
		if in := decode(w); (in.op <= opAUIPC || in.op >= opADDI && in.op <= opREMU) && !spared(in.rd) {
			return w
		}
	}
}

// randomWord is any instruction of four bytes. A branch or jump leads beyond the next one.
func randomWord(r *rand.Rand) uint32 {
	for {
		e := encodings[r.IntN(len(encodings))]
		w := e.bits | r.Uint32()&^e.mask
		in := decode(w)
		switch {
		case in.op == opFENCE:
			return w &^ 0xffff_8f80 // hints may mean something to QEMU
		case in.op >= opBEQ && in.op <= opBGEU:
			return typeB(e.bits, uint32(in.rs1), uint32(in.rs2), 8)
		case in.op == opJAL && !spared(in.rd):
			return 0x0080_006f | uint32(in.rd)<<7
		case in.op >= opLB && in.op <= opLHU && !spared(in.rd):
			return typeI(e.bits, uint32(in.rd), pointer, r.Uint32()%(dataSize-8)-(dataSize/2-4))
		case in.op >= opSB && in.op <= opSW:
			return typeS(e.bits, pointer, uint32(in.rs2), r.Uint32()%(dataSize-8)-(dataSize/2-4))
		case (in.op <= opAUIPC || in.op >= opADDI && in.op <= opREMU) && !spared(in.rd):
			return w
		}
	}
}

func (o op) String() string { return fmt.Sprintf("op %d", uint8(o)) }
