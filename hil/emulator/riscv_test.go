//go:build linux

package emulator_test

import "github.com/copaflash/copaflash/protocol/packet"

// RISC-V, with instructions of 32 bits only: a program gets the data block in a0
// and returns by RET.
var (
	rv64gc    = riscv(packet.ArchRv64gc, 8, true)
	rv32imafc = riscv(packet.ArchRv32imafc, 4, true)
	rv32imac  = riscv(packet.ArchRv32imac, 4, false)
)

// riscv describes cores with registers of width bytes, and of floating point if
// float is set.
func riscv(arch packet.Arch, width int, float bool) isa {
	s := isa{
		arch:      arch,
		counter:   image(0x01052583 /* lw a1, 16(a0) */, 0x00158593 /* addi a1, a1, 1 */, rvStore, rvRet),
		spin:      image(rvSpin),
		registers: func() ([]byte, uint32) { return rvRegisters(float) },
		faults:    func(at place) []faultCase { return rvFaults(at, width) },
		gdb:       gdbRegisters{sp: 2, pc: 32, width: width},
	}
	if float {
		s.setMode = image(0x06000593 /* li a1, 0x60: round up */, 0x00359073 /* fscsr a1 */, rvRet)
		s.getMode = image(0x003025f3 /* frcsr a1 */, 0x00158593 /* addi a1, a1, 1 */, rvStore, rvRet)
	}
	return s
}

const (
	rvRet   = 0x00008067 // ret
	rvStore = 0x00b52823 // sw a1, 16(a0)
	rvSpin  = 0x0000006f // j .
)

func rvRegisters(float bool) (code []byte, sum uint32) {
	const sp, scratch, counter, data = 2, 8, 9, 10 // s0 holds the return address, s1 counts and adds up
	words := []uint32{0x00008413}                  // mv s0, ra
	move := func(rd, value uint32) { words = append(words, value<<20|rd<<7|0x13) }
	if float {
		for n := range uint32(32) {
			move(counter, n)
			words = append(words, 0xf0048053|n<<7) // fmv.w.x f<n>, s1
			sum += n
		}
	}
	var general []uint32
	for n := uint32(1); n < 32; n++ {
		if n != sp && n != scratch && n != counter && n != data {
			general = append(general, n)
			move(n, n)
			sum += n
		}
	}
	words = append(words,
		0x01452483, // lw s1, 20(a0)
		0xfff48493, // addi s1, s1, -1
		0xfe049ee3, // bnez s1, .-4
	)
	for _, n := range general {
		words = append(words, 0x000484b3|n<<20) // add s1, s1, x<n>
	}
	if float {
		for n := range uint32(32) {
			words = append(words, 0xe00002d3|n<<15, 0x005484b3) // fmv.x.w t0, f<n>; add s1, s1, t0
		}
	}
	words = append(words, 0x00952823 /* sw s1, 16(a0) */, 0x00040067 /* jr s0 */)
	return image(words...), sum
}

