package branch

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/regalloc"
)

// clone copies what a variant changes.
func (b branched) clone() branched {
	b.front, b.behind, b.other = slices.Clone(b.front), slices.Clone(b.behind), slices.Clone(b.other)
	return b
}

// gives reports whether an instruction changes nothing but a register of a class, which it need not have in common with an operand.
func (s *splitter) gives(i *regalloc.Inst, c lir.Class, r uint8) bool {
	_, changes := s.touches(i)
	return changes == of(c, r) && !s.m.Ops[i.Op].Tied && !i.Op.MovesTwo()
}

// rename puts another register into the operands of an instruction.
func (s *splitter) rename(i *regalloc.Inst, c lir.Class, from, to uint8) {
	classes, regs := lir.OperandClasses(i.Op), [3]*uint8{&i.A, &i.B, &i.C}
	n := int(s.m.Ops[i.Op].Operands)
	if i.Mem {
		n--
	}
	for k := range n {
		if s.m.Bank(classes[k]) == c && *regs[k] == from {
			*regs[k] = to
		}
	}
}

// retarget has what is moved behind the branch computed where it is needed, and reads from there, too, what both sides have.
func (s *splitter) retarget(b branched, whole bool, after live) branched {
	b = b.clone()
	b.behind, b.other = s.aim(b.behind, whole, after), s.aim(b.other, whole, after)
	for _, m := range b.front[len(b.front)-b.moves:] {
		if m.Op.Code() != lir.Move {
			continue
		}
		c := s.m.Bank(lir.ClassOf(m.Op.DType()))
		for k := range b.behind {
			_, changes := s.touches(&b.behind[k])
			s.rename(&b.behind[k], c, m.A, m.D)
			if changes.meets(of(c, m.D).union(of(c, m.A))) {
				break
			}
		}
	}
	return b
}

// aim has what code moves computed where it is needed.
func (s *splitter) aim(list []regalloc.Inst, whole bool, after live) []regalloc.Inst {
	for k := 0; k < len(list); k++ {
		m := list[k]
		if m.Op.Code() != lir.Move {
			continue
		}
		c := s.m.Bank(lir.ClassOf(m.Op.DType()))
		x := of(c, m.A)
		if after.meets(x) || s.uses(list[k+1:], x) {
			continue
		}
		if moved, ok := s.moved(list[:k], c, m.A, m.D, whole); ok {
			list = append(moved, list[k+1:]...)
			k--
		}
	}
	return list
}

// moved is code with what is in a register at its end in another one: since the last change of it or, as a whole, since one for which
// it does not matter what was there.
func (s *splitter) moved(list []regalloc.Inst, c lir.Class, from, to uint8, whole bool) ([]regalloc.Inst, bool) {
	list = slices.Clone(list)
	for q := len(list) - 1; q >= 0; q-- {
		i := &list[q]
		reads, changes := s.touches(i)
		gives := s.gives(i, c, from)
		begins := gives && !(whole && reads.meets(of(c, from)))
		if changes.meets(of(c, to)) || reads.meets(of(c, to)) && !begins || changes.meets(of(c, from)) && !gives {
			break
		}
		if gives {
			i.D = to
		}
		if begins {
			return list, true
		}
		s.rename(i, c, from, to)
	}
	return nil, false
}

// uses reports whether code reads or changes any of a set.
func (s *splitter) uses(list []regalloc.Inst, set live) bool {
	for k := range list {
		if reads, changes := s.touches(&list[k]); reads.union(changes).meets(set) {
			return true
		}
	}
	return false
}

// coalesce has what the moves in front of the branch move computed where they move it.
func (s *splitter) coalesce(b branched, whole bool, after live) branched {
	b = b.clone()
	for f := len(b.front) - 1; f >= len(b.front)-b.moves; f-- {
		m := b.front[f]
		if m.Op.Code() != lir.Move {
			continue
		}
		c := s.m.Bank(lir.ClassOf(m.Op.DType()))
		y := of(c, m.A)
		if after.meets(y) || s.uses(b.behind, y) || s.uses(b.front[f+1:], y) || s.uses([]regalloc.Inst{b.skip}, y) {
			continue
		}
		moved, ok := s.moved(b.front[:f], c, m.A, m.D, whole)
		if !ok {
			continue
		}
		copy(b.front, moved)
		b.front = slices.Delete(b.front, f, f+1)
		b.moves--
	}
	return b
}

// aBranch is a branch that compares by itself: where the comparison holds, and where it does not, with its operands turned or not.
type aBranch struct {
	holds, fails graph.Op
	turned       bool
}

// bySides are the branches by the operands of a comparison.
var bySides = map[graph.Op]aBranch{
	graph.OpLt:  {lir.SkipLess, lir.SkipNoLess, false},
	graph.OpGt:  {lir.SkipLess, lir.SkipNoLess, true},
	graph.OpGe:  {lir.SkipNoLess, lir.SkipLess, false},
	graph.OpLe:  {lir.SkipNoLess, lir.SkipLess, true},
	graph.OpEq:  {lir.SkipEqual, lir.SkipOther, false},
	graph.OpNe:  {lir.SkipOther, lir.SkipEqual, false},
	graph.OpXor: {lir.SkipOther, lir.SkipEqual, false},
}

// aSign is a comparison with a number that the sign of an operand decides.
type aSign struct {
	op graph.Op
	by uint32
}

// bySign are the branches by it.
var bySign = map[aSign]aBranch{
	{lir.LtBy, 0}: {lir.SkipNegative, lir.SkipNoNegative, false},
	{lir.GeBy, 0}: {lir.SkipNoNegative, lir.SkipNegative, false},
	{lir.LtBy, 1}: {lir.SkipNoPositive, lir.SkipPositive, false},
	{lir.GeBy, 1}: {lir.SkipPositive, lir.SkipNoPositive, false},
}

// compare has the branch compare itself, where nothing else needs the comparison.
func (s *splitter) compare(b branched, after live) (branched, bool) {
	code := b.skip.Op.Code()
	if code != lir.SkipAny && code != lir.SkipZero {
		return b, false
	}
	ints := s.m.Bank(lir.Int)
	a := of(ints, b.skip.A)
	q := len(b.front) - 1
	for q >= 0 && !s.uses(b.front[q:q+1], a) {
		q--
	}
	if q < 0 || after.meets(a) || s.uses(b.behind, a) || s.uses(b.other, a) {
		return b, false
	}
	cmp := b.front[q]
	if lir.ClassOf(cmp.Op.DType()) != lir.Int || cmp.D != b.skip.A {
		return b, false
	}
	by, ok := bySign[aSign{cmp.Op.Code(), cmp.Imm}]
	if !ok || !s.can(by.holds) {
		by, ok = bySides[cmp.Op.Code()]
	}
	if !ok || cmp.Mem {
		return b, false
	}
	b = b.clone()
	b.front = slices.Delete(b.front, q, q+1)
	b.skip.Op, b.skip.A, b.skip.B = lir.Of(by.holds, graph.I32), cmp.A, cmp.B
	if code == lir.SkipZero {
		b.skip.Op = lir.Of(by.fails, graph.I32)
	}
	if by.turned {
		b.skip.A, b.skip.B = b.skip.B, b.skip.A
	}
	return b, true
}
