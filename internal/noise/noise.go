// Package noise makes random machine code for tests of runners: instructions that
// are valid, that touch the system, that branch, and bytes that mean nothing.
package noise

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// longest is the most items, instructions or so, in a program.
const longest = 16

// Program returns program number of a seed, for the architecture of that name in the
// protocol. It has no system call if harmless is set, for runners that no filter
// protects.
func Program(arch string, seed uint64, number int, harmless bool) ([]byte, error) {
	encoding, ok := encodings[arch]
	if !ok {
		return nil, fmt.Errorf("no random machine code for architecture %q: it needs a row in encodings", arch)
	}
	r := rand.New(rand.NewPCG(seed, uint64(number)))
	var code []byte
	for range 1 + r.IntN(1+r.IntN(longest)) { // most are short: a long one hardly ever gets to its end
		code = append(code, item(r, encoding)...)
	}
	if r.IntN(4) != 0 {
		code = append(code, returns[encoding]...)
	}
	if harmless && encoding == "aarch64" {
		for at := 0; at+4 <= len(code); at += 4 {
			if w := binary.LittleEndian.Uint32(code[at:]); w&0xffe0001f == 0xd4000001 {
				binary.LittleEndian.PutUint32(code[at:], 0xd503201f) // nop
			}
		}
	}
	return code, nil
}

// encodings of the instructions of each architecture.
var encodings = map[string]string{
	"x86_64": "x86_64", "x86_32": "x86_32", "aarch64": "aarch64", "armv7a": "a32", "armv6": "a32",
	"thumbv6m": "thumb", "thumbv7m": "thumb", "thumbv7em-sp": "thumb", "thumbv7em-dp": "thumb",
	"rv64gc": "riscv", "rv32imafc": "riscv", "rv32imac": "riscv",
}

// returns leads back to the runner.
var returns = map[string][]byte{
	"x86_64": {0xc3}, "x86_32": {0xc3}, "aarch64": word32(0xd65f03c0), "a32": word32(0xe12fff1e), "thumb": {0x70, 0x47}, "riscv": word32(0x00008067),
}

func word32(w uint32) []byte { return binary.LittleEndian.AppendUint32(nil, w) }

func item(r *rand.Rand, encoding string) []byte {
	switch encoding {
	case "x86_64", "x86_32":
		return x86(r, encoding == "x86_64")
	case "thumb":
		if r.IntN(2) == 0 {
			return pick(r, thumb16)[:2]
		}
		w := pick(r, thumb32) // the first halfword comes first in memory
		return []byte{w[2], w[3], w[0], w[1]}
	case "riscv":
		if r.IntN(8) == 0 {
			return pick(r, []pattern{{0, 0}})[:2]
		}
		return pick(r, riscv)
	case "aarch64":
		return pick(r, aarch64)
	default:
		return pick(r, a32)
	}
}

// A pattern is an instruction of which the bits outside of the mask are random.
type pattern struct{ value, mask uint32 }

func pick(r *rand.Rand, from []pattern) []byte {
	if r.IntN(10) == 0 {
		return word32(r.Uint32())
	}
	p := from[r.IntN(len(from))]
	return word32(p.value | r.Uint32()&^p.mask)
}

var aarch64 = []pattern{
	{0xd5000000, 0xffc00000}, // system registers, hints, barriers, caches
	{0xd5000000, 0xffc00000}, {0xd503201f, 0xfffff01f}, {0xd5184000, 0xfff8f000}, {0xd51b0000, 0xffff0000},
	{0xd4000000, 0xff000000}, {0xd4000001, 0xffe0001f}, // exceptions, system calls
	{0x14000000, 0xfffffff0}, {0x17fffff0, 0xfffffff0}, {0x94000000, 0xfffffff0}, {0x54000000, 0xffffff10}, {0x34000000, 0x7effff00}, {0x36000000, 0x7e00ff00}, // near branches
	{0xd6000000, 0xfe000000}, {0xd61f0000, 0xfffffc1f}, {0xd63f0000, 0xfffffc1f}, // branches by register, returns of exceptions
	{0x38000000, 0x3a000000}, {0x39000000, 0x3b0003e0}, {0x28000000, 0x3a000000}, {0x08000000, 0x3f000000}, {0x18000000, 0x3b000000}, // memory
	{0xb9000000, 0xff8003e0}, {0xf9000000, 0xff8003e0}, // near the data
	{0x10000000, 0x1c000000}, {0x0a000000, 0x0e000000}, {0x0e000000, 0x0e000000}, {0x9100001f, 0xff00001f}, {0xd2800000, 0xff800000},
}

