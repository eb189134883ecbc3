package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Bounds for unrolling in Auto mode, in elements of the result or terms of a
// reduction: always up to small; up to medium where the operands are scalars
// already.
const (
	small  = 16
	medium = 64
)

// perScalar is up to how much work for each element of an operand that consists
// of computed scalars a loop does not pay: the elements would have to be written
// to memory first, which costs about as much as scalar code for that work.
const perScalar = 4

// plan says for each array node how it is computed.
type plan struct {
	unrolled []bool     // as scalars
	computed []bool     // as scalars that are not in memory already
	root     []graph.ID // the node in whose loop nest it is computed; itself for a nest of its own
	members  map[graph.ID][]graph.ID
	partner  map[graph.ID]graph.ID // between sin and cos of one operand
	opposite map[graph.ID]graph.ID // between the largest and the smallest of one operand, in loops
	places   map[graph.ID]placeOf
	parts    map[graph.ID]part       // arrays that loops write where they are read
	behind   map[graph.ID]graph.ID   // by root: the product of matrices of which it is made in one nest
	woven    map[graph.ID][]graph.ID // the rows of concatenations that lie column by column
}

// Marks in plan.root besides nodes.
const (
	noRoot    graph.ID = -1
	manyRoots graph.ID = -2
)

func (l *lowerer) planAll(outs []graph.ID) {
	n := l.g.NumNodes()
	l.plan = plan{members: map[graph.ID][]graph.ID{}, partner: map[graph.ID]graph.ID{}}
	if l.g.Has(graph.OpSin) && l.g.Has(graph.OpCos) {
		l.planPartners()
	}
	if !l.hasArrays() {
		return
	}
	l.plan.unrolled, l.plan.computed = make([]bool, n), make([]bool, n)
	l.plan.root = make([]graph.ID, n)
	for id := range graph.ID(n) {
		l.plan.root[id] = noRoot
		if l.uses[id] > 0 {
			l.plan.unrolled[id] = l.planUnroll(id)
			l.plan.computed[id] = l.plan.unrolled[id] && l.isComputed(id)
		}
	}
	l.planWoven()
	l.planParts()
	l.planPlaces()
	l.planOpposites()
	for _, id := range outs {
		l.plan.root[id] = manyRoots
	}
	for id := graph.ID(n - 1); id >= 0; id-- {
		if l.uses[id] > 0 {
			l.planFusion(id)
		}
	}
	for id := range graph.ID(n) {
		if r := l.plan.root[id]; r >= 0 && r != id {
			l.plan.members[r] = append(l.plan.members[r], id)
			l.form[id] = virtual
		}
	}
	l.planBehind()
}

// hasArrays reports whether some node, needed or not, is an array.
func (l *lowerer) hasArrays() bool {
	if l.g.NumShapes() == 1 {
		return false
	}
	for id := range graph.ID(l.g.NumNodes()) {
		if l.g.Node(id).Shape != graph.Scalar {
			return true
		}
	}
	return false
}

// planPartners pairs the sine and the cosine of one operand, which share most of
// their work.
func (l *lowerer) planPartners() {
	sines := map[graph.ID]graph.ID{}
	for id := range graph.ID(l.g.NumNodes()) {
		if l.uses[id] > 0 && l.g.Node(id).Op == graph.OpSin {
			sines[l.g.Args(id)[0]] = id
		}
	}
	for id := range graph.ID(l.g.NumNodes()) {
		n := l.g.Node(id)
		if l.uses[id] == 0 || n.Op != graph.OpCos || n.DType == graph.F64 && !l.m.Ops[lir.Of(lir.SinCos, n.DType)].Valid {
			continue
		}
		if sin, ok := sines[l.g.Args(id)[0]]; ok {
			l.plan.partner[id], l.plan.partner[sin] = sin, id
		}
	}
}

