package vm

import (
	"math"
	"math/big"

	"github.com/copaflash/copaflash/compiler/script/python/syntax"
)

// Unary applies a unary operator or a conversion.
func (t *Thread) Unary(op UnaryOp, v Value) (Value, error) {
	switch x := v.(type) {
	case int64:
		return t.intUnary(op, x)
	case float64:
		return floatUnary(op, x)
	case *Instance:
		if m := x.class.defines(op.Method()); m != nil {
			return t.Call(m, x)
		}
		if op == syntax.Floor || op == syntax.Ceil || op == syntax.ToInt || op == syntax.ToFloat {
			for _, alt := range []string{"__float__", "__index__"} {
				if m := x.class.defines(alt); m != nil {
					r, err := t.Call(m, x)
					if err != nil {
						return nil, err
					}
					return t.Unary(op, Unwrap(r))
				}
			}
		}
		if _, exc := x.native.(*excData); x.native != nil && !exc {
			return t.Unary(op, x.native)
		}
	case UnaryOperand:
		r, err := x.Unary(t, op)
		if r != NotImplemented || err != nil {
			return r, err
		}
	case bool:
		i, _ := AsInt(x)
		return t.intUnary(op, i)
	case *big.Int:
		return bigUnary(op, x)
	}
	return nil, t.badUnary(op, v)
}

func (t *Thread) badUnary(op UnaryOp, v Value) error {
	name := TypeName(v)
	switch op {
	case OpNeg, OpPlus, OpInvert:
		return TypeErrorf("bad operand type for %s: '%s'", op, name)
	case OpAbs:
		return TypeErrorf("bad operand type for abs(): '%s'", name)
	case OpToInt:
		return TypeErrorf("int() argument must be a string, a bytes-like object or a real number, not '%s'", name)
	case OpToFloat:
		return TypeErrorf("float() argument must be a string or a real number, not '%s'", name)
	case OpFloor, OpCeil:
		return TypeErrorf("must be real number, not %s", name)
	}
	return TypeErrorf("type %s doesn't define %s method", name, op.Method())
}

func (t *Thread) intUnary(op UnaryOp, x int64) (Value, error) {
	switch op {
	case OpNeg:
		return t.intBinary(OpSub, 0, x)
	case OpInvert:
		return box(^x), nil
	case OpAbs:
		if x < 0 {
			return t.intBinary(OpSub, 0, x)
		}
	case OpToFloat:
		return float64(x), nil
	}
	return box(x), nil
}

func bigUnary(op UnaryOp, x *big.Int) (Value, error) {
	switch op {
	case OpNeg:
		return NewBig(new(big.Int).Neg(x)), nil
	case OpInvert:
		return NewBig(new(big.Int).Not(x)), nil
	case OpAbs:
		return NewBig(new(big.Int).Abs(x)), nil
	case OpToFloat:
		return toFloat(x)
	}
	return x, nil
}

func floatUnary(op UnaryOp, x float64) (Value, error) {
	switch op {
	case OpNeg:
		return -x, nil
	case OpPlus, OpToFloat:
		return x, nil
	case OpAbs:
		return math.Abs(x), nil
	case OpRound:
		return floatToInt(math.RoundToEven(x))
	case OpFloor:
		return floatToInt(math.Floor(x))
	case OpCeil:
		return floatToInt(math.Ceil(x))
	case OpTrunc, OpToInt:
		return floatToInt(math.Trunc(x))
	}
	return nil, TypeErrorf("bad operand type for %s: 'float'", op)
}

// floatToInt converts an integral float.
func floatToInt(x float64) (Value, error) {
	switch {
	case math.IsNaN(x):
		return nil, ValueErrorf("cannot convert float NaN to integer")
	case math.IsInf(x, 0):
		return nil, Raise(OverflowError, "cannot convert float infinity to integer")
	case math.Abs(x) < 1<<62:
		return box(int64(x)), nil
	}
	b, _ := big.NewFloat(x).Int(nil)
	return NewBig(b), nil
}
