package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// A static loop whose body works on arrays element by element is a bank of loops that have nothing to do with each other, one
// for each element. Where it pays, as many elements as registers can hold go through all iterations together before the
// next ones do, so that nothing that is carried lies in memory meanwhile: in vectors, or one by one.

const (
	// leastIterations is how many a bank has at least: before them, arrays that are scalars so far may have to be written to
	// memory.
	leastIterations = 4
	// maxBankBody is how many instructions the loops of a bank have at most.
	maxBankBody = 160
)

// bank lowers the loop as a bank if it is one and that pays.
func (x *scanner) bank(group *graph.ScanGroup, carries []bool) bool {
	elements, ok := x.isBank(group, carries)
	if !ok {
		return false
	}
	k := &bank{scanner: x, elements: elements, width: x.bankWidth(elements)}
	if k.width > 1 {
		k.by = k.vectors() * k.width
	} else {
		k.by = k.singles()
	}
	if k.by == 0 {
		return false
	}
	k.lower(group, carries)
	return true
}

// isBank reports whether all that the loop carries and writes are arrays of one shape, of so many elements, and the body is
// elementwise.
func (x *scanner) isBank(group *graph.ScanGroup, carries []bool) (elements int, ok bool) {
	b, first := x.b, slices.Index(carries, true)
	if x.l.mode == Always || first < 0 || x.s.Iterations < leastIterations || x.needs(x.s.Param(0)) {
		return 0, false
	}
	shape := b.g.Node(x.s.Param(1 + first)).Shape
	elements = b.g.Elements(x.s.Param(1 + first))
	if elements == 0 || shape == graph.Scalar {
		return 0, false
	}
	isElements := func(id graph.ID) bool {
		n := b.g.Node(id)
		return n.Shape == shape && n.DType.Words() == 1
	}
	for k, needed := range carries {
		if needed && !isElements(x.s.Param(1+k)) {
			return 0, false
		}
	}
	for _, id := range group.Nodes {
		if _, out := x.l.g.ScanInfo(id); out >= x.s.Carries && !isElements(x.rowFrom(out)) {
			return 0, false
		}
	}
	for id := range graph.ID(b.g.NumNodes()) {
		if b.uses[id] > 0 && !(isElements(id) && x.inBank(id)) && !x.isSource(id, true) {
			return 0, false
		}
	}
	return elements, true
}

// inBank reports whether a bank can compute an array from others, or read it.
func (x *scanner) inBank(id graph.ID) bool {
	b, n := x.b, x.b.g.Node(id)
	args := b.g.Args(id)
	switch {
	case n.Op == graph.OpBroadcast:
		return x.isSource(args[0], true)
	case n.Op.Info().Elementwise:
		return !slices.ContainsFunc(args, func(a graph.ID) bool { return b.g.Node(a).Shape != n.Shape })
	}
	return x.isSource(id, false)
}

// isSource reports whether a node is a constant or a param, of one element or of elements that lie side by side.
func (x *scanner) isSource(id graph.ID, single bool) bool {
	n := x.b.g.Node(id)
	if n.DType.Words() != 1 || single && n.Shape != graph.Scalar {
		return false
	}
	if n.Op == graph.OpConst {
		return true
	}
	k := int(id - x.s.Param(1)) // among the operands
	if n.Op != graph.OpParam || k < x.s.Carries {
		return n.Op == graph.OpParam
	}
	switch form := x.l.form[x.args[k]]; {
	case form == splat:
		return !x.isSlice(id)
	case form != memory || n.Shape == graph.Scalar:
		return true
	}
	v := x.l.view(x.args[k])
	if x.isSlice(id) {
		v.strides = v.strides[1:]
	}
	return v.contiguous(x.b.g.ShapeOf(id))
}

// bankWidth is how many elements of a bank a value can have.
func (x *scanner) bankWidth(elements int) int {
	for _, width := range lir.Widths {
		if width <= x.l.m.Lanes && elements%width == 0 && x.inVectors(width) {
			return width
		}
	}
	return 1
}

