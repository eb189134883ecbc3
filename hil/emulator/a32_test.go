//go:build linux

package emulator_test

import "github.com/copaflash/copaflash/protocol/packet"

// A32 of ARMv7-A and ARMv6: a program gets the data block in r0 and returns by
// BX LR.
var (
	armv7a = a32(packet.ArchArmv7a)
	armv6  = a32(packet.ArchArmv6)
)

func a32(arch packet.Arch) isa {
	mode := image(0xeef11a10 /* vmrs r1, fpscr */)
	if arch == packet.ArchArmv6 { // whose VFP11 is to make default NaNs by itself
		mode = append(mode, image(0xe2411402 /* sub r1, r1, #0x2000000 */)...)
	}
	return isa{
		arch:      arch,
		counter:   image(0xe5901010 /* ldr r1, [r0, #16] */, 0xe2811001 /* add r1, r1, #1 */, a32Store, a32Ret),
		spin:      image(a32Spin),
		registers: a32Registers,
		faults:    a32Faults,
		setMode:   image(0xe3a01401 /* mov r1, #0x1000000: flush to zero */, 0xeee11a10 /* vmsr fpscr, r1 */, a32Ret),
		getMode:   append(mode, image(0xe2811001 /* add r1, r1, #1 */, a32Store, a32Ret)...),
		gdb:       gdbRegisters{sp: 13, pc: 15, width: 4},
	}
}

const (
	a32Ret   = 0xe12fff1e // bx lr
	a32Store = 0xe5801010 // str r1, [r0, #16]
	a32Spin  = 0xeafffffe // b .
)

func a32Registers() (code []byte, sum uint32) {
	const scratch, counter = 4, 5 // r4 holds the return address, r5 counts and adds up
	words := []uint32{0xe1a0400e} // mov r4, lr
	move := func(rd, value uint32) { words = append(words, 0xe3a00000|rd<<12|value) }
	// Bits of an instruction that name s<n>.
	single := func(n uint32) uint32 { return n>>1<<16 | n&1<<7 }
	for n := range uint32(32) {
		move(counter, n)
		words = append(words, 0xee005a10|single(n)) // vmov s<n>, r5
		sum += n
	}
	var general []uint32
	for n := uint32(1); n <= 14; n++ {
		if n != scratch && n != counter && n != 13 {
			general = append(general, n)
			move(n, n)
			sum += n
		}
	}
	words = append(words,
		0xe5905014, // ldr r5, [r0, #20]
		0xe2555001, // subs r5, r5, #1
		0x1afffffd, // bne .-4
	)
	for _, n := range general {
		words = append(words, 0xe0855000|n) // add r5, r5, r<n>
	}
	for n := range uint32(32) {
		words = append(words, 0xee107a10|single(n), 0xe0855007) // vmov r7, s<n>; add r5, r5, r7
	}
	words = append(words, 0xe5805010 /* str r5, [r0, #16] */, 0xe12fff14 /* bx r4 */)
	return image(words...), sum
}

