package graph

import "fmt"

// typeRule is one answer of a signature: the type that the operands are
// converted to and the type of the result. A zero want means: refused.
type typeRule struct{ want, result DType }

// rule returns the answer of a signature for operands whose common type is t.
func (s Sig) rule(t DType) typeRule {
	number := max(t, I32)
	switch s {
	case SigArith, SigReduce:
		return typeRule{number, number}
	case SigFloat:
		return typeRule{max(t, F32), max(t, F32)}
	case SigRound:
		return typeRule{number, number}
	case SigBits:
		if t <= I32 {
			return typeRule{t, t}
		}
	case SigShift:
		if t <= I32 {
			return typeRule{I32, I32}
		}
	case SigOrder:
		return typeRule{number, Bool}
	case SigEqual:
		return typeRule{t, Bool}
	case SigTest:
		return typeRule{max(t, F32), Bool}
	case SigToF32:
		return typeRule{t, F32}
	case SigToF64:
		return typeRule{t, F64}
	case SigToI32:
		return typeRule{t, I32}
	case SigToBool:
		return typeRule{t, Bool}
	case SigSelect, SigStack, SigConcat, SigMove, SigTake, SigScan:
		return typeRule{t, t}
	case SigSort:
		if t <= F32 {
			return typeRule{t, t}
		}
	case SigPlaces:
		if t <= F32 {
			return typeRule{t, I32}
		}
	}
	return typeRule{}
}

// typeRules is Sig.rule for each op and common type.
var typeRules = func() (rules [NumOps][numDTypes]typeRule) {
	for op := range NumOps {
		for t := Bool; t < numDTypes; t++ {
			rules[op][t] = Ops[op].Sig.rule(t)
		}
	}
	return rules
}()

// Takes reports whether nodes of the op may have operands of type t, which a select
// chooses from: the builder converts others, or does without the node.
func (op Op) Takes(t DType) bool {
	rule := typeRules[op][t]
	return rule.want == t && !(op.Info().Sig == SigRound && !t.IsFloat()) && !(isCast(op) && t == rule.result)
}

// OperandType is the type of operand i of an op that is elementwise, or takes, on operands of type t.
func (op Op) OperandType(i int, t DType) DType {
	switch {
	case op == OpSelect && i == 0:
		return Bool
	case op == OpTake && i == 1:
		return I32
	}
	return t
}

// ResultType is the type that an op on operands of type t gives.
func (op Op) ResultType(t DType) DType { return typeRules[op][t].result }

// takes names the operand types of signatures that refuse some.
var takes = map[Sig]string{
	SigBits:   "operands must be bool or i32",
	SigShift:  "operands must be i32",
	SigSort:   "the operand must be bool, i32 or f32",
	SigPlaces: "the operand must be bool, i32 or f32",
}

// resultShape is the shape that op gives for operands of these shapes, with
// attr and, where the op needs it, the wanted shape. It checks everything that
// concerns shapes and attributes.
func resultShape(op Op, attr uint64, args []Shape, want Shape) (Shape, error) {
	if rule := shapeRules[op]; rule != nil {
		return rule(attr, args, want)
	}
	for _, a := range args[1:] {
		if !a.Equal(args[0]) {
			return nil, fmt.Errorf("shapes %v and %v differ", args[0], a)
		}
	}
	return args[0], nil
}

// shapeRules has the ops that are not elementwise.
var shapeRules = [NumOps]func(attr uint64, args []Shape, want Shape) (Shape, error){
	OpStack:     stackShape,
	OpIndex:     indexShape,
	OpTake:      takeShape,
	OpSlice:     sliceShape,
	OpConcat:    concatShape,
	OpReshape:   reshapeShape,
	OpTranspose: transposeShape,
	OpBroadcast: broadcastShape,
	OpSort:      sortShape,
	OpArgsort:   sortShape,
	OpSum:       sumShape,
	OpAMax:      extremumShape,
	OpAMin:      extremumShape,
	OpDot:       dotShape,
	OpMatMul:    matMulShape,
	OpScan:      scanShape,
}

