package lower

import (
	"cmp"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// A window is the sum of some neighbouring integers of a row. From one element to the next it loses one
// term and gains another: integers wrap, so the sum has the same bits in every order.
type window struct {
	first, last int     // streams of the terms at its ends
	terms       int     // at least minWindow
	start       lir.Val // in memory: the sum of all terms of the first element but the last one
	out         lir.Val // the same for the element behind the loop
}

// minWindow is from how many terms a window takes fewer instructions than their sum.
const minWindow = 4

// windows finds the sums of neighbours in an expression. Vectors take whole sums.
func (n *nest) windows(x *expr) {
	if len(n.dims) == 0 || n.inner() < 2*lanes || n.lanesFor(x, n.inner()) > 1 {
		return
	}
	uses := make([]int, len(x.steps))
	for i := range x.steps {
		for _, o := range x.steps[i].args {
			if o.step >= 0 {
				uses[o.step]++
			}
		}
	}
	gone := make([]bool, len(x.steps))
	for k := len(x.steps) - 1; k >= 0; k-- {
		if gone[k] || !x.adds(k) {
			continue
		}
		var inner []int
		var leaves []operand
		x.leaves(k, uses, &inner, &leaves)
		run := n.neighbours(leaves)
		if len(run) < minWindow {
			continue
		}
		w := &window{first: leaves[run[0]].stream, last: leaves[run[len(run)-1]].stream, terms: len(run)}
		s := &x.steps[k]
		s.window, s.args = w, nil
		for i, o := range leaves {
			if !slices.Contains(run, i) {
				s.args = append(s.args, o)
			}
		}
		x.windows = append(x.windows, w)
		for _, i := range inner {
			gone[i] = true
		}
	}
	if len(x.windows) > 0 {
		x.drop(gone)
		n.dropStreams(x)
	}
}

// adds reports whether a step adds integers.
func (x *expr) adds(k int) bool {
	s := &x.steps[k]
	return s.op == graph.OpAdd && s.t == graph.I32 && s.window == nil
}

// leaves lists the terms of a sum, and the steps that add some of them and are used for nothing else.
func (x *expr) leaves(k int, uses []int, inner *[]int, list *[]operand) {
	for _, o := range x.steps[k].args {
		if o.step >= 0 && uses[o.step] == 1 && x.adds(o.step) {
			*inner = append(*inner, o.step)
			x.leaves(o.step, uses, inner, list)
		} else {
			*list = append(*list, o)
		}
	}
}

// neighbours are the indices of those terms that lie next to each other in the inner axis, the longest
// such run, in order.
func (n *nest) neighbours(terms []operand) (best []int) {
	var order []int
	for i, o := range terms {
		if o.stream >= 0 && n.step(o.stream) != 0 {
			order = append(order, i)
		}
	}
	at := func(i int) *stream { return &n.streams[terms[i].stream] }
	sign := func(i int) int {
		if n.step(terms[i].stream) < 0 {
			return -1
		}
		return 1
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(slices.Compare(at(i).strides, at(j).strides), sign(i)*cmp.Compare(at(i).at, at(j).at))
	})
	for i := 0; i < len(order); {
		run := []int{order[i]}
		for i++; i < len(order); i++ {
			a, b := at(run[len(run)-1]), at(order[i])
			if !slices.Equal(a.strides, b.strides) || a.ptr != b.ptr || a.at.Region() != b.at.Region() ||
				int(b.at)-int(a.at) != n.step(terms[order[i]].stream) {
				break
			}
			run = append(run, order[i])
		}
		if len(run) > len(best) {
			best = run
		}
	}
	return best
}

// drop leaves out steps that nothing reads any more.
func (x *expr) drop(gone []bool) {
	to := make([]int, len(x.steps))
	var kept []step
	for k := range x.steps {
		if to[k] = len(kept); !gone[k] {
			kept = append(kept, x.steps[k])
		}
	}
	for k := range kept {
		s := &kept[k]
		for i := range s.args {
			if s.args[i].step >= 0 {
				s.args[i].step = to[s.args[i].step]
			}
		}
		if s.partner >= 0 {
			s.partner = to[s.partner]
		}
	}
	x.steps = kept
}

// dropStreams leaves out streams that neither the expression nor others need.
func (n *nest) dropStreams(x *expr, others ...*int) {
	used := make([]bool, len(n.streams))
	each := func(do func(s *int)) {
		for k := range x.steps {
			for i := range x.steps[k].args {
				if o := &x.steps[k].args[i]; o.stream >= 0 {
					do(&o.stream)
				}
			}
		}
		for _, w := range x.windows {
			do(&w.first)
			do(&w.last)
		}
		for _, s := range others {
			do(s)
		}
	}
	each(func(s *int) { used[*s] = true })
	to := make([]int, len(n.streams))
	var kept []stream
	for s := range n.streams {
		if to[s] = len(kept); used[s] {
			kept = append(kept, n.streams[s])
		}
	}
	each(func(s *int) { *s = to[*s] })
	n.streams = kept
}

// begin makes the code before a row: the sums of windows without the last term.
func (x *expr) begin(n *nest) []lir.Item {
	if len(x.windows) == 0 {
		return nil
	}
	most := 0
	for _, w := range x.windows {
		most = max(most, w.terms)
	}
	b := n.newBody(0, most)
	for _, w := range x.windows {
		sum := b.load(w.first, 0)
		for k := 1; k < w.terms-1; k++ {
			sum = b.apply(graph.OpAdd, graph.I32, [3]lir.Val{sum, b.load(w.first, k)})
		}
		slot := n.l.f.Data.Slot()
		w.start, w.out = n.l.homed(lir.Int, slot, local), n.l.homed(lir.Int, n.l.f.Data.Slot(), local)
		b.emit(lir.Ins{Op: lir.Of(lir.Store, graph.I32), A: sum, Imm: uint32(slot)})
	}
	return []lir.Item{{Block: &lir.Block{Ins: b.ins}}}
}

// sums are those of windows as the code at the start of a row, or a loop, leaves them.
func (x *expr) sums(looped bool) (list []lir.Val) {
	for _, w := range x.windows {
		if looped {
			list = append(list, w.out)
		} else {
			list = append(list, w.start)
		}
	}
	return list
}

// carryWindows has a loop carry the sums of windows in registers, and leave them if more elements follow.
// finish is for the end of an iteration.
func (x *expr) carryWindows(b *body, loop *lir.Loop, more bool) (finish func()) {
	at := len(loop.Phis)
	for _, w := range x.windows {
		p := lir.Phi{Val: b.newVal(graph.I32), Init: w.start}
		if more {
			p.Out = w.out
		}
		b.sums = append(b.sums, p.Val)
		loop.Phis = append(loop.Phis, p)
	}
	return func() {
		for k, sum := range b.sums {
			loop.Phis[at+k].Next = sum
		}
	}
}

// slide gives the sum of a window at element e of the row, and moves it on.
func (x *expr) slide(b *body, w *window, e int) lir.Val {
	k := slices.Index(x.windows, w)
	sum := b.apply(graph.OpAdd, graph.I32, [3]lir.Val{b.sums[k], b.load(w.last, e)})
	b.sums[k] = b.apply(graph.OpSub, graph.I32, [3]lir.Val{sum, b.load(w.first, e)})
	return sum
}
