package vm

import (
	"math"

	"github.com/copaflash/copaflash/compiler/script/python/libm"
)

const maxFloat = math.MaxFloat64

// floatBinary computes with floats as CPython does; nil, nil for operators
// that floats do not have.
func floatBinary(op BinaryOp, x, y float64) (Value, error) {
	switch op {
	case OpAdd:
		return x + y, nil
	case OpSub:
		return x - y, nil
	case OpMul:
		return x * y, nil
	case OpDiv:
		if y == 0 {
			return nil, Raise(ZeroDivisionError, "float division by zero")
		}
		return x / y, nil
	case OpFloorDiv:
		if y == 0 {
			return nil, Raise(ZeroDivisionError, "float floor division by zero")
		}
		q, _ := floatDivmod(x, y)
		return q, nil
	case OpMod:
		if y == 0 {
			return nil, Raise(ZeroDivisionError, "float modulo")
		}
		_, r := floatDivmod(x, y)
		return r, nil
	case OpPow:
		return floatPow(x, y)
	}
	return nil, nil
}

// floatDivmod gives the floored quotient and the remainder with the sign of y.
func floatDivmod(x, y float64) (q, r float64) {
	r = math.Mod(x, y)
	q = (x - r) / y
	if r != 0 {
		if (y < 0) != (r < 0) {
			r += y
			q--
		}
	} else {
		r = math.Copysign(0, y)
	}
	if q == 0 {
		return math.Copysign(0, x/y), r
	}
	f := math.Floor(q)
	if q-f > 0.5 {
		f++
	}
	return f, r
}

func floatPow(x, y float64) (Value, error) {
	if x == 0 && y < 0 {
		return nil, Raise(ZeroDivisionError, "0.0 cannot be raised to a negative power")
	}
	if x < 0 && !math.IsInf(x, 0) && !math.IsInf(y, 0) && y != math.Floor(y) {
		return nil, ValueErrorf("negative number cannot be raised to a fractional power (complex numbers are not supported)")
	}
	r := libm.Pow(x, y)
	if math.IsInf(r, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
		return nil, Raise(OverflowError, "(34, 'Numerical result out of range')")
	}
	return r, nil
}
