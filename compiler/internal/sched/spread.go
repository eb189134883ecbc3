package sched

import "github.com/copaflash/copaflash/compiler/internal/lir"

// reach is how many instructions ahead spread looks for one that need not wait.
const reach = 24

// issueWidth is the number of instructions that an in-order core starts in one cycle.
const issueWidth = 2

// notYet is when the result of an instruction that is not placed is ready.
const notYet = int32(1) << 30

// waiting is an instruction that is to be placed.
type waiting struct {
	index int32
	start int32   // the cycle in which it finds its operands; notYet: as long as one of them is not placed
	on    lir.Val // such an operand
}

// spread reorders a schedule for cores that wait for operands in order: where
// the next instruction would wait, one of the following that would not is taken
// first. It looks only a few instructions ahead, so that little more is alive
// than in the order given; it begins nothing new while registers are full. old is room for
// as many instructions.
func (s *state) spread(order, old []lir.Ins) {
	ins := old[:len(order)]
	copy(ins, order)
	if s.readyAt == nil {
		s.readyAt = make([]int32, len(s.vals))
	}
	for i := range ins {
		s.readyAt[ins[i].D], s.readyAt[ins[i].E] = notYet, notYet
		for _, a := range [3]lir.Val{ins[i].A, ins[i].B, ins[i].C} {
			s.vals[a].left++
		}
	}
	s.readyAt[0] = 0
	clear(s.live[:])
	var window [reach]waiting
	n, next, placed := 0, 0, 0
	for slot := int32(0); placed < len(ins); slot++ {
		for ; n < reach && next < len(ins); next++ {
			window[n] = s.waitingFor(int32(next), &ins[next])
			n++
		}
		now := slot / issueWidth
		best, bestAt := 0, notYet
		for k := range n {
			w := &window[k]
			if w.start == notYet && s.readyAt[w.on] != notYet {
				*w = s.waitingFor(w.index, &ins[w.index])
			}
			if w.start < bestAt && (k == 0 || !s.crowds(&ins[w.index])) {
				best, bestAt = k, w.start
			}
			if bestAt <= now {
				break
			}
		}
		slot = max(slot, bestAt*issueWidth)
		in := &ins[window[best].index]
		s.place(in, slot/issueWidth)
		order[placed] = *in
		placed++
		copy(window[best:], window[best+1:n])
		n--
	}
	for i := range ins {
		s.readyAt[ins[i].D], s.readyAt[ins[i].E] = 0, 0
		for _, a := range [3]lir.Val{ins[i].A, ins[i].B, ins[i].C} {
			s.vals[a].left = 0
		}
	}
}

// waitingFor is an instruction with what it waits for.
func (s *state) waitingFor(index int32, in *lir.Ins) waiting {
	w := waiting{index: index}
	for _, a := range [3]lir.Val{in.A, in.B, in.C} {
		if at := s.readyAt[a]; at > w.start {
			w.start, w.on = at, a
		}
	}
	return w
}

// crowds reports whether an instruction would add a value to a class that is
// full, by not ending one of the same class.
func (s *state) crowds(in *lir.Ins) bool {
	if in.D == 0 {
		return false
	}
	c := s.class(in.D)
	if s.live[c] < s.limit[c] {
		return false
	}
	for _, a := range [3]lir.Val{in.A, in.B, in.C} {
		if s.readyAt[a] > 0 && s.vals[a].left == 1 && s.class(a) == c {
			return false
		}
	}
	return true
}

// place notes that an instruction starts in a cycle.
func (s *state) place(in *lir.Ins, cycle int32) {
	for _, a := range [3]lir.Val{in.A, in.B, in.C} {
		if s.vals[a].left--; s.vals[a].left == 0 && s.readyAt[a] > 0 {
			s.live[s.class(a)]--
		}
	}
	for _, v := range [2]lir.Val{in.D, in.E} {
		if v != 0 {
			s.readyAt[v] = cycle + int32(s.m.Ops[in.Op].Latency)
			if s.vals[v].left > 0 {
				s.live[s.class(v)]++
			}
		}
	}
}
