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
	graph.OpGt:  {pick: lir.PickGT},
	graph.OpGe:  {pick: lir.PickGE},
	graph.OpLt:  {pick: lir.PickGT, turned: true},
	graph.OpLe:  {pick: lir.PickGE, turned: true},
	graph.OpEq:  {pick: lir.PickEQ},
	graph.OpNe:  {pick: lir.PickEQ, negated: true},
	graph.OpXor: {pick: lir.PickEQ, negated: true}, // of conditions
	lir.LtBy:    {pick: lir.PickGE, negated: true},
	lir.GeBy:    {pick: lir.PickGE},
	lir.EqBy:    {pick: lir.PickEQ},
	lir.NeBy:    {pick: lir.PickEQ, negated: true},
}

// instruction is the test of a comparison.
func (t *tested) instruction() lir.Ins {
	in := lir.Ins{Op: lir.Of(t.op(), lir.TestType(t.cmp.Op.DType())), A: t.cmp.A, B: t.cmp.B, Imm: t.cmp.Imm}
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

// tested is a condition: a comparison that nothing but selects read, or a value that is not 0.
type tested struct {
	aTest
	cmp     lir.Ins
	value   bool
	selects int
}

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
		if t.pick != 0 && s.f.Values[in.D].Home == lir.NoAddr && s.m.Ops[lir.Of(lir.Test, lir.TestType(in.Op.DType()))].Valid {
			found[in.D] = &tested{aTest: t, cmp: *in}
		}
	}
	s.keepRead(found, ins, updates, loop)
	s.addValues(found, ins)
	gather(found, ins)
	s.keepShort(found, ins)
	if len(found) == 0 {
		return ins
	}
	out := make([]lir.Ins, 0, len(ins)+len(found))
	var last lir.Ins // whose flags are there
	for _, in := range ins {
		if c := found[in.D]; c != nil && in.D != 0 && !c.value {
			continue
		}
		t := found[in.A]
		if t == nil || !s.mayPick(&in) {
			out, last = append(out, in), lir.Ins{}
			continue
		}
		if test := t.instruction(); test != last {
			last, out = test, append(out, test)
		}
		pick, other := s.pickOf(&in, t)
		if other.Op != 0 {
			out = append(out, other)
		}
		out = append(out, pick)
	}
	return out
}

// mayPick reports whether an instruction is a select that a pick can replace.
func (s *state) mayPick(in *lir.Ins) bool {
	return in.Op.Code() == graph.OpSelect && s.m.Ops[lir.Of(lir.PickGT, in.Op.DType())].Valid
}

// pickOf is the pick that a select becomes, or what puts a number that it takes in the place of the other operand: of two numbers,
// the other one is put there before it.
func (s *state) pickOf(in *lir.Ins, t *tested) (pick, before lir.Ins) {
	pick = lir.Ins{Op: lir.Of(t.pick, in.Op.DType()), A: in.B, B: in.C, D: in.D}
	if t.negated {
		pick.A, pick.B = pick.B, pick.A
	}
	for k, v := range [2]lir.Val{pick.A, pick.B} {
		if n, ok := s.number(v, in.Op.DType()); ok {
			put := lir.Ins{Op: pick.Op.Put(k), A: pick.A + pick.B - v, D: in.D, Imm: n}
			if n, ok := s.number(put.A, in.Op.DType()); ok && put.A != v {
				before = lir.Ins{Op: lir.Of(lir.Put, graph.I32), D: s.f.NewVal(lir.Int), Imm: n}
				put.A = before.D
			}
			return put, before
		}
	}
	return pick, before
}

// number is a constant that a pick of type t puts.
func (s *state) number(v lir.Val, t graph.DType) (uint32, bool) {
	info, val := &s.m.Ops[lir.Of(lir.PutGT, t)], &s.f.Values[v]
	if !info.Valid || !val.Fixed || val.Lanes > 0 {
		return 0, false
	}
	n := s.f.Data.Words[val.Home.Offset()/graph.WordSize]
	return n, int64(n) <= int64(info.MaxImm)
}

// addValues adds the conditions of selects that are no comparisons, or whose comparisons something else reads: where there are
// branches by tests, a select takes a number, or several selects share a test.
func (s *state) addValues(found map[lir.Val]*tested, ins []lir.Ins) {
	if !s.m.Ops[lir.Of(lir.TestBy, graph.I32)].Valid {
		return
	}
	for i := range ins {
		in := &ins[i]
		if !s.mayPick(in) {
			continue
		}
		if t := found[in.A]; t == nil {
			found[in.A] = &tested{aTest: tests[lir.NeBy], cmp: lir.Ins{Op: lir.Of(lir.NeBy, graph.I32), A: in.A}, value: true, selects: 1}
		} else if t.value {
			t.selects++
		}
	}
}

// keepRead forgets the comparisons that something else than a select reads.
func (s *state) keepRead(found map[lir.Val]*tested, ins, updates []lir.Ins, loop *lir.Loop) {
	for _, list := range [2][]lir.Ins{ins, updates} {
		for i := range list {
			in := &list[i]
			for k, v := range in.Args() {
				if t := found[v]; t == nil || v == 0 {
					continue
				} else if k == 0 && s.mayPick(in) {
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

// near is how far up a select moves to another one.
const near = 4

// gather moves selects up to those by the same test a little above, and what they take in between in front of these.
func gather(found map[lir.Val]*tested, ins []lir.Ins) {
	for i := range ins {
		in := &ins[i]
		if in.Op.Code() != graph.OpSelect || in.A == 0 || found[in.A] == nil {
			continue
		}
		for k := i - 1; k >= max(0, i-near); k-- {
			if above := &ins[k]; above.Op.Code() == graph.OpSelect && sameTest(found, above.A, in.A) {
				gatherAt(ins[k : i+1])
				break
			}
		}
	}
}

// sameTest reports whether two conditions, of which the second is one of those found, have one test.
func sameTest(found map[lir.Val]*tested, v, w lir.Val) bool {
	return v == w || found[v] != nil && found[v].instruction() == found[w].instruction()
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
	var last lir.Ins
	for i := range ins {
		in := &ins[i]
		t := found[in.A]
		if t == nil || !s.mayPick(in) {
			last = lir.Ins{}
			continue
		}
		dt := in.Op.DType()
		gain[in.A] += cost(graph.OpSelect, dt) - cost(t.pick, dt)
		if test := t.instruction(); test != last {
			gain[in.A] -= cost(t.op(), lir.TestType(t.cmp.Op.DType()))
			last = test
		}
	}
	for v, t := range found {
		saved := int(s.m.Ops[t.cmp.Op].Insns)
		switch {
		case t.value && s.m.Ops[lir.Of(lir.SkipGT, graph.I32)].Valid:
			saved = 1 // as good is good enough: there may be a branch
		case t.value:
			saved = 0
		}
		if t.selects == 0 || gain[v]+saved <= 0 {
			delete(found, v)
		}
	}
}
