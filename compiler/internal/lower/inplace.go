package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// changes is how an iteration makes the next value of an array that it carries: it changes all
// elements by an op, or none, and then puts rows at places.
type changes struct {
	carry graph.ID // its param
	all   graph.ID // the op; carry itself where there is none
	puts  []put    // in their order
}

// planInPlace notes the carries that change where they lie.
func (x *scanner) planInPlace(roots []graph.ID) {
	b := x.b
	b.inPlace, b.looped = map[graph.ID]bool{}, map[graph.ID]bool{}
	outs := map[graph.ID]int{}
	for _, id := range roots {
		outs[id]++
	}
	x.planIndexed(outs)
	arrays := false // are carried in memory, and change otherwise
	for k, next := range x.s.Results[:x.s.Carries] {
		c := x.s.Param(1 + k)
		_, indexed := x.puts[c]
		arrays = arrays || outs[next] > 0 && !indexed && !b.asElements(c)
	}
	if arrays {
		b.keepRows()
	}
	for k, next := range x.s.Results[:x.s.Carries] {
		c := x.s.Param(1 + k)
		if _, indexed := x.puts[c]; outs[next] > 0 && (arrays || indexed || !b.asElements(c)) {
			b.planChange(c, next, b.asElements(c))
		}
	}
}

// planStates notes the states that change where they lie.
func (l *lowerer) planStates(states []graph.ID) {
	l.looped = map[graph.ID]bool{}
	for _, s := range states {
		if next := l.g.StateInfo(s).Next; next != graph.None && (l.g.Elements(s) > small || l.changesByNumber(s, next)) {
			l.planChange(s, next, false)
		}
	}
}

// planChange notes what a param or state is changed by where it lies, if it can be: its next value is used for
// nothing else, so that the changes can wait for all else that is done. A param of few elements may be
// several values.
func (l *lowerer) planChange(carry, next graph.ID, few bool) {
	if next == carry || l.g.Node(carry).Shape == graph.Scalar {
		return
	}
	c := &changes{carry: carry, all: next}
	for c.all != carry && l.uses[c.all] == 1 {
		p, before, ok := l.put(c.all)
		if !ok {
			break
		}
		c.puts, c.all = append(c.puts, p), before
	}
	whole := c.all != carry // and not by puts alone
	if whole && (few || l.uses[c.all] != 1 || !l.g.Node(c.all).Op.Info().Elementwise) {
		return
	}
	if few {
		l.inPlace[carry] = true
	}
	slices.Reverse(c.puts)
	if l.changes == nil {
		l.changes, l.waits, l.isPut = map[graph.ID]*changes{}, map[graph.ID]bool{}, map[graph.ID]bool{}
	}
	l.changes[next] = c
	if whole {
		l.waits[c.all] = true
	}
	for _, p := range c.puts {
		l.waits[p.id], l.isPut[p.id] = true, true
	}
	for _, p := range c.puts {
		l.keepLoop(p.row, l.g.Elements(next))
	}
	if whole && len(c.puts) > 0 {
		l.keepLoop(c.all, l.g.Elements(c.all))
	}
}

// keepLoop has a node, and what only it needs of so many elements, computed in a loop: rows
// would have to be put among scalars by selects. A row of an array that is repeated to that
// size is copied.
func (l *lowerer) keepLoop(id graph.ID, elements int) {
	n := l.g.Node(id)
	repeats := n.Op == graph.OpBroadcast
	if l.g.Elements(id) != elements || l.uses[id] != 1 && !repeats || n.Op == graph.OpParam {
		return
	}
	l.looped[id] = true
	for _, a := range l.g.Args(id) {
		for repeats && l.g.Node(a).Op == graph.OpReshape {
			a = l.g.Args(a)[0]
		}
		if repeats {
			l.keepRow(a)
		} else {
			l.keepLoop(a, elements)
		}
	}
}

// keepRow has a row that is taken of an array copied instead of loaded.
func (l *lowerer) keepRow(id graph.ID) {
	if n := l.g.Node(id); n.Op == graph.OpTake && n.Shape != graph.Scalar && !l.takesElements(id) {
		l.looped[id] = true
	}
}

// keepRows does so with what loops go through.
func (l *lowerer) keepRows() {
	for id := range graph.ID(l.g.NumNodes()) {
		if l.uses[id] == 0 || l.g.Node(id).Op != graph.OpScan {
			continue
		}
		s, _ := l.g.ScanInfo(id)
		for _, a := range l.g.Args(id)[s.Carries : s.Carries+s.Slices] {
			l.keepRow(a)
		}
	}
}

// keepLoops forgets changes that are computed as scalars.
func (l *lowerer) keepLoops() {
	for next, c := range l.changes {
		nodes := append(c.putNodes(), c.all)
		if slices.ContainsFunc(nodes, func(id graph.ID) bool { return id != c.carry && l.plan.unrolled[id] }) {
			delete(l.changes, next)
			for _, id := range nodes {
				delete(l.waits, id)
			}
		}
	}
}

// leaveConditions has nothing computed that only says where rows are put.
func (l *lowerer) leaveConditions() {
	for _, c := range l.changes {
		for _, p := range c.puts {
			for _, s := range p.at {
				l.uses[s.index]++ // is still read
			}
			l.leave(l.g.Args(p.id)[0])
		}
	}
}