func rvFaults(at place, width int) []faultCase {
	const (
		here    = 0x00000597 // auipc a1, 0
		loadA1  = 0x0005a603 // lw a2, 0(a1)
		storeA1 = 0x00c5a023 // sw a2, 0(a1)
		jumpA1  = 0x00058067 // jr a1
		add1    = 0x00150593 // addi a1, a0, 1
	)
	literal := uint32(0x00c5a583) // lw a1, 12(a1)
	if width == 8 {
		literal = 0x00c5e583 // lwu a1, 12(a1)
	}
	// touch lets an instruction, at offset 8, use an address in a1.
	touch := func(address, instruction uint32) []byte { return image(here, literal, instruction, address) }
	atomics, where := packet.FaultAlignment, anyAddress
	if at.noAtomics {
		atomics, where = packet.FaultIllegal, 0
	}
	cases := []faultCase{
		{name: "read near 0", code: touch(8, loadA1), kind: packet.FaultMemory, pc: 8, address: 8},
		{name: "write to nothing", code: touch(0xb0000000, storeA1), kind: packet.FaultMemory, pc: 8, address: 0xb0000000},
		{name: "read the runner", code: touch(at.runner, loadA1), kind: packet.FaultMemory, pc: 8, address: uint64(at.runner)},
		{name: "write to the runner", code: touch(at.runner, storeA1), kind: packet.FaultMemory, pc: 8, address: uint64(at.runner)},
		{
			name: "run the runner", code: touch(at.runner, jumpA1), kind: packet.FaultMemory,
			pc: uint64(at.runner), outside: true, address: uint64(at.runner),
		},
		{name: "write to a device", code: touch(at.uart, storeA1), kind: packet.FaultMemory, pc: 8, address: uint64(at.uart)},
		{name: "write to the timer", code: touch(0x02004000 /* mtimecmp */, storeA1), kind: packet.FaultMemory, pc: 8, address: 0x02004000},
		{name: "write to code", code: image(here, storeA1), kind: packet.FaultMemory, pc: 4, address: anyAddress},
		{name: "run data", code: image(0x00050067 /* jr a0 */), kind: packet.FaultMemory, outside: true, address: anyAddress},
		{
			name: "wild branch", code: touch(0xb2340000, jumpA1), kind: packet.FaultMemory,
			pc: 0xb2340000, outside: true, address: 0xb2340000,
		},
		{name: "branch to 0", code: touch(0, jumpA1), kind: packet.FaultMemory, outside: true},
		{
			name: "unaligned reserved load", code: image(add1, 0x1005a62f /* lr.w a2, (a1) */),
			kind: atomics, pc: 4, address: where,
		},
		{
			name: "unaligned atomic add", code: image(add1, 0x00c5a62f /* amoadd.w a2, a2, (a1) */),
			kind: atomics, pc: 4, address: where,
		},
		{name: "undefined instruction", code: image(0), kind: packet.FaultIllegal},
		{name: "undefined instruction of ones", code: image(0xffffffff), kind: packet.FaultIllegal},
		{name: "mask interrupts", code: image(0x30047073 /* csrci mstatus, 8 */), kind: packet.FaultIllegal},
		{name: "system register", code: image(0x300025f3 /* csrr a1, mstatus */), kind: packet.FaultIllegal},
		{name: "cycle counter", code: image(0xc00025f3 /* rdcycle a1 */), kind: packet.FaultIllegal},
		{name: "counter", code: image(0xc01025f3 /* rdtime a1 */), kind: packet.FaultIllegal},
		{name: "wait for interrupt", code: image(0x10500073 /* wfi */), kind: packet.FaultIllegal},
		{name: "return from a trap", code: image(0x30200073 /* mret */), kind: packet.FaultIllegal},
		{name: "breakpoint", code: image(0x00100073 /* ebreak */), kind: packet.FaultOther},
		{name: "system call", code: image(0x00000073 /* ecall */), kind: packet.FaultOther},
		{
			name: "endless recursion", kind: packet.FaultStack, pc: 4, address: anyAddress,
			code: image(0xff010113 /* addi sp, sp, -16 */, 0x00112023 /* sw ra, 0(sp) */, 0xff9ff0ef /* jal .-8 */),
		},
		{name: "endless loop", code: image(rvSpin), kind: packet.FaultTimeLimit, limit: 20000},
		{name: "limit over before the start", code: image(rvSpin), kind: packet.FaultTimeLimit, limit: 1},
	}
	if at.codeByWords {
		cases = append(cases,
			faultCase{name: "read a byte of code", code: image(here, 0x00058603 /* lb a2, 0(a1) */), kind: packet.FaultMemory, pc: 4, address: anyAddress},
			faultCase{name: "read a word across two of code", code: image(here, 0x0025a603 /* lw a2, 2(a1) */), kind: packet.FaultMemory, pc: 4, address: anyAddress})
	}
	return cases
}
