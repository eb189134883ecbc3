package autodiff

import "github.com/copaflash/copaflash/compiler/graph"

// guardID is an index into reverse.guards; 0 is no guard. A guard is made after
// those that it refers to, so it has a larger ID.
type guardID int32

// guard is the condition under which an adjoint counts: its own condition and
// those of its parents. Where it is false the adjoint may hold anything. The
// conditions have the shape of the adjoint.
type guard struct {
	guardKey
	jump  guardID // an ancestor farther up: makes common fast on deep nests
	depth int32
	all   graph.Value // the whole condition once it has been built
}

// guardKey is what makes a guard: within parent, a condition or its negation
// holds, or (cond is the zero Value) one of two other guards does.
type guardKey struct {
	parent guardID
	cond   graph.Value
	negate bool
	either [2]guardID
}

// flow is an adjoint, or part of one, and its guard. The zero flow is 0.
type flow struct {
	v     graph.Value
	guard guardID
	// zeroed says that v is 0 where the guard fails, but its parent holds. It
	// is so for sums of flows until they pass through an op.
	zeroed bool
}

// under returns the guard within parent that cond, or its negation, makes.
func (r *reverse) under(parent guardID, cond graph.Value, negate bool) guardID {
	return r.guardFor(guardKey{parent: parent, cond: cond, negate: negate})
}

func (r *reverse) guardFor(key guardKey) guardID {
	if id, ok := r.guardIDs[key]; ok {
		return id
	}
	p := &r.guards[key.parent]
	g := guard{guardKey: key, depth: p.depth + 1, jump: key.parent}
	// Skew-binary jump pointers: any ancestor is found in O(log depth) steps.
	if j := &r.guards[p.jump]; p.depth-j.depth == j.depth-r.guards[j.jump].depth {
		g.jump = j.jump
	}
	id := guardID(len(r.guards))
	r.guards = append(r.guards, g)
	r.guardIDs[key] = id
	return id
}

// common returns the innermost guard that holds both a and b.
func (r *reverse) common(a, b guardID) guardID {
	a, b = r.ancestor(a, r.guards[b].depth), r.ancestor(b, r.guards[a].depth)
	for a != b {
		if ja, jb := r.guards[a].jump, r.guards[b].jump; ja != jb {
			a, b = ja, jb
		} else {
			a, b = r.guards[a].parent, r.guards[b].parent
		}
	}
	return a
}

// ancestor returns the guard at the given depth on the way from a to the root,
// or a itself if it is not deeper.
func (r *reverse) ancestor(a guardID, depth int32) guardID {
	for r.guards[a].depth > depth {
		if j := r.guards[a].jump; r.guards[j].depth >= depth {
			a = j
		} else {
			a = r.guards[a].parent
		}
	}
	return a
}

// condition returns the whole condition of a guard other than 0 as one bool.
// Guards can be nested as deep as the program is long: no recursion.
func (r *reverse) condition(id guardID) graph.Value {
	pending := []guardID{id}
	for len(pending) > 0 {
		g := &r.guards[pending[len(pending)-1]]
		before := len(pending)
		for _, need := range [...]guardID{g.parent, g.either[0], g.either[1]} {
			if need != 0 && !r.guards[need].all.Valid() {
				pending = append(pending, need)
			}
		}
		if len(pending) > before {
			continue
		}
		pending = pending[:before-1]
		if !g.all.Valid() {
			g.all = r.combine(g)
		}
	}
	return r.guards[id].all
}

// combine builds the condition of a guard from those that it refers to.
func (r *reverse) combine(g *guard) graph.Value {
	if a := g.either[0]; a != 0 {
		// Each implies the parent.
		return r.guards[a].all.Or(r.guards[g.either[1]].all)
	}
	own := g.cond
	if g.negate {
		own = own.Not()
	}
	if g.parent == 0 {
		return own
	}
	return r.guards[g.parent].all.And(own)
}

// lift returns the adjoint with a 0 wherever its guard fails, as far up as the
// guard to, which must hold f's guard.
func (r *reverse) lift(f flow, to guardID) graph.Value {
	if f.zeroed && f.guard != to {
		f.guard = r.guards[f.guard].parent
	}
	if f.guard == to {
		return f.v
	}
	zero := like(f.v, 0)
	if g := &r.guards[f.guard]; g.parent == to && g.cond.Valid() {
		if g.negate {
			return g.cond.Select(zero, f.v)
		}
		return g.cond.Select(f.v, zero)
	}
	return r.condition(f.guard).Select(f.v, zero)
}

// merge adds two flows.
func (r *reverse) merge(a, b flow) flow {
	if a.guard == b.guard {
		return flow{a.v.Add(b.v), a.guard, a.zeroed && b.zeroed}
	}
	ga, gb := &r.guards[a.guard], &r.guards[b.guard]
	if a.guard != 0 && b.guard != 0 && ga.parent == gb.parent && ga.cond == gb.cond && ga.cond.Valid() {
		// The two sides of one select: exactly one of them counts.
		if ga.negate {
			a, b = b, a
		}
		return flow{v: ga.cond.Select(a.v, b.v), guard: ga.parent}
	}
	c := r.common(a.guard, b.guard)
	sum := flow{v: r.lift(a, c).Add(r.lift(b, c)), guard: c}
	if a.guard != c && b.guard != c {
		sum.guard = r.guardFor(guardKey{parent: c, either: [2]guardID{a.guard, b.guard}})
		sum.zeroed = true
	}
	return sum
}

// moved is the guard of an adjoint that an array op brought to another shape:
// move does to the condition what was done to the adjoint.
func (r *reverse) moved(id guardID, move func(cond graph.Value) graph.Value) guardID {
	if id == 0 {
		return 0
	}
	return r.under(0, move(r.condition(id)), false)
}
