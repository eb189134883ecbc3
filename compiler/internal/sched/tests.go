package sched

import (
	"math"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// aTest is what a comparison is as a test and a pick: turned has the operands the other way round, negated picks
// the other way round.
type aTest struct {
	pick            graph.Op
	turned, negated bool
}

// tests are those of the comparisons: each pick is false where an operand is a NaN, as its comparison is, and
// that of a negated one is true.
var tests = [math.MaxUint8 + 1]aTest{
	graph.OpGt: {pick: lir.PickGT},
	graph.OpGe: {pick: lir.PickGE},
	graph.OpLt: {pick: lir.PickGT, turned: true},
	graph.OpLe: {pick: lir.PickGE, turned: true},
	graph.OpEq: {pick: lir.PickEQ},
	graph.OpNe: {pick: lir.PickEQ, negated: true},
	lir.LtBy:   {pick: lir.PickGE, negated: true},
	lir.GeBy:   {pick: lir.PickGE},
	lir.EqBy:   {pick: lir.PickEQ},
	lir.NeBy:   {pick: lir.PickEQ, negated: true},
}

// instruction is the test of a comparison.
func (t *tested) instruction() lir.Ins {
	in := lir.Ins{Op: lir.Of(t.op(), t.cmp.Op.DType()), A: t.cmp.A, B: t.cmp.B, Imm: t.cmp.Imm}
	if t.turned {
		in.A, in.B = in.B, in.A
	}
	return in
}

func (t *tested) op() graph.Op {
	if t.cmp.B == 0 {
		return lir.TestBy
	}
	return lir.Test
}

// tested is a comparison that nothing but selects read, or, without a result, one with 0 of a value by which several choose.
type tested struct {
	aTest
	cmp     lir.Ins
	selects int
}

// made reports whether the test is in the place of an instruction.
func (t *tested) made() bool { return t.cmp.D != 0 }

// test makes tests of the comparisons of a scheduled block that nothing but selects read, and picks of these,
// where that is shorter: a comparison moves down to its selects, and its result takes no register.
func (s *state) test(ins []lir.Ins, updates []lir.Ins, loop *lir.Loop) []lir.Ins {
	if !s.m.Ops[lir.Of(lir.Test, graph.I32)].Valid {
		return ins
	}
	found := map[lir.Val]*tested{}
	for i := range ins {
		in := &ins[i]
		t := tests[in.Op.Code()]
		if t.pick != 0 && s.f.Values[in.D].Home == lir.NoAddr && s.m.Ops[lir.Of(lir.Test, in.Op.DType())].Valid {
			found[in.D] = &tested{aTest: t, cmp: *in}
		}
	}
	if len(found) > 0 {
		s.keepRead(found, ins, updates, loop)
	}
	s.testValues(found, ins)
	gather(found, ins)
	s.keepShort(found, ins)
	if len(found) == 0 {
		return ins
	}
	out := make([]lir.Ins, 0, len(ins)+len(found))
	last := lir.Val(0) // whose flags are there
	for _, in := range ins {
		if t := found[in.D]; t != nil && t.made() {
			continue
		}
		t := found[in.A]
		if t == nil || in.A == 0 {
			out, last = append(out, in), 0
			continue
		}
		if last != in.A {
			out = append(out, t.instruction())
		}
		last = in.A
		pick := lir.Ins{Op: lir.Of(t.pick, in.Op.DType()), A: in.B, B: in.C, D: in.D}
		if t.negated {
			pick.A, pick.B = pick.B, pick.A
		}
		out = append(out, pick)
	}
	return out
}

// keepRead forgets the comparisons that something else than a select reads.
func (s *state) keepRead(found map[lir.Val]*tested, ins, updates []lir.Ins, loop *lir.Loop) {
	for _, list := range [2][]lir.Ins{ins, updates} {
		for i := range list {
			in := &list[i]
			isSelect := s.picks(in)
			for k, v := range in.Args() {
				if t := found[v]; t == nil || v == 0 {
					continue
				} else if isSelect && k == 0 {
					t.selects++
				} else {
					delete(found, v)
				}
			}
		}
	}
	if loop != nil {
		for _, p := range loop.Phis {
			delete(found, p.Next)
		}
	}
}

// picks reports whether an instruction is a select of which a pick can be made.
func (s *state) picks(in *lir.Ins) bool {
	return in.Op.Code() == graph.OpSelect && s.m.Ops[lir.Of(lir.PickGT, in.Op.DType())].Valid
}

// testValues finds the values that are no such comparisons, and by which several selects choose.
func (s *state) testValues(found map[lir.Val]*tested, ins []lir.Ins) {
	selects := map[lir.Val]int{}
	for i := range ins {
		if in := &ins[i]; s.picks(in) && found[in.A] == nil {
			selects[in.A]++
		}
	}
	for v, n := range selects {
		if n > 1 {
			cmp := lir.Ins{Op: lir.Of(lir.NeBy, graph.I32), A: v}
			found[v] = &tested{aTest: tests[lir.NeBy], cmp: cmp, selects: n}
		}
	}
}

// near is how far up a select moves to another one.
const near = 4

// gather moves selects up to those of the same comparison a little above, with which they share a test, and what they take
// in between in front of these.
func gather(found map[lir.Val]*tested, ins []lir.Ins) {
	for i := range ins {
		in := &ins[i]
		if in.Op.Code() != graph.OpSelect || in.A == 0 || found[in.A] == nil {
			continue
		}
		for k := i - 1; k >= max(0, i-near); k-- {
			if above := &ins[k]; above.Op.Code() == graph.OpSelect && above.A == in.A {
				gatherAt(ins[k : i+1])
				break
			}
		}
	}
}

// gatherAt moves the last of some instructions, a select, behind the first one, another one, with what it takes in between in front of
// both: if that is nothing that the first one gives, and nothing from memory.
func gatherAt(ins []lir.Ins) {
	last := ins[len(ins)-1]
	takes := map[lir.Val]bool{last.B: true, last.C: true}
	var front, rest []lir.Ins
	for k := len(ins) - 2; k > 0; k-- {
		in := ins[k]
		if !takes[in.D] && !takes[in.E] {
			rest = append(rest, in)
			continue
		}
		if reads, _ := in.Op.Reads(); reads {
			return
		}
		for _, v := range in.Args() {
			takes[v] = v != 0
		}
		front = append(front, in)
	}
	if takes[ins[0].D] {
		return
	}
	slices.Reverse(front)
	slices.Reverse(rest)
	copy(ins, slices.Concat(front, []lir.Ins{ins[0], last}, rest))
}

// keepShort forgets those that would be no shorter: a test that selects apart share is made for each of them.
func (s *state) keepShort(found map[lir.Val]*tested, ins []lir.Ins) {
	cost := func(op graph.Op, t graph.DType) int { return int(s.m.Ops[lir.Of(op, t)].Insns) }
	gain := map[lir.Val]int{}
	last := lir.Val(0)
	for i := range ins {
		in := &ins[i]
		t := found[in.A]
		if in.Op.Code() != graph.OpSelect || in.A == 0 || t == nil {
			last = 0
			continue
		}
		dt := in.Op.DType()
		gain[in.A] += cost(graph.OpSelect, dt) - cost(t.pick, dt)
		if last != in.A {
			gain[in.A] -= cost(t.op(), t.cmp.Op.DType())
		}
		last = in.A
	}
	for v, t := range found {
		if t.made() {
			gain[v] += int(s.m.Ops[t.cmp.Op].Insns)
		}
		if t.selects == 0 || gain[v] <= 0 {
			delete(found, v)
		}
	}
}
