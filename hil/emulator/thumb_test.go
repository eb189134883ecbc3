//go:build linux

package emulator_test

import (
	"encoding/binary"

	"github.com/copaflash/copaflash/protocol/packet"
)

// Hand-assembled Thumb: a program gets the data block in r0 and returns by BX LR.
const (
	thumbReturn = 0x4770 // bx lr
	thumbStore  = 0x6101 // str r1, [r0, #16]
	thumbSpin   = 0xe7fe // b .
)

// thumbImage returns the half-words as bytes.
func thumbImage(halves ...uint16) []byte {
	var code []byte
	for _, h := range halves {
		code = binary.LittleEndian.AppendUint16(code, h)
	}
	return code
}

// withR1 is a program that loads r1 and then has one or two instructions, the
// first of them at offset 2.
func withR1(value uint32, instruction uint16, next ...uint16) []byte {
	second := uint16(thumbSpin)
	if len(next) > 0 {
		second = next[0]
	}
	return thumbImage(0x4901 /* ldr r1, [pc, #4] */, instruction, second, thumbSpin, uint16(value), uint16(value>>16))
}

// thumb describes a Cortex-M.
func thumb(arch packet.Arch, float bool) *isa {
	s := &isa{
		arch:      arch,
		counter:   thumbImage(0x6901 /* ldr r1, [r0, #16] */, 0x3101 /* adds r1, #1 */, thumbStore, thumbReturn),
		spin:      thumbImage(thumbSpin),
		registers: func() ([]byte, uint32) { return thumbRegisters(float) },
		faults:    func(at place) []faultCase { return thumbFaults(arch, at) },
		gdb:       gdbRegisters{sp: 13, pc: 15, width: 4, pushes: true},
	}
	if float {
		s.setMode = thumbImage(
			0x2101, 0x0609, // movs r1, #1; lsls r1, r1, #24: flush to zero
			0xeee1, 0x1a10, // vmsr fpscr, r1
			thumbReturn,
		)
		s.getMode = thumbImage(
			0xeef1, 0x1a10, // vmrs r1, fpscr
			0x0cc9, // lsrs r1, r1, #19: without what the vector unit of a Cortex-M55 has there
			0x3101, // adds r1, #1: the store is seen, whatever the mode
			thumbStore,
			thumbReturn,
		)
	}
	return s
}

// thumbRegisters fills every register that an interrupt handler might use, counts
// the parameter word down to 0, and stores the sum of them: if one of them
// changed meanwhile, the sum is wrong.
func thumbRegisters(float bool) (code []byte, sum uint32) {
	halves := []uint16{0xb500, 0x6941} // push {lr}; ldr r1, [r0, #20]
	high := []uint16{8, 9, 10, 11, 12, 14}
	if float {
		for n := range uint16(32) {
			halves = append(halves, 0x2700|n, 0xee00|n>>1, 0x7a10|n&1<<7) // movs r7, #n; vmov s<n>, r7
			sum += uint32(n)
		}
	}
	for _, n := range high {
		halves = append(halves, 0x2700|n, 0x4638|n>>3<<7|n&7) // movs r7, #n; mov r<n>, r7
		sum += uint32(n)
	}
	for n := uint16(2); n < 8; n++ {
		halves = append(halves, 0x2000|n<<8|n) // movs r<n>, #n
		sum += uint32(n)
	}
	halves = append(halves, 0x3901, 0xd1fd, 0x2100) // subs r1, #1; bne .-2; movs r1, #0
	for n := uint16(2); n < 8; n++ {
		halves = append(halves, 0x1809|n<<6) // adds r1, r1, r<n>
	}
	for _, n := range high {
		halves = append(halves, 0x4401|n<<3) // add r1, r<n>
	}
	if float {
		for n := range uint16(32) {
			halves = append(halves, 0xee10|n>>1, 0x7a10|n&1<<7, 0x19c9) // vmov r7, s<n>; adds r1, r1, r7
		}
	}
	return thumbImage(append(halves, thumbStore, 0xbd00 /* pop {pc} */)...), sum
}

