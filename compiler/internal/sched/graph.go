package sched

import "github.com/copaflash/copaflash/compiler/internal/lir"

// state holds what is known about the instructions of one block, by index.
type state struct {
	f   *lir.Func
	m   *lir.Machine
	ins []lir.Ins

	height  []int32 // latencies on the longest path to the end of the block
	depth   []int32 // latencies on the longest path from its start
	root    []int32 // the cluster that the instruction belongs to: its last instruction
	member  []int32 // by cluster: its first instruction; by instruction: the next one of the cluster, or -1
	next    []int32
	pending []int32 // by cluster: operands from other clusters not yet computed
	ready   []int32 // by cluster: when its operands will have been computed
	done    []bool  // by cluster

	// Clusters that use what instruction i defines: list[first[i]:first[i+1]]. One
	// is listed once for each operand.
	first []int32
	list  []int32

	// By value, for those defined or read in this block.
	def   []int32 // defining instruction + 1; 0 where defined elsewhere
	left  []int32 // uses not yet scheduled
	users []int32 // sum of the clusters of those uses: the cluster itself when one is left

	now    int32                 // instructions scheduled
	live   [lir.NumClasses]int32 // values defined in this block and still to be used
	limit  [lir.NumClasses]int32
	leaves []int32 // clusters without operands computed here, by falling height
	queue  []int32 // other clusters whose operands are all computed, in that order
	hot    heap    // the same by height
	kill   heap    // clusters that may end the life of a value
	half   heap    // clusters with some but not all operands computed
	goals  []int32 // being worked toward, depth first

	// For sorting the leaves.
	counts  []int32
	latest  []int32 // by value: the last leaf that shares it + 1
	sibling []int32
	behind  []bool
	grouped []int32
	order   []lir.Ins

	readyAt []int32 // by value: the cycle in which it can be used, for spread
}

// maxBranch is the size, in instructions, up to which a side branch is tied to
// the instruction that needs it.
const maxBranch = 6

// build fills in the tables. def, left and users must be all zero; reset makes
// them so again.
func (s *state) build() {
	n := len(s.ins)
	for _, t := range []*[]int32{&s.height, &s.depth, &s.root, &s.member, &s.next, &s.pending, &s.ready} {
		*t = resize(*t, n)
	}
	s.done = resize(s.done, n)
	s.first = resize(s.first, n+1)
	s.findDepths()
	s.cluster()
	s.link()
	s.sortLeaves()
}

// findDepths notes definitions, uses, and the depth of each instruction; pending
// serves for the size of the tree that only it uses.
func (s *state) findDepths() {
	for i := range s.ins {
		in := &s.ins[i]
		depth := int32(0)
		for _, a := range [3]lir.Val{in.A, in.B, in.C} {
			s.left[a]++
			if d := s.def[a]; d != 0 && a != 0 {
				depth = max(depth, s.depth[d-1])
			}
		}
		s.depth[i] = depth + int32(s.m.Ops[in.Op].Latency)
		if in.D != 0 {
			s.def[in.D] = int32(i) + 1
		}
		if in.E != 0 {
			s.def[in.E] = int32(i) + 1
		}
	}
	s.left[0], s.def[0] = 0, 0
}

// cluster ties short side branches to their users, finds heights, and counts the
// users of each instruction from other clusters in first.
func (s *state) cluster() {
	size := s.pending
	for i := range s.ins {
		in := &s.ins[i]
		total := int32(1)
		if s.m.Ops[in.Op].Kernel {
			total = maxBranch + 1
		}
		for _, a := range [3]lir.Val{in.A, in.B, in.C} {
			if d := s.def[a]; d != 0 && s.left[a] == 1 {
				total += size[d-1]
			}
		}
		size[i] = min(total, maxBranch+1)
		s.root[i] = int32(i)
	}
	for i := len(s.ins) - 1; i >= 0; i-- {
		in := &s.ins[i]
		tied := s.root[i] != int32(i)
		// Of the operands computed here, the one that comes last is waited for.
		main := int32(0)
		for _, a := range [3]lir.Val{in.A, in.B, in.C} {
			if d := s.def[a]; d != 0 && (main == 0 || s.depth[d-1] > s.depth[main-1]) {
				main = d
			}
		}
		s.height[i] += int32(s.m.Ops[in.Op].Latency)
		for _, a := range [3]lir.Val{in.A, in.B, in.C} {
			d := s.def[a]
			if d == 0 {
				continue
			}
			s.height[d-1] = max(s.height[d-1], s.height[i])
			if s.left[a] == 1 && (tied || d != main && size[d-1] <= maxBranch) {
				s.root[d-1] = s.root[i]
			}
		}
	}
}

