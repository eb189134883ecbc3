package lower

import (
	"cmp"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Neighbouring elements of a row may have operands in common, where they are made of slices of one array: x[i+1] of one is
// x[i] of the next. What they compute of these is the same, too, and is loaded and computed once in an iteration.

// origin is what a step or a load gives, by what it is made of: numbers of others.
type origin struct {
	op     graph.Op
	t      graph.DType
	args   [3]int
	at     int // bytes from the lead of the stream, of a load
	single int // number of the element, where the step has no operands here
}

// overlap counts what is computed of several elements.
type overlap struct {
	n     *nest
	seen  map[origin]int
	steps int      // instructions, without those of services
	loads [][2]int // by lead and bytes from it
}

// together counts about how many instructions so many neighbouring elements take, computed one by one.
func (n *nest) together(x *expr, count int) *overlap {
	o := &overlap{n: n, seen: map[origin]int{}}
	for e := range count {
		ids := make([]int, len(x.steps))
		for k := range x.steps {
			s := &x.steps[k]
			m := origin{op: s.op, t: s.t}
			single := len(s.args) == 0 || s.window != nil || s.op == graph.OpTake
			if single {
				m.single = 1 + e*len(x.steps) + k
			}
			for i, a := range s.args {
				switch {
				case single: // a window has any number of them
				case a.step >= 0:
					m.args[i] = ids[a.step]
				case a.stream >= 0:
					m.args[i] = o.load(a.stream, e)
				default:
					m.args[i] = -1 - int(a.val)
				}
			}
			var fresh bool
			if ids[k], fresh = o.number(m); fresh {
				o.steps += n.stepTakes(s)
			}
		}
	}
	return o
}

// shares reports whether neighbouring elements have something in common that is computed.
func (n *nest) shares(x *expr) bool {
	return !n.changes && !x.calls && n.together(x, 2).steps < 2*n.together(x, 1).steps
}

// load is the number of element e of a stream.
func (o *overlap) load(s, e int) int {
	st := &o.n.streams[s]
	lead, at := s, e*o.n.step(s)
	if st.lead != 0 {
		lead, at = st.lead-1, at+st.off
	}
	id, fresh := o.number(origin{op: graph.NumOps, single: 1 + lead, at: at})
	if fresh && o.n.step(s) != 0 {
		o.loads = append(o.loads, [2]int{lead, at})
	}
	return id
}

// number is that of what is made so, and whether it is a new one.
func (o *overlap) number(m origin) (id int, fresh bool) {
	id, ok := o.seen[m]
	if !ok {
		id = 1 + len(o.seen)
		o.seen[m] = id
	}
	return id, !ok
}

// stepTakes is about how many instructions a step takes, without those of services.
func (n *nest) stepTakes(s *step) int {
	const call = 5
	switch {
	case unchanged(s.op, s.t):
		return 0
	case n.l.m.Shared && s.t.IsFloat():
		return call
	}
	return max(1, int(n.l.m.Ops[lir.Of(s.op, s.t)].Insns))
}

// takes is about how many instructions so many neighbouring elements take, computed one by one. Where two words move at
// once, they are neighbours.
func (n *nest) takes(x *expr, count int) int {
	each, all := n.together(x, 1), n.together(x, count)
	pairs := n.l.movesPairs()
	times, loads := count, len(all.loads)
	if pairs {
		times, loads = count/2+count%2, all.pairs()
	}
	return all.steps + times*(n.accesses()-len(each.loads)) + loads
}

// pairs is how many loads there are, of one word or of two.
func (o *overlap) pairs() (count int) {
	slices.SortFunc(o.loads, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for k := 0; k < len(o.loads); k++ {
		if count++; k+1 < len(o.loads) && o.loads[k+1] == [2]int{o.loads[k][0], o.loads[k][1] + graph.WordSize} {
			k++
		}
	}
	return count
}

// loadInOrder loads what so many neighbouring elements are made of, so that neighbours in memory come one behind the other.
func (n *nest) loadInOrder(x *expr, b *body, first, count int) {
	type source struct{ at, s, e int }
	var list []source
	for k := range x.steps {
		for _, o := range x.steps[k].args {
			if o.step >= 0 || o.stream < 0 || n.step(o.stream) <= 0 {
				continue
			}
			for e := first; e < first+count; e++ {
				list = append(list, source{int(n.streams[o.stream].at) + e*n.step(o.stream), o.stream, e})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b source) int { return cmp.Compare(a.at, b.at) })
	for _, l := range list {
		b.load(l.s, l.e)
	}
}

// compute is what an op gives.
func (b *body) compute(op lir.Op, result graph.DType, a [3]lir.Val) lir.Val {
	return b.once(lir.Ins{Op: op, A: a[0], B: a[1], C: a[2]}, result)
}

// once emits an instruction, unless an element before this one has the same.
func (b *body) once(in lir.Ins, result graph.DType) lir.Val {
	v, ok := b.done[in]
	if !ok {
		v = b.give(in, result)
		if b.done == nil {
			b.done = map[lir.Ins]lir.Val{}
		}
		b.done[in] = v
	}
	return v
}

// give emits an instruction and returns its result.
func (b *body) give(in lir.Ins, result graph.DType) lir.Val {
	in.D = b.newVal(result)
	b.emit(in)
	return in.D
}
