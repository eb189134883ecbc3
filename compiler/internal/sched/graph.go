package sched

import "github.com/copaflash/copaflash/compiler/internal/lir"

// instruction is what is known about an instruction of the block at hand, and about the cluster whose last instruction it is.
type instruction struct {
	height int32 // latencies on the longest path to the end of the block
	depth  int32 // latencies on the longest path from its start
	root   int32 // the cluster that the instruction belongs to: its last instruction
	next   int32 // the next one of the cluster, or -1
	// Clusters that use what the instruction defines are those of state.list from here to the first of the
	// instruction behind this one. One is listed once for each operand.
	first int32

	// Of a cluster.
	member  int32 // its first instruction
	pending int32 // operands from other clusters not yet computed
	ready   int32 // when its operands will have been computed
	sibling int32 // of those that can run first, the next one with a common operand + 1
	behind  bool  // it is such a next one
	done    bool
}

// value is what is known about a value that is defined or read in the block at hand.
type value struct {
	def  int32 // defining instruction + 1; 0 where defined elsewhere
	left int32 // uses not yet scheduled; of a value from elsewhere: uses
	// Sum of the clusters of those not yet scheduled: the cluster itself when one is left. Of a value from
	// elsewhere: the last leaf that shares it + 1.
	users int32
}

// state holds what is known about one block.
type state struct {
	f    *lir.Func
	m    *lir.Machine
	most int // instructions of the largest block
	ins  []lir.Ins

	at   []instruction // by index, and one behind the last
	from [][3]int32    // by index and operand: defining instruction + 1; 0 where defined elsewhere
	list []int32       // see instruction.first
	vals []value       // by value; all zero between blocks

	readyAt []int32 // by value: the cycle in which it can be used, for spread; nil: not yet needed

	now    int32                 // instructions scheduled
	live   [lir.NumClasses]int32 // values defined in this block and still to be used
	limit  [lir.NumClasses]int32
	leaves []int32 // clusters without operands computed here, by falling height
	queue  queue   // other clusters whose operands are all computed, in that order
	hot    heap    // the same by height
	kill   heap    // clusters that may end the life of a value
	half   heap    // clusters with some but not all operands computed
	goals  []int32 // being worked toward, depth first

	// For sorting the leaves.
	counts  []int32
	grouped []int32
	order   []lir.Ins
}

// maxBranch is the size, in instructions, up to which a side branch is tied to
// the instruction that needs it.
const maxBranch = 6

// build fills in the tables. vals must be all zero; reset makes them so again.
func (s *state) build() {
	if s.at == nil {
		s.at, s.from = make([]instruction, s.most+1), make([][3]int32, s.most)
	} else {
		clear(s.at)
	}
	s.at, s.from = s.at[:len(s.ins)+1], s.from[:len(s.ins)]
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
		for k, a := range [3]lir.Val{in.A, in.B, in.C} {
			v := &s.vals[a]
			v.left++
			if s.from[i][k] = v.def; v.def != 0 {
				depth = max(depth, s.at[v.def-1].depth)
			}
		}
		s.at[i].depth = depth + int32(s.m.Ops[in.Op].Latency)
		if in.D != 0 {
			s.vals[in.D].def = int32(i) + 1
		}
		if in.E != 0 {
			s.vals[in.E].def = int32(i) + 1
		}
	}
	s.vals[0].left = 0
}

// cluster ties short side branches to their users, finds heights, and counts the
// users of each instruction from other clusters in first.
func (s *state) cluster() {
	for i := range s.ins {
		in := &s.ins[i]
		total := int32(1)
		if s.m.Ops[in.Op].Kernel {
			total = maxBranch + 1
		}
		for k, a := range [3]lir.Val{in.A, in.B, in.C} {
			if d := s.from[i][k]; d != 0 && s.vals[a].left == 1 {
				total += s.at[d-1].pending
			}
		}
		s.at[i].pending = min(total, maxBranch+1)
		s.at[i].root = int32(i)
	}
	for i := len(s.ins) - 1; i >= 0; i-- {
		in := &s.ins[i]
		tied := s.at[i].root != int32(i)
		// Of the operands computed here, the one that comes last is waited for.
		main := int32(0)
		for _, d := range s.from[i] {
			if d != 0 && (main == 0 || s.at[d-1].depth > s.at[main-1].depth) {
				main = d
			}
		}
		s.at[i].height += int32(s.m.Ops[in.Op].Latency)
		for k, a := range [3]lir.Val{in.A, in.B, in.C} {
			d := s.from[i][k]
			if d == 0 {
				continue
			}
			s.at[d-1].height = max(s.at[d-1].height, s.at[i].height)
			if s.vals[a].left == 1 && (tied || d != main && s.at[d-1].pending <= maxBranch) {
				s.at[d-1].root = s.at[i].root
			}
		}
		s.at[i].pending = 0
	}
}