// link lists users and members of clusters and counts what they wait for.
func (s *state) link() {
	clear(s.pending)
	n := len(s.ins)
	for i := range s.ins {
		in := &s.ins[i]
		for _, a := range [3]lir.Val{in.A, in.B, in.C} {
			if a == 0 {
				continue
			}
			s.users[a] += s.root[i]
			if d := s.def[a]; d != 0 && s.root[d-1] != s.root[i] {
				s.pending[s.root[i]]++
				s.first[d-1]++
			}
		}
	}
	total := int32(0)
	for i := range n {
		total += s.first[i]
		s.first[i] = total // end of the list; filling from behind makes it the start
		s.member[i] = -1
	}
	s.first[n] = total
	s.list = resize(s.list, int(total))
	for i := n - 1; i >= 0; i-- {
		in := &s.ins[i]
		r := s.root[i]
		s.next[i], s.member[r] = s.member[r], int32(i)
		for _, a := range [3]lir.Val{in.A, in.B, in.C} {
			if d := s.def[a]; d != 0 && s.root[d-1] != r {
				s.first[d-1]--
				s.list[s.first[d-1]] = r
			}
		}
	}
}

// reset clears the tables by value for the next block.
func (s *state) reset() {
	for i := range s.ins {
		in := &s.ins[i]
		for _, v := range [5]lir.Val{in.A, in.B, in.C, in.D, in.E} {
			s.def[v], s.left[v], s.users[v], s.latest[v] = 0, 0, 0, 0
		}
	}
}

// sortLeaves lists the clusters that can run first, by falling height in steps of
// slack: a counting sort. Of about equal height, those that read one place in
// memory stand together, so that it is loaded once for all of them; otherwise
// the order is that of the index.
func (s *state) sortLeaves() {
	same := s.groupLeaves()
	top := int32(0)
	for _, i := range same {
		top = max(top, s.height[i]/slack)
	}
	s.leaves = resize(s.leaves, len(same))
	s.counts = resize(s.counts, int(top)+2)
	for _, i := range same {
		s.counts[top-s.height[i]/slack+1]++
	}
	for h := range top {
		s.counts[h+1] += s.counts[h]
	}
	for _, i := range same {
		at := &s.counts[top-s.height[i]/slack]
		s.leaves[*at] = i
		*at++
	}
}

// groupLeaves lists the clusters that can run first in the order of their
// indices, but all with a common operand where the first of them stands.
func (s *state) groupLeaves() []int32 {
	s.sibling = resize(s.sibling, len(s.ins)) // next of the group + 1
	s.behind = resize(s.behind, len(s.ins))
	for i, p := range s.pending {
		if p != 0 || s.root[i] != int32(i) {
			continue
		}
		if v := s.sharedOperand(int32(i)); v != 0 {
			if at := s.latest[v]; at != 0 {
				s.sibling[at-1], s.behind[i] = int32(i)+1, true
			}
			s.latest[v] = int32(i) + 1
		}
	}
	s.grouped = s.grouped[:0]
	for i, p := range s.pending {
		if p != 0 || s.root[i] != int32(i) || s.behind[i] {
			continue
		}
		for k := int32(i) + 1; k != 0; k = s.sibling[k-1] {
			s.grouped = append(s.grouped, k-1)
		}
	}
	return s.grouped
}

// sharedOperand is the value from memory that cluster r shares with the fewest
// others, 0 if it shares none. A constant that many read is in a register anyway.
func (s *state) sharedOperand(r int32) lir.Val {
	best := lir.Val(0)
	for i := s.member[r]; i >= 0; i = s.next[i] {
		in := &s.ins[i]
		for _, a := range [3]lir.Val{in.A, in.B, in.C} {
			if a != 0 && s.def[a] == 0 && s.left[a] > 1 && (best == 0 || s.left[a] < s.left[best]) {
				best = a
			}
		}
	}
	return best
}

func resize[T int32 | bool](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}