func a32Faults(at place) []faultCase {
	const (
		literal = 0xe59f1000 // ldr r1, [pc]: the word after the next instruction
		loadR1  = 0xe5912000 // ldr r2, [r1]
		storeR1 = 0xe5812000 // str r2, [r1]
		jumpR1  = 0xe12fff11 // bx r1
	)
	// touch lets an instruction use an address in r1.
	touch := func(address, instruction uint32) []byte { return image(literal, instruction, address) }
	cases := []faultCase{
		{name: "read near 0", code: touch(8, loadR1), kind: packet.FaultMemory, pc: 4, address: 8},
		{name: "write to nothing", code: touch(0xb0000000, storeR1), kind: packet.FaultMemory, pc: 4, address: 0xb0000000},
		{name: "read the runner", code: touch(at.runner, loadR1), kind: packet.FaultMemory, pc: 4, address: uint64(at.runner)},
		{name: "write to the runner", code: touch(at.runner, storeR1), kind: packet.FaultMemory, pc: 4, address: uint64(at.runner)},
		{
			name: "run the runner", code: touch(at.runner, jumpR1), kind: packet.FaultMemory,
			pc: uint64(at.runner), outside: true, address: uint64(at.runner),
		},
		{name: "write to a device", code: touch(at.uart, storeR1), kind: packet.FaultMemory, pc: 4, address: uint64(at.uart)},
		{name: "write to code", code: image(0xe24f1008 /* sub r1, pc, #8 */, storeR1), kind: packet.FaultMemory, pc: 4, address: anyAddress},
		{name: "write to the code's alias", code: touch(0xc0000000, storeR1), kind: packet.FaultMemory, pc: 4, address: 0xc0000000},
		{name: "run data", code: image(0xe12fff10 /* bx r0 */), kind: packet.FaultMemory, outside: true, address: anyAddress},
		{
			name: "wild branch", code: touch(0xb2340000, jumpR1), kind: packet.FaultMemory,
			pc: 0xb2340000, outside: true, address: 0xb2340000,
		},
		{name: "branch to 0", code: touch(0, jumpR1), kind: packet.FaultMemory, outside: true},
		{
			name: "unaligned exclusive load", code: image(0xe2801001 /* add r1, r0, #1 */, 0xe1912f9f /* ldrex r2, [r1] */),
			kind: packet.FaultAlignment, pc: 4, address: anyAddress,
		},
		{
			name: "unaligned float", code: image(0xe2801002 /* add r1, r0, #2 */, 0xed910a00 /* vldr s0, [r1] */),
			kind: packet.FaultAlignment, pc: 4, address: anyAddress,
		},
		{name: "undefined instruction", code: image(0xe7f000f0 /* udf #0 */), kind: packet.FaultIllegal},
		{
			name: "undefined Thumb instruction", code: image(0xe28f1001 /* add r1, pc, #1 */, jumpR1, 0xbf00de00 /* udf #0; nop */),
			kind: packet.FaultIllegal, pc: 8,
		},
		{name: "system register", code: image(0xee111f10 /* mrc p15, 0, r1, c1, c0, 0 */), kind: packet.FaultIllegal},
		{name: "counter", code: image(0xec532f1e /* mrrc p15, 1, r2, r3, c14 */), kind: packet.FaultIllegal},
		{name: "cycle counter", code: image(0xee191f1d /* mrc p15, 0, r1, c9, c13, 0 */), kind: packet.FaultIllegal},
		{name: "cache maintenance", code: image(0xee071f15 /* mcr p15, 0, r1, c7, c5, 0 */), kind: packet.FaultIllegal},
		{name: "hypervisor call", code: image(0xe1400070 /* hvc #0 */), kind: packet.FaultIllegal},
		{name: "secure monitor call", code: image(0xe1600070 /* smc #0 */), kind: packet.FaultIllegal},
		{name: "breakpoint", code: image(0xe1200077 /* bkpt #7 */), kind: packet.FaultOther},
		{name: "system call", code: image(0xef000000 /* svc #0 */), kind: packet.FaultOther},
		{
			name: "endless recursion", code: image(0xe52de008 /* str lr, [sp, #-8]! */, 0xebfffffd /* bl .-4 */),
			kind: packet.FaultStack, address: anyAddress,
		},
		{name: "endless loop", code: image(a32Spin), kind: packet.FaultTimeLimit, limit: 20000},
		{name: "limit over before the start", code: image(a32Spin), kind: packet.FaultTimeLimit, limit: 1},
		// In User mode these do nothing.
		{
			name: "mask interrupts", code: image(0xf10c0080 /* cpsid i */, 0xe321f0d3 /* msr cpsr_c, #0xd3 */, a32Spin),
			kind: packet.FaultTimeLimit, pc: 8, limit: 20000,
		},
		{name: "big-endian loop", code: image(0xf1010200 /* setend be */, a32Spin), kind: packet.FaultTimeLimit, pc: 4, limit: 20000},
	}
	if !at.secure {
		cases = append(cases, faultCase{
			name: "unaligned load", code: image(0xe2801001 /* add r1, r0, #1 */, loadR1),
			kind: packet.FaultAlignment, pc: 4, address: anyAddress,
		})
	}
	return cases
}