func stackShape(_ uint64, args []Shape, _ Shape) (Shape, error) {
	for i, a := range args {
		if len(a) != 0 {
			return nil, fmt.Errorf("operand %d has shape %v, not a scalar", i, a)
		}
	}
	return Shape{len(args)}, nil
}

func indexShape(attr uint64, args []Shape, _ Shape) (Shape, error) {
	a := args[0]
	if len(a) == 0 {
		return nil, fmt.Errorf("a scalar has no elements to index")
	}
	if attr >= uint64(a[0]) {
		return nil, fmt.Errorf("index %d is out of range for axis 0 with %d rows", attr, a[0])
	}
	return a[1:], nil
}

func takeShape(_ uint64, args []Shape, _ Shape) (Shape, error) {
	a, by := args[0], args[1]
	switch {
	case len(a) == 0:
		return nil, fmt.Errorf("a scalar has no elements to take")
	case a[0] == 0:
		return nil, fmt.Errorf("an array without rows has none to take")
	case len(by) > 0 && len(a) > 1:
		return nil, fmt.Errorf("an index of shape %v takes elements of a vector, not rows of %v", by, a)
	case len(by) > 0:
		return by, nil
	}
	return a[1:], nil
}

func sortShape(_ uint64, args []Shape, _ Shape) (Shape, error) {
	if len(args[0]) == 0 {
		return nil, fmt.Errorf("a scalar has no order")
	}
	return args[0], nil
}

func sliceShape(attr uint64, args []Shape, want Shape) (Shape, error) {
	a := args[0]
	if len(a) == 0 {
		return nil, fmt.Errorf("a scalar has no rows to slice")
	}
	start, step := (&Node{Attr: attr}).SliceRange()
	if len(want) != len(a) || !want[1:].Equal(a[1:]) {
		return nil, fmt.Errorf("rows of %v do not make %v", a, want)
	}
	if count := want[0]; count > 0 {
		last := start + (count-1)*step
		if step == 0 || start >= a[0] || last < 0 || last >= a[0] {
			return nil, fmt.Errorf("rows %d to %d by %d are out of range for axis 0 with %d rows", start, last, step, a[0])
		}
	}
	return want, nil
}

func concatShape(_ uint64, args []Shape, _ Shape) (Shape, error) {
	first := args[0]
	rows := 0
	for i, a := range args {
		if len(a) == 0 {
			return nil, fmt.Errorf("operand %d is a scalar", i)
		}
		if len(a) != len(first) || !a[1:].Equal(first[1:]) {
			return nil, fmt.Errorf("shapes %v and %v differ beyond axis 0", first, a)
		}
		rows += a[0]
	}
	out := append(Shape{rows}, first[1:]...)
	return out, out.check()
}

func reshapeShape(_ uint64, args []Shape, want Shape) (Shape, error) {
	if args[0].Elements() != want.Elements() {
		return nil, fmt.Errorf("%d elements of shape %v do not fill shape %v", args[0].Elements(), args[0], want)
	}
	return want, nil
}

func transposeShape(_ uint64, args []Shape, _ Shape) (Shape, error) {
	a := args[0]
	if len(a) != 2 {
		return nil, fmt.Errorf("shape %v does not have two axes", a)
	}
	return Shape{a[1], a[0]}, nil
}

func broadcastShape(_ uint64, args []Shape, want Shape) (Shape, error) {
	if !canBroadcast(args[0], want) {
		return nil, fmt.Errorf("shape %v cannot be repeated to %v", args[0], want)
	}
	return want, nil
}

func sumShape(attr uint64, args []Shape, _ Shape) (Shape, error) {
	a := args[0]
	if attr == 0 {
		return Shape{}, nil
	}
	axis := attr - 1
	if axis >= uint64(len(a)) {
		return nil, fmt.Errorf("axis %d is out of range for shape %v", axis, a)
	}
	out := append(Shape{}, a[:axis]...)
	return append(out, a[axis+1:]...), nil
}

