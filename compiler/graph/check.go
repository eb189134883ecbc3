package graph

import "fmt"

// Check verifies a whole graph: operands come before their users, attributes
// are in range, types and shapes are what the ops give, constants are canonical,
// next values fit their states, and no two nodes are equal. Passes are tested with it; it never fails on a
// graph that was built through this package's checked methods.
func Check(g *Graph) error {
	seen := make(map[string]ID, len(g.nodes))
	var key []byte
	for i := range g.nodes {
		id := ID(i)
		if err := g.checkAt(id); err != nil {
			return fmt.Errorf("node %%%d (%v): %w", id, g.nodes[id].Op, err)
		}
		key = g.appendKey(key[:0], id)
		if other, ok := seen[string(key)]; ok {
			return fmt.Errorf("node %%%d (%v): equals node %%%d", id, g.nodes[id].Op, other)
		}
		seen[string(key)] = id
	}
	for i, s := range g.scans.list {
		if err := s.Check(); err != nil {
			return fmt.Errorf("loop %d: %w", i, err)
		}
		if err := Check(s.Body); err != nil {
			return fmt.Errorf("loop %d: body: %w", i, err)
		}
	}
	for i := range g.nodes {
		if g.nodes[i].Op != OpState {
			continue
		}
		next := g.StateInfo(ID(i)).Next
		if next < None || int(next) >= len(g.nodes) {
			return fmt.Errorf("node %%%d (state): unknown next value %%%d", i, next)
		}
		if next != None {
			if err := g.checkNext(ID(i), next); err != nil {
				return fmt.Errorf("node %%%d (state): %w", i, err)
			}
		}
	}
	return nil
}

func (g *Graph) appendKey(key []byte, id ID) []byte {
	n := &g.nodes[id]
	key = append(key, byte(n.Op), byte(n.DType), byte(boolWord(n.Fast)), byte(g.TaskOf(id)))
	key = append32(key, uint32(n.Shape), uint32(n.Attr), uint32(n.Attr>>32))
	for _, a := range g.Args(id) {
		key = append32(key, uint32(a))
	}
	return key
}

func append32(key []byte, words ...uint32) []byte {
	for _, w := range words {
		key = append(key, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return key
}

func (g *Graph) checkAt(id ID) error {
	n := &g.nodes[id]
	if n.Op >= NumOps || !n.DType.Valid() {
		return fmt.Errorf("unknown op or dtype")
	}
	if n.Shape < 0 || int(n.Shape) >= len(g.shapes.list) {
		return fmt.Errorf("unknown shape %d", n.Shape)
	}
	if n.Fast && !TakesFast(n.Op, n.DType) {
		return errFast
	}
	for _, a := range g.Args(id) {
		if a < 0 || a >= id {
			return fmt.Errorf("operand %%%d is not before it", a)
		}
	}
	switch n.Op {
	case OpConst:
		return g.checkConst(id)
	case OpInput:
		if n.Attr >= uint64(g.inputs.len()) {
			return fmt.Errorf("unknown input %d", n.Attr)
		}
		return Tensor{n.DType, g.ShapeOf(id), g.inputs.at(n.Attr).Init}.Check()
	case OpParam:
		if n.Attr >= uint64(g.params) {
			return fmt.Errorf("unknown param %d", n.Attr)
		}
		return nil
	case OpState:
		if n.Attr >= uint64(len(g.states)) {
			return fmt.Errorf("unknown state %d", n.Attr)
		}
		return Tensor{n.DType, g.ShapeOf(id), g.states[n.Attr].Init}.Check()
	}
	a := g.Args(id)
	if err := g.checkNode(n.Op, n.DType, g.ShapeOf(id), n.Attr, a); err != nil {
		return err
	}
	if Ops[n.Op].Commutative && a[0] > a[1] {
		return fmt.Errorf("operands of a commutative op out of order")
	}
	return nil
}

func (g *Graph) checkConst(id ID) error {
	n := &g.nodes[id]
	if len(g.Args(id)) != 0 {
		return fmt.Errorf("constant with operands")
	}
	if n.Shape == Scalar && n.DType != F64 && n.Attr > 0xffffffff || n.Shape != Scalar && n.Attr >= uint64(len(g.arrays.list)) {
		return fmt.Errorf("attribute %d out of range", n.Attr)
	}
	return Tensor{n.DType, g.ShapeOf(id), g.ConstBits(id)}.Check()
}
