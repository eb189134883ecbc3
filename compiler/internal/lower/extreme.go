package lower

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

var (
	bitsOp, ofBitsOp = lir.Of(lir.Bits, graph.F32), lir.Of(lir.OfBits, graph.I32)
	keyOp            = lir.Of(lir.Key, graph.I32)
	selectFloat      = lir.Of(graph.OpSelect, graph.F32)
)

// An extreme is a loop for the largest of floats, the smallest, or both, by steps that are
// shorter than those of a minimum that keeps a NaN: on keys, integers of the same order, in
// which NaNs lie above and below all numbers; or on numbers, which pass over a NaN, and something
// that notices one.
type extreme struct {
	*reducer
	ops     []graph.Op // those of the results
	turn    graph.Op   // for one result: what turns keys so that NaNs win; 0: they stay as they are
	numbers bool       // no keys
	summed  bool       // then: a sum of magnitudes is NaN if one is; otherwise, all are equal to themselves
	cost    int        // about how many instructions bring a term into the results
}

// Keys of the infinities, and the distance from the lower one to the least integer.
const (
	topKey    = 0x7f800000
	bottomKey = 0x807fffff
	aboveAll  = bottomKey - 1<<31
)

// extreme is the way to the results of a reduction, nil if there is no better one than op.
func (r *reducer) extreme() *extreme {
	m := r.l.m
	if r.t != graph.F32 || r.op == graph.OpAdd || m.Lanes > 0 {
		return nil
	}
	e := &extreme{reducer: r, ops: []graph.Op{r.op}}
	cost := func(op lir.Op) int { return int(m.Ops[op].Insns) }
	if m.Ops[numberOf(r.op)].Valid {
		if r.other != 0 {
			e.ops = append(e.ops, r.other)
		}
		e.numbers = true
		summed, equal := cost(absFloat)+cost(addFloats), cost(equalFloats)+cost(andBools)
		e.summed = summed < equal
		e.cost = len(e.ops) + min(summed, equal)
		return e
	}
	if !m.Ops[keyOp].Valid || !m.Ops[bitsOp].Valid || !m.Ops[ofBitsOp].Valid {
		return nil
	}
	keys, plain := cost(keyOp), cost(lir.Of(r.op, r.t))
	switch {
	case r.other != 0:
		e.ops = append(e.ops, r.other)
		plain += cost(lir.Of(r.other, r.t))
	case r.op == graph.OpMin:
		e.turn = graph.OpAdd
	default:
		e.turn = graph.OpSub
	}
	if e.turn != 0 {
		keys += cost(lir.Of(e.turn, graph.I32))
	}
	for _, op := range e.ops {
		keys += cost(lir.Of(op, graph.I32))
		if m.Ops[lir.Of(op, graph.I32)].InPlace != 0 { // as most of them are, without a move
			keys--
		}
	}
	if keys >= plain {
		return nil
	}
	e.cost = keys
	// The terms are loaded as what they are used as.
	if s := r.terms[0].stream; s >= 0 && len(r.x.steps) == 0 {
		r.streams[s].t = graph.I32
	}
	return e
}

var (
	absFloat, equalFloats = lir.Of(graph.OpAbs, graph.F32), lir.Of(graph.OpEq, graph.F32)
	andBools              = lir.Of(graph.OpAnd, graph.Bool)
)

// numberOf is the machine op for a minimum or maximum that passes over a NaN.
func numberOf(op graph.Op) lir.Op {
	if op == graph.OpMin {
		return lir.Of(lir.MinNum, graph.F32)
	}
	return lir.Of(lir.MaxNum, graph.F32)
}

// opposite is the op of the node that is the other extreme of the same terms; 0: there is none.
func (l *lowerer) opposite(id graph.ID) graph.Op {
	if other, ok := l.plan.opposite[id]; ok {
		return combines(l.g.Node(other).Op)
	}
	return 0
}

// setResults says what the reduction id to a single element is, and what has come with it.
func (l *lowerer) setResults(id graph.ID, r *reducer) {
	l.setOne(id, r.result)
	if r.second != 0 {
		l.setOne(l.plan.opposite[id], r.second)
	}
}

// setOne says what the only element of a node is.
func (l *lowerer) setOne(id graph.ID, v lir.Val) {
	l.form[id], l.ref[id] = scalar, int32(v)
	if l.g.Node(id).Shape != graph.Scalar {
		l.form[id] = splat
	}
}

// row makes the code for one result, or for both.
func (e *extreme) row() []lir.Item {
	r, l, count := e.reducer, e.l, e.inner()
	by := e.by()
	iterations := count / by
	if iterations < 2 {
		iterations = 0
	}
	b := r.newBody(iterations*by, count-iterations*by)
	if r.to < 0 {
		b.block = r.loop
	}
	carried := e.carried()
	now := make([]lir.Val, len(carried))
	var items []lir.Item
	if iterations > 0 {
		iteration := r.newBody(0, by)
		loop, before := iteration.pointers(iterations)
		lanes := make([]lir.Val, len(carried))
		for k, c := range carried {
			lanes[k] = l.newVal(c.class, local)
			now[k] = l.homed(c.class, l.f.Data.Slot(), b.block)
			loop.Phis = append(loop.Phis, lir.Phi{Val: lanes[k], Init: l.word(c.start, c.class), Out: now[k]})
		}
		for j := range by {
			e.take(iteration, j, lanes)
		}
		for k := range lanes {
			loop.Phis[len(loop.Phis)-len(lanes)+k].Next = lanes[k]
		}
		iteration.advance(loop)
		if len(before) > 0 {
			items = append(items, lir.Item{Block: &lir.Block{Ins: before}})
		}
		items = append(items, lir.Item{Loop: loop})
	} else {
		for k, c := range carried {
			now[k] = l.word(c.start, c.class)
		}
	}
	for j := iterations * by; j < count; j++ {
		e.take(b, j, now)
	}
	e.finish(b, now)
	if r.to >= 0 {
		b.store(r.to, 0, r.result)
		items = append(items, lir.Item{Block: &lir.Block{Ins: b.ins}})
	}
	return items
}

