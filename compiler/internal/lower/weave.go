package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Arrays of one length that a script stacks along the last axis are rows of a concatenation, which is then transposed: their
// elements lie in turn. One loop computes all of them and writes them so.

// maxWoven is how many arrays are woven at most.
const maxWoven = 8

// planWoven finds concatenations of rows of which nothing but the transpose is read, and that in the order in which it lies.
func (l *lowerer) planWoven() {
	var transposes []graph.ID
	inOrder := map[graph.ID]bool{} // of transposes: whether all that read them do so
	for id := range graph.ID(l.g.NumNodes()) {
		if l.uses[id] == 0 {
			continue
		}
		if l.g.Node(id).Op == graph.OpTranspose {
			transposes, inOrder[id] = append(transposes, id), true
		} else if len(transposes) > 0 && l.g.Node(id).Op != graph.OpReshape {
			for _, a := range l.g.Args(id) {
				delete(inOrder, a)
			}
		}
	}
	for _, id := range transposes {
		if !inOrder[id] {
			continue
		}
		rows := l.g.Args(id)[0]
		if n := l.g.Node(rows); n.Op != graph.OpConcat || l.uses[rows] != 1 || l.plan.unrolled[rows] || len(l.g.ShapeOf(rows)) != 2 {
			continue
		}
		if parts, ok := l.rowsOf(rows); ok {
			if l.plan.woven == nil {
				l.plan.woven = map[graph.ID][]graph.ID{}
			}
			l.plan.woven[rows] = parts
		}
	}
}

// rowsOf are the arrays of one axis that are the rows of a concatenation. What lies between has no form.
func (l *lowerer) rowsOf(id graph.ID) (rows []graph.ID, ok bool) {
	args := l.g.Args(id)
	if len(args) < 2 || len(args) > maxWoven {
		return nil, false
	}
	var between []graph.ID
	for _, a := range args {
		if l.g.ShapeOf(a)[0] != 1 {
			return nil, false
		}
		for op := l.g.Node(a).Op; len(l.g.ShapeOf(a)) != 1; op = l.g.Node(a).Op {
			if op != graph.OpReshape && op != graph.OpTranspose || l.uses[a] != 1 {
				return nil, false
			}
			between = append(between, a)
			a = l.g.Args(a)[0]
		}
		if l.plan.unrolled[a] {
			return nil, false
		}
		rows = append(rows, a)
	}
	for _, a := range between {
		l.form[a] = virtual
	}
	return rows, true
}

// weave computes arrays and writes their elements in turn: as a matrix of which each is a row, but which lies column by column.
func (l *lowerer) weave(id graph.ID, rows []graph.ID) {
	shape, t := l.g.ShapeOf(id), l.g.Node(id).DType
	n := &nest{l: l, dims: []int{shape[1]}, loop: 1, woven: len(rows)}
	members := l.plan.members[id]
	x := n.build(members, asIs)
	out := l.newArray(shape, t)
	out.strides = []int{1, len(rows)}
	var steps, to []int
	for k, a := range rows {
		step := slices.Index(members, a)
		if step < 0 {
			step = len(x.steps)
			x.steps = append(x.steps, asItIs(n.leaf(a, asIs), t))
		}
		steps = append(steps, step)
		to = append(to, n.addWritten(stream{t: t, at: out.at.Plus(out.size * k), strides: []int{out.size * len(rows)}}))
	}
	n.halves = !slices.ContainsFunc(n.streams, func(s stream) bool { return s.moves() && s.strides[0] != out.size*len(rows) })
	n.place(n.around(func() []lir.Item {
		return n.rowMap(&x, func(b *body, e int) {
			vals := x.eval(b, e)
			list := make([]lir.Val, len(rows))
			for k := range list {
				list[k] = vals[steps[k]]
			}
			if b.width == 1 {
				for k, v := range list {
					b.store(to[k], e, v)
				}
				return
			}
			at, ptr, offset := b.place(to[0], e)
			for k, v := range b.inTurn(list) {
				bytes := graph.WordSize * b.width * k
				if at != lir.NoAddr {
					b.emit(lir.Ins{Op: lir.Of(lir.StoreIn, lir.Vector(b.width)), A: v, B: ptr, Imm: uint32(at.Plus(bytes))})
				} else {
					b.emit(lir.Ins{Op: lir.Of(lir.StoreAt, lir.Vector(b.width)), A: v, B: ptr, Imm: uint32(offset + bytes)})
				}
			}
		})
	}))
	out.loop, out.block = n.loop, n.loop
	l.setView(id, out)
}

// asItIs is a step that gives its operand.
func asItIs(o operand, t graph.DType) step {
	return step{op: graph.OpStop, t: t, args: []operand{o}, partner: -1}
}

// inTurn has the lanes of two or four vectors in turn, in as many vectors.
func (b *body) inTurn(list []lir.Val) []lir.Val {
	weave := [2]graph.Op{lir.WeaveLow, lir.WeaveHigh}
	if b.width == lir.MaxLanes {
		weave = [2]graph.Op{lir.WeaveLow4, lir.WeaveHigh4}
	}
	both := func(ops [2]graph.Op, x, y lir.Val) (out []lir.Val) {
		for _, op := range ops {
			out = append(out, b.wide(lir.Ins{Op: lir.Of(op, lir.Vector(b.width)), A: x, B: y}))
		}
		return out
	}
	var out []lir.Val
	if len(list) == 2 {
		out = both(weave, list[0], list[1])
	} else {
		first, second := both(weave, list[0], list[2]), both(weave, list[1], list[3])
		out = append(both(weave, first[0], second[0]), both(weave, first[1], second[1])...)
	}
	if b.width < lir.MaxLanes || b.n.halves {
		return out
	}
	var low, high []lir.Val
	for k := 0; k < len(out); k += 2 {
		halves := both([2]graph.Op{lir.LowHalves, lir.HighHalves}, out[k], out[k+1])
		low, high = append(low, halves[0]), append(high, halves[1])
	}
	return append(low, high...)
}

// weaves reports whether there is code for writing vectors in turn, at that step of each.
func (n *nest) weaves(step, width int) bool {
	weave := lir.WeaveLow
	if width == lir.MaxLanes {
		weave = lir.WeaveLow4
	}
	return n.woven > 0 && (step == 2*graph.WordSize || step == 4*graph.WordSize) && n.l.m.Ops[lir.Of(weave, lir.Vector(width))].Valid
}