// leave takes a use from a node, and from its operands if that was the last.
func (l *lowerer) leave(id graph.ID) {
	if l.uses[id]--; l.uses[id] == 0 {
		for _, a := range l.g.Args(id) {
			l.leave(a)
		}
	}
}

// computeCondition computes what says where a row is put, and has not been computed.
func (l *lowerer) computeCondition(id graph.ID) error {
	if l.form[id] != absent {
		return nil
	}
	for _, a := range l.g.Args(id) {
		if err := l.computeCondition(a); err != nil {
			return err
		}
	}
	return l.node(id)
}

// change is an update of an array by changes in place.
type change struct {
	update
	*changes
}

// changesOf finds the updates that can be done in place. What the others need is computed.
func (l *lowerer) changesOf(list []update) (done []change, rest []update, err error) {
	for _, u := range list {
		if c := l.changes[u.next]; c != nil {
			done = append(done, change{u, c})
		} else {
			rest = append(rest, u)
		}
	}
	for i := 0; i < len(done); {
		c := done[i]
		if l.canChange(c, done) {
			i++
			continue
		}
		for _, id := range append([]graph.ID{c.all}, c.putNodes()...) {
			if id == c.carry {
				continue
			}
			if l.isPut[id] {
				if err := l.computeCondition(l.g.Args(id)[0]); err != nil {
					return nil, nil, err
				}
			}
			l.mapNest(id, l.plan.members[id], lir.NoAddr, 1)
		}
		done, rest = slices.Delete(done, i, i+1), append(rest, c.update)
		i = 0
	}
	return done, rest, nil
}

// putNodes are the nodes of the puts.
func (c *changes) putNodes() (ids []graph.ID) {
	for _, p := range c.puts {
		ids = append(ids, p.id)
	}
	return ids
}

// canChange reports whether changes can be made in place. The op reads its carry at no other
// element than it writes, and nothing that others change; rows are the same at every index.
func (l *lowerer) canChange(c change, all []change) bool {
	if c.all != c.carry {
		nodes := append(slices.Clone(l.plan.members[c.all]), c.all)
		for _, id := range nodes {
			args := l.g.Args(id)
			if n := l.g.Node(id); n.Op == graph.OpTake || l.m.Lanes > 0 && l.m.Ops[lir.Of(n.Op, l.g.Node(args[len(args)-1]).DType)].Kernel {
				return false // of some kernels the last elements of a row are computed twice
			}
			for _, a := range args {
				for _, o := range all {
					if !slices.Contains(nodes, a) && l.reads(a, l.carried(o.update)) && (o.next != c.next || !l.sameElements(a, c.update)) {
						return false
					}
				}
			}
		}
	}
	for _, p := range c.puts {
		for _, o := range all {
			for _, s := range p.at {
				if l.reads(s.index, l.carried(o.update)) {
					return false
				}
			}
			if l.reads(p.row, l.carried(o.update)) {
				return false
			}
		}
		for _, s := range p.at {
			if f := l.form[p.row]; f != splat && f != scalar && l.view(p.row).strides[s.axis] != 0 {
				return false
			}
		}
	}
	return true
}

// carried is the part of the data block that an update changes.
func (l *lowerer) carried(u update) span {
	return span{u.to, u.to.Plus(4 * l.g.Elements(u.next) * l.g.Node(u.next).DType.Words())}
}

// reads reports whether a node lies in a part of the data block. A number from there is copied.
func (l *lowerer) reads(id graph.ID, s span) bool {
	if f := l.form[id]; f == scalar || f == splat {
		l.ref[id] = int32(l.apart(lir.Val(l.ref[id])))
		return false
	}
	v := l.view(id)
	at := v.bounds(l.g.ShapeOf(id))
	return at.from < s.to && s.from < at.to
}

// sameElements reports whether a node is the carry as it is.
func (l *lowerer) sameElements(id graph.ID, u update) bool {
	v, shape := l.view(id), l.g.ShapeOf(u.next)
	return v.at == u.to && l.g.ShapeOf(id).Equal(shape) && v.contiguous(shape)
}

// carryOut makes the changes, in the given loops or later ones.
func (l *lowerer) carryOut(c change, loop int32) {
	if c.all != c.carry {
		l.mapNest(c.all, l.plan.members[c.all], c.to, loop)
	}
	shape, t := l.g.ShapeOf(c.next), l.g.Node(c.next).DType
	whole := view{at: c.to, size: 4 * t.Words(), strides: rowMajor(shape)}
	for _, p := range c.puts {
		row, to, dims := l.view(p.row), view{at: whole.at, size: whole.size, strides: slices.Clone(whole.strides)}, slices.Clone(shape)
		row.strides = slices.Clone(row.strides)
		slices.SortFunc(p.at, func(a, b spot) int { return b.axis - a.axis })
		for _, s := range p.at {
			row.strides = slices.Delete(row.strides, s.axis, s.axis+1)
			to.strides = slices.Delete(to.strides, s.axis, s.axis+1)
			dims = slices.Delete(dims, s.axis, s.axis+1)
		}
		l.putRow(p, row, to, whole, dims, t, max(loop, row.loop))
	}
}
