package local_test

import (
	"encoding/binary"
	"runtime"
	"slices"

	"github.com/copaflash/copaflash/protocol/packet"
)

// programs are hand-assembled for one architecture. Each is called as
// void entry(void *data).
type programs struct {
	store42 []byte // data word 4 = 42
	spin    []byte // endless loop
	system  []byte // a system call
	// setMode leaves the floating-point mode other than it was; getMode stores the mode
	// in data word 4, which is mode in C.
	setMode, getMode []byte
	mode             uint32
	faults           []faulty
	// count adds 1 to data word 4; fail does so, too, and then ends in a fault, or not at all, once that is 20.
	count, fail, hang []byte
}

// A faulty program and the record that it must lead to.
type faulty struct {
	name    string
	code    []byte
	kind    packet.FaultKind
	inside  bool   // the fault is raised by an instruction of the program
	pc      uint64 // its offset, if inside; else the address jumped to, 0: not checked
	address func(data uint64) uint64
	native  bool // QEMU's user mode has not what raises it
}

// emulated is the programs that QEMU's user mode runs.
func (p programs) emulated() programs {
	p.faults = slices.DeleteFunc(slices.Clone(p.faults), func(f faulty) bool { return f.native })
	return p
}

func at(address uint64) func(uint64) uint64 { return func(uint64) uint64 { return address } }

// dataPlus is an address relative to the data block.
func dataPlus(offset int64) func(uint64) uint64 {
	return func(data uint64) uint64 { return data + uint64(offset) }
}

const (
	wild    = 0x123456789000 // mapped nowhere
	wild32  = 0x12345000     // nor this in an address space of 32 bits
	dataEnd = 256 << 20      // end of the runner's data memory
)

var native = map[string]programs{"amd64": x86, "386": x8632, "arm64": arm}[runtime.GOARCH]

var x86 = programs{
	store42: []byte{0xc7, 0x47, 0x10, 42, 0, 0, 0, 0xc3},
	spin:    []byte{0xeb, 0xfe},
	system:  []byte{0xb8, 2, 0, 0, 0, 0x0f, 0x05, 0xc3}, // open
	// sub $8, %rsp; movl $0xdfc0, (%rsp) (round up, flush to zero); ldmxcsr (%rsp); add $8, %rsp; ret
	setMode: []byte{0x48, 0x83, 0xec, 8, 0xc7, 0x04, 0x24, 0xc0, 0xdf, 0, 0, 0x0f, 0xae, 0x14, 0x24, 0x48, 0x83, 0xc4, 8, 0xc3},
	getMode: []byte{0x0f, 0xae, 0x5f, 0x10, 0xc3}, // stmxcsr 16(%rdi); ret
	mode:    0x1f80,
	count:   []byte{0x83, 0x47, 0x10, 1, 0xc3},
	fail:    []byte{0x83, 0x47, 0x10, 1, 0x83, 0x7f, 0x10, 20, 0x72, 2, 0x0f, 0x0b, 0xc3}, // add, cmp, jb over ud2
	hang:    []byte{0x83, 0x47, 0x10, 1, 0x83, 0x7f, 0x10, 20, 0x72, 2, 0xeb, 0xfe, 0xc3},
	faults: []faulty{
		{name: "jump to zero", code: []byte{0x31, 0xc0, 0xff, 0xe0}, kind: packet.FaultMemory, address: at(0)},
		{name: "call nowhere", code: []byte{0x48, 0xb8, 0, 0x90, 0x78, 0x56, 0x34, 0x12, 0, 0, 0xff, 0xd0},
			kind: packet.FaultMemory, pc: wild, address: at(wild)},
		{name: "read at zero", code: []byte{0x31, 0xc0, 0x8b, 0x00, 0xc3}, kind: packet.FaultMemory, inside: true, pc: 2, address: at(0)},
		{name: "write below data", code: []byte{0xc7, 0x47, 0xf0, 1, 0, 0, 0, 0xc3},
			kind: packet.FaultMemory, inside: true, address: dataPlus(-16)},
		{name: "write above data", code: []byte{0xc7, 0x87, 0, 0, 0, 0x10, 1, 0, 0, 0, 0xc3},
			kind: packet.FaultMemory, inside: true, address: dataPlus(dataEnd)},
		{name: "write far below data", code: []byte{0xc7, 0x87, 0, 0, 0, 0x80, 1, 0, 0, 0, 0xc3},
			kind: packet.FaultMemory, inside: true, address: dataPlus(-1 << 31)},
		{name: "write to code", code: []byte{0x48, 0x8d, 0x05, 0xf9, 0xff, 0xff, 0xff, 0xc6, 0x00, 1, 0xc3},
			kind: packet.FaultMemory, inside: true, pc: 7},
		{name: "execute data", code: []byte{0xff, 0xe7}, kind: packet.FaultMemory, address: dataPlus(0)},
		{name: "address not canonical", code: []byte{0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x8b, 0x00, 0xc3},
			kind: packet.FaultMemory, inside: true, pc: 10, address: at(0)},
		{name: "illegal instruction", code: []byte{0x90, 0x0f, 0x0b}, kind: packet.FaultIllegal, inside: true, pc: 1, address: at(0)},
		{name: "integer division", code: []byte{0x31, 0xc9, 0x31, 0xd2, 0xb8, 1, 0, 0, 0, 0xf7, 0xf9, 0xc3},
			kind: packet.FaultArithmetic, inside: true, pc: 9, address: at(0)},
		{name: "stack overflow", code: []byte{0xe8, 0xfb, 0xff, 0xff, 0xff}, kind: packet.FaultStack, inside: true},
		{name: "breakpoint", code: []byte{0xcc, 0xc3}, kind: packet.FaultOther, inside: true, pc: 1, address: at(0)},
		{name: "alignment check", code: []byte{0x9c, 0x81, 0x0c, 0x24, 0, 0, 4, 0, 0x9d, 0x8b, 0x47, 0x01, 0xc3},
			kind: packet.FaultAlignment, inside: true, pc: 9},
		{name: "stack pointer lost", code: []byte{0x31, 0xe4, 0x0f, 0x0b}, kind: packet.FaultIllegal, inside: true, pc: 2},
		{name: "registers lost", code: []byte{
			0x31, 0xdb, 0x31, 0xed, 0x45, 0x31, 0xe4, 0x45, 0x31, 0xed, 0x45, 0x31, 0xf6, 0x45, 0x31, 0xff, // rbx rbp r12-r15 = 0
			0xc7, 0x07, 0xff, 0xff, 0, 0, 0x0f, 0xae, 0x17, // all MXCSR bits, exceptions masked
			0xfd, 0xd9, 0xee, 0xd9, 0xee, // direction flag; x87 stack
			0x0f, 0x0b}, kind: packet.FaultIllegal, inside: true, pc: 30},
	},
}

