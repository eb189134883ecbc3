package sched

import "github.com/copaflash/copaflash/compiler/internal/lir"

// reach is how many instructions ahead spread looks for one that need not wait.
const reach = 24

// issueWidth is the number of instructions that an in-order core starts in one cycle.
const issueWidth = 2

// notYet is when the result of an instruction that is not placed is ready.
const notYet = int32(1) << 30

// spread reorders a schedule for cores that wait for operands in order: where
// the next instruction would wait, one of the following that would not is taken
// first. It looks only a few instructions ahead, so that little more is alive
// than in the order given; it begins nothing new while registers are full.
func (s *state) spread(ins []lir.Ins) []lir.Ins {
	for i := range ins {
		s.readyAt[ins[i].D], s.readyAt[ins[i].E] = notYet, notYet
		for _, a := range [3]lir.Val{ins[i].A, ins[i].B, ins[i].C} {
			s.left[a]++
		}
	}
	s.readyAt[0] = 0
	clear(s.live[:])
	out := make([]lir.Ins, 0, cap(ins))
	var window [reach]int32
	n, next := 0, 0
	for slot := int32(0); len(out) < len(ins); slot++ {
		for ; n < reach && next < len(ins); next++ {
			window[n] = int32(next)
			n++
		}
		now := slot / issueWidth
		best, bestAt := 0, notYet
		for k := range n {
			at := s.startOf(&ins[window[k]])
			if at < bestAt && (k == 0 || !s.crowds(&ins[window[k]])) {
				best, bestAt = k, at
			}
			if bestAt <= now {
				break
			}
		}
		slot = max(slot, bestAt*issueWidth)
		in := &ins[window[best]]
		s.place(in, slot/issueWidth)
		out = append(out, *in)
		copy(window[best:], window[best+1:n])
		n--
	}
	for i := range ins {
		s.readyAt[ins[i].D], s.readyAt[ins[i].E] = 0, 0
		for _, a := range [3]lir.Val{ins[i].A, ins[i].B, ins[i].C} {
			s.left[a] = 0
		}
	}
	return out
}

// startOf is the cycle in which an instruction finds its operands.
func (s *state) startOf(in *lir.Ins) int32 {
	return max(s.readyAt[in.A], s.readyAt[in.B], s.readyAt[in.C])
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
		if s.readyAt[a] > 0 && s.left[a] == 1 && s.class(a) == c {
			return false
		}
	}
	return true
}

// place notes that an instruction starts in a cycle.
func (s *state) place(in *lir.Ins, cycle int32) {
	for _, a := range [3]lir.Val{in.A, in.B, in.C} {
		if s.left[a]--; s.left[a] == 0 && s.readyAt[a] > 0 {
			s.live[s.class(a)]--
		}
	}
	for _, v := range [2]lir.Val{in.D, in.E} {
		if v != 0 {
			s.readyAt[v] = cycle + int32(s.m.Ops[in.Op].Latency)
			if s.left[v] > 0 {
				s.live[s.class(v)]++
			}
		}
	}
}