// link lists users and members of clusters and counts what they wait for.
func (s *state) link() {
	n := len(s.ins)
	for i := range s.ins {
		in := &s.ins[i]
		for k, a := range [3]lir.Val{in.A, in.B, in.C} {
			d := s.from[i][k]
			if d == 0 {
				continue
			}
			s.vals[a].users += s.at[i].root
			if s.at[d-1].root != s.at[i].root {
				s.at[s.at[i].root].pending++
				s.at[d-1].first++
			}
		}
	}
	total := int32(0)
	for i := range n {
		total += s.at[i].first
		s.at[i].first = total // end of the list; filling from behind makes it the start
		s.at[i].member = -1
	}
	s.at[n].first = total
	s.list = resize(s.list, int(total))
	for i := n - 1; i >= 0; i-- {
		r := s.at[i].root
		s.at[i].next, s.at[r].member = s.at[r].member, int32(i)
		for _, d := range s.from[i] {
			if d != 0 && s.at[d-1].root != r {
				s.at[d-1].first--
				s.list[s.at[d-1].first] = r
			}
		}
	}
}

// reset clears vals for the next block.
func (s *state) reset() {
	for i := range s.ins {
		in := &s.ins[i]
		for _, v := range [5]lir.Val{in.A, in.B, in.C, in.D, in.E} {
			s.vals[v] = value{}
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
		top = max(top, s.at[i].height/slack)
	}
	s.leaves = resize(s.leaves, len(same))
	s.counts = resize(s.counts, int(top)+2)
	for _, i := range same {
		s.counts[top-s.at[i].height/slack+1]++
	}
	for h := range top {
		s.counts[h+1] += s.counts[h]
	}
	for _, i := range same {
		at := &s.counts[top-s.at[i].height/slack]
		s.leaves[*at] = i
		*at++
	}
}

// groupLeaves lists the clusters that can run first in the order of their
// indices, but all with a common operand where the first of them stands.
func (s *state) groupLeaves() []int32 {
	for i := range s.ins {
		if !s.isLeaf(int32(i)) {
			continue
		}
		if v := s.sharedOperand(int32(i)); v != 0 {
			if at := s.vals[v].users; at != 0 {
				s.at[at-1].sibling, s.at[i].behind = int32(i)+1, true
			}
			s.vals[v].users = int32(i) + 1
		}
	}
	s.grouped = s.grouped[:0]
	for i := range s.ins {
		if !s.isLeaf(int32(i)) || s.at[i].behind {
			continue
		}
		for k := int32(i) + 1; k != 0; k = s.at[k-1].sibling {
			s.grouped = append(s.grouped, k-1)
		}
	}
	return s.grouped
}

// isLeaf reports whether instruction i is a cluster that can run first.
func (s *state) isLeaf(i int32) bool { return s.at[i].pending == 0 && s.at[i].root == i }

// sharedOperand is the value from memory that cluster r shares with the fewest
// others, 0 if it shares none. A constant that many read is in a register anyway.
func (s *state) sharedOperand(r int32) lir.Val {
	best := lir.Val(0)
	for i := s.at[r].member; i >= 0; i = s.at[i].next {
		in := &s.ins[i]
		for k, a := range [3]lir.Val{in.A, in.B, in.C} {
			if a != 0 && s.from[i][k] == 0 && s.vals[a].left > 1 && (best == 0 || s.vals[a].left < s.vals[best].left) {
				best = a
			}
		}
	}
	return best
}

func resize(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}
