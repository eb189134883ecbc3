package sched

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// reserve is the number of registers of each class that a schedule leaves for
// operands on their way from memory and for results that need a register of
// their own.
const reserve = 3

// width is the number of instructions taken to start in one cycle.
const width = 4

// slack is how much longer, in cycles, the way to go of a cluster must be than
// that of the one first in the queue to overtake it.
const slack = 64

// Run puts the instructions of every block in order.
func Run(f *lir.Func, m *lir.Machine) {
	s := &state{f: f, m: m, vals: make([]value, len(f.Values))}
	f.Blocks(func(b *lir.Block, _ *lir.Loop, _ uint64) { s.most = max(s.most, len(b.Ins)) })
	f.Blocks(func(b *lir.Block, loop *lir.Loop, _ uint64) {
		b.Ins = s.test(s.arrange(s.parts(b, loop), b.Updates, loop), b.Updates, loop)
		b.Ins, b.Updates = append(b.Ins, b.Updates...), nil
	})
}

// parts schedules a block, or what lies between its fences one after the other.
func (s *state) parts(b *lir.Block, loop *lir.Loop) []lir.Ins {
	isFence := func(in lir.Ins) bool { return in.Op.Code() == lir.Fence }
	if !slices.ContainsFunc(b.Ins, isFence) {
		return s.block(b, loop)
	}
	out := make([]lir.Ins, 0, len(b.Ins)+len(b.Updates))
	for rest := b.Ins; len(rest) > 0; {
		part, behind := rest, rest[len(rest):]
		if k := slices.IndexFunc(rest, isFence); k >= 0 {
			part, behind = rest[:k], rest[k+1:]
		}
		out, rest = append(out, s.block(&lir.Block{Ins: part}, loop)...), behind
	}
	return out
}

// block schedules one block and returns the new order, with room for the updates.
func (s *state) block(b *lir.Block, loop *lir.Loop) []lir.Ins {
	ins := b.Ins
	// The steps of pointers stay behind everything that uses the pointers, so
	// that they can be made in place.
	n := len(ins)
	for loop != nil && n > 0 && ins[n-1].Op.Code() == lir.AddConst {
		n--
	}
	if n < 2 {
		return ins
	}
	steps := ins[n:]
	ins = ins[:n]
	s.ins = ins
	s.order = make([]lir.Ins, 0, n+len(steps)+len(b.Updates))
	s.setLimits(loop)
	s.build()
	leaves := s.leaves
	for len(s.order) < len(ins) {
		s.issue(s.pick())
	}
	s.reset()
	s.leaves = leaves[:0]
	s.queue.clear()
	s.hot, s.kill, s.half = s.hot[:0], s.kill[:0], s.half[:0]
	s.goals = s.goals[:0]
	order := append(s.order, steps...)
	if s.m.InOrder {
		s.spread(order[:n], ins)
	}
	return order
}

// setLimits says how many values may be alive. What a loop carries in
// registers is not available in its body, and one more of each class is not that
// holds a word which the body reads all the time.
func (s *state) setLimits(loop *lir.Loop) {
	var carried [lir.NumClasses]int
	if loop != nil && loop.Inner() {
		for c := range carried {
			carried[c] = 1
		}
		for _, p := range loop.Phis {
			carried[s.class(p.Val)]++
		}
	}
	serves := slices.ContainsFunc(s.ins, func(i lir.Ins) bool { return s.m.Ops[i.Op].Serves })
	s.now = 0
	least := 3
	if s.m.Pointers { // phis take all but what an instruction needs
		least = 2
	}
	for c := range s.limit {
		s.live[c] = 0
		s.limit[c] = int32(max(least, s.m.RegsBeside(serves, lir.Class(c))-reserve-carried[c]))
	}
}

// pick chooses a cluster whose operands are all computed.
func (s *state) pick() int32 {
	for len(s.leaves) > 0 && s.at[s.leaves[0]].done {
		s.leaves = s.leaves[1:]
	}
	for s.queue.len() > 0 && s.at[s.queue.first()].done {
		s.queue.pop()
	}
	full := s.full()
	if full {
		if i, ok := s.pickRelief(); ok {
			return i
		}
	}
	switch {
	case s.queue.len() == 0:
		return s.leaves[0]
	case len(s.leaves) == 0:
		return s.pickQueued()
	}
	i := s.pickQueued()
	// While registers are left, chains about as long as this one are begun with
	// it; and others when this one has to wait.
	if l := s.leaves[0]; !full && (s.at[l].height+slack >= s.at[i].height || s.at[i].ready > s.now) {
		return l
	}
	return i
}

// class is the class of the registers that v takes.
func (s *state) class(v lir.Val) lir.Class { return s.m.Bank(s.f.Values[v].Class) }

func (s *state) full() bool {
	for c := range s.live {
		if s.live[c] >= s.limit[c] {
			return true
		}
	}
	return false
}

// pickQueued takes the head of the queue, or what has a much longer way to go.
func (s *state) pickQueued() int32 {
	for s.at[keyIndex(s.hot[0])].done {
		s.hot.pop()
	}
	head := s.queue.first()
	if keyPriority(s.hot[0]) > s.at[head].height+slack {
		return keyIndex(s.hot[0])
	}
	return head
}