func thumbFaults(arch packet.Arch, at place) []faultCase {
	const (
		load  = 0x680a // ldr r2, [r1]
		write = 0x600a // str r2, [r1]
		jump  = 0x4708 // bx r1
	)
	long := uint32(1_500_000) // more than a pass of SysTick
	if at.slow {
		long = 300_000
	}
	cases := []faultCase{
		{name: "write to nothing", code: withR1(0xb0000000, write), kind: packet.FaultMemory, pc: 2, address: 0xb0000000},
		{name: "read nothing", code: withR1(0xb0000000, load), kind: packet.FaultMemory, pc: 2, address: 0xb0000000},
		{
			name: "wild branch", code: withR1(0xb2340001, jump), kind: packet.FaultMemory,
			pc: 0xb2340000, outside: true, address: 0xb2340000,
		},
		{name: "branch out of Thumb", code: thumbImage(0xa100 /* adr r1, .+4 */, jump, thumbSpin), kind: packet.FaultIllegal, pc: 4},
		{name: "undefined instruction", code: thumbImage(0xde00 /* udf #0 */), kind: packet.FaultIllegal},
		{name: "breakpoint", code: thumbImage(0xbe07 /* bkpt #7 */), kind: packet.FaultOther},
		{name: "system call", code: thumbImage(0xdf00 /* svc #0 */), kind: packet.FaultOther},
		{
			name: "endless recursion", code: thumbImage(0xb500 /* push {lr} */, 0xf7ff, 0xfffd /* bl .-2 */),
			kind: packet.FaultStack, address: anyAddress, anyPC: true,
		},
		{
			name: "stack lost", code: withR1(0xb0001000, 0x468d /* mov sp, r1 */, 0xb402 /* push {r1} */),
			kind: packet.FaultStack, address: anyAddress, anyPC: true,
		},
		{
			name: "stack lost at the return", code: withR1(0xb0001000, 0x468d /* mov sp, r1 */, 0x4770 /* bx lr */),
			kind: packet.FaultStack, address: anyAddress, anyPC: true,
		},
		{
			name: "stack lost in a loop", code: withR1(0xb0001000, 0x468d /* mov sp, r1 */),
			kind: packet.FaultStack, address: anyAddress, anyPC: true, limit: 100_000,
		},
		{name: "endless loop", code: thumbImage(thumbSpin), kind: packet.FaultTimeLimit, limit: 20000},
		{name: "long limit", code: thumbImage(thumbSpin), kind: packet.FaultTimeLimit, limit: long},
		{name: "limit over before the start", code: thumbImage(thumbSpin), kind: packet.FaultTimeLimit, limit: 1},
		{name: "asleep", code: thumbImage(0xbf30 /* wfi */, 0xe7fd /* b .-2 */), kind: packet.FaultTimeLimit, limit: 20000, anyPC: true},
	}
	divide := faultCase{name: "division by 0", code: thumbImage(0x2100, 0xfb90, 0xf2f1 /* sdiv r2, r0, r1 */), kind: packet.FaultArithmetic, pc: 2}
	two := faultCase{
		name: "unaligned load of two", code: thumbImage(0x1c41, 0xe9d1, 0x2300 /* ldrd r2, r3, [r1] */),
		kind: packet.FaultAlignment, pc: 2,
	}
	masked := faultCase{name: "interrupts masked", code: thumbImage(0xb672 /* cpsid i */, thumbSpin), kind: packet.FaultTimeLimit, pc: 2, limit: 100_000}
	control := faultCase{name: "system control space", code: withR1(0xe000ed08, load), kind: packet.FaultMemory, pc: 2, address: 0xe000ed08}
	if at.open && arch != packet.ArchThumbv6m { // unprivileged, which keeps it from the core's own registers
		return append(cases, divide, two, masked, control)
	}
	if at.open {
		return append(cases,
			faultCase{
				name: "unaligned load", code: thumbImage(0x1c41 /* adds r1, r0, #1 */, load),
				kind: packet.FaultAlignment, pc: 2, address: anyAddress,
			},
			faultCase{
				name: "unaligned load of many", code: thumbImage(0x1c41, 0xc904 /* ldm r1, {r2} */),
				kind: packet.FaultAlignment, pc: 2, address: anyAddress,
			},
			faultCase{
				name: "half-word at a register's offset", code: withR1(0xb0000000, 0x2210 /* movs r2, #16 */, 0x5a8b /* ldrh r3, [r1, r2] */),
				kind: packet.FaultMemory, pc: 4, address: 0xb0000010,
			},
			faultCase{
				name: "byte at an offset", code: withR1(0xb0000000, 0x77ca /* strb r2, [r1, #31] */),
				kind: packet.FaultMemory, pc: 2, address: 0xb000001f,
			},
		)
	}
	if !at.patient {
		cases = append(cases, control)
	}
	cases = append(cases, masked,
		faultCase{
			name: "privilege", code: thumbImage(0x2100, 0xf381, 0x8814 /* msr control, r1 */, 0x2108, load),
			kind: packet.FaultMemory, pc: 8, address: 8,
		},
		faultCase{name: "read near 0", code: withR1(8, load), kind: packet.FaultMemory, pc: 2, address: 8},
		faultCase{name: "read the runner", code: withR1(at.runner+64, load), kind: packet.FaultMemory, pc: 2, address: uint64(at.runner + 64)},
		faultCase{
			name: "run the runner", code: withR1(at.runner+65, jump), kind: packet.FaultMemory,
			pc: uint64(at.runner + 64), outside: true, address: uint64(at.runner + 64),
		},
		faultCase{name: "write to a device", code: withR1(at.uart, write), kind: packet.FaultMemory, pc: 2, address: uint64(at.uart)},
		faultCase{name: "write to code", code: thumbImage(0xa100 /* adr r1, .+4 */, write, thumbSpin), kind: packet.FaultMemory, pc: 2, address: anyAddress},
		faultCase{name: "run data", code: thumbImage(0x1c41 /* adds r1, r0, #1 */, jump), kind: packet.FaultMemory, outside: true, address: anyAddress},
	)
	if arch == packet.ArchThumbv6m {
		return cases
	}
	return append(cases, two, divide)
}