// inVectors reports whether there is code for all that the body computes on vectors of so many lanes.
func (x *scanner) inVectors(width int) bool {
	b := x.b
	for id := range graph.ID(b.g.NumNodes()) {
		n, args := b.g.Node(id), b.g.Args(id)
		if b.uses[id] == 0 || !n.Op.Info().Elementwise {
			continue
		}
		t := b.g.Node(args[len(args)-1]).DType
		op := lir.Of(n.Op, lir.VectorOf(t, width))
		switch info := &x.l.m.Ops[op]; {
		case t.Words() != 1:
			return false
		case unchanged(n.Op, t):
		case info.Valid && !info.Kernel:
		case !x.shiftsLanes(id, width):
			return false
		}
	}
	return true
}

// shiftsLanes reports whether a node shifts lanes by a constant.
func (x *scanner) shiftsLanes(id graph.ID, width int) bool {
	g := x.b.g
	n := g.Node(id)
	if n.Op != graph.OpShl && n.Op != graph.OpShr {
		return false
	}
	by := g.Args(id)[1]
	if g.Node(by).Op == graph.OpBroadcast {
		by = g.Args(by)[0]
	}
	if of := g.Node(by); of.Op != graph.OpConst || of.Shape != graph.Scalar {
		return false
	}
	_, ok := x.l.shiftOfLanes(n.Op, n.DType, uint32(g.Node(by).Word()), width)
	return ok
}

// takes is what elements of a bank take of the registers of a class: each its own, and all together.
type takes struct{ each, shared int }

// registers is what a bank takes of registers, and how many ops it carries out.
func (k *bank) registers() (of [lir.NumClasses]takes, size int) {
	for id := range graph.ID(k.b.g.NumNodes()) {
		n := k.b.g.Node(id)
		at := &of[k.l.m.Bank(lir.ClassOf(n.DType))]
		if k.width > 1 {
			at = &of[lir.Float]
		}
		switch {
		case k.b.uses[id] == 0:
		case n.Op.Info().Elementwise:
			size++
		case n.Op == graph.OpBroadcast || k.isSlice(id):
		case n.Shape == graph.Scalar:
			at.shared++
		default:
			at.each++
		}
	}
	return of, size
}

// computing is how many registers of a class the computation takes at once beside what stays in some.
const computing = 3

// vectors is how many values of each carry go through the iterations at once: as many as find registers; 0: there is too
// much to be computed.
func (k *bank) vectors() int {
	of, size := k.registers()
	all := k.elements / k.width
	floats := &of[lir.Float]
	vectors := min(all, (k.l.m.Regs[lir.Float]-floats.shared-computing)/max(floats.each, 1))
	if vectors <= 0 || all*(size+1) > maxBankBody {
		return 0
	}
	loops := (all + vectors - 1) / vectors
	return (all + loops - 1) / loops
}

// singles is how many elements go through the iterations at once, one by one: a divisor of their number. 0: all of them find registers
// as it is, or it does not pay.
func (k *bank) singles() int {
	const least, iterations = 2, 8
	of, size := k.registers()
	most := min(k.elements, maxBankBody/4/max(size, 1))
	for c := range lir.NumClasses {
		if t := of[c]; t.each > 0 {
			most = min(most, (k.l.m.Regs[c]-t.shared-computing)/t.each)
		}
	}
	for most >= least && k.elements%most != 0 {
		most--
	}
	if most < least || most == k.elements || k.s.Iterations < iterations || k.serves() {
		return 0
	}
	return most
}

// serves reports whether some ops are calls of kernels or services, beside which moves take no time.
func (k *bank) serves() bool {
	for id := range graph.ID(k.b.g.NumNodes()) {
		n, args := k.b.g.Node(id), k.b.g.Args(id)
		if k.b.uses[id] == 0 || !n.Op.Info().Elementwise {
			continue
		}
		t := k.b.g.Node(args[len(args)-1]).DType
		if k.l.m.Ops[lir.Of(n.Op, t)].Kernel || k.l.m.Shared && t.IsFloat() {
			return true
		}
	}
	return false
}

// isSlice reports whether a param is a row of an array that the loop goes through.
func (x *scanner) isSlice(id graph.ID) bool {
	k := int(id-x.s.Param(1)) - x.s.Carries
	return x.b.g.Node(id).Op == graph.OpParam && k >= 0 && k < x.s.Slices
}

// rowFrom is what an iteration writes as its row of a result.
func (x *scanner) rowFrom(out int) graph.ID {
	if out < len(x.s.Results) {
		return x.s.Results[out]
	}
	return x.s.Param(1 + out - len(x.s.Results))
}
