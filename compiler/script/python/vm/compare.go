package vm

import (
	"cmp"
	"math"
	"math/big"
)

// Compare computes a op b. The result is a bool, unless a host value or a
// method of the script gives something else.
func (t *Thread) Compare(op CompareOp, a, b Value) (Value, error) {
	switch x := a.(type) {
	case int64:
		if y, ok := b.(int64); ok {
			return ordered(op, cmp.Compare(x, y)), nil
		}
	case float64:
		if y, ok := b.(float64); ok {
			return floatCompare(op, x, y), nil
		}
	case string:
		if y, ok := b.(string); ok {
			return ordered(op, cmp.Compare(x, y)), nil
		}
	}
	return t.slowCompare(op, a, b)
}

// ordered applies a comparison to the sign of a three-way comparison.
func ordered(op CompareOp, sign int) bool {
	switch op {
	case OpEq:
		return sign == 0
	case OpNe:
		return sign != 0
	case OpLt:
		return sign < 0
	case OpLe:
		return sign <= 0
	case OpGt:
		return sign > 0
	}
	return sign >= 0
}

func floatCompare(op CompareOp, x, y float64) bool {
	switch op {
	case OpEq:
		return x == y
	case OpNe:
		return x != y
	case OpLt:
		return x < y
	case OpLe:
		return x <= y
	case OpGt:
		return x > y
	}
	return x >= y
}

func (t *Thread) slowCompare(op CompareOp, a, b Value) (Value, error) {
	x, xi := a.(*Instance)
	y, yi := b.(*Instance)
	rightDone := false
	if xi && yi && x.class != y.class && y.class.IsSubclass(x.class) {
		rightDone = true
		if v, err := t.compareMethod(op.Mirror(), b, a); v != NotImplemented || err != nil {
			return v, err
		}
	}
	if v, err := t.compareMethod(op, a, b); v != NotImplemented || err != nil {
		return v, err
	}
	if !rightDone {
		if v, err := t.compareMethod(op.Mirror(), b, a); v != NotImplemented || err != nil {
			return v, err
		}
	}
	if v, err := t.builtinCompare(op, Unwrap(a), Unwrap(b)); v != nil || err != nil {
		return v, err
	}
	switch op {
	case OpEq:
		return identical(a, b), nil
	case OpNe:
		return !identical(a, b), nil
	}
	return nil, TypeErrorf("'%s' not supported between instances of '%s' and '%s'", op, TypeName(a), TypeName(b))
}

// compareMethod asks a value's own comparison; NotImplemented if it has none.
func (t *Thread) compareMethod(op CompareOp, a, b Value) (Value, error) {
	x, ok := a.(*Instance)
	if !ok {
		if c, ok := a.(Comparer); ok {
			return c.Compare(t, op, b)
		}
		return NotImplemented, nil
	}
	if m := x.class.defines(op.Method()); m != nil {
		return t.Call(m, x, b)
	}
	if op == OpNe {
		if m := x.class.defines("__eq__"); m != nil {
			v, err := t.Call(m, x, b)
			if err != nil || v == NotImplemented {
				return v, err
			}
			truth, err := t.Truth(v)
			return !truth, err
		}
	}
	if c, ok := x.native.(Comparer); ok {
		return c.Compare(t, op, b)
	}
	return NotImplemented, nil
}

// builtinCompare returns nil, nil for values that have no common order.
func (t *Thread) builtinCompare(op CompareOp, a, b Value) (Value, error) {
	if v := numberCompare(op, a, b); v != nil {
		return v, nil
	}
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return ordered(op, cmp.Compare(x, y)), nil
		}
	case Bytes:
		if y, ok := b.(Bytes); ok {
			return ordered(op, cmp.Compare(x, y)), nil
		}
	case *List:
		if y, ok := b.(*List); ok {
			return t.compareElems(op, x.Elems, y.Elems)
		}
	case *Tuple:
		if y, ok := b.(*Tuple); ok {
			return t.compareElems(op, x.Elems, y.Elems)
		}
	case *Set:
		if y, ok := b.(*Set); ok {
			return t.setCompare(op, x, y)
		}
	case *Dict:
		if y, ok := b.(*Dict); ok && op <= OpNe {
			eq, err := t.dictEqual(x, y)
			return eq == (op == OpEq), err
		}
	case *Range:
		if y, ok := b.(*Range); ok && op <= OpNe {
			eq := x.count == y.count && (x.count == 0 || x.Start == y.Start && (x.count == 1 || x.Step == y.Step))
			return eq == (op == OpEq), nil
		}
	case *BoundMethod:
		if y, ok := b.(*BoundMethod); ok && op <= OpNe {
			return (identical(x.Self, y.Self) && identical(x.Func, y.Func)) == (op == OpEq), nil
		}
	case *Slice:
		if y, ok := b.(*Slice); ok && op <= OpNe {
			return t.compareElems(op, []Value{x.Start, x.Stop, x.Step}, []Value{y.Start, y.Stop, y.Step})
		}
	}
	return nil, nil
}

