package graph

import (
	"fmt"
	"strconv"
)

// define adds a parsed node after checking it.
func (g *Graph) define(n parsed) (ID, error) {
	switch n.op {
	case OpConst, OpInput, OpState:
		return g.defineSource(n)
	}
	attr, err := n.attribute()
	if err != nil {
		return None, err
	}
	return g.Define(n.op, n.t, n.shape, attr, n.args...)
}

// Define adds a computation exactly as it is described, for readers of stored
// graphs: unlike Apply it converts and simplifies nothing, and what it is told
// of type, shape and attribute must be what the op gives for these operands.
// Constants and inputs are made by Const and Input.
func (g *Graph) Define(op Op, t DType, s Shape, attr uint64, args ...ID) (ID, error) {
	if op >= NumOps || !t.Valid() {
		return None, fmt.Errorf("unknown op or dtype")
	}
	for _, a := range args {
		if a < 0 || int(a) >= len(g.nodes) {
			return None, fmt.Errorf("operand %%%d is not before it", a)
		}
	}
	if err := s.check(); err != nil {
		return None, err
	}
	if err := g.room(op, len(args)); err != nil {
		return None, err
	}
	if err := g.checkNode(op, t, s, attr, args); err != nil {
		return None, err
	}
	shape, err := g.shapes.intern(s)
	if err != nil {
		return None, err
	}
	return g.Intern(op, t, shape, attr, args...), nil
}

func (g *Graph) defineSource(n parsed) (ID, error) {
	if len(n.args) != 0 {
		return None, fmt.Errorf("takes no operands")
	}
	t := Tensor{DType: n.t, Shape: n.shape, Bits: make([]uint32, len(n.words))}
	for i, w := range n.words {
		var err error
		if t.Bits[i], err = parseWord(n.t, w); err != nil {
			return None, err
		}
	}
	var v Value
	var err error
	switch n.op {
	case OpConst:
		v, err = g.Const(t)
	case OpInput:
		v, err = g.Input(n.name, n.t, n.shape, t.Bits)
	case OpState:
		v, err = g.State(n.name, n.t, n.shape, t.Bits)
	}
	return v.id, err
}

// attribute is the attribute word that the numbers in braces stand for.
func (n parsed) attribute() (uint64, error) {
	use := Ops[n.op].Attr
	want := map[AttrUse]int{AttrIndex: 1, AttrSlice: 2}[use]
	if use == AttrAxis && len(n.words) > 0 {
		want = 1
	}
	if len(n.words) != want {
		return 0, fmt.Errorf("%d numbers in braces, want %d", len(n.words), want)
	}
	var nums [2]int
	for i, w := range n.words {
		x, err := strconv.ParseInt(w, 10, 32)
		if err != nil {
			return 0, fmt.Errorf("bad number %q", w)
		}
		nums[i] = int(x)
	}
	negative := nums[0] < 0
	switch {
	case want == 0:
		return 0, nil
	case negative:
		return 0, fmt.Errorf("%d is negative", nums[0])
	case use == AttrSlice:
		return SliceAttr(nums[0], nums[1]), nil
	case use == AttrAxis:
		return uint64(nums[0]) + 1, nil
	}
	return uint64(nums[0]), nil
}