// The address of the data is on the stack: 8b 54 24 04 takes it to edx.
var x8632 = programs{
	store42: []byte{0x8b, 0x54, 0x24, 4, 0xc7, 0x42, 0x10, 42, 0, 0, 0, 0xc3},
	spin:    []byte{0xeb, 0xfe},
	system:  []byte{0xb8, 5, 0, 0, 0, 0xcd, 0x80, 0xc3}, // open
	// sub $8, %esp; movl $0xdfc0, (%esp) (round up, flush to zero); ldmxcsr (%esp); add $8, %esp; ret
	setMode: []byte{0x83, 0xec, 8, 0xc7, 0x04, 0x24, 0xc0, 0xdf, 0, 0, 0x0f, 0xae, 0x14, 0x24, 0x83, 0xc4, 8, 0xc3},
	getMode: []byte{0x8b, 0x44, 0x24, 4, 0x0f, 0xae, 0x58, 0x10, 0xc3}, // mov 4(%esp), %eax; stmxcsr 16(%eax); ret
	mode:    0x1f80,
	count:   []byte{0x8b, 0x54, 0x24, 4, 0x83, 0x42, 0x10, 1, 0xc3},
	fail:    []byte{0x8b, 0x54, 0x24, 4, 0x83, 0x42, 0x10, 1, 0x83, 0x7a, 0x10, 20, 0x72, 2, 0x0f, 0x0b, 0xc3},
	hang:    []byte{0x8b, 0x54, 0x24, 4, 0x83, 0x42, 0x10, 1, 0x83, 0x7a, 0x10, 20, 0x72, 2, 0xeb, 0xfe, 0xc3},
	faults: []faulty{
		{name: "jump to zero", code: []byte{0x31, 0xc0, 0xff, 0xe0}, kind: packet.FaultMemory, address: at(0)},
		{name: "call nowhere", code: []byte{0xb8, 0, 0x50, 0x34, 0x12, 0xff, 0xd0}, kind: packet.FaultMemory, pc: wild32, address: at(wild32)},
		{name: "read at zero", code: []byte{0x31, 0xc0, 0x8b, 0x00, 0xc3}, kind: packet.FaultMemory, inside: true, pc: 2, address: at(0)},
		{name: "write below data", code: []byte{0x8b, 0x54, 0x24, 4, 0xc7, 0x42, 0xf0, 1, 0, 0, 0, 0xc3},
			kind: packet.FaultMemory, inside: true, pc: 4, address: dataPlus(-16)},
		{name: "write above data", code: []byte{0x8b, 0x54, 0x24, 4, 0xc7, 0x82, 0, 0, 0, 0x10, 1, 0, 0, 0, 0xc3},
			kind: packet.FaultMemory, inside: true, pc: 4, address: dataPlus(dataEnd)},
		{name: "write far below data", code: []byte{0x8b, 0x54, 0x24, 4, 0xc7, 0x82, 0, 0, 0, 0xf0, 1, 0, 0, 0, 0xc3},
			kind: packet.FaultMemory, inside: true, pc: 4, address: dataPlus(-256 << 20)},
		{name: "write to code", code: []byte{0xe8, 0, 0, 0, 0, 0x58, 0xc6, 0x00, 1, 0xc3}, kind: packet.FaultMemory, inside: true, pc: 6},
		{name: "execute data", code: []byte{0x8b, 0x54, 0x24, 4, 0xff, 0xe2}, kind: packet.FaultMemory, address: dataPlus(0)},
		{name: "illegal instruction", code: []byte{0x90, 0x0f, 0x0b}, kind: packet.FaultIllegal, inside: true, pc: 1, address: at(0)},
		{name: "integer division", code: []byte{0x31, 0xc9, 0x31, 0xd2, 0xb8, 1, 0, 0, 0, 0xf7, 0xf9, 0xc3},
			kind: packet.FaultArithmetic, inside: true, pc: 9, address: at(0)},
		{name: "stack overflow", code: []byte{0xe8, 0xfb, 0xff, 0xff, 0xff}, kind: packet.FaultStack, inside: true},
		{name: "breakpoint", code: []byte{0xcc, 0xc3}, kind: packet.FaultOther, inside: true, pc: 1, address: at(0)},
		{name: "alignment check", code: []byte{0x8b, 0x54, 0x24, 4, 0x9c, 0x81, 0x0c, 0x24, 0, 0, 4, 0, 0x9d, 0x8b, 0x42, 1, 0xc3},
			kind: packet.FaultAlignment, inside: true, pc: 13, native: true},
		{name: "stack pointer lost", code: []byte{0x31, 0xe4, 0x0f, 0x0b}, kind: packet.FaultIllegal, inside: true, pc: 2},
		{name: "registers lost", code: []byte{
			0x8b, 0x54, 0x24, 4, 0x31, 0xdb, 0x31, 0xed, 0x31, 0xf6, 0x31, 0xff, // ebx ebp esi edi = 0
			0xc7, 0x02, 0xff, 0xff, 0, 0, 0x0f, 0xae, 0x12, // all MXCSR bits, exceptions masked
			0xfd, 0xd9, 0xee, 0xd9, 0xee, // direction flag; x87 stack
			0x31, 0xc0, 0x8e, 0xd8, 0x8e, 0xc0, // ds es = 0
			0x0f, 0x0b}, kind: packet.FaultIllegal, inside: true, pc: 32},
	},
}

