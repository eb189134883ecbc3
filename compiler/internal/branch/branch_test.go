package branch

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/regalloc"
)

func ints(op graph.Op) lir.Op { return lir.Of(op, graph.I32) }

const registers = 6

// machine is one for integers, with the flags of tests or without.
func machine(flags bool) *lir.Machine {
	m := &lir.Machine{Regs: [lir.NumClasses]int{lir.Float: 1, lir.Int: registers}}
	add := func(operands uint8, ops ...graph.Op) {
		for _, op := range ops {
			m.Ops[ints(op)] = lir.OpInfo{Valid: true, Operands: operands, Insns: 1}
		}
	}
	add(0, lir.Load, lir.CountEnd, lir.Set, lir.Skip)
	add(1, lir.Store, lir.Move, lir.AddConst)
	add(2, graph.OpAdd, graph.OpSub, graph.OpXor, graph.OpLt, graph.OpGe, graph.OpEq, graph.OpFloorDiv)
	if flags {
		add(0, lir.SkipGT, lir.SkipGE, lir.SkipEQ, lir.SkipLE, lir.SkipLT, lir.SkipNE, lir.Put)
		add(1, lir.TestBy, lir.PutGT, lir.PutGE, lir.PutEQ, lir.PutLE, lir.PutLT, lir.PutNE)
		add(2, lir.Test, lir.PickGT, lir.PickGE, lir.PickEQ)
	} else {
		add(1, lir.SkipZero, lir.SkipAny, lir.LtBy, lir.GeBy, lir.SkipNegative, lir.SkipNoNegative, lir.SkipPositive, lir.SkipNoPositive)
		add(2, lir.SkipLess, lir.SkipNoLess, lir.SkipEqual, lir.SkipOther)
		add(3, graph.OpSelect)
	}
	return m
}

func size(i *regalloc.Inst) (insns, bytes int) {
	if i.Op.Picks() || i.Op.Code() == graph.OpSelect {
		return 2, 4
	}
	return 1, 2
}

// computer carries out code on numbers.
type computer struct {
	regs    [registers]int32
	memory  map[uint32]int32
	order   int // of the operands that were tested last
	divided int // divisions raise a flag, and are all carried out
	steps   int
}

