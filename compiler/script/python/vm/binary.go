package vm

import (
	"math/big"
	"slices"
	"strings"
)

// Binary computes a op b.
func (t *Thread) Binary(op BinaryOp, a, b Value) (Value, error) {
	var v Value
	var err error
	switch x := a.(type) {
	case int64:
		switch y := b.(type) {
		case int64:
			v, err = t.intBinary(op, x, y)
		case float64:
			v, err = floatBinary(op, float64(x), y)
		}
	case float64:
		switch y := b.(type) {
		case float64:
			v, err = floatBinary(op, x, y)
		case int64:
			v, err = floatBinary(op, x, float64(y))
		}
	case Operand:
		return t.hostBinary(op, x, a, b)
	}
	if v != nil || err != nil {
		return v, err
	}
	return t.slowBinary(op, a, b)
}

// hostBinary is Binary with a host value on the left.
func (t *Thread) hostBinary(op BinaryOp, h Operand, a, b Value) (Value, error) {
	v, err := h.Binary(t, op, b, false)
	if v != NotImplemented || err != nil {
		return v, err
	}
	return t.slowBinary(op, a, b)
}

// slowBinary tries the operands' own methods and then what builtin types do.
func (t *Thread) slowBinary(op BinaryOp, a, b Value) (Value, error) {
	x, xi := a.(*Instance)
	y, yi := b.(*Instance)
	var right Value
	if yi {
		right = y.class.defines(reflectedMethods[op])
	}
	// The right operand goes first if its class derives from the left one's
	// and has the method itself.
	if xi && yi && right != nil && x.class != y.class && y.class.IsSubclass(x.class) && x.class.defines(reflectedMethods[op]) != right {
		if v, err := t.Call(right, y, x); v != NotImplemented || err != nil {
			return v, err
		}
		right = nil
	}
	if xi {
		if m := x.class.defines(plainMethods[op]); m != nil {
			if v, err := t.Call(m, x, b); v != NotImplemented || err != nil {
				return v, err
			}
		}
		if h, ok := x.native.(Operand); ok {
			if v, err := h.Binary(t, op, b, false); v != NotImplemented || err != nil {
				return v, err
			}
		}
	}
	if right != nil && (!xi || x.class != y.class) {
		if v, err := t.Call(right, y, a); v != NotImplemented || err != nil {
			return v, err
		}
	}
	if h, ok := Unwrap(b).(Operand); ok {
		if v, err := h.Binary(t, op, a, true); v != NotImplemented || err != nil {
			return v, err
		}
	}
	v, err := t.builtinBinary(op, Unwrap(a), Unwrap(b))
	if v == nil && err == nil {
		sym := op.String()
		if op == OpPow {
			sym = "** or pow()"
		}
		return nil, TypeErrorf("unsupported operand type(s) for %s: '%s' and '%s'", sym, TypeName(a), TypeName(b))
	}
	return v, err
}

// plainMethods, reflectedMethods and inplaceMethods are the special methods
// of the operators: __add__, __radd__, __iadd__.
var plainMethods, reflectedMethods, inplaceMethods = func() (p, r, i [13]string) {
	for op := range p {
		m := BinaryOp(op).Method()
		p[op], r[op], i[op] = "__"+m+"__", "__r"+m+"__", "__i"+m+"__"
	}
	return
}()

// builtinBinary returns nil, nil if the builtin types have no such operation.
func (t *Thread) builtinBinary(op BinaryOp, a, b Value) (Value, error) {
	if v, err := t.numberBinary(op, a, b); v != nil || err != nil {
		return v, err
	}
	switch op {
	case OpAdd:
		return t.concat(a, b)
	case OpMul:
		return t.repeat(a, b)
	case OpMod:
		if s, ok := a.(string); ok {
			return t.percentFormat(s, b)
		}
	case OpBitOr, OpBitAnd, OpSub, OpBitXor:
		if _, class := a.(*Class); op == OpBitOr && (class || a == None) && unionPart(b) && (class || unionPart(b) && b != None) {
			return newUnion(a, b), nil
		}
		if x, ok := a.(*Set); ok {
			if y, ok := b.(*Set); ok {
				return t.setBinary(op, x, y)
			}
		}
		x, xok := a.(*Dict)
		y, yok := b.(*Dict)
		if op == OpBitOr && xok && yok {
			d, err := t.copyDict(x)
			if err == nil {
				err = t.dictMerge(d, y)
			}
			return d, err
		}
	}
	return nil, nil
}

// numberBinary handles ints, floats and bools in any mixture.
func (t *Thread) numberBinary(op BinaryOp, a, b Value) (Value, error) {
	x, xok := a.(bool)
	y, yok := b.(bool)
	if xok && yok {
		switch op {
		case OpBitAnd:
			return x && y, nil
		case OpBitOr:
			return x || y, nil
		case OpBitXor:
			return x != y, nil
		}
	}
	_, xf := a.(float64)
	_, yf := b.(float64)
	if xf || yf {
		p, err := toFloat(a)
		if err != nil || p == nil {
			return nil, err
		}
		q, err := toFloat(b)
		if err != nil || q == nil {
			return nil, err
		}
		return floatBinary(op, p.(float64), q.(float64))
	}
	i, iok := AsInt(a)
	j, jok := AsInt(b)
	if iok && jok {
		return t.intBinary(op, i, j)
	}
	p, q := toBig(a), toBig(b)
	if p == nil || q == nil {
		return nil, nil
	}
	return t.bigBinary(op, p, q)
}

