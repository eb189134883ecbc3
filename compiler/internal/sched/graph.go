package sched

import "github.com/copaflash/copaflash/compiler/internal/lir"

// state holds what is known about the instructions of one block, by index.
type state struct {
	f   *lir.Func
	m   *lir.Machine
	ins []lir.Ins

	height  []int32 // latencies on the longest path to the end of the block
	pending []int32 // operands not yet computed
	done    []bool

	// Users of the value that instruction i defines: list[first[i]:first[i+1]].
	// A user is listed once for each operand.
	first []int32
	list  []int32

	// By value, for those defined or read in this block.
	def   []int32 // defining instruction + 1; 0 where defined elsewhere
	left  []int32 // uses not yet scheduled
	users []int32 // sum of the indices of those uses: the index itself when one is left

	words siblings

	live   [lir.NumClasses]int32 // values defined in this block and still to be used
	limit  [lir.NumClasses]int32
	leaves []int32 // instructions without operands computed here, by falling height
	hot    heap    // other instructions whose operands are all computed
	kill   heap    // those of both that may end the life of a value
	half   heap    // instructions with some but not all operands computed
	goals  []int32 // being worked toward, depth first
	queue  []int32 // instructions that read the same word as the one before

	order []lir.Ins
}

// siblings lists, for words of memory that several instructions of the block
// read, the readers.
type siblings struct {
	first []int32 // by value: start in list
	list  []int32
}

// affinity bounds the readers of a word that are scheduled together: a word
// with more of them is needed all over the block anyway.
const affinity = 32

// build fills in the tables. def, left and users must be all zero; reset makes
// them so again.
func (s *state) build() {
	n := len(s.ins)
	s.height = resize(s.height, n)
	s.pending = resize(s.pending, n)
	s.done = resize(s.done, n)
	s.first = resize(s.first, n+1)
	for i := range s.ins {
		in := &s.ins[i]
		for _, a := range [3]lir.Val{in.A, in.B, in.C} {
			if a == 0 {
				continue
			}
			s.left[a]++
			s.users[a] += int32(i)
			if d := s.def[a]; d != 0 {
				s.pending[i]++
				s.first[d-1]++
			}
		}
		if in.D != 0 {
			s.def[in.D] = int32(i) + 1
		}
		if in.E != 0 {
			s.def[in.E] = int32(i) + 1
		}
	}
	total := int32(0)
	for i := range n {
		total += s.first[i]
		s.first[i] = total // end of the list; filling from behind makes it the start
	}
	s.first[n] = total
	s.list = resize(s.list, int(total))
	for i := n - 1; i >= 0; i-- {
		in := &s.ins[i]
		s.height[i] += int32(s.m.Ops[in.Op].Latency)
		for _, a := range [3]lir.Val{in.A, in.B, in.C} {
			if d := s.def[a]; d != 0 {
				s.first[d-1]--
				s.list[s.first[d-1]] = int32(i)
				s.height[d-1] = max(s.height[d-1], s.height[i])
			}
		}
	}
	s.sortLeaves()
	s.findSiblings()
}

// reset clears the tables by value for the next block.
func (s *state) reset() {
	for i := range s.ins {
		in := &s.ins[i]
		for _, v := range [5]lir.Val{in.A, in.B, in.C, in.D, in.E} {
			s.def[v], s.left[v], s.users[v] = 0, 0, 0
			s.words.first[v] = 0
		}
	}
}

// sortLeaves lists the instructions that can run first, by falling height, in
// order of index where equal: a counting sort.
func (s *state) sortLeaves() {
	top, leaves := int32(0), 0
	for i, p := range s.pending {
		if p == 0 {
			top = max(top, s.height[i])
			leaves++
		}
	}
	s.leaves = resize(s.leaves, leaves)
	start := make([]int32, top+2)
	for i, p := range s.pending {
		if p == 0 {
			start[top-s.height[i]+1]++
		}
	}
	for h := range top {
		start[h+1] += start[h]
	}
	for i, p := range s.pending {
		if p == 0 {
			at := &start[top-s.height[i]]
			s.leaves[*at] = int32(i)
			*at++
		}
	}
}

// findSiblings lists the readers of words that 2 to affinity instructions read.
func (s *state) findSiblings() {
	w := &s.words
	w.list = w.list[:0]
	for i := range s.ins {
		in := &s.ins[i]
		for _, a := range [3]lir.Val{in.A, in.B, in.C} {
			n := s.left[a]
			if a == 0 || s.def[a] != 0 || n < 2 || n > affinity {
				continue
			}
			if w.first[a] == 0 {
				// One element before the readers counts them.
				w.list = append(w.list, 0)
				w.first[a] = int32(len(w.list))
				w.list = append(w.list, make([]int32, n)...)
			}
			at := w.first[a]
			w.list[at+w.list[at-1]] = int32(i)
			w.list[at-1]++
		}
	}
}

// readers are the instructions of this block that read the word v, if they are few.
func (s *state) readers(v lir.Val) []int32 {
	at := s.words.first[v]
	if at == 0 {
		return nil
	}
	return s.words.list[at : at+s.words.list[at-1]]
}

func resize[T int32 | bool](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}