func truthOf(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

func compare(a, b int32) int { return int(truthOf(a > b) - truthOf(a < b)) }

// binary are the results of ops on two operands.
var binary = map[graph.Op]func(a, b int32) int32{
	graph.OpAdd: func(a, b int32) int32 { return a + b },
	graph.OpSub: func(a, b int32) int32 { return a - b },
	graph.OpXor: func(a, b int32) int32 { return a ^ b },
	graph.OpLt:  func(a, b int32) int32 { return truthOf(a < b) },
	graph.OpGe:  func(a, b int32) int32 { return truthOf(a >= b) },
	graph.OpEq:  func(a, b int32) int32 { return truthOf(a == b) },
}

// goesOn says, by skip, for which order of the operands, or of one operand and 0, it goes on further down.
var goesOn = map[graph.Op]func(order int) bool{
	lir.SkipGT: func(o int) bool { return o > 0 }, lir.SkipLE: func(o int) bool { return o <= 0 },
	lir.SkipGE: func(o int) bool { return o >= 0 }, lir.SkipLT: func(o int) bool { return o < 0 },
	lir.SkipEQ: func(o int) bool { return o == 0 }, lir.SkipNE: func(o int) bool { return o != 0 },
	lir.SkipLess: func(o int) bool { return o < 0 }, lir.SkipNoLess: func(o int) bool { return o >= 0 },
	lir.SkipZero: func(o int) bool { return o == 0 }, lir.SkipAny: func(o int) bool { return o != 0 },
	lir.SkipEqual: func(o int) bool { return o == 0 }, lir.SkipOther: func(o int) bool { return o != 0 },
	lir.Skip:         func(int) bool { return true },
	lir.SkipNegative: func(o int) bool { return o < 0 }, lir.SkipNoNegative: func(o int) bool { return o >= 0 },
	lir.SkipPositive: func(o int) bool { return o > 0 }, lir.SkipNoPositive: func(o int) bool { return o <= 0 },
}

// chooses says for which order of what was tested a pick takes its first operand.
var chooses = map[graph.Op]func(order int) bool{
	lir.PickGT: goesOn[lir.SkipGT], lir.PickGE: goesOn[lir.SkipGE], lir.PickEQ: goesOn[lir.SkipEQ],
	lir.PutGT: goesOn[lir.SkipGT], lir.PutGE: goesOn[lir.SkipGE], lir.PutEQ: goesOn[lir.SkipEQ],
	lir.PutLE: goesOn[lir.SkipLE], lir.PutLT: goesOn[lir.SkipLT], lir.PutNE: goesOn[lir.SkipNE],
}

func (c *computer) run(t *testing.T, code *regalloc.Code) {
	t.Helper()
	for k := 0; k < len(code.Insts); k++ {
		i := &code.Insts[k]
		d, a, b := &c.regs[i.D], c.regs[i.A], c.regs[i.B]
		c.steps++
		switch op := i.Op.Code(); {
		case binary[op] != nil:
			if i.Mem {
				b = c.memory[i.Imm]
			}
			*d = binary[op](a, b)
		case op == graph.OpFloorDiv:
			c.divided++
			*d = a / (b | 1)
		case op == graph.OpSelect:
			if *d = c.regs[i.C]; a != 0 {
				*d = b
			}
		case i.Op.Puts():
			if *d = a; chooses[op](c.order) {
				*d = int32(i.Imm)
			}
		case i.Op.Picks():
			if *d = b; chooses[op](c.order) {
				*d = a
			}
		case op == lir.Test:
			c.order = compare(a, b)
		case op == lir.TestBy:
			c.order = compare(a, int32(i.Imm))
		case op == lir.Load:
			*d = c.memory[i.Imm]
		case op == lir.Store:
			c.memory[i.Imm] = a
		case op == lir.Move:
			*d = a
		case op == lir.AddConst:
			*d = a + int32(i.Imm)
		case op == lir.LtBy:
			*d = truthOf(a < int32(i.Imm))
		case op == lir.GeBy:
			*d = truthOf(a >= int32(i.Imm))
		case op == lir.Set || op == lir.Put:
			*d = int32(i.Imm)
		case op == lir.CountEnd:
			if *d--; *d != 0 {
				k = code.Ends[i.Imm].Head - 1
			}
		case i.Op.Skips():
			order := c.order
			switch {
			case i.Op.Operands() == 1:
				order = compare(a, 0)
			case !i.Op.SkipsByTest():
				order = compare(a, b)
			}
			if goesOn[op](order) {
				k += int(i.Imm)
			}
		default:
			t.Fatalf("%s?", i.Op)
		}
		if !i.Op.KeepsFlags() && !i.Op.Picks() && !i.Op.Tests() && !i.Op.Skips() {
			c.order = 0 // as good as anything
		}
	}
}

// drawn is random code: choices, by conditions of which some are alike, of what a few instructions compute, in a loop or not.
func drawn(rng *rand.Rand, flags bool) *regalloc.Code {
	const counter = registers - 1
	code := &regalloc.Code{}
	reg := func() uint8 { return uint8(rng.IntN(counter)) }
	emit := func(op graph.Op, i regalloc.Inst) {
		i.Op = ints(op)
		code.Insts = append(code.Insts, i)
	}
	place := func() uint32 { return uint32(4 * rng.IntN(4)) }
	loop := rng.IntN(2) == 0
	for range rng.IntN(3) {
		emit(graph.OpAdd, regalloc.Inst{D: reg(), A: reg(), B: reg()})
	}
	emit(lir.Set, regalloc.Inst{D: counter, Imm: 3})
	head := len(code.Insts)
	pick := lir.PickGT + graph.Op(rng.IntN(3))
	for range 4 + rng.IntN(30) {
		i := regalloc.Inst{D: reg(), A: reg(), B: reg()}
		switch n := rng.IntN(12); {
		case n < 4:
			if rng.IntN(4) == 0 {
				i.Mem, i.Imm = true, place()
			}
			emit([]graph.Op{graph.OpAdd, graph.OpSub, graph.OpXor, graph.OpLt, graph.OpGe, graph.OpEq}[rng.IntN(6)], i)
		case n < 5:
			op := lir.AddConst
			if !flags {
				op = []graph.Op{lir.AddConst, lir.LtBy, lir.GeBy}[rng.IntN(3)]
			}
			emit(op, regalloc.Inst{D: i.D, A: i.A, Imm: uint32(rng.IntN(3))})
		case n < 6:
			emit(lir.Move, regalloc.Inst{D: i.D, A: i.A})
		case n < 7:
			emit(lir.Load, regalloc.Inst{D: i.D, Imm: place()})
		case n < 8:
			emit(lir.Store, regalloc.Inst{A: i.A, Imm: place()})
		case n < 9 && rng.IntN(4) == 0:
			emit(graph.OpFloorDiv, i)
		case !flags:
			if rng.IntN(3) == 0 { // by what nothing else asks for
				less := []graph.Op{lir.LtBy, lir.GeBy, graph.OpLt, graph.OpGe, graph.OpEq}[rng.IntN(5)]
				emit(less, regalloc.Inst{D: i.D, A: i.A, B: i.B, Imm: uint32(rng.IntN(2))})
				emit(graph.OpAdd, regalloc.Inst{D: counter - 1, A: reg(), B: reg()})
				emit(graph.OpSelect, regalloc.Inst{D: i.D, A: i.D, B: counter - 1, C: reg()})
				continue
			}
			i.C, i.A = i.B, i.A%2
			i.B = reg()
			emit(graph.OpSelect, i)
		default:
			if rng.IntN(3) == 0 {
				emit(lir.TestBy, regalloc.Inst{A: i.A, Imm: uint32(rng.IntN(3))})
			} else {
				emit(lir.Test, regalloc.Inst{A: i.A, B: i.B})
			}
			for range 1 + rng.IntN(3) {
				switch rng.IntN(6) {
				case 0:
					emit(lir.Move, regalloc.Inst{D: reg(), A: reg()})
				case 1:
					emit(lir.Load, regalloc.Inst{D: reg(), Imm: place()})
				}
				if rng.IntN(3) == 0 {
					put := ints(pick).Put(rng.IntN(2)).Code()
					emit(put, regalloc.Inst{D: reg(), A: reg(), Imm: uint32(rng.IntN(4))})
					continue
				}
				emit(pick, regalloc.Inst{D: reg(), A: reg(), B: reg()})
			}
		}
	}
	if loop {
		code.Ends = []regalloc.End{{Head: head, Counts: true, Iterations: 3}}
		emit(lir.CountEnd, regalloc.Inst{D: counter})
	}
	for r := range uint8(counter) {
		if rng.IntN(3) > 0 {
			emit(lir.Store, regalloc.Inst{A: r, Imm: uint32(100 + 4*int(r))})
		}
	}
	return code
}

// Code with branches leaves what it left without, for all numbers, divides as often, and takes no more instructions than its bound:
// one each.
func TestRandom(t *testing.T) {
	for _, flags := range [2]bool{true, false} {
		rng := rand.New(rand.NewPCG(7, uint64(truthOf(flags))))
		m := machine(flags)
		branches := map[graph.Op]int{}
		for range 1500 {
			code := drawn(rng, flags)
			plain := &regalloc.Code{Insts: slices.Clone(code.Insts), Ends: slices.Clone(code.Ends)}
			Run(code, m, size)
			for _, i := range code.Insts {
				if i.Op.Skips() {
					branches[i.Op.Code()]++
				}
			}
			for range 8 {
				var x computer
				for r := range x.regs {
					x.regs[r] = int32(rng.IntN(5) - 2)
				}
				x.memory = map[uint32]int32{0: 1, 4: 2, 8: -1, 12: 0}
				y := x
				y.memory = map[uint32]int32{0: 1, 4: 2, 8: -1, 12: 0}
				x.run(t, plain)
				y.run(t, code)
				require.Equal(t, x.memory, y.memory, "%v\n%v", plain.Insts, code.Insts)
				require.Equal(t, x.divided, y.divided)
			}
		}
		for op := lir.SkipGT; op <= lir.Skip; op++ {
			if m.Ops[ints(op)].Valid {
				require.Positive(t, branches[op], ints(op))
			}
		}
	}
}

func list(t *testing.T, code []regalloc.Inst) (names []string) {
	t.Helper()
	for _, i := range code {
		names = append(names, i.Op.Name())
	}
	return names
}

// What two choices by one comparison take alone shares a branch, and is computed where it is needed.
func TestOneBranch(t *testing.T) {
	code := &regalloc.Code{Insts: []regalloc.Inst{
		{Op: ints(graph.OpSub), D: 2, A: 0, B: 1},
		{Op: ints(lir.Test), A: 0, B: 1},
		{Op: ints(lir.PickGE), D: 0, A: 2, B: 0},
		{Op: ints(lir.PickGE), D: 3, A: 4, B: 3},
		{Op: ints(lir.Store), A: 0, Imm: 0},
		{Op: ints(lir.Store), A: 3, Imm: 4},
	}}
	code.Insts = slices.Insert(code.Insts, 1, regalloc.Inst{Op: ints(lir.AddConst), D: 4, A: 3, Imm: 1})
	Run(code, machine(true), size)
	require.Equal(t, []regalloc.Inst{
		{Op: ints(lir.Test), A: 0, B: 1},
		{Op: ints(lir.SkipLT), Imm: 2},
		{Op: ints(graph.OpSub), D: 0, A: 0, B: 1},
		{Op: ints(lir.AddConst), D: 3, A: 3, Imm: 1},
		{Op: ints(lir.Store), A: 0, Imm: 0},
		{Op: ints(lir.Store), A: 3, Imm: 4},
	}, code.Insts)
}

// A choice between two choices becomes a branch within a branch.
func TestNested(t *testing.T) {
	code := &regalloc.Code{Insts: []regalloc.Inst{
		{Op: ints(graph.OpAdd), D: 2, A: 0, B: 1},
		{Op: ints(graph.OpSub), D: 2, A: 2, B: 1},
		{Op: ints(graph.OpXor), D: 2, A: 2, B: 1},
		{Op: ints(lir.Test), A: 0, B: 1},
		{Op: ints(lir.PickGT), D: 2, A: 2, B: 3},
		{Op: ints(lir.TestBy), A: 3, Imm: 2},
		{Op: ints(lir.PickEQ), D: 4, A: 2, B: 4},
		{Op: ints(lir.Store), A: 4, Imm: 8},
	}}
	Run(code, machine(true), size)
	require.Equal(t, []string{"testby", "skipne", "test", "mov", "skiple", "add", "sub", "xor", "st"}, list(t, code.Insts))
}
