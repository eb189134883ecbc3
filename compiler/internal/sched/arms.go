package sched

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// What one side of a select needs alone stands right before it, so that nothing between them takes its place in a register, or an
// operand's: a branch can go around it then. Selects by one condition stand beside each other, behind what each of them needs.

// arms are the sides of the selects of a block. Side 1 + 2 * k is what the select at index k takes where its condition holds, the next
// one what it takes elsewhere; side 0 is the block.
type arms struct {
	*state
	ins     []lir.Ins
	of      []int32   // by instruction: the side that alone needs it
	in      [][]int32 // by side: what it has of its own, in order
	size    []int32   // by side: how many instructions of the machine, with those of the sides within
	depth   []int32   // by side: within how many others it is
	made    map[lir.Val]int32
	by      map[lir.Val][]int32 // by condition: the selects
	writes  []int32             // by instruction: how many up to there write memory
	emitted []bool
	out     []lir.Ins
}

// arrange has what sides of selects need alone stand before these, where there are branches around it.
func (s *state) arrange(ins []lir.Ins, updates []lir.Ins, loop *lir.Loop) []lir.Ins {
	if !s.m.Ops[lir.Of(lir.SkipGT, graph.I32)].Valid && !s.m.Ops[lir.Of(lir.SkipZero, graph.I32)].Valid ||
		!slices.ContainsFunc(ins, func(in lir.Ins) bool { return isSelect(&in) }) {
		return ins
	}
	n := len(ins)
	a := &arms{state: s, ins: ins, of: make([]int32, n), in: make([][]int32, 2*n+1), size: make([]int32, 2*n+1), depth: make([]int32, 2*n+1),
		made: make(map[lir.Val]int32, n), by: map[lir.Val][]int32{}, emitted: make([]bool, n), out: make([]lir.Ins, 0, cap(ins))}
	a.writes = make([]int32, n)
	for i := range ins {
		if d := ins[i].D; d != 0 {
			a.made[d] = int32(i)
		}
		if isSelect(&ins[i]) {
			a.by[ins[i].A] = append(a.by[ins[i].A], int32(i))
		}
		if i > 0 {
			a.writes[i] = a.writes[i-1]
		}
		if writes, _ := ins[i].Op.Writes(); writes {
			a.writes[i]++
		}
	}
	a.divide(updates, loop)
	for i, of := range a.of {
		a.in[of] = append(a.in[of], int32(i))
	}
	a.emit(0)
	return a.out
}

func isSelect(in *lir.Ins) bool {
	return in.Op.Code() == graph.OpSelect && lir.Lanes(in.Op.DType()) == 1
}

// deepest is how many sides are within each other, and sharing how many selects stand beside each other, at most.
const (
	deepest = 16
	sharing = 8
)

// nowhere is the side of what nothing needs so far.
const nowhere = -1

// divide finds the side that alone needs an instruction, from the last one on.
func (a *arms) divide(updates []lir.Ins, loop *lir.Loop) {
	for i := range a.of {
		a.of[i] = nowhere
	}
	for i := range updates {
		for _, v := range updates[i].Args() {
			a.need(v, 0)
		}
	}
	if loop != nil {
		for _, p := range loop.Phis {
			a.need(p.Next, 0)
		}
	}
	for i := len(a.ins) - 1; i >= 0; i-- {
		in := &a.ins[i]
		reads, _ := in.Op.Reads()
		if a.of[i] == nowhere || in.E != 0 || a.f.Values[in.D].Home != lir.NoAddr || reads && a.writes[i] < a.writes[len(a.ins)-1] || a.m.Ops[in.Op].Kernel {
			a.of[i] = 0
		}
		side := a.of[i]
		for up := side; up != 0; up = a.around(up) {
			a.size[up] += int32(a.m.Ops[in.Op].Insns)
		}
		if !isSelect(in) {
			for _, v := range in.Args() {
				a.need(v, side)
			}
			continue
		}
		a.need(in.A, side)
		held, other := int32(1+2*i), int32(2+2*i)
		a.depth[held], a.depth[other] = a.depth[side]+1, a.depth[side]+1
		if in.B == in.C || a.depth[side] == deepest {
			held, other = side, side
		}
		a.need(in.B, held)
		a.need(in.C, other)
	}
}

// around is the side that a side is within.
func (a *arms) around(side int32) int32 { return a.of[(side-1)/2] }

// need notes that a side needs a value.
func (a *arms) need(v lir.Val, side int32) {
	i, ok := a.made[v]
	if !ok || v == 0 {
		return
	}
	if a.of[i] == nowhere {
		a.of[i] = side
		return
	}
	// The innermost side that both are in: a select further down is never within one further up.
	x := a.of[i]
	for x != side {
		switch {
		case x == 0 || side == 0:
			x, side = 0, 0
		case (x-1)/2 == (side-1)/2:
			x, side = a.around(x), a.around(side)
		case x < side:
			x = a.around(x)
		default:
			side = a.around(side)
		}
	}
	a.of[i] = x
}

// emit writes down what a side has.
func (a *arms) emit(side int32) {
	for _, i := range a.in[side] {
		if a.emitted[i] {
			continue
		}
		if isSelect(&a.ins[i]) {
			a.selects(i, side)
			continue
		}
		a.write(i)
	}
}

func (a *arms) write(i int32) {
	a.emitted[i] = true
	a.out = append(a.out, a.ins[i])
}

// selects writes down a select with those of a side by the same condition that may stand beside it.
func (a *arms) selects(first, side int32) {
	group := []int32{first}
	same := a.by[a.ins[first].A]
	k, _ := slices.BinarySearch(same, first)
	for _, i := range same[k+1 : min(k+sharing, len(same))] {
		if a.of[i] == side && !a.emitted[i] && a.mayStand(i, first) {
			group = append(group, i)
		}
	}
	held, other := int32(0), int32(0)
	for _, i := range group {
		held, other = held+a.size[1+2*i], other+a.size[2+2*i]
	}
	order := [2]int32{1, 2} // what is longer comes last
	if held > other {
		order = [2]int32{2, 1}
	}
	for _, k := range order {
		for _, i := range group {
			a.emit(2*i + k)
		}
	}
	for _, i := range group {
		a.write(i)
	}
}

// mayStand reports whether all that a select needs is there but for what it alone needs, and may move up to another one.
func (a *arms) mayStand(i, first int32) bool {
	there := func(v lir.Val, side int32) bool {
		k, ok := a.made[v]
		return !ok || v == 0 || a.emitted[k] || a.of[k] == side
	}
	in := &a.ins[i]
	return there(in.B, 1+2*i) && there(in.C, 2+2*i) && a.standsIn(1+2*i, first) && a.standsIn(2+2*i, first)
}

// standsIn reports the same of all in a side.
func (a *arms) standsIn(side, first int32) bool {
	for _, i := range a.in[side] {
		if isSelect(&a.ins[i]) {
			if !a.standsIn(1+2*i, first) || !a.standsIn(2+2*i, first) {
				return false
			}
		}
		if reads, _ := a.ins[i].Op.Reads(); reads && a.writes[i] > a.writes[first] {
			return false
		}
		for _, v := range a.ins[i].Args() {
			k, ok := a.made[v]
			if ok && v != 0 && !a.emitted[k] && !a.within(a.of[k], side) {
				return false
			}
		}
	}
	return true
}

// within reports whether a side is another one or in it.
func (a *arms) within(side, other int32) bool {
	for side != 0 && side < other {
		side = a.around(side)
	}
	return side == other
}
