package branch

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/regalloc"
)

// branched is code with a branch: what a list becomes from an index on, that is code in front of the branch, no more than there was,
// the branch, and the code behind it up to where it leads.
type branched struct {
	from   int
	front  []regalloc.Inst
	skip   regalloc.Inst
	behind []regalloc.Inst
	other  []regalloc.Inst // what is carried out in the place of behind, which ends with a skip then
	moves  int             // so many moves at the end of front are for the sides that the choices take without what lies behind
}

const (
	// window is how many instructions before a choice are looked at.
	window = 40
	// reach is how many bytes a branch skips at most: fewer than every architecture allows.
	reach = 240
	// branchCost is what a branch costs, in instructions: that it breaks the flow counts as one.
	branchCost = 2
)

// split puts a branch before the choices at the end of a list that one condition makes, if that pays: by
// the way round that saves most.
func (s *splitter) split(list []regalloc.Inst, after live) (best branched, ok bool) {
	choices := s.together(list)
	most := 0
	for _, reversed := range [2]bool{false, true} {
		for _, b := range s.variants(list, choices, reversed, after) {
			gain := 2*s.cost(list[b.from:]) - 2*(s.cost(b.front)+branchCost) - s.cost(b.behind)
			if len(b.other) > 0 {
				gain -= s.cost(b.other) + branchCost
			}
			if gain > most && s.fits(b.behind) && s.fits(b.other) && same(s.m, list[b.from:], b.whole(), after) {
				most, best, ok = gain, b, true
			}
		}
	}
	return best, ok
}

// whole is all of it.
func (b *branched) whole() []regalloc.Inst {
	return slices.Concat(b.front, branchOver(b.skip, b.behind, b.other))
}

var skipOp = lir.Of(lir.Skip, graph.I32)

// branchOver is a branch with the code behind it, and that where it leads if there is such.
func branchOver(skip regalloc.Inst, behind, other []regalloc.Inst) []regalloc.Inst {
	if len(other) > 0 {
		behind = append(slices.Clip(behind), regalloc.Inst{Op: skipOp, Imm: uint32(len(other))})
	}
	skip.Imm = uint32(len(behind))
	return slices.Concat([]regalloc.Inst{skip}, behind, other)
}

func (s *splitter) cost(list []regalloc.Inst) (n int) {
	for k := range list {
		insns, _ := s.size(&list[k])
		n += insns
	}
	return n
}

func (s *splitter) fits(list []regalloc.Inst) bool {
	n := 0
	for k := range list {
		_, bytes := s.size(&list[k])
		n += bytes
	}
	return n <= reach
}

// together are the choices at the end of a list that go by one condition, by index, last first.
func (s *splitter) together(list []regalloc.Inst) (choices []int) {
	last := &list[len(list)-1]
	for k := len(list) - 1; k >= max(0, len(list)-window); k-- {
		i := &list[k]
		if _, changes := s.touches(i); k < len(list)-1 && !last.Op.Picks() && changes.meets(s.condition(last)) {
			return choices
		}
		switch {
		case s.chooses(*i) && i.Op.Picks() == last.Op.Picks() && (i.Op.Picks() && pickOf(i) == pickOf(last) || !i.Op.Picks() && i.A == last.A):
			choices = append(choices, k)
		case last.Op.Picks() && !i.Op.KeepsFlags() && !i.Op.Picks() || s.m.Ops[i.Op].Kernel:
			return choices
		}
	}
	return choices
}

// pickOf is the pick with registers by the same test as a pick.
func pickOf(i *regalloc.Inst) graph.Op {
	by, _ := i.Op.PicksBy()
	return by
}

// side is what a choice takes: what is in a register, or a number.
type side struct {
	reg     uint8
	number  uint32
	numeral bool
}

// aChoice is a choice, the other way round or not: d becomes x where one goes on behind the branch, y elsewhere.
type aChoice struct {
	class   lir.Class
	d, x, y side
	move    lir.Op // of such a value
}

