package selftest

import (
	"math"
	"math/rand"
	"strings"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/stencils"
)

// doubleType is the dtype of stencils on doubles.
const doubleType = "f64"

// arguments is what a stencil works on, as bits.
type arguments struct {
	src   [3]uint64 // a, b, c
	imm   int32
	word  uint64 // the data word, or two, that ld, ldx and memory forms read
	flags uint32 // the sticky flag word before
}

// effect is what a stencil is to do.
type effect struct {
	result   uint64 // of the result register, if there is one
	signOnly bool   // of which nothing counts but the top bit
	orNaN    bool   // or it is any NaN of single precision
	stores   []word // data words to change
}

// wordsAt is what a stencil stores as words at an offset.
func wordsAt(s *stencils.Stencil, offset uint32, bits uint64) []word {
	out := []word{{offset, uint32(bits)}}
	if s.DType == doubleType {
		out = append(out, word{offset + 4, uint32(bits >> 32)})
	}
	return out
}

// machineOps says what the ops mean that are not in the graph's table.
var machineOps = map[string]func(s *stencils.Stencil, a arguments) effect{
	"mov": func(_ *stencils.Stencil, a arguments) effect { return effect{result: a.src[0]} },
	"ld":  func(_ *stencils.Stencil, a arguments) effect { return effect{result: a.word} },
	"st": func(s *stencils.Stencil, a arguments) effect {
		return effect{stores: wordsAt(s, uint32(a.imm), a.src[0])}
	},
	"ldx": func(_ *stencils.Stencil, a arguments) effect { return effect{result: a.word} },
	"stx": func(s *stencils.Stencil, a arguments) effect {
		return effect{stores: wordsAt(s, uint32(a.imm)+uint32(a.src[1]), a.src[0])}
	},
	"put": func(_ *stencils.Stencil, a arguments) effect { return effect{result: uint64(uint32(a.imm))} },
	"imm": func(_ *stencils.Stencil, a arguments) effect { return effect{result: uint64(uint32(a.imm))} },
	"addi": func(_ *stencils.Stencil, a arguments) effect {
		return effect{result: uint64(uint32(a.src[0]) + uint32(a.imm))}
	},
	"bits":     func(_ *stencils.Stencil, a arguments) effect { return effect{result: a.src[0]} },
	"frombits": func(_ *stencils.Stencil, a arguments) effect { return effect{result: a.src[0]} },
	"fromint":  castOf(graph.OpToF32, graph.I32),
	"toint":    castOf(graph.OpToI32, graph.F32),
	"flaglt":   signOf(func(a, b float32) bool { return a < b }),
	"flagle":   signOf(func(a, b float32) bool { return a <= b }),
	"flageq":   signOf(func(a, b float32) bool { return a == b }),
	"ifflag": func(_ *stencils.Stencil, a arguments) effect {
		if int32(a.src[0]) < 0 {
			return effect{result: a.src[1]}
		}
		return effect{result: a.src[2]}
	},
	"muladd": func(_ *stencils.Stencil, a arguments) effect {
		return effect{result: uint64(uint32(a.src[0]) + uint32(a.src[1])*uint32(a.src[2]))}
	},
	"mulsub": func(_ *stencils.Stencil, a arguments) effect {
		return effect{result: uint64(uint32(a.src[0]) - uint32(a.src[1])*uint32(a.src[2]))}
	},
	"quotient": func(_ *stencils.Stencil, a arguments) effect {
		x, y := int64(int32(a.src[0])), int64(int32(a.src[1]))
		if y == 0 {
			return effect{}
		}
		return effect{result: uint64(uint32(x / y))}
	},
	"absdiff": func(_ *stencils.Stencil, a arguments) effect {
		difference, _ := eval.Scalar(graph.OpSub, graph.F32, a.src[0], a.src[1])
		result, _ := eval.Scalar(graph.OpAbs, graph.F32, difference)
		return effect{result: result}
	},
	"mulhigh": func(_ *stencils.Stencil, a arguments) effect { return effect{result: upperHalf(a)} },
	"mulshr":  func(_ *stencils.Stencil, a arguments) effect { return effect{result: upperHalf(a) >> a.imm} },
	"iszero": func(_ *stencils.Stencil, a arguments) effect {
		if uint32(a.src[0]) == 0 {
			return effect{result: 1}
		}
		return effect{}
	},
	"rest": func(_ *stencils.Stencil, a arguments) effect {
		r := restTowardZero(a)
		if r < 0 {
			r += int32(a.src[1])
		}
		return effect{result: uint64(uint32(r))}
	},
	"restup": func(_ *stencils.Stencil, a arguments) effect {
		return effect{result: uint64(uint32(restTowardZero(a)))}
	},
	"minnum": number(graph.OpMin),
	"maxnum": number(graph.OpMax),
	"spread": func(_ *stencils.Stencil, a arguments) effect {
		return effect{result: uint64(-(uint32(a.src[0]) >> a.imm & 1))}
	},
	"ssat": func(_ *stencils.Stencil, a arguments) effect {
		return effect{result: uint64(uint32(max(-1<<a.imm, min(int64(int32(a.src[0])), 1<<a.imm-1))))}
	},
	"usat": func(_ *stencils.Stencil, a arguments) effect {
		return effect{result: uint64(uint32(max(0, min(int64(int32(a.src[0])), 1<<a.imm-1))))}
	},
	"below": func(_ *stencils.Stencil, a arguments) effect {
		x := math.Float32frombits(uint32(a.src[0]))
		if x != x {
			return effect{result: uint64(math.Float32bits(float32(math.Inf(1))))}
		}
		if math.IsInf(float64(x), -1) {
			return effect{result: uint64(math.Float32bits(float32(math.NaN())))}
		}
		return effect{result: uint64(math.Float32bits(math.Nextafter32(x, float32(math.Inf(-1)))))}
	},
	"key": func(_ *stencils.Stencil, a arguments) effect {
		if x := uint32(a.src[0]); x>>31 != 0 {
			return effect{result: uint64(x ^ 0x7fffffff)}
		}
		return effect{result: a.src[0]}
	},
}

