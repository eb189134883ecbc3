package branch

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/internal/regalloc"
)

// plan says what becomes of the instructions of a list from an index on.
type plan struct {
	from   int
	chosen map[int]aChoice // choices that the branch makes
	sunk   map[int]int     // what moves behind it, or to where it leads: the side
	both   bool            // there is code where it leads
}

// The sides of a branch: behind it, and where it leads.
const (
	behind = iota
	other
	numSides
)

// plan finds out which of some choices a branch can make, and what moves behind it: what computes operands that are needed
// there alone. Where something would have to move, but cannot, what asks for it stays, and all begins anew.
func (s *splitter) plan(list []regalloc.Inst, choices []int, reversed, both bool, after live) plan {
	stay := map[int]bool{}
	for {
		w := walk{splitter: s, needed: after, plan: plan{from: max(0, len(list)-window), chosen: map[int]aChoice{}, sunk: map[int]int{}, both: both}}
		culprit := -1
		for k := len(list) - 1; k >= w.from && culprit < 0; k-- {
			i := &list[k]
			if s.m.Ops[i.Op].Kernel {
				w.from = k + 1
				break
			}
			if c := s.choice(i, reversed); slices.Contains(choices, k) && !stay[k] && !w.touched.meets(c.set(c.d)) {
				culprit = w.choose(k, c, s.condition(i))
			} else if stay[k] || !w.sink(k, i) {
				culprit = w.keep(i)
			}
		}
		if culprit < 0 && len(w.must) > 0 {
			culprit = w.must[0].by
		}
		if culprit < 0 {
			return w.plan
		}
		stay[culprit] = true
	}
}

// walk goes up a list and decides for each instruction whether it stays.
type walk struct {
	*splitter
	plan
	needed           live           // behind the instruction at hand, by what stays
	changed, touched live           // by what stays behind it
	wanted           [numSides]live // by what moves, and nothing else
	must             []demand
	stores           bool // something that stays behind it stores
}

// demand is what has to move with an instruction, as its place changes until there.
type demand struct {
	what live
	by   int
}

// choose makes a choice by the branch.
func (w *walk) choose(k int, c aChoice, by live) (culprit int) {
	d, x, y := c.set(c.d), c.set(c.x), c.set(c.y)
	w.forget(d)
	w.needed = w.needed.without(d)
	if w.both {
		if culprit = w.use(by); culprit < 0 {
			w.want(behind, x)
			w.want(other, y)
			w.chosen[k] = c
		}
		return culprit
	}
	if culprit = w.use(y.union(by)); culprit >= 0 {
		return culprit
	}
	if c.x != c.y {
		w.want(behind, x)
	}
	if c.d == c.x && c.x != c.y {
		w.must = append(w.must, demand{d, k})
	}
	if c.d != c.y {
		w.changed = w.changed.union(d)
	}
	w.chosen[k] = c
	return -1
}

// want notes that a side wants what nothing else needs so far.
func (w *walk) want(side int, set live) { w.wanted[side] = w.wanted[side].union(set.without(w.needed)) }

// sink moves an instruction to a side of the branch, if nothing else needs its result.
func (w *walk) sink(k int, i *regalloc.Inst) bool {
	reads, changes := w.touches(i)
	loads, _ := i.Op.Reads()
	late := reads.without(reads.without(w.changed))
	side := behind
	if w.both && changes.meets(w.wanted[other]) {
		side = other
	}
	if mustRun(*i) || i.Op.MovesTwo() || changes.empty() || !changes.without(w.wanted[side]).empty() || changes.meets(w.needed) ||
		changes.meets(w.wanted[1-side]) ||
		(loads || i.Mem) && w.stores || late.meets(w.needed) {
		return false
	}
	w.forget(changes)
	w.want(side, reads)
	if !late.empty() {
		w.must = append(w.must, demand{late, k})
	}
	w.sunk[k] = side
	return true
}

// forget notes that what comes before does not count for what a set holds.
func (w *walk) forget(set live) {
	for side := range w.wanted {
		w.wanted[side] = w.wanted[side].without(set)
	}
	must := w.must[:0]
	for _, d := range w.must {
		if d.what = d.what.without(set); !d.what.empty() {
			must = append(must, d)
		}
	}
	w.must = must
}

// use notes that something that stays needs a set. It gives the instruction, if there is one, that would have it move.
func (w *walk) use(set live) (culprit int) {
	w.needed = w.needed.union(set)
	for side := range w.wanted {
		w.wanted[side] = w.wanted[side].without(set)
	}
	return w.demanding(set)
}

func (w *walk) demanding(set live) int {
	for _, d := range w.must {
		if d.what.meets(set) {
			return d.by
		}
	}
	return -1
}

// keep leaves an instruction in front of the branch.
func (w *walk) keep(i *regalloc.Inst) (culprit int) {
	reads, changes := w.touches(i)
	if by := w.demanding(changes); by >= 0 {
		return by
	}
	w.forget(changes)
	w.needed = w.needed.without(changes)
	stores, _ := i.Op.Writes()
	w.stores = w.stores || stores
	w.touched = w.touched.union(reads).union(changes)
	w.changed = w.changed.union(changes)
	if !i.Op.KeepsFlags() && !i.Op.Picks() {
		w.changed.flags = true
	}
	return w.use(reads)
}

// build carries the plan out.
func (p *plan) build(list []regalloc.Inst, reversed bool) branched {
	b := branched{from: p.from}
	var moves []regalloc.Inst
	for k := p.from; k < len(list); k++ {
		c, chosen := p.chosen[k]
		side, sunk := p.sunk[k]
		switch {
		case chosen:
			b.skip = skip(&list[k], reversed)
			if c.d != c.y && p.both {
				b.other = append(b.other, c.take(c.y))
			} else if c.d != c.y {
				moves = append(moves, c.take(c.y))
			}
			if c.d != c.x {
				b.behind = append(b.behind, c.take(c.x))
			}
		case sunk && side == other:
			b.other = append(b.other, list[k])
		case sunk:
			b.behind = append(b.behind, list[k])
		default:
			b.front = append(b.front, list[k])
		}
	}
	b.moves = len(moves)
	b.front = append(b.front, moves...)
	return b
}