var arm = programs{
	store42: words(0x52800541, 0xb9001001, 0xd65f03c0),
	spin:    words(0x14000000),
	system:  words(0xd2800708, 0xd4000001, 0xd65f03c0), // openat
	setMode: words(0xd2a00801, 0xd51b4401, 0xd65f03c0), // mov x1, #0x400000 (round up); msr fpcr, x1; ret
	getMode: words(0xd53b4401, 0xb9001001, 0xd65f03c0), // mrs x1, fpcr; str w1, [x0, #16]; ret
	count:   words(0xb9401001, 0x11000421, 0xb9001001, 0xd65f03c0),
	fail:    words(0xb9401001, 0x11000421, 0xb9001001, 0x7100503f, 0x54000043, 0, 0xd65f03c0), // ..., cmp w1, #20; b.lo over udf
	hang:    words(0xb9401001, 0x11000421, 0xb9001001, 0x7100503f, 0x54000043, 0x14000000, 0xd65f03c0),
	faults: []faulty{
		{name: "jump to zero", code: words(0xd2800001, 0xd61f0020), kind: packet.FaultMemory, address: at(0)},
		{name: "read at zero", code: words(0xd2800001, 0xb9400021), kind: packet.FaultMemory, inside: true, pc: 4, address: at(0)},
		{name: "write below data", code: words(0xb81f0001), kind: packet.FaultMemory, inside: true, address: dataPlus(-16)},
		{name: "write above data", code: words(0x91400001|4095<<10, 0x91400421, 0xd2a20002, 0x8b020001, 0xb9000021),
			kind: packet.FaultMemory, inside: true, pc: 16, address: dataPlus(dataEnd)},
		{name: "write to code", code: words(0x10000001, 0xb9000021), kind: packet.FaultMemory, inside: true, pc: 4},
		{name: "execute data", code: words(0xd61f0000), kind: packet.FaultMemory, address: dataPlus(0)},
		{name: "illegal instruction", code: words(0xd503201f, 0), kind: packet.FaultIllegal, inside: true, pc: 4, address: at(0)},
		{name: "stack overflow", code: words(0xa9bf7bfd, 0x17ffffff), kind: packet.FaultStack, inside: true},
		{name: "breakpoint", code: words(0xd4200000), kind: packet.FaultOther, inside: true, address: at(0)},
		{name: "stack pointer lost", code: words(0xd2800001, 0x9100003f, 0), kind: packet.FaultIllegal, inside: true, pc: 8},
		{name: "registers lost", code: words(0xd2800013, 0xd2800014, 0xd280001d, 0xd280001e, 0x92800001, 0xd51b4401, 0),
			kind: packet.FaultIllegal, inside: true, pc: 24}, // x19 x20 x29 x30 = 0, all FPCR bits
	},
}