// planOpposites pairs the largest and the smallest of one operand, which share its terms.
func (l *lowerer) planOpposites() {
	type terms struct {
		of   graph.ID
		axis int
	}
	waiting := map[terms]graph.ID{}
	for id := range graph.ID(l.g.NumNodes()) {
		n := l.g.Node(id)
		if n.Op != graph.OpAMax && n.Op != graph.OpAMin || l.uses[id] == 0 || l.plan.unrolled[id] {
			continue
		}
		key := terms{l.g.Args(id)[0], n.Axis()}
		other, ok := waiting[key]
		if !ok || l.g.Node(other).Op == n.Op {
			waiting[key] = id
			continue
		}
		delete(waiting, key)
		if l.plan.opposite == nil {
			l.plan.opposite = map[graph.ID]graph.ID{}
		}
		l.plan.opposite[id], l.plan.opposite[other] = other, id
	}
}

// planUnroll decides whether a node is computed as scalars. Its operands are
// decided already.
func (l *lowerer) planUnroll(id graph.ID) bool {
	n := l.g.Node(id)
	switch n.Op {
	case graph.OpStack:
		return true
	case graph.OpConst, graph.OpInput, graph.OpState, graph.OpScan, graph.OpSort, graph.OpArgsort:
		return false
	case graph.OpParam:
		return l.carriedAsElements(id)
	}
	if l.isPut[id] || l.looped[id] {
		return false
	}
	work := l.g.Elements(id)
	if n.Op.Info().Sig == graph.SigReduce {
		work *= l.terms(id)
	}
	switch {
	case work == 0 || l.mode == Always:
		return true
	case l.mode == Never:
		return false
	case work <= small:
		return !l.vectorsDo(id) && !l.fewVectors(id)
	case work <= medium && n.Op == graph.OpMatMul && l.m.Lanes > 0 && l.narrow(id):
		return true
	}
	for _, a := range l.g.Args(id) {
		if l.plan.computed[a] && l.g.Node(a).Shape != graph.Scalar && work <= perScalar*l.g.Elements(a) {
			return true
		}
	}
	if work > medium {
		return false
	}
	for _, a := range l.g.Args(id) {
		if l.g.Node(a).Shape != graph.Scalar && !l.plan.unrolled[a] {
			return false
		}
	}
	return true
}

// leastInVectors is how many elements of few are computed in vectors at least.
const leastInVectors = 4

// fewVectors reports whether few elements are computed in vectors all the same: without a loop, if their operands lie
// in memory anyway.
func (l *lowerer) fewVectors(id graph.ID) bool {
	const width = 4
	n, args := l.g.Node(id), l.g.Args(id)
	t := l.g.Node(args[len(args)-1]).DType
	if l.m.Lanes < width || t == graph.F64 || n.DType == graph.F64 {
		return false
	}
	switch {
	case n.Op == graph.OpMatMul:
		if l.narrow(id) || l.terms(id) < width || t != graph.F32 {
			return false
		}
	case !n.Op.Info().Elementwise || l.g.Elements(id) < leastInVectors || l.g.Elements(id)%width != 0:
		return false
	case !unchanged(n.Op, t) && !l.m.Ops[lir.Of(n.Op, lir.VectorOf(t, width))].Valid:
		return false
	}
	for _, a := range args {
		if l.plan.computed[a] && l.g.Node(a).Shape != graph.Scalar {
			return false
		}
	}
	return true
}

// narrow reports whether a product has too few columns, or rows for one vector, to be computed in vectors.
func (l *lowerer) narrow(id graph.ID) bool {
	shape := l.g.ShapeOf(id)
	return len(shape) == 0 || shape[len(shape)-1] < 4
}

// vectorsDo reports whether two vectors or more do what one op makes of so few elements, which lie in memory in their order:
// where no place takes a pointer, that needs little more than the vectors.
func (l *lowerer) vectorsDo(id graph.ID) bool {
	n, args := l.g.Node(id), l.g.Args(id)
	if l.m.Lanes == 0 || !l.m.FreeOffsets || !n.Op.Info().Elementwise || l.g.Elements(id) < leastInVectors {
		return false
	}
	of := l.g.Node(args[0]).DType
	if n.DType == graph.F64 || of == graph.F64 || !l.m.Ops[lir.Of(n.Op, lir.VectorOf(of, 4))].Valid {
		return false
	}
	return !slices.ContainsFunc(args, func(a graph.ID) bool {
		op := l.g.Node(a).Op
		same := op == graph.OpBroadcast && l.g.Node(l.g.Args(a)[0]).Shape == graph.Scalar // copies of one scalar
		return l.g.Node(a).Shape != graph.Scalar && !same && (l.plan.unrolled[a] || op.Info().Sig == graph.SigMove)
	})
}

