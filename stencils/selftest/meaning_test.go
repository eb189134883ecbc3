package selftest

import (
	"math"
	"math/rand"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/stencils"
)

// arguments is what a stencil works on, as words.
type arguments struct {
	src   [3]uint32 // a, b, c
	imm   int32
	word  uint32 // the data word that ld, ldx and memory forms read
	flags uint32 // the sticky flag word before
}

// effect is what a stencil is to do.
type effect struct {
	result uint32 // of the result register, if there is one
	stores []word // data words to change
}

// machineOps says what the ops mean that are not in the graph's table.
var machineOps = map[string]func(a arguments) effect{
	"mov":  func(a arguments) effect { return effect{result: a.src[0]} },
	"ld":   func(a arguments) effect { return effect{result: a.word} },
	"st":   func(a arguments) effect { return effect{stores: []word{{uint32(a.imm), a.src[0]}}} },
	"ldx":  func(a arguments) effect { return effect{result: a.word} },
	"stx":  func(a arguments) effect { return effect{stores: []word{{uint32(a.imm) + a.src[1], a.src[0]}}} },
	"imm":  func(a arguments) effect { return effect{result: uint32(a.imm)} },
	"addi": func(a arguments) effect { return effect{result: a.src[0] + uint32(a.imm)} },
}

// programOps are covered by TestPrograms.
var programOps = map[string]bool{"loop": true, "call": true, "enter": true, "leave": true}

// meaning is what a stencil computes: the reference interpreter's view of the
// graph's ops, machineOps for the others.
func meaning(s *stencils.Stencil) func(a arguments) effect {
	if f := machineOps[s.Op]; f != nil {
		return f
	}
	op, err := graph.ParseOp(s.Op)
	if err != nil {
		return nil
	}
	dtype, err := graph.ParseDType(s.DType)
	if err != nil {
		return nil
	}
	return func(a arguments) effect {
		words := append([]uint32{}, a.src[:op.Info().Arity]...)
		if s.Form == stencils.Mem {
			words[len(words)-1] = a.word
		}
		result, flags := eval.Scalar(op, dtype, words...)
		e := effect{result: result}
		if flags != 0 {
			e.stores = []word{{0, a.flags | flags}}
		}
		return e
	}
}

// specialFloats are the bit patterns that arithmetic gets wrong first.
var specialFloats = []uint32{
	0x00000000, 0x80000000, // zeros
	0x00000001, 0x80000001, 0x00400000, 0x007fffff, 0x807fffff, // subnormals
	0x00800000, 0x80800000, // smallest normal
	0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x3f000000, 0xbf000000, 0x3effffff, 0xbf000001, // about 1 and 1/2
	0x40000000, 0x40400000, 0xc0400000, 0x40e00000, 0x3fc00000, 0xbfc00000, 0x3e99999a, // 2 3 -3 7 1.5 -1.5 0.3
	0x4b000000, 0x4affffff, 0xcb000000, 0xcaffffff, 0x4b800001, // about 2^23, where fractions end
	0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f800000, // about 2^31, where i32 ends
	0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, // largest, infinite
	0x7fc00000, 0xffc00000, 0x7f800001, 0xffbfffff, // NaN, quiet and signalling
	0x40490fdb, 0x3fc90fdb, 0x42b17218, 0xc2aeac50, // pi, pi/2, ends of exp
}

var specialInts = []uint32{0, 1, 2, 3, 5, 7, 10, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x10000, 0x00ffffff, 0x01000001,
	0x40000000, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0xfffffff9, 0xffffffe0, 0xaaaaaaaa}

// specials lists what to try of a type; draw picks anything.
func specials(dtype string) []uint32 {
	switch dtype {
	case "f32":
		return specialFloats
	case "bool":
		return []uint32{0, 1}
	}
	return specialInts
}

func draw(rng *rand.Rand, dtype string) uint32 {
	if rng.Intn(4) == 0 || dtype == "bool" {
		list := specials(dtype)
		return list[rng.Intn(len(list))]
	}
	switch {
	case dtype == "f32" && rng.Intn(2) == 0: // a number of daily life
		return math.Float32bits(float32(rng.NormFloat64() * math.Pow(10, float64(rng.Intn(7)-3))))
	case dtype == "i32" && rng.Intn(2) == 0:
		return uint32(int32(rng.Intn(200) - 100))
	}
	return rng.Uint32()
}

// same compares results, any NaN being equal to any other.
func same(c stencils.Class, got, want uint32) bool {
	if c == stencils.Float {
		return graph.Canonical(graph.F32, got) == graph.Canonical(graph.F32, want)
	}
	return got == want
}