var armv7 = programs{
	store42: words(0xe3a0102a, 0xe5801010, 0xe12fff1e), // mov r1, #42; str r1, [r0, #16]; bx lr
	spin:    words(0xeafffffe),
	system:  words(0xe3a07005, 0xef000000, 0xe12fff1e),                                                 // mov r7, #5 (open); svc
	setMode: words(0xe3a01501, 0xeee11a10, 0xe12fff1e),                                                 // mov r1, #0x400000 (round up); vmsr fpscr, r1
	getMode: words(0xeef11a10, 0xe5801010, 0xe12fff1e),                                                 // vmrs r1, fpscr; str
	count:   words(0xe5901010, 0xe2811001, 0xe5801010, 0xe12fff1e),                                     // ldr, add, str
	fail:    words(0xe5901010, 0xe2811001, 0xe5801010, 0xe3510014, 0x3a000000, 0xe7f000f0, 0xe12fff1e), // ..., cmp; blo over udf
	hang:    words(0xe5901010, 0xe2811001, 0xe5801010, 0xe3510014, 0x3a000000, 0xeafffffe, 0xe12fff1e),
	faults: []faulty{
		{name: "jump to zero", code: words(0xe3a01000, 0xe12fff11), kind: packet.FaultMemory, address: at(0)},
		{name: "read at zero", code: words(0xe3a01000, 0xe5911000), kind: packet.FaultMemory, inside: true, pc: 4, address: at(0)},
		{name: "write below data", code: words(0xe5001010), kind: packet.FaultMemory, inside: true, address: dataPlus(-16)},
		{name: "write above data", code: words(0xe2801201, 0xe5811000), // add r1, r0, #0x10000000
			kind: packet.FaultMemory, inside: true, pc: 4, address: dataPlus(dataEnd)},
		{name: "write to code", code: words(0xe24f1008, 0xe5811000), kind: packet.FaultMemory, inside: true, pc: 4}, // sub r1, pc, #8
		{name: "execute data", code: words(0xe12fff10), kind: packet.FaultMemory, address: dataPlus(0)},
		{name: "illegal instruction", code: words(0xe320f000, 0xe7f000f0), kind: packet.FaultIllegal, inside: true, pc: 4, address: at(0)},
		{name: "stack overflow", code: words(0xe92d4010, 0xeafffffd), kind: packet.FaultStack, inside: true}, // push; b to it
		{name: "stack pointer lost", code: words(0xe3a0d000, 0xe7f000f0), kind: packet.FaultIllegal, inside: true, pc: 4},
		{name: "registers lost", code: words(0xe3a04000, 0xe3a05000, 0xe3a0b000, 0xe3a0e000, 0xe3e01000, 0xeee11a10, 0xe7f000f0),
			kind: packet.FaultIllegal, inside: true, pc: 24}, // r4 r5 r11 lr = 0, all FPSCR bits
	},
}

func words(w ...uint32) []byte {
	var b []byte
	for _, v := range w {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}
