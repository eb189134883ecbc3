package sched

import "github.com/copaflash/copaflash/compiler/internal/lir"

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
	s := &state{
		f: f, m: m,
		def:    make([]int32, len(f.Values)),
		left:   make([]int32, len(f.Values)),
		users:  make([]int32, len(f.Values)),
		latest: make([]int32, len(f.Values)),
	}
	if m.InOrder {
		s.readyAt = make([]int32, len(f.Values))
	}
	f.Blocks(func(b *lir.Block, loop *lir.Loop, _ uint64) {
		b.Ins = s.test(s.block(b.Ins, loop), b.Updates, loop)
		b.Ins, b.Updates = append(b.Ins, b.Updates...), nil
	})
}

// block schedules one block and returns the new order.
func (s *state) block(ins []lir.Ins, loop *lir.Loop) []lir.Ins {
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
	s.order = make([]lir.Ins, 0, n+len(steps))
	s.setLimits(loop)
	s.build()
	leaves := s.leaves
	for len(s.order) < len(ins) {
		s.issue(s.pick())
	}
	s.reset()
	s.leaves = leaves[:0]
	s.queue, s.hot, s.kill, s.half = s.queue[:0], s.hot[:0], s.kill[:0], s.half[:0]
	s.goals = s.goals[:0]
	order := s.order
	if s.m.InOrder {
		order = s.spread(order)
	}
	return append(order, steps...)
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
	s.now = 0
	least := 3
	if s.m.Pointers { // phis take all but what an instruction needs
		least = 2
	}
	for c := range s.limit {
		s.live[c] = 0
		s.limit[c] = int32(max(least, s.m.Regs[c]-reserve-carried[c]))
	}
}

// pick chooses a cluster whose operands are all computed.
func (s *state) pick() int32 {
	for len(s.leaves) > 0 && s.done[s.leaves[0]] {
		s.leaves = s.leaves[1:]
	}
	for len(s.queue) > 0 && s.done[s.queue[0]] {
		s.queue = s.queue[1:]
	}
	full := s.full()
	if full {
		if i, ok := s.pickRelief(); ok {
			return i
		}
	}
	switch {
	case len(s.queue) == 0:
		return s.leaves[0]
	case len(s.leaves) == 0:
		return s.pickQueued()
	}
	i := s.pickQueued()
	// While registers are left, chains about as long as this one are begun with
	// it; and others when this one has to wait.
	if l := s.leaves[0]; !full && (s.height[l]+slack >= s.height[i] || s.ready[i] > s.now) {
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
	for s.done[keyIndex(s.hot[0])] {
		s.hot.pop()
	}
	head := s.queue[0]
	if keyPriority(s.hot[0]) > s.height[head]+slack {
		return keyIndex(s.hot[0])
	}
	return head
}

// pickRelief takes a cluster that adds to no class of registers that is full, or
// one on the way to such a cluster.
func (s *state) pickRelief() (int32, bool) {
	if len(s.queue) > 0 {
		if i := s.pickQueued(); s.relieves(i) {
			return i, true
		}
	}
	for len(s.kill) > 0 {
		i := keyIndex(s.kill[0])
		if !s.done[i] && s.relieves(i) {
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
	for i := s.member[r]; i >= 0; i = s.next[i] {
		in := &s.ins[i]
		for k, a := range [3]lir.Val{in.A, in.B, in.C} {
			if s.def[a] == 0 || s.root[s.def[a]-1] == r || k > 0 && a == in.A || k > 1 && a == in.B {
				continue
			}
			uses := int32(1)
			if k == 0 && a == in.B {
				uses++
			}
			if k < 2 && a == in.C {
				uses++
			}
			if s.left[a] == uses {
				d[s.class(a)]--
			}
		}
	}
	for _, v := range [2]lir.Val{s.ins[r].D, s.ins[r].E} {
		if v != 0 && s.left[v] > 0 {
			d[s.class(v)]++
		}
	}
	return d
}

// pickGoal takes the next cluster toward one that has operands alive.
func (s *state) pickGoal() (int32, bool) {
	for len(s.goals) > 0 && s.done[s.goals[len(s.goals)-1]] {
		s.goals = s.goals[:len(s.goals)-1]
	}
	if len(s.goals) == 0 {
		for len(s.half) > 0 && (s.done[keyIndex(s.half[0])] || s.pending[keyIndex(s.half[0])] == 0) {
			s.half.pop()
		}
		if len(s.half) == 0 {
			return 0, false
		}
		s.goals = append(s.goals, keyIndex(s.half[0]))
	}
	for {
		r := s.goals[len(s.goals)-1]
		if s.pending[r] == 0 {
			return r, true
		}
		s.goals = append(s.goals, s.missing(r))
	}
}

// missing is the cluster that computes an operand of cluster r and is not done;
// of several the one that takes longest.
func (s *state) missing(r int32) int32 {
	best := int32(-1)
	for i := s.member[r]; i >= 0; i = s.next[i] {
		in := &s.ins[i]
		for _, a := range [3]lir.Val{in.A, in.B, in.C} {
			if s.def[a] == 0 {
				continue
			}
			if d := s.root[s.def[a]-1]; d != r && !s.done[d] && (best < 0 || s.depth[d] > s.depth[best]) {
				best = d
			}
		}
	}
	return best
}

// issue appends cluster r to the order and makes its users ready. Stores follow
// at once: they end the need for a register and delay nothing.
func (s *state) issue(r int32) {
	s.done[r] = true
	for i := s.member[r]; i >= 0; i = s.next[i] {
		in := &s.ins[i]
		s.order = append(s.order, *in)
		s.now++
		for _, a := range [3]lir.Val{in.A, in.B, in.C} {
			if a != 0 {
				s.use(a, r)
			}
		}
		for _, v := range [2]lir.Val{in.D, in.E} {
			if v != 0 && s.left[v] > 0 {
				s.live[s.class(v)]++
			}
		}
	}
	ready := s.now + width*int32(s.m.Ops[s.ins[r].Op].Latency)
	for _, u := range s.list[s.first[r]:s.first[r+1]] {
		s.pending[u]--
		s.ready[u] = max(s.ready[u], ready)
		key := makeKey(s.height[u], u)
		switch {
		case s.pending[u] > 0:
			s.half.push(key)
		case s.ins[u].D == 0 && s.ins[u].E == 0 && s.member[u] == u:
			s.issue(u)
		default:
			s.queue = append(s.queue, u)
			s.hot.push(key)
			s.kill.push(key)
		}
	}
}

// use counts a use of a by cluster r, and notes a last use to come.
func (s *state) use(a lir.Val, r int32) {
	s.left[a]--
	s.users[a] -= r
	if s.def[a] == 0 {
		return
	}
	switch s.left[a] {
	case 0:
		s.live[s.class(a)]--
	case 1:
		if u := s.users[a]; s.pending[u] == 0 && !s.done[u] {
			s.kill.push(makeKey(s.height[u], u))
		}
	}
}
