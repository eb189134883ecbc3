package graph

// Apply builds op on args, which must be of this graph. Operands of unlike types
// are converted as the op's signature says, and operands of elementwise ops are
// repeated to a common shape by NumPy's rules, both by explicit nodes. Ops with
// an attribute or a shape of their own choice have methods instead: Index,
// Slice, Reshape, Broadcast, Sum.
func (g *Graph) Apply(op Op, args ...Value) (Value, error) {
	switch len(args) {
	case 1:
		if a := args[0]; op < NumOps && Ops[op].Arity == 1 && g.owns(a) {
			return g.unary(op, a.id)
		}
	case 2:
		if a, b := args[0], args[1]; op < NumOps && Ops[op].Arity == 2 && g.owns(a) && g.owns(b) {
			return g.binary(op, a.id, b.id)
		}
	}
	return g.applyMany(op, args)
}

// owns reports whether v is a valid value of g.
func (g *Graph) owns(v Value) bool { return v.g == g && v.id >= 0 }

// room refuses a node that would take the graph beyond its bounds. A step of
// Apply adds at most a few nodes, for which the margin is left.
func (g *Graph) room(op Op, pooled int) error {
	const margin, maxPool = 16, 1 << 28
	if len(g.nodes)+g.inBodies > MaxNodes-margin || len(g.pool)+pooled > maxPool {
		return g.errorf(op, "graph too large: at most %d nodes are supported", MaxNodes)
	}
	return nil
}

func (g *Graph) unary(op Op, a ID) (Value, error) {
	if err := g.room(op, 0); err != nil {
		return Value{g, None}, err
	}
	info, n := &Ops[op], &g.nodes[a]
	rule := typeRules[op][n.DType]
	if rule.want == 0 {
		return Value{g, None}, g.typeError(op, n.DType, n.DType)
	}
	if !info.Elementwise {
		return g.unaryArray(op, a)
	}
	if isCast(op) {
		return Value{g, g.convert(a, rule.result)}, nil
	}
	a = g.convert(a, rule.want)
	if info.Sig == SigRound && !rule.want.IsFloat() {
		return Value{g, a}, nil
	}
	return Value{g, g.intern(op, rule.result, g.nodes[a].Shape, 0, a, None, None, 1)}, nil
}

// unaryArray is for the array ops with one operand that Apply can build.
func (g *Graph) unaryArray(op Op, a ID) (Value, error) {
	switch op {
	case OpTranspose:
		return g.Transpose(Value{g, a})
	case OpSort, OpArgsort:
		return g.derive(op, Value{g, a}, 0, nil)
	case OpSum, OpAMax, OpAMin:
		return g.reduce(op, Value{g, a}, AllAxes)
	}
	return Value{g, None}, g.errorf(op, "needs an operand known when the graph is built: use its own method")
}

func (g *Graph) binary(op Op, a, b ID) (Value, error) {
	if err := g.room(op, 0); err != nil {
		return Value{g, None}, err
	}
	if op == OpTake {
		return g.take(a, b)
	}
	na, nb := &g.nodes[a], &g.nodes[b]
	rule := typeRules[op][max(na.DType, nb.DType)]
	if rule.want == 0 || mixed(na.DType, nb.DType) {
		return Value{g, None}, g.typeError(op, na.DType, nb.DType)
	}
	shape := na.Shape
	if na.Shape != nb.Shape || !Ops[op].Elementwise {
		var err error
		if a, b, shape, err = g.matchShapes(op, a, b); err != nil {
			return Value{g, None}, err
		}
	}
	if g.nodes[a].DType != rule.want {
		a = g.convert(a, rule.want)
	}
	if g.nodes[b].DType != rule.want {
		b = g.convert(b, rule.want)
	}
	return Value{g, g.intern(op, rule.result, shape, 0, a, b, None, 2)}, nil
}