var a32 = []pattern{
	{0xe0000000, 0xfe000000}, {0xe2000000, 0xfe000000}, {0xe4000000, 0xfe000000}, {0xe6000000, 0xfe000000}, {0xe8000000, 0xfe000000},
	{0xe5800000, 0xffef0f00}, {0xe5900000, 0xffff0f00}, // near the data
	{0x0a000000, 0x0ffffff0}, {0x0afffff0, 0x0ffffff0}, {0xfa000000, 0xfffffff0}, {0xeb000000, 0xfffffff0}, // near branches
	{0xec000000, 0xfe000000}, {0xee000010, 0xff000010}, {0xee000f10, 0xff000f10}, {0xee000e10, 0xff000e10}, {0xef000000, 0xff000000}, // coprocessors, calls
	{0xe1200000, 0xffb000f0}, {0xe3200000, 0xffb00000}, {0xe12fff10, 0xfffffff0}, {0xe12fff30, 0xfffffff0}, {0xe1200070, 0xfff000f0}, {0xe1000000, 0xff900f00},
	{0xf1000000, 0xfff1fe20}, {0xf1010000, 0xfffffdff}, {0xf8000000, 0xfe000000}, {0xf0000000, 0xf0000000}, {0xe320f000, 0xfffffff8}, {0x00000000, 0x00000000},
}

var thumb16 = []pattern{
	{0x0000, 0xc000}, {0x4000, 0xf000}, {0x4700, 0xff00}, {0x4600, 0xfe00}, {0x6000, 0xf83f}, {0x5000, 0xf000}, {0x8000, 0xe000}, {0xb000, 0xf000},
	{0xb660, 0xffe8}, {0xbe00, 0xff00}, {0xbf00, 0xff00}, {0xdf00, 0xff00}, {0xbd00, 0xff00}, {0xb400, 0xfe00}, {0xc000, 0xf000},
	{0xd000, 0xf0f0}, {0xe000, 0xfff0}, {0xe7f0, 0xfff0}, {0xb100, 0xf500}, {0x4485, 0xff87}, {0x4685, 0xff87}, {0, 0},
}

var thumb32 = []pattern{
	{0xe8000000, 0xf8000000}, {0xf0000000, 0xf8000000}, {0xf8000000, 0xf8000000}, {0xf3800000, 0xffe0d000}, {0xf3808800, 0xfff0ff00}, {0xf3e08000, 0xffe0f000},
	{0xf3af8000, 0xfffff800}, {0xf000f800, 0xfffffff0}, {0xf3bf8f00, 0xffffff00}, {0xec000000, 0xfe000000}, {0xee000000, 0xfe000000}, {0xeef10a10, 0xffff0fff},
	{0xeee10a10, 0xffff0fff}, {0xe97fe97f, 0xffffffff}, {0xe840f000, 0xfff0f000}, {0xf8c00000, 0xfff00f00}, {0xf8d00000, 0xfff00f00}, {0xf7f08000, 0xfff0f000},
	{0xe8d0f000, 0xfff0ffe0}, {0xf2400000, 0xfbf08000}, {0xfb90f0f0, 0xfff0f0f0},
}

var riscv = []pattern{
	{0x73, 0x7f}, {0x73, 0x7f}, {0x00000073, 0xfe007fff}, {0x30000073, 0xfc00007f}, {0x00100073, 0xffffffff}, {0x10500073, 0xffffffff}, // system
	{0x03, 0x7f}, {0x23, 0x7f}, {0x00052003, 0xff8ff07f}, {0x00a52023, 0xfefff07f}, // memory; near the data
	{0x63, 0xfe00087f}, {0x6f, 0xfff0007f}, {0xff1ff06f, 0xff1ff07f}, {0x67, 0x707f}, // near branches, and by register
	{0x13, 0x7f}, {0x1b, 0x7f}, {0x33, 0x7f}, {0x3b, 0x7f}, {0x37, 0x7f}, {0x17, 0x7f}, {0x0f, 0x7f}, {0x2f, 0x7f}, {0x113, 0xfff},
	{0x07, 0x7f}, {0x27, 0x7f}, {0x43, 0x73}, {0x53, 0x7f}, {0x00200073, 0xfff07fff}, {0x34000073, 0xfff0007f},
}