func (s *splitter) choice(i *regalloc.Inst, reversed bool) aChoice {
	of := lir.ResultClass(i.Op)
	c := aChoice{class: s.m.Bank(of), d: side{reg: i.D}, x: side{reg: i.A}, y: side{reg: i.B}, move: lir.Of(lir.Move, of.Type())}
	switch {
	case i.Op.Puts():
		c.x, c.y = side{number: i.Imm, numeral: true}, c.x
		if _, other := i.Op.PicksBy(); other {
			reversed = !reversed
		}
	case !i.Op.Picks():
		c.x, c.y = side{reg: i.B}, side{reg: i.C}
	}
	if reversed {
		c.x, c.y = c.y, c.x
	}
	return c
}

// set is the register of a side.
func (c *aChoice) set(x side) live {
	if x.numeral {
		return live{}
	}
	return of(c.class, x.reg)
}

var putOp = lir.Of(lir.Put, graph.I32)

// take is the instruction that takes a side.
func (c *aChoice) take(x side) regalloc.Inst {
	if x.numeral {
		return regalloc.Inst{Op: putOp, D: c.d.reg, Imm: x.number}
	}
	return regalloc.Inst{Op: c.move, D: c.d.reg, A: x.reg}
}

// of is a register as a set.
func of(c lir.Class, r uint8) (set live) {
	set.regs[c] = 1 << r
	return set
}

// condition is what a choice goes by.
func (s *splitter) condition(i *regalloc.Inst) live {
	if i.Op.Picks() {
		return live{flags: true}
	}
	return of(s.m.Bank(lir.Int), i.A)
}

// skipped are, by pick, what goes on further down where it holds, and where it does not.
var skipped = map[graph.Op][2]graph.Op{
	lir.PickGT:     {lir.SkipGT, lir.SkipLE},
	lir.PickGE:     {lir.SkipGE, lir.SkipLT},
	lir.PickEQ:     {lir.SkipEQ, lir.SkipNE},
	graph.OpSelect: {lir.SkipAny, lir.SkipZero},
}

// skip is the branch of a choice: over what is needed where it takes the first side or, reversed, the second one.
func skip(i *regalloc.Inst, reversed bool) regalloc.Inst {
	code := i.Op.Code()
	if i.Op.Picks() {
		code = pickOf(i)
	}
	by := skipped[code]
	out := regalloc.Inst{Op: lir.Of(by[1], graph.I32)}
	if reversed {
		out.Op = lir.Of(by[0], graph.I32)
	}
	if !i.Op.Picks() {
		out.A = i.A
	}
	return out
}

// variants are ways to put a branch before choices, from plain to daring. None need be right.
func (s *splitter) variants(list []regalloc.Inst, choices []int, reversed bool, after live) []branched {
	var all []branched
	if p := s.plan(list, choices, reversed, false, after); len(p.chosen) > 0 {
		plain := p.build(list, reversed)
		all = append(all, plain)
		for _, whole := range [2]bool{false, true} {
			retargeted := s.retarget(plain, whole, after)
			all = append(all, retargeted, s.coalesce(retargeted, whole, after))
		}
	}
	if !s.can(lir.Skip) || reversed {
		return s.withComparisons(all, after)
	}
	if p := s.plan(list, choices, reversed, true, after); len(p.chosen) > 0 {
		if plain := p.build(list, reversed); len(plain.other) > 0 && len(plain.behind) > 0 {
			all = append(all, plain, s.retarget(plain, false, after), s.retarget(plain, true, after))
		}
	}
	return s.withComparisons(all, after)
}

// withComparisons adds variants whose branches compare by themselves.
func (s *splitter) withComparisons(all []branched, after live) []branched {
	for _, b := range all[:len(all):len(all)] {
		if c, ok := s.compare(b, after); ok {
			all = append(all, c)
		}
	}
	return all
}
