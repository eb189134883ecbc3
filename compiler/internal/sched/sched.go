package sched

import "github.com/copaflash/copaflash/compiler/internal/lir"

// reserve is the number of registers of each class that a schedule leaves for
// operands on their way from memory and for results that need a register of
// their own.
const reserve = 2

// Run puts the instructions of every block in order.
func Run(f *lir.Func, m *lir.Machine) {
	s := &state{
		f: f, m: m,
		def:   make([]int32, len(f.Values)),
		left:  make([]int32, len(f.Values)),
		users: make([]int32, len(f.Values)),
	}
	s.words.first = make([]int32, len(f.Values))
	f.Blocks(func(b *lir.Block, loop *lir.Loop, _ uint64) {
		b.Ins = s.block(b.Ins, loop)
	})
}

// block schedules one block and returns the new order.
func (s *state) block(ins []lir.Ins, loop *lir.Loop) []lir.Ins {
	if len(ins) < 2 {
		return ins
	}
	s.ins = ins
	s.order = make([]lir.Ins, 0, len(ins))
	s.setLimits(loop)
	s.build()
	for len(s.order) < len(ins) {
		s.issue(s.pick())
	}
	s.reset()
	s.hot, s.kill, s.half = s.hot[:0], s.kill[:0], s.half[:0]
	s.goals, s.queue = s.goals[:0], s.queue[:0]
	return s.order
}

// setLimits says how many values may be alive. What a loop carries in
// registers is not available in its body.
func (s *state) setLimits(loop *lir.Loop) {
	var carried [lir.NumClasses]int
	if loop != nil && loop.Inner() {
		for _, p := range loop.Phis {
			carried[s.f.Values[p.Val].Class]++
		}
	}
	for c := range s.limit {
		s.live[c] = 0
		s.limit[c] = int32(max(2, s.m.Regs[c]-reserve-min(carried[c], s.m.Regs[c]/2)))
	}
}

// pick chooses an instruction whose operands are all computed.
func (s *state) pick() int32 {
	if s.full() {
		if i, ok := s.pickKiller(); ok {
			return i
		}
		if i, ok := s.pickGoal(); ok {
			return i
		}
	}
	return s.pickCritical()
}

func (s *state) full() bool {
	return s.live[lir.Float] >= s.limit[lir.Float] || s.live[lir.Int] >= s.limit[lir.Int]
}

// slack is how much shorter, in cycles, the remaining path of an instruction
// may be than the longest one if it reads a word that is in a register now.
const slack = 64

// pickCritical takes the instruction with the longest way to go, or one about
// as urgent that reads the same word as the last.
func (s *state) pickCritical() int32 {
	s.leaves = s.skipDone(s.leaves)
	for len(s.hot) > 0 && s.done[keyIndex(s.hot[0])] {
		s.hot.pop()
	}
	best := int32(-1)
	switch {
	case len(s.hot) == 0:
		best = s.leaves[0]
	case len(s.leaves) == 0:
		best = keyIndex(s.hot[0])
	case s.height[s.leaves[0]] > keyPriority(s.hot[0]):
		best = s.leaves[0]
	default:
		best = keyIndex(s.hot[0])
	}
	s.queue = s.skipDone(s.queue)
	if len(s.queue) > 0 && s.height[s.queue[0]]+slack >= s.height[best] {
		return s.queue[0]
	}
	s.enqueueSiblings(best)
	return best
}

func (s *state) skipDone(list []int32) []int32 {
	for len(list) > 0 && s.done[list[0]] {
		list = list[1:]
	}
	return list
}

// enqueueSiblings notes the instructions that are ready and read a word that i
// reads as well; of several words, the one with the fewest readers.
func (s *state) enqueueSiblings(i int32) {
	in := &s.ins[i]
	var few []int32
	for _, a := range [3]lir.Val{in.A, in.B, in.C} {
		if r := s.readers(a); r != nil && (few == nil || len(r) < len(few)) {
			few = r
		}
	}
	s.queue = s.queue[:0]
	for _, r := range few {
		if r != i && !s.done[r] && s.pending[r] == 0 {
			s.queue = append(s.queue, r)
		}
	}
}

