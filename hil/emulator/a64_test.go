//go:build linux

package emulator_test

import "github.com/copaflash/copaflash/protocol/packet"

// AArch64: a program gets the data block in x0 and returns by RET.
var a64 = isa{
	arch: packet.ArchAarch64,
	counter: image(
		0xb9401001, // ldr w1, [x0, #16]
		0x11000421, // add w1, w1, #1
		a64Store,
		a64Ret,
	),
	spin:      image(a64Spin),
	registers: a64Registers,
	faults:    a64Faults,
	setMode: image(
		movz(1, 0x100, 16), // flush to zero
		0xd51b4401,         // msr fpcr, x1
		a64Ret,
	),
	getMode: image(
		0xd53b4401, // mrs x1, fpcr
		0x91000421, // add x1, x1, #1
		a64Store,
		a64Ret,
	),
	gdb: gdbRegisters{sp: 31, pc: 32, width: 8},
}

const (
	a64Ret   = 0xd65f03c0 // ret
	a64Store = 0xb9001001 // str w1, [x0, #16]
	a64Spin  = 0x14000000 // b .
)

// movz sets register rd to a 16-bit value at bit 0 or 16.
func movz(rd, value, shift uint32) uint32 { return 0xd2800000 | shift/16<<21 | value<<5 | rd }

// movk sets the low 16 bits of a register and leaves the others.
func movk(rd, value uint32) uint32 { return 0xf2800000 | value<<5 | rd }

func a64Registers() (code []byte, sum uint32) {
	words := []uint32{0xaa1e03fd} // mov x29, x30
	var general, vector []uint32
	for n := uint32(1); n <= 18; n++ {
		general = append(general, n)
	}
	general = append(general, 30)
	for n := uint32(1); n <= 31; n++ {
		if n < 8 || n > 15 { // d8 to d15 belong to the caller
			vector = append(vector, n)
		}
	}
	for _, n := range general {
		words = append(words, movz(n, n, 0))
		sum += n
	}
	words = append(words, 0x4f000400) // movi v0.4s, #0
	for _, n := range vector {
		words = append(words, 0x4f000400|n<<5|n) // movi v<n>.4s, #n (n < 32)
		sum += n
	}
	words = append(words,
		0xb9401413, // ldr w19, [x0, #20]
		0xf1000673, // subs x19, x19, #1
		0x54ffffe1, // b.ne .-4
		0xd2800014, // mov x20, #0
	)
	for _, n := range general {
		words = append(words, 0x8b000294|n<<16) // add x20, x20, x<n>
	}
	for _, n := range vector {
		words = append(words, 0x4ea08400|n<<16) // add v0.4s, v0.4s, v<n>.4s
	}
	words = append(words,
		0x0e1c3c15, // mov w21, v0.s[3]
		0x0b150294, // add w20, w20, w21
		0xb9001014, // str w20, [x0, #16]
		0xd65f03a0, // ret x29
	)
	return image(words...), sum
}

func a64Faults(at place) []faultCase {
	const (
		loadX1  = 0xb9400022 // ldr w2, [x1]
		storeX1 = 0xb9000022 // str w2, [x1]
		jumpX1  = 0xd61f0020 // br x1
	)
	return []faultCase{
		{name: "read near 0", code: image(movz(1, 8, 0), loadX1), kind: packet.FaultMemory, pc: 4, address: 8},
		{name: "write to nothing", code: image(movz(1, 0xb000, 16), storeX1), kind: packet.FaultMemory, pc: 4, address: 0xb0000000},
		{
			name: "read far away", code: image(0xb2610fe1 /* mov x1, #0x780000000 */, loadX1), kind: packet.FaultMemory,
			pc: 4, address: 0x780000000,
		},
		{
			name: "read the runner", code: image(movz(1, at.runner>>16, 16), loadX1), kind: packet.FaultMemory,
			pc: 4, address: uint64(at.runner),
		},
		{
			name: "run the runner", code: image(movz(1, at.runner>>16, 16), jumpX1), kind: packet.FaultMemory,
			pc: uint64(at.runner), outside: true, address: uint64(at.runner),
		},
		{
			name: "write to a device", code: image(movz(1, at.uart>>16, 16), movk(1, at.uart&0xffff), storeX1), kind: packet.FaultMemory,
			pc: 8, address: uint64(at.uart),
		},
		{name: "write to code", code: image(0x10000001 /* adr x1, . */, storeX1), kind: packet.FaultMemory, pc: 4, address: anyAddress},
		{
			name: "write to the code's alias", code: image(movz(1, 0xc000, 16), storeX1), kind: packet.FaultMemory,
			pc: 4, address: 0xc0000000,
		},
		{name: "run data", code: image(0xd61f0000 /* br x0 */), kind: packet.FaultMemory, outside: true, address: anyAddress},
		{
			name: "wild branch", code: image(movz(1, 0xb234, 16), jumpX1), kind: packet.FaultMemory,
			pc: 0xb2340000, outside: true, address: 0xb2340000,
		},
		{name: "branch to 0", code: image(movz(1, 0, 0), jumpX1), kind: packet.FaultMemory, outside: true},
		{name: "branch to odd address", code: image(0x50000021 /* adr x1, .+6 */, jumpX1), kind: packet.FaultAlignment, pc: 6, address: anyAddress},
		{
			name: "unaligned exclusive load", code: image(0x91000401 /* add x1, x0, #1 */, 0x885f7c22 /* ldxr w2, [x1] */),
			kind: packet.FaultAlignment, pc: 4, address: anyAddress,
		},
		{name: "undefined instruction", code: image(0), kind: packet.FaultIllegal},
		{name: "mask interrupts", code: image(0xd50342df /* msr daifset, #2 */), kind: packet.FaultIllegal},
		{name: "system register", code: image(0xd5381001 /* mrs x1, sctlr_el1 */), kind: packet.FaultIllegal},
		{name: "counter", code: image(0xd53be041 /* mrs x1, cntvct_el0 */), kind: packet.FaultIllegal},
		{name: "wait for interrupt", code: image(0xd503207f /* wfi */), kind: packet.FaultIllegal},
		{name: "hypervisor call", code: image(0xd4000002 /* hvc #0 */), kind: packet.FaultIllegal},
		{name: "breakpoint", code: image(0xd42000e0 /* brk #7 */), kind: packet.FaultOther},
		{name: "system call", code: image(0xd4000001 /* svc #0 */), kind: packet.FaultOther},
		{
			name: "endless recursion", code: image(0xa9bf7bfd /* stp x29, x30, [sp, #-16]! */, 0x97ffffff /* bl .-4 */),
			kind: packet.FaultStack, address: anyAddress,
		},
		{name: "endless loop", code: image(a64Spin), kind: packet.FaultTimeLimit, limit: 20000},
		{name: "limit over before the start", code: image(a64Spin), kind: packet.FaultTimeLimit, limit: 1},
	}
}