// numberCompare compares ints, floats and bools exactly; nil for other values.
func numberCompare(op CompareOp, a, b Value) Value {
	x, xf := a.(float64)
	y, yf := b.(float64)
	if xf && yf {
		return floatCompare(op, x, y)
	}
	if !xf && !yf {
		i, iok := AsInt(a)
		j, jok := AsInt(b)
		if iok && jok {
			return ordered(op, cmp.Compare(i, j))
		}
		p, q := toBig(a), toBig(b)
		if p == nil || q == nil {
			return nil
		}
		return ordered(op, p.Cmp(q))
	}
	if yf {
		if v := numberCompare(op.Mirror(), b, a); v != nil {
			return v
		}
		return nil
	}
	q := toBig(b)
	if q == nil {
		return nil
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return floatCompare(op, x, 0)
	}
	return ordered(op, new(big.Float).SetFloat64(x).Cmp(new(big.Float).SetInt(q)))
}

// compareElems compares sequences by their first difference.
func (t *Thread) compareElems(op CompareOp, x, y []Value) (Value, error) {
	if op <= OpNe && len(x) != len(y) {
		return op == OpNe, nil
	}
	if err := t.enter(); err != nil {
		return nil, err
	}
	defer t.leave()
	for i := range min(len(x), len(y)) {
		if i >= len(x) || i >= len(y) {
			break // changed by a method of an element
		}
		if err := t.Tick(1); err != nil {
			return nil, err
		}
		eq, err := t.Equal(x[i], y[i])
		if err != nil {
			return nil, err
		}
		if !eq {
			switch op {
			case OpEq:
				return false, nil
			case OpNe:
				return true, nil
			}
			return t.Compare(op, x[i], y[i])
		}
	}
	return ordered(op, cmp.Compare(len(x), len(y))), nil
}

// Equal reports whether two values are the same object or compare equal, as
// containers do.
func (t *Thread) Equal(a, b Value) (bool, error) {
	if identical(a, b) {
		return true, nil
	}
	v, err := t.Compare(OpEq, a, b)
	if err != nil {
		return false, err
	}
	if truth, ok := v.(bool); ok {
		return truth, nil
	}
	return t.Truth(v)
}

// identical is the operator `is`. Numbers and strings have no identity of
// their own here: equal ones of the same type are the same object.
func identical(a, b Value) bool {
	switch x := a.(type) {
	case float64:
		y, ok := b.(float64)
		return ok && math.Float64bits(x) == math.Float64bits(y)
	case *big.Int:
		y, ok := b.(*big.Int)
		return ok && x.Cmp(y) == 0
	case *Tuple:
		y, ok := b.(*Tuple)
		return ok && (x == y || len(x.Elems) == 0 && len(y.Elems) == 0)
	case Keyed:
		y, ok := b.(Keyed)
		return ok && x.Key() == y.Key()
	}
	return a == b
}

// Truth returns the truth value of v.
func (t *Thread) Truth(v Value) (bool, error) {
	switch v := v.(type) {
	case bool:
		return v, nil
	case *NoneType:
		return false, nil
	case int64:
		return v != 0, nil
	case float64:
		return v != 0, nil
	case string:
		return v != "", nil
	case *List:
		return len(v.Elems) > 0, nil
	case *Tuple:
		return len(v.Elems) > 0, nil
	case *Dict:
		return v.Len() > 0, nil
	case *Set:
		return v.Len() > 0, nil
	case *Range:
		return v.count > 0, nil
	case Bytes:
		return v != "", nil
	case *Instance:
		return t.instanceTruth(v)
	case Truther:
		return v.Truth(t)
	case Sizer:
		n, err := v.Len(t)
		return n > 0, err
	}
	return true, nil
}

func (t *Thread) instanceTruth(v *Instance) (bool, error) {
	if m := v.class.defines("__bool__"); m != nil {
		r, err := t.Call(m, v)
		if err != nil {
			return false, err
		}
		b, ok := r.(bool)
		if !ok {
			return false, TypeErrorf("__bool__ should return bool, returned %s", TypeName(r))
		}
		return b, nil
	}
	if v.class.defines("__len__") != nil {
		n, err := t.Len(v)
		return n > 0, err
	}
	if v.native != nil {
		return t.Truth(v.native)
	}
	return true, nil
}