// pickKiller takes the most urgent instruction that leaves no more values
// alive than before.
func (s *state) pickKiller() (int32, bool) {
	for len(s.kill) > 0 {
		i := keyIndex(s.kill[0])
		if !s.done[i] && s.relieves(i) {
			return i, true
		}
		s.kill.pop()
	}
	return 0, false
}

// relieves reports whether i adds to no class that is full.
func (s *state) relieves(i int32) bool {
	delta := s.delta(i)
	for c := range delta {
		if delta[c] > 0 && s.live[c] >= s.limit[c] {
			return false
		}
	}
	return true
}

// delta is how many more values of each class are alive after instruction i.
func (s *state) delta(i int32) [lir.NumClasses]int32 {
	in := &s.ins[i]
	var d [lir.NumClasses]int32
	for k, a := range [3]lir.Val{in.A, in.B, in.C} {
		if a == 0 || s.def[a] == 0 || k > 0 && a == in.A || k > 1 && a == in.B {
			continue
		}
		uses := int32(0)
		for _, b := range [3]lir.Val{in.A, in.B, in.C} {
			if b == a {
				uses++
			}
		}
		if s.left[a] == uses {
			d[s.f.Values[a].Class]--
		}
	}
	for _, v := range [2]lir.Val{in.D, in.E} {
		if v != 0 && s.left[v] > 0 {
			d[s.f.Values[v].Class]++
		}
	}
	return d
}

// pickGoal takes the next instruction toward one that has operands alive.
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
		i := s.goals[len(s.goals)-1]
		if s.pending[i] == 0 {
			return i, true
		}
		// Of the missing operands the one that takes longest comes first.
		in := &s.ins[i]
		next := int32(-1)
		for _, a := range [3]lir.Val{in.A, in.B, in.C} {
			d := s.def[a] - 1
			if a == 0 || d < 0 || s.done[d] {
				continue
			}
			if next < 0 || s.height[d] > s.height[next] {
				next = d
			}
		}
		s.goals = append(s.goals, next)
	}
}

// issue appends instruction i to the order and makes its users ready. Stores
// follow at once: they end the need for a register and delay nothing.
func (s *state) issue(i int32) {
	in := &s.ins[i]
	s.done[i] = true
	s.order = append(s.order, *in)
	for _, a := range [3]lir.Val{in.A, in.B, in.C} {
		if a != 0 {
			s.use(a, i)
		}
	}
	for _, v := range [2]lir.Val{in.D, in.E} {
		if v != 0 && s.left[v] > 0 {
			s.live[s.f.Values[v].Class]++
		}
	}
	for _, u := range s.list[s.first[i]:s.first[i+1]] {
		s.pending[u]--
		if s.pending[u] > 0 {
			if s.pending[u] < operands(&s.ins[u]) {
				s.half.push(makeKey(s.height[u], u))
			}
			continue
		}
		if s.ins[u].D == 0 && s.ins[u].E == 0 {
			s.issue(u)
			continue
		}
		key := makeKey(s.height[u], u)
		s.hot.push(key)
		s.kill.push(key)
	}
}

// use counts a use of a by instruction i, and notes a last use to come.
func (s *state) use(a lir.Val, i int32) {
	s.left[a]--
	s.users[a] -= i
	if s.def[a] == 0 {
		return
	}
	switch s.left[a] {
	case 0:
		s.live[s.f.Values[a].Class]--
	case 1:
		if u := s.users[a]; s.pending[u] == 0 && !s.done[u] {
			s.kill.push(makeKey(s.height[u], u))
		}
	}
}

func operands(i *lir.Ins) int32 {
	n := int32(0)
	for _, a := range [3]lir.Val{i.A, i.B, i.C} {
		if a != 0 {
			n++
		}
	}
	return n
}
