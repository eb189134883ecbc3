package graph

import (
	"errors"
	"fmt"
	"strconv"
)

// define adds a parsed node after checking it.
func (g *Graph) define(n parsed) (ID, error) {
	switch n.op {
	case OpConst, OpInput, OpState:
		return g.defineSource(n)
	case OpParam:
		return g.defineParam(n)
	}
	attr, err := n.attribute()
	if err != nil {
		return None, err
	}
	g.SetFast(n.fast)
	defer g.SetFast(false)
	return g.Define(n.op, n.t, n.shape, attr, n.args...)
}

// errFast refuses the mark of SetFast on a node that does not take it.
var errFast = errors.New("fast is for computations that give floats")

// Define adds a computation exactly as it is described, for readers of stored
// graphs: unlike Apply it converts and simplifies nothing, and what it is told
// of type, shape and attribute must be what the op gives for these operands.
// Constants, inputs, states and params are made by Const, Input, State and
// DefineParam. After SetFast the op must be one that takes the mark.
func (g *Graph) Define(op Op, t DType, s Shape, attr uint64, args ...ID) (ID, error) {
	if op >= NumOps || !t.Valid() {
		return None, fmt.Errorf("unknown op or dtype")
	}
	if g.fast && !TakesFast(op, t) {
		return None, errFast
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

func (g *Graph) defineParam(n parsed) (ID, error) {
	if len(n.args) != 0 {
		return None, fmt.Errorf("takes no operands")
	}
	index, err := n.attribute()
	if err != nil {
		return None, err
	}
	return g.DefineParam(int(index), n.t, n.shape)
}

func (g *Graph) defineSource(n parsed) (ID, error) {
	if n.fast {
		return None, errFast
	}
	if len(n.args) != 0 {
		return None, fmt.Errorf("takes no operands")
	}
	t := Tensor{DType: n.t, Shape: n.shape, Bits: make([]uint32, len(n.words)*n.t.Words())}
	for i, w := range n.words {
		bits, err := parseWord(n.t, w)
		if err != nil {
			return None, err
		}
		n.t.Put(t.Bits, i, bits)
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
	want := map[AttrUse]int{AttrIndex: 1, AttrSlice: 2, AttrParam: 1, AttrScan: 2}[use]
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
	case negative, use == AttrScan && nums[1] < 0:
		return 0, fmt.Errorf("%d is negative", nums[0])
	case use == AttrSlice:
		return SliceAttr(nums[0], nums[1]), nil
	case use == AttrScan:
		return ScanAttr(nums[0], nums[1]), nil
	case use == AttrAxis:
		return uint64(nums[0]) + 1, nil
	}
	return uint64(nums[0]), nil
}