// restTowardZero is that of a division, which leaves all where the divisor is 0.
func restTowardZero(a arguments) int32 {
	x, n := int32(a.src[0]), int32(a.src[1])
	switch n {
	case 0:
		return x
	case -1:
		return 0
	}
	return x % n
}

// upperHalf is that of a product of numbers without a sign.
func upperHalf(a arguments) uint64 { return uint64(uint32(a.src[0])) * uint64(uint32(a.src[1])) >> 32 }

// castOf is a cast as the oracle has it, of what a float register holds.
func castOf(op graph.Op, from graph.DType) func(*stencils.Stencil, arguments) effect {
	return func(_ *stencils.Stencil, a arguments) effect {
		result, _ := eval.Scalar(op, from, a.src[0])
		return effect{result: result}
	}
}

// roundedCasts are the casts to an integer of what an op rounds.
var roundedCasts = map[string]graph.Op{"floortoi": graph.OpFloor, "ceiltoi": graph.OpCeil, "roundtoi": graph.OpRound}

// roundedCast is the cast to an integer of what op gives.
func roundedCast(op graph.Op) func(arguments) effect {
	return func(a arguments) effect {
		rounded, _ := eval.Scalar(op, graph.F32, a.src[0])
		result, _ := eval.Scalar(graph.OpToI32, graph.F32, rounded)
		return effect{result: result}
	}
}

// signOf means an integer of which only the sign counts.
func signOf(holds func(a, b float32) bool) func(*stencils.Stencil, arguments) effect {
	return func(_ *stencils.Stencil, a arguments) effect {
		e := effect{signOnly: true}
		if holds(math.Float32frombits(uint32(a.src[0])), math.Float32frombits(uint32(a.src[1]))) {
			e.result = 1 << 31
		}
		return e
	}
}

func isNaN(x uint64) bool { return uint32(x)&0x7fffffff > 0x7f800000 }

func signalling(x uint64) bool { return isNaN(x) && x&0x400000 == 0 }

// number means an op that passes over a NaN, unless that is signalling.
func number(op graph.Op) func(*stencils.Stencil, arguments) effect {
	return func(_ *stencils.Stencil, a arguments) effect {
		// IEEE 754-2008, which Arm follows, has a NaN for a signalling one, RISC-V the number.
		e := effect{orNaN: signalling(a.src[0]) || signalling(a.src[1])}
		switch {
		case isNaN(a.src[0]):
			e.result = a.src[1]
			return e
		case isNaN(a.src[1]):
			e.result = a.src[0]
			return e
		}
		result, _ := eval.Scalar(op, graph.F32, a.src[0], a.src[1])
		return effect{result: result}
	}
}

// shiftOps are those that shift by a constant from 1 to 31.
var shiftOps = map[string]func(a uint32, n int32) uint32{
	"shli":    func(a uint32, n int32) uint32 { return a << n },
	"shri":    func(a uint32, n int32) uint32 { return uint32(int32(a) >> n) },
	"ushri":   func(a uint32, n int32) uint32 { return a >> n },
	"shrback": func(a uint32, n int32) uint32 { return uint32(int32(a) >> (32 - n)) },
}