// toFloat converts the numbers to float64, and gives nil for anything else.
func toFloat(v Value) (Value, error) {
	switch v := v.(type) {
	case float64:
		return v, nil
	case int64:
		return float64(v), nil
	case bool, *big.Int:
		f, _ := AsFloat(v)
		if f > maxFloat || f < -maxFloat {
			return nil, Raise(OverflowError, "int too large to convert to float")
		}
		return f, nil
	}
	return nil, nil
}

// toBig converts ints and bools; nil for anything else.
func toBig(v Value) *big.Int {
	if b, ok := v.(*big.Int); ok {
		return b
	}
	if i, ok := AsInt(v); ok {
		return big.NewInt(i)
	}
	return nil
}

func (t *Thread) concat(a, b Value) (Value, error) {
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		if !ok {
			return nil, TypeErrorf("can only concatenate str (not \"%s\") to str", TypeName(b))
		}
		r, err := t.texts.join(t, x, y)
		if err != nil {
			return nil, err
		}
		return r, nil
	case Bytes:
		if y, ok := b.(Bytes); ok {
			r, err := t.texts.join(t, string(x), string(y))
			if err != nil {
				return nil, err
			}
			return Bytes(r), nil
		}
	case *List:
		y, ok := b.(*List)
		if !ok {
			return nil, TypeErrorf("can only concatenate list (not \"%s\") to list", TypeName(b))
		}
		if err := t.Charge(int64(len(x.Elems)+len(y.Elems)) * valueBytes); err != nil {
			return nil, err
		}
		return NewList(slices.Concat(x.Elems, y.Elems)), nil
	case *Tuple:
		y, ok := b.(*Tuple)
		if !ok {
			return nil, TypeErrorf("can only concatenate tuple (not \"%s\") to tuple", TypeName(b))
		}
		if err := t.Charge(int64(len(x.Elems)+len(y.Elems)) * valueBytes); err != nil {
			return nil, err
		}
		return NewTuple(slices.Concat(x.Elems, y.Elems)...), nil
	}
	return nil, nil
}

// repeat is sequence * int, either way round.
func (t *Thread) repeat(a, b Value) (Value, error) {
	n, ok := AsInt(b)
	if !ok {
		if _, big := b.(*big.Int); big {
			switch a.(type) {
			case string, Bytes, *List, *Tuple:
				return nil, Raise(OverflowError, "cannot fit 'int' into an index-sized integer")
			}
		}
		if n, ok = AsInt(a); !ok {
			if _, seq := a.(*List); seq {
				return nil, TypeErrorf("can't multiply sequence by non-int of type '%s'", TypeName(b))
			}
			return nil, nil
		}
		a = b
	}
	n = max(n, 0)
	size, unit := 0, int64(valueBytes)
	switch x := a.(type) {
	case string:
		size, unit = len(x), 1
	case Bytes:
		size, unit = len(x), 1
	case *List:
		size = len(x.Elems)
	case *Tuple:
		size = len(x.Elems)
	default:
		return nil, nil
	}
	if size == 0 {
		n = 0
	}
	if n > 0 && int64(size) > t.opts.Limits.Memory/n/unit {
		return nil, t.outOfMemory()
	}
	if err := t.Charge(int64(size) * n * unit); err != nil {
		return nil, err
	}
	switch x := a.(type) {
	case string:
		return strings.Repeat(x, int(n)), nil
	case Bytes:
		return Bytes(strings.Repeat(string(x), int(n))), nil
	case *List:
		return NewList(slices.Repeat(x.Elems, int(n))), nil
	}
	return NewTuple(slices.Repeat(a.(*Tuple).Elems, int(n))...), nil
}

// inplace is a op= b.
func (t *Thread) inplace(op BinaryOp, a, b Value) (Value, error) {
	switch x := a.(type) {
	case *Instance:
		if m := x.class.defines(inplaceMethods[op]); m != nil {
			if v, err := t.Call(m, x, b); v != NotImplemented || err != nil {
				return v, err
			}
		}
	case *List:
		switch op {
		case OpAdd:
			return x, t.extend(x, b)
		case OpMul:
			v, err := t.repeat(x, b)
			if l, ok := v.(*List); ok && err == nil {
				x.Elems = l.Elems
				return x, nil
			}
			if err != nil {
				return nil, err
			}
		}
	case *Set:
		if y, ok := b.(*Set); ok && !x.Frozen {
			v, err := t.Binary(op, x, y)
			if s, ok := v.(*Set); ok && err == nil {
				x.dict = s.dict
				return x, nil
			}
			return v, err
		}
	case *Dict:
		if y, ok := b.(*Dict); ok && op == OpBitOr {
			return x, t.dictMerge(x, y)
		}
	case InplaceOperand:
		if v, err := x.Inplace(t, op, b); v != NotImplemented || err != nil {
			return v, err
		}
	}
	if o, ok := a.(Object); ok {
		if m, ok := o.PyClass().lookup(inplaceMethods[op]).(*Method); ok {
			return m.Fn(t, a, Args{Pos: []Value{b}})
		}
	}
	v, err := t.Binary(op, a, b)
	if err != nil && isException(err, TypeError) {
		args := dataOf(err.(*raised).exc).args.Elems
		if s, ok := args[0].(string); ok {
			for _, sym := range []string{op.String(), "** or pow()"} {
				if rest, ok := strings.CutPrefix(s, "unsupported operand type(s) for "+sym+": "); ok {
					args[0] = "unsupported operand type(s) for " + op.String() + "=: " + rest
				}
			}
		}
	}
	return v, err
}