// pickRelief takes a cluster that adds to no class of registers that is full, or
// one on the way to such a cluster.
func (s *state) pickRelief() (int32, bool) {
	if s.queue.len() > 0 {
		if i := s.pickQueued(); s.relieves(i) {
			return i, true
		}
	}
	for len(s.kill) > 0 {
		i := keyIndex(s.kill[0])
		if !s.at[i].done && s.relieves(i) {
			return i, true
		}
		s.kill.pop()
	}
	return s.pickGoal()
}

// relieves reports whether cluster i adds to no class that is full.
func (s *state) relieves(i int32) bool {
	delta := s.delta(i)
	for c := range delta {
		if delta[c] > 0 && s.live[c] >= s.limit[c] {
			return false
		}
	}
	return true
}

// delta is how many more values of each class are alive after cluster r, not
// counting that several of its operands may be one value.
func (s *state) delta(r int32) [lir.NumClasses]int32 {
	var d [lir.NumClasses]int32
	for i := s.at[r].member; i >= 0; i = s.at[i].next {
		in := &s.ins[i]
		for k, a := range [3]lir.Val{in.A, in.B, in.C} {
			if d := s.from[i][k]; d == 0 || s.at[d-1].root == r || k > 0 && a == in.A || k > 1 && a == in.B {
				continue
			}
			uses := int32(1)
			if k == 0 && a == in.B {
				uses++
			}
			if k < 2 && a == in.C {
				uses++
			}
			if s.vals[a].left == uses {
				d[s.class(a)]--
			}
		}
	}
	for _, v := range [2]lir.Val{s.ins[r].D, s.ins[r].E} {
		if v != 0 && s.vals[v].left > 0 {
			d[s.class(v)]++
		}
	}
	return d
}

// pickGoal takes the next cluster toward one that has operands alive.
func (s *state) pickGoal() (int32, bool) {
	for len(s.goals) > 0 && s.at[s.goals[len(s.goals)-1]].done {
		s.goals = s.goals[:len(s.goals)-1]
	}
	if len(s.goals) == 0 {
		for len(s.half) > 0 && (s.at[keyIndex(s.half[0])].done || s.at[keyIndex(s.half[0])].pending == 0) {
			s.half.pop()
		}
		if len(s.half) == 0 {
			return 0, false
		}
		s.goals = append(s.goals, keyIndex(s.half[0]))
	}
	for {
		r := s.goals[len(s.goals)-1]
		if s.at[r].pending == 0 {
			return r, true
		}
		s.goals = append(s.goals, s.missing(r))
	}
}

// missing is the cluster that computes an operand of cluster r and is not done;
// of several the one that takes longest.
func (s *state) missing(r int32) int32 {
	best := int32(-1)
	for i := s.at[r].member; i >= 0; i = s.at[i].next {
		for _, def := range s.from[i] {
			if def == 0 {
				continue
			}
			if d := s.at[def-1].root; d != r && !s.at[d].done && (best < 0 || s.at[d].depth > s.at[best].depth) {
				best = d
			}
		}
	}
	return best
}

// issue appends cluster r to the order and makes its users ready. Stores follow
// at once: they end the need for a register and delay nothing.
func (s *state) issue(r int32) {
	s.at[r].done = true
	for i := s.at[r].member; i >= 0; i = s.at[i].next {
		in := &s.ins[i]
		s.order = append(s.order, *in)
		s.now++
		for k, a := range [3]lir.Val{in.A, in.B, in.C} {
			if s.from[i][k] != 0 {
				s.use(a, r)
			}
		}
		for _, v := range [2]lir.Val{in.D, in.E} {
			if v != 0 && s.vals[v].left > 0 {
				s.live[s.class(v)]++
			}
		}
	}
	ready := s.now + width*int32(s.m.Ops[s.ins[r].Op].Latency)
	for _, u := range s.list[s.at[r].first:s.at[r+1].first] {
		s.at[u].pending--
		s.at[u].ready = max(s.at[u].ready, ready)
		key := makeKey(s.at[u].height, u)
		switch {
		case s.at[u].pending > 0:
			s.enter(&s.half, key)
		case s.ins[u].D == 0 && s.ins[u].E == 0 && s.at[u].member == u:
			s.issue(u)
		default:
			s.queue.push(u)
			s.enter(&s.hot, key)
			s.enter(&s.kill, key)
		}
	}
}

// use counts a use of a, a value of the block, by cluster r, and notes a last use to come.
func (s *state) use(a lir.Val, r int32) {
	v := &s.vals[a]
	v.left--
	v.users -= r
	switch v.left {
	case 0:
		s.live[s.class(a)]--
	case 1:
		if u := v.users; s.at[u].pending == 0 && !s.at[u].done {
			s.enter(&s.kill, makeKey(s.at[u].height, u))
		}
	}
}

// enter adds a cluster to a heap. One that is full first forgets the clusters that are done: most are, as few
// leave it otherwise.
func (s *state) enter(h *heap, k uint64) {
	if len(*h) == cap(*h) {
		h.keep(func(i int32) bool { return !s.at[i].done })
	}
	h.push(k)
}