// matchShapes brings the operands of a binary op to the shapes it needs.
func (g *Graph) matchShapes(op Op, a, b ID) (ID, ID, ShapeID, error) {
	sa, sb := g.ShapeOf(a), g.ShapeOf(b)
	var s Shape
	var err error
	if Ops[op].Elementwise {
		s, err = BroadcastShapes(sa, sb)
	} else {
		s, err = resultShape(op, 0, []Shape{sa, sb}, nil)
	}
	if err != nil {
		return a, b, 0, g.errorf(op, "%v", err)
	}
	shape, err := g.shapes.intern(s)
	if err != nil {
		return a, b, 0, g.errorf(op, "%v", err)
	}
	if Ops[op].Elementwise {
		a, b = g.repeat(a, shape), g.repeat(b, shape)
	}
	return a, b, shape, nil
}

// repeat broadcasts a node to a shape that it fits.
func (g *Graph) repeat(a ID, s ShapeID) ID {
	n := &g.nodes[a]
	if n.Shape == s {
		return a
	}
	return g.intern(OpBroadcast, n.DType, s, 0, a, None, None, 1)
}

// convert returns the node as type t; scalar constants are converted at once
// where that widens them.
func (g *Graph) convert(a ID, t DType) ID {
	n := &g.nodes[a]
	if n.DType == t {
		return a
	}
	if n.Op == OpConst && n.Shape == Scalar && t > n.DType && !n.DType.IsFloat() {
		return g.constWord(t, convertConst(t, n.Word()))
	}
	return g.intern(castTo[t], t, n.Shape, 0, a, None, None, 1)
}

var castTo = [numDTypes]Op{Bool: OpToBool, I32: OpToI32, F32: OpToF32, F64: OpToF64}

func (g *Graph) typeError(op Op, a, b DType) error {
	if mixed(a, b) {
		return g.errorf(op, mixedMessage)
	}
	if a == b {
		return g.errorf(op, "operand is %v: %s", a, takes[Ops[op].Sig])
	}
	return g.errorf(op, "operands are %v and %v: %s", a, b, takes[Ops[op].Sig])
}

// applyMany checks the operands and builds the ops that are not unary or binary.
func (g *Graph) applyMany(op Op, args []Value) (Value, error) {
	if op >= NumOps || Ops[op].Sig == SigSource {
		return Value{g, None}, g.errorf(op, "cannot be applied")
	}
	for i, a := range args {
		if a.g != g || a.id < 0 {
			return Value{g, None}, g.errorf(op, "operand %d is not a value of this graph", i)
		}
	}
	switch {
	case op == OpSelect && len(args) == 3:
		return g.selectOf(args[0].id, args[1].id, args[2].id)
	case op == OpStack && len(args) > 0:
		return g.Stack(args...)
	case op == OpConcat && len(args) > 0:
		return g.Concat(args...)
	case op == OpScan:
		return Value{g, None}, g.errorf(op, "a loop is built with its own method")
	}
	switch n := Ops[op].Arity; n {
	case Variadic:
		return Value{g, None}, g.errorf(op, "takes at least one operand")
	case 1:
		return Value{g, None}, g.errorf(op, "takes one operand, not %d", len(args))
	default:
		return Value{g, None}, g.errorf(op, "takes %d operands, not %d", n, len(args))
	}
}

func (g *Graph) selectOf(c, a, b ID) (Value, error) {
	if err := g.room(OpSelect, 0); err != nil {
		return Value{g, None}, err
	}
	shape := g.nodes[c].Shape
	if sa, sb := g.nodes[a].Shape, g.nodes[b].Shape; shape != sa || shape != sb {
		s, err := BroadcastShapes(g.Shape(sa), g.Shape(sb))
		if err == nil {
			s, err = BroadcastShapes(g.Shape(shape), s)
		}
		if err == nil {
			shape, err = g.shapes.intern(s)
		}
		if err != nil {
			return Value{g, None}, g.errorf(OpSelect, "%v", err)
		}
	}
	if mixed(g.nodes[a].DType, g.nodes[b].DType) {
		return Value{g, None}, g.errorf(OpSelect, mixedMessage)
	}
	t := max(g.nodes[a].DType, g.nodes[b].DType)
	c = g.repeat(g.convert(c, Bool), shape)
	a = g.repeat(g.convert(a, t), shape)
	b = g.repeat(g.convert(b, t), shape)
	return Value{g, g.intern(OpSelect, t, shape, 0, c, a, b, 3)}, nil
}