// numberOps are those of an integer and a number that is part of an instruction, and the ops of the graph that they are.
var numberOps = map[string]graph.Op{
	"addby": graph.OpAdd, "subby": graph.OpSub, "andby": graph.OpAnd, "orby": graph.OpOr, "xorby": graph.OpXor,
	"ltby": graph.OpLt, "geby": graph.OpGe, "eqby": graph.OpEq, "neby": graph.OpNe,
}

// secondShifted is what an op does whose second operand is shifted, and how that is: xorushr, say.
func secondShifted(name string) (op graph.Op, shift func(uint32, int32) uint32, ok bool) {
	for _, op := range []graph.Op{graph.OpAdd, graph.OpSub, graph.OpAnd, graph.OpOr, graph.OpXor} {
		by, ok := strings.CutPrefix(name, op.String())
		for _, shift := range []string{by, by + "i"} {
			if ok && shiftOps[shift] != nil {
				return op, shiftOps[shift], true
			}
		}
	}
	return 0, nil, false
}

// shiftsBy reports whether an op shifts an operand by a constant.
func shiftsBy(name string) bool {
	_, _, ok := secondShifted(name)
	return ok || shiftOps[name] != nil
}

// programOps are covered by TestPrograms.
var programOps = map[string]bool{"loop": true, "count": true, "until": true, "pointer": true, "lea": true, "addp": true, "subp": true, "ldp": true, "stp": true, "splatp": true,
	"shlp": true, "rowp": true, "rowupp": true, "row2p": true, "rowup2p": true, "call": true, "enter": true, "leave": true, "save": true, "restore": true}

// checkedApart reports whether the cases of a stencil are not those of TestStencils: TestPrograms, TestPicks, TestSkips,
// TestPairs and TestEvery have them.
func checkedApart(s *stencils.Stencil) bool {
	return programOps[s.Op] || pickOps[s.Op] != nil || skipOps[s.Op] != nil || pairOps[s.Op] || everyOps[s.Op] > 0 || testOps[s.Op] || flagOps[s.Op]
}

// limitOps are those whose first operand is a limit, neither zero nor NaN, and the op
// that they are for such a one.
var limitOps = map[string]graph.Op{"atmost": graph.OpMin, "atleast": graph.OpMax}

// limit is a number as a limit: itself, or 1.5.
func limit(dtype string, bits uint64) uint64 {
	if dtype == doubleType {
		if x := math.Float64frombits(bits); x == 0 || x != x {
			return math.Float64bits(1.5)
		}
		return bits
	}
	if x := math.Float32frombits(uint32(bits)); x == 0 || x != x {
		return uint64(math.Float32bits(1.5))
	}
	return bits
}