// isComputed reports whether the elements of a node that is computed as scalars
// are results of ops, rather than words of memory.
func (l *lowerer) isComputed(id graph.ID) bool {
	switch n := l.g.Node(id); {
	case n.Op == graph.OpStack:
		for _, a := range l.g.Args(id) {
			if !l.isVariable(a) && l.g.Node(a).Op != graph.OpConst {
				return true
			}
		}
		return false
	case n.Op == graph.OpBroadcast && l.g.Node(l.g.Args(id)[0]).Shape == graph.Scalar:
		return false // one value, which loops read as it is
	case n.Op.Info().Sig == graph.SigMove || n.Op == graph.OpConcat:
		for _, a := range l.g.Args(id) {
			if l.plan.computed[a] {
				return true
			}
		}
		return false
	}
	return true
}

// terms is the number of terms of each element of a reduction.
func (l *lowerer) terms(id graph.ID) int {
	n, args := l.g.Node(id), l.g.Args(id)
	shape := l.g.ShapeOf(args[0])
	switch {
	case n.Op == graph.OpMatMul:
		return shape[len(shape)-1]
	case n.Op != graph.OpDot && n.Axis() >= 0:
		return shape[n.Axis()]
	}
	return l.g.Elements(args[0])
}

// planFusion decides, from the decisions for the users of a node, whether it is
// computed in their loop nest, and votes for that of its operands.
func (l *lowerer) planFusion(id graph.ID) {
	n := l.g.Node(id)
	p := &l.plan
	if l.form[id] == virtual {
		return // lies between a concatenation and its rows
	}
	if rows := p.woven[id]; rows != nil {
		p.root[id] = id
		for _, a := range rows {
			if l.fusible(a) && (p.root[a] == noRoot || p.root[a] == id) {
				p.root[a] = id
			} else {
				p.root[a] = manyRoots
			}
		}
		return
	}
	if place, ok := p.places[id]; ok {
		p.root[place.of] = manyRoots
		return
	}
	looped := !p.unrolled[id]
	root := id
	switch {
	case !looped || l.isPut[id]:
		looped = false
	case (n.Op.Info().Elementwise || l.takesElements(id)) && n.Shape != graph.Scalar:
		if r := p.root[id]; r >= 0 {
			root = r
		}
	case n.Op.Info().Sig == graph.SigReduce && n.Op != graph.OpMatMul:
	default:
		looped = false
	}
	if !looped {
		root = manyRoots
	} else {
		p.root[id] = root
	}
	for i, a := range l.g.Args(id) {
		apart := n.Op == graph.OpTake && (i == 0 || l.castInVectors(a, castDepth)) // is in memory
		if root >= 0 && !apart && l.fusible(a) && (p.root[a] == noRoot || p.root[a] == root) {
			p.root[a] = root
		} else {
			p.root[a] = manyRoots
		}
	}
}

// castDepth is how far an index is followed to a cast.
const castDepth = 4

// castInVectors reports whether an index is made of a float, whose cast takes so many instructions more for a single one than
// in vectors, which a nest that takes elements has not, that it pays to write the indices to memory.
func (l *lowerer) castInVectors(id graph.ID, depth int) bool {
	const long = 4
	n, args := l.g.Node(id), l.g.Args(id)
	if l.m.Lanes == 0 || depth == 0 || !n.Op.Info().Elementwise || n.Shape == graph.Scalar {
		return false
	}
	if n.Op == graph.OpToI32 && l.g.Node(args[0]).DType == graph.F32 {
		return l.m.Ops[toI32].Insns > long
	}
	return slices.ContainsFunc(args, func(a graph.ID) bool { return l.castInVectors(a, depth-1) })
}

// fusible reports whether a node can be computed inside the nest of its user.
func (l *lowerer) fusible(id graph.ID) bool {
	n := l.g.Node(id)
	return (n.Op.Info().Elementwise || l.takesElements(id)) && n.Shape != graph.Scalar && !l.plan.unrolled[id]
}