// carriedValue is the class of what an iteration gives the next one, and what it begins with.
type carriedValue struct {
	class lir.Class
	start uint64
}

// carried is what the loop carries: the results, and for numbers what notices a NaN.
func (e *extreme) carried() (list []carriedValue) {
	for _, op := range e.ops {
		if e.numbers {
			list = append(list, carriedValue{lir.Float, neutral(op, e.t)})
		} else {
			list = append(list, carriedValue{lir.Int, neutral(op, graph.I32)})
		}
	}
	switch {
	case !e.numbers:
	case e.summed:
		list = append(list, carriedValue{lir.Float, 0})
	default:
		list = append(list, carriedValue{lir.Int, 1})
	}
	return list
}

// by is how many terms an iteration takes: some that leave few to the code behind the loop.
func (e *extreme) by() int {
	if e.x.calls || len(e.x.steps) > 4 {
		return 1
	}
	most, one := lanes, 1+e.cost // a load more
	for most > 1 && !e.l.mayGrow(most*one, one, e.ending()) {
		most--
	}
	return evenly(e.inner(), most)
}

// evenly is up to how many of so many elements an iteration takes, more than half as many: the largest
// number that leaves the fewest to the code behind the loop.
func evenly(count, most int) int {
	best := most
	for k := most - 1; k > most/2; k-- {
		if count%k < count%best {
			best = k
		}
	}
	return best
}

// take brings term j into the values so far.
func (e *extreme) take(b *body, j int, now []lir.Val) {
	v := e.term(b, j)
	if e.numbers {
		e.takeNumber(b, v, now)
		return
	}
	if b.n.l.f.Values[v].Class == lir.Float {
		v = b.compute(bitsOp, graph.I32, [3]lir.Val{v})
	}
	v = e.turned(b, b.compute(keyOp, graph.I32, [3]lir.Val{v}), e.turn)
	for k, op := range e.ops {
		now[k] = b.compute(lir.Of(op, graph.I32), graph.I32, [3]lir.Val{now[k], v})
	}
}

// takeNumber does so without keys.
func (e *extreme) takeNumber(b *body, v lir.Val, now []lir.Val) {
	for k, op := range e.ops {
		now[k] = b.compute(numberOf(op), e.t, [3]lir.Val{now[k], v})
	}
	notice := &now[len(e.ops)]
	if e.summed {
		*notice = b.compute(addFloats, e.t, [3]lir.Val{*notice, b.compute(absFloat, e.t, [3]lir.Val{v})})
		return
	}
	*notice = b.compute(andBools, graph.Bool, [3]lir.Val{*notice, b.compute(equalFloats, graph.Bool, [3]lir.Val{v, v})})
}

// turned is a key that has been moved, round the ends of the integers, by what lies beyond
// the infinities: all NaNs are above the numbers then for a maximum, below for a minimum.
func (e *extreme) turned(b *body, key lir.Val, op graph.Op) lir.Val {
	if op == 0 {
		return key
	}
	return b.compute(lir.Of(op, graph.I32), graph.I32, [3]lir.Val{key, e.l.word(aboveAll, lir.Int)})
}

// finish makes the results of the values behind the last term.
func (e *extreme) finish(b *body, now []lir.Val) {
	l := e.l
	nan := l.word(uint64(math.Float32bits(float32(math.NaN()))), lir.Float)
	compute := func(op lir.Op, t graph.DType, a ...lir.Val) lir.Val {
		var args [3]lir.Val
		copy(args[:], a)
		return b.compute(op, t, args)
	}
	float := func(key lir.Val) lir.Val { return compute(ofBitsOp, e.t, compute(keyOp, graph.I32, key)) }
	if e.numbers {
		none := now[len(e.ops)]
		if e.summed {
			none = compute(equalFloats, graph.Bool, none, none)
		}
		e.result = compute(selectFloat, e.t, none, now[0], nan)
		if len(e.ops) > 1 {
			e.second = compute(selectFloat, e.t, none, now[1], nan)
		}
		return
	}
	switch e.turn {
	case graph.OpAdd:
		e.result = float(e.turned(b, now[0], graph.OpSub))
		return
	case graph.OpSub:
		e.result = float(e.turned(b, now[0], graph.OpAdd))
		return
	}
	most, least := now[0], now[1]
	if e.op == graph.OpMin {
		most, least = least, most
	}
	some := compute(lir.Of(graph.OpOr, graph.I32), graph.I32,
		compute(lir.Of(graph.OpGt, graph.I32), graph.Bool, most, l.word(topKey, lir.Int)),
		compute(lir.Of(graph.OpLt, graph.I32), graph.Bool, least, l.word(bottomKey, lir.Int)))
	e.result = compute(selectFloat, e.t, some, nan, float(now[0]))
	e.second = compute(selectFloat, e.t, some, nan, float(now[1]))
}