// meaning is what a stencil computes: the oracle's view of the
// graph's ops, machineOps for the others.
func meaning(s *stencils.Stencil) func(a arguments) effect {
	if f := machineOps[s.Op]; f != nil {
		return func(a arguments) effect { return f(s, a) }
	}
	if f := maskOps[s.Op]; f != nil {
		return func(a arguments) effect { return effect{result: f(s, a)} }
	}
	if op, ok := roundedCasts[s.Op]; ok {
		return roundedCast(op)
	}
	if op, ok := rowOps[s.Op]; ok {
		return func(a arguments) effect { return effect{result: uint64(op.offset(int32(a.src[0]), a.imm))} }
	}
	if f := shiftOps[s.Op]; f != nil {
		return func(a arguments) effect { return effect{result: uint64(f(uint32(a.src[0]), a.imm))} }
	}
	if op, shift, ok := secondShifted(s.Op); ok {
		return func(a arguments) effect {
			result, _ := eval.Scalar(op, graph.I32, a.src[0], uint64(shift(uint32(a.src[1]), a.imm)))
			return effect{result: result}
		}
	}
	if op, ok := numberOps[s.Op]; ok {
		return func(a arguments) effect {
			result, _ := eval.Scalar(op, graph.I32, a.src[0], uint64(uint32(a.imm)))
			return effect{result: result}
		}
	}
	op, ok := limitOps[s.Op]
	if !ok {
		var err error
		if op, err = graph.ParseOp(s.Op); err != nil {
			return nil
		}
	}
	dtype, err := graph.ParseDType(s.DType)
	if err != nil {
		return nil
	}
	return func(a arguments) effect {
		words := append([]uint64{}, a.src[:op.Info().Arity]...)
		if op == graph.OpSelect && uint32(words[0]) != 0 {
			words[0] = 1
		}
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

// specialDoubles are the same for doubles.
var specialDoubles = []uint64{
	0x0000000000000000, 0x8000000000000000, // zeros
	0x0000000000000001, 0x8000000000000001, 0x0008000000000000, 0x000fffffffffffff, 0x800fffffffffffff, // subnormals
	0x0010000000000000, 0x8010000000000000, // smallest normal
	0x3ff0000000000000, 0xbff0000000000000, 0x3fefffffffffffff, 0x3ff0000000000001, // about 1
	0x3fe0000000000000, 0xbfe0000000000000, 0x3fdfffffffffffff, 0xbfe0000000000001, // about 1/2
	0x4000000000000000, 0x4008000000000000, 0xc008000000000000, 0x401c000000000000, // 2 3 -3 7
	0x3ff8000000000000, 0xbff8000000000000, 0x3fd3333333333333, // 1.5 -1.5 0.3
	0x4330000000000000, 0x432fffffffffffff, 0xc330000000000000, 0xc32fffffffffffff, 0x4340000000000001, // about 2^52, where fractions end
	0x41dfffffffc00000, 0x41dfffffffe00000, 0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000, // about 2^31, where i32 ends
	0x43e0000000000000, 0xc3e0000000000001, // about 2^63
	0x47efffffe0000000, 0x47effffff0000000, 0x36a0000000000000, 0x3690000000000000, 0x3690000000000001, // ends of f32
	0x3ff0000010000000, 0x3ff0000030000000, 0x3ff0000010000001, // halfway between two f32
	0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, // largest, infinite
	0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0xfff7ffffffffffff, // NaN, quiet and signalling
	0x400921fb54442d18, 0x3ff921fb54442d18, 0x40862e42fefa39ef, 0xc0874910d52d3051, // pi, pi/2, ends of exp
}

var specialInts = []uint32{0, 1, 2, 3, 5, 7, 10, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x10000, 0x00ffffff, 0x01000001,
	0x40000000, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0xfffffff9, 0xffffffe0, 0xaaaaaaaa}

// specials lists what to try of a type; draw picks anything.
func specials(dtype string) []uint64 {
	list := specialInts
	switch dtype {
	case doubleType:
		return specialDoubles
	case "f32":
		list = specialFloats
	case "bool":
		list = []uint32{0, 1}
	case maskType:
		list = []uint32{0, allOnes}
	}
	out := make([]uint64, len(list))
	for i, w := range list {
		out[i] = uint64(w)
	}
	return out
}

func draw(rng *rand.Rand, dtype string) uint64 {
	if rng.Intn(4) == 0 || dtype == "bool" || dtype == maskType {
		list := specials(dtype)
		return list[rng.Intn(len(list))]
	}
	daily := rng.NormFloat64() * math.Pow(10, float64(rng.Intn(7)-3)) // a number of daily life
	switch {
	case dtype == doubleType && rng.Intn(2) == 0:
		return math.Float64bits(daily)
	case dtype == doubleType:
		return rng.Uint64()
	case dtype == "f32" && rng.Intn(2) == 0:
		return uint64(math.Float32bits(float32(daily)))
	case dtype == "i32" && rng.Intn(2) == 0:
		return uint64(uint32(int32(rng.Intn(200) - 100)))
	}
	return uint64(rng.Uint32())
}

// resultClass is Float or Double for a float result, in whatever register it comes.
func resultClass(s *stencils.Stencil) stencils.Class {
	if roundedCasts[s.Op] != 0 || maskOps[s.Op] != nil {
		return stencils.Int
	}
	if op, err := graph.ParseOp(s.Op); err == nil {
		switch op.Info().Sig {
		case graph.SigToF32:
			return stencils.Float
		case graph.SigToF64:
			return stencils.Double
		case graph.SigOrder, graph.SigEqual, graph.SigTest, graph.SigToI32, graph.SigToBool:
			return stencils.Int
		}
	}
	switch s.DType {
	case "f32":
		return stencils.Float
	case doubleType:
		return stencils.Double
	}
	return stencils.Int
}

// same compares results, any NaN being equal to any other.
func same(c stencils.Class, got, want uint64) bool {
	switch c {
	case stencils.Float:
		return graph.Canonical(graph.F32, got) == graph.Canonical(graph.F32, want)
	case stencils.Double:
		return graph.Canonical(graph.F64, got) == graph.Canonical(graph.F64, want)
	}
	return got == want
}