// extremumShape is sumShape, but of no elements there is no extremum.
func extremumShape(attr uint64, args []Shape, want Shape) (Shape, error) {
	s, err := sumShape(attr, args, want)
	if err == nil && (attr == 0 && args[0].Elements() == 0 || attr > 0 && args[0][attr-1] == 0) {
		err = fmt.Errorf("shape %v has no elements to choose from", args[0])
	}
	return s, err
}

func dotShape(_ uint64, args []Shape, _ Shape) (Shape, error) {
	a, b := args[0], args[1]
	if len(a) != 1 || len(b) != 1 {
		return nil, fmt.Errorf("operands have shapes %v and %v, not vectors", a, b)
	}
	if a[0] != b[0] {
		return nil, fmt.Errorf("vectors of %d and %d elements", a[0], b[0])
	}
	return Shape{}, nil
}

// scanShape: the shapes of a loop come from its body, see checkScan.
func scanShape(uint64, []Shape, Shape) (Shape, error) {
	return nil, fmt.Errorf("a loop is built with its own method")
}

func matMulShape(_ uint64, args []Shape, _ Shape) (Shape, error) {
	a, b := args[0], args[1]
	if len(a) < 1 || len(a) > 2 || len(b) < 1 || len(b) > 2 || len(a)+len(b) < 3 {
		return nil, fmt.Errorf("shapes %v and %v: needs two matrices, or a matrix and a vector", a, b)
	}
	if a[len(a)-1] != b[0] {
		return nil, fmt.Errorf("shapes %v and %v do not match: %d columns, %d rows", a, b, a[len(a)-1], b[0])
	}
	out := append(Shape{}, a[:len(a)-1]...)
	return append(out, b[1:]...), nil
}

// checkNode is the rule that every node of a graph obeys: operand types are
// already converted, and type and shape of the node are what the op gives.
func (g *Graph) checkNode(op Op, t DType, s Shape, attr uint64, args []ID) error {
	info := &Ops[op]
	if info.Sig == SigSource {
		return fmt.Errorf("%v is not a computation", op)
	}
	if op == OpScan {
		return g.checkScan(t, s, attr, args)
	}
	if len(args) != info.Arity && (info.Arity != Variadic || len(args) == 0) {
		return fmt.Errorf("%d operands", len(args))
	}
	first := args[0]
	if op == OpSelect {
		if g.nodes[first].DType != Bool {
			return fmt.Errorf("condition is %v, not bool", g.nodes[first].DType)
		}
		first = args[1]
	}
	common := g.nodes[first].DType
	for i, a := range args {
		want := common
		if op == OpSelect && i == 0 || op == OpTake && i == 1 {
			want = op.OperandType(i, common)
		}
		if g.nodes[a].DType != want {
			return fmt.Errorf("operands are %v and %v", common, g.nodes[a].DType)
		}
	}
	if !op.Takes(common) {
		return fmt.Errorf("operand is %v", common)
	}
	if result := op.ResultType(common); result != t {
		return fmt.Errorf("gives %v, not %v", result, t)
	}
	if attr != 0 && info.Attr == AttrNone {
		return fmt.Errorf("attribute %d on an op that has none", attr)
	}
	list := make([]Shape, len(args))
	for i, a := range args {
		list[i] = g.ShapeOf(a)
	}
	shape, err := resultShape(op, attr, list, s)
	if err != nil {
		return err
	}
	if !shape.Equal(s) {
		return fmt.Errorf("gives shape %v, not %v", shape, s)
	}
	return nil
}

func isCast(op Op) bool {
	return op == OpToF32 || op == OpToF64 || op == OpToI32 || op == OpToBool
}

// mixed reports whether operands of the types a and b are brought together by
// nothing but a cast that the program asks for.
func mixed(a, b DType) bool { return a != b && a.IsFloat() && b.IsFloat() }

// mixedMessage says so.
const mixedMessage = "operands are f32 and f64: neither becomes the other by itself, cast one of them"
