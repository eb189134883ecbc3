package vm

import (
	"math"
	"math/big"
	"math/bits"
)

// intBinary computes with ints; what does not fit goes on with big ints.
func (t *Thread) intBinary(op BinaryOp, x, y int64) (Value, error) {
	switch op {
	case OpAdd:
		if s := x + y; (s > x) == (y > 0) {
			return box(s), nil
		}
	case OpSub:
		if d := x - y; (d < x) == (y > 0) {
			return box(d), nil
		}
	case OpMul:
		hi, lo := bits.Mul64(uint64(x), uint64(y))
		hi -= uint64(x>>63)&uint64(y) + uint64(y>>63)&uint64(x) // signed high word
		if int64(hi) == int64(lo)>>63 {
			return box(int64(lo)), nil
		}
	case OpDiv:
		if y == 0 {
			return nil, Raise(ZeroDivisionError, "division by zero")
		}
		if exactFloat(x) && exactFloat(y) {
			return float64(x) / float64(y), nil
		}
		return ratio(big.NewInt(x), big.NewInt(y))
	case OpFloorDiv, OpMod:
		if y == 0 {
			if op == OpMod {
				return nil, Raise(ZeroDivisionError, "integer modulo by zero")
			}
			return nil, Raise(ZeroDivisionError, "integer division or modulo by zero")
		}
		if y == -1 {
			if op == OpMod {
				return box(0), nil
			}
			return t.intBinary(OpSub, 0, x)
		}
		q, r := x/y, x%y
		if r != 0 && (r < 0) != (y < 0) {
			q, r = q-1, r+y
		}
		if op == OpMod {
			return box(r), nil
		}
		return box(q), nil
	case OpPow:
		return t.intPow(x, y)
	case OpBitAnd:
		return box(x & y), nil
	case OpBitOr:
		return box(x | y), nil
	case OpBitXor:
		return box(x ^ y), nil
	case OpLShift:
		if y < 0 {
			return nil, ValueErrorf("negative shift count")
		}
		if y < 63 && x<<y>>y == x {
			return box(x << y), nil
		}
	case OpRShift:
		if y < 0 {
			return nil, ValueErrorf("negative shift count")
		}
		return box(x >> min(y, 63)), nil
	case OpMatMul:
		return nil, nil
	}
	return t.bigBinary(op, big.NewInt(x), big.NewInt(y))
}

// exactFloat reports whether x converts to float64 exactly for its size alone.
func exactFloat(x int64) bool { return -1<<53 <= x && x <= 1<<53 }

// ratio is the correctly rounded quotient of two ints.
func ratio(x, y *big.Int) (Value, error) {
	f, _ := new(big.Rat).SetFrac(x, y).Float64()
	if math.IsInf(f, 0) {
		return nil, Raise(OverflowError, "integer division result too large for a float")
	}
	return f, nil
}

func (t *Thread) intPow(x, y int64) (Value, error) {
	if y < 0 {
		if x == 0 {
			return nil, Raise(ZeroDivisionError, "0.0 cannot be raised to a negative power")
		}
		return floatPow(float64(x), float64(y))
	}
	r, base := int64(1), x
	for e := y; ; {
		if e&1 == 1 {
			hi, lo := bits.Mul64(uint64(abs64(r)), uint64(abs64(base)))
			if hi != 0 || lo > math.MaxInt64 {
				break
			}
			r *= base
		}
		if e >>= 1; e == 0 {
			return box(r), nil
		}
		if base > math.MaxInt32 || base < -math.MaxInt32 {
			break
		}
		base *= base
	}
	return t.bigBinary(OpPow, big.NewInt(x), big.NewInt(y))
}

func abs64(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}

// checkBits refuses a result of about n bits if that is too large, and
// accounts for its memory and the work of making it.
func (t *Thread) checkBits(n int64) error {
	if n > int64(t.opts.Limits.IntBits) {
		return Raise(OverflowError, "int of more than %d bits is not supported", t.opts.Limits.IntBits)
	}
	if n > 4096 {
		if err := t.Tick(int(n/64) * int(n/4096)); err != nil {
			return err
		}
	}
	return t.Charge(n/8 + 32)
}

func (t *Thread) bigBinary(op BinaryOp, x, y *big.Int) (Value, error) {
	xb, yb := int64(x.BitLen()), int64(y.BitLen())
	z := new(big.Int)
	size := max(xb, yb) + 1
	switch op {
	case OpMul:
		size = xb + yb
	case OpLShift, OpRShift:
		if y.Sign() < 0 {
			return nil, ValueErrorf("negative shift count")
		}
		if !y.IsInt64() {
			if op == OpRShift {
				return box(int64(min(x.Sign(), 0))), nil
			}
			size = math.MaxInt64
		} else if op == OpLShift && x.Sign() != 0 {
			size = xb + min(y.Int64(), math.MaxInt64-xb)
		}
	case OpPow:
		if y.Sign() < 0 {
			fx, err := toFloat(NewBig(x))
			if err != nil {
				return nil, err
			}
			fy, err := toFloat(NewBig(y))
			if err != nil {
				return nil, err
			}
			return floatPow(fx.(float64), fy.(float64))
		}
		if xb > 1 {
			if !y.IsInt64() || y.Int64() > math.MaxInt64/xb {
				size = math.MaxInt64
			} else {
				size = xb * y.Int64()
			}
		}
	}
	if err := t.checkBits(size); err != nil {
		return nil, err
	}
	switch op {
	case OpAdd:
		z.Add(x, y)
	case OpSub:
		z.Sub(x, y)
	case OpMul:
		z.Mul(x, y)
	case OpDiv:
		if y.Sign() == 0 {
			return nil, Raise(ZeroDivisionError, "division by zero")
		}
		return ratio(x, y)
	case OpFloorDiv, OpMod:
		if y.Sign() == 0 {
			if op == OpMod {
				return nil, Raise(ZeroDivisionError, "integer modulo by zero")
			}
			return nil, Raise(ZeroDivisionError, "integer division or modulo by zero")
		}
		q, r := z.QuoRem(x, y, new(big.Int))
		if r.Sign() != 0 && r.Sign() != y.Sign() {
			q.Sub(q, big.NewInt(1))
			r.Add(r, y)
		}
		if op == OpMod {
			z = r
		} else {
			z = q
		}
	case OpPow:
		if xb <= 1 { // 0, 1, -1: the exponent may be of any size
			switch {
			case y.Sign() == 0 || x.Sign() > 0:
				return box(1), nil
			case x.Sign() == 0:
				return box(0), nil
			case y.Bit(0) == 0:
				return box(1), nil
			}
			return box(-1), nil
		}
		z.Exp(x, y, nil)
	case OpBitAnd:
		z.And(x, y)
	case OpBitOr:
		z.Or(x, y)
	case OpBitXor:
		z.Xor(x, y)
	case OpLShift:
		if x.Sign() == 0 {
			return box(0), nil
		}
		z.Lsh(x, uint(y.Int64()))
	case OpRShift:
		if y.Int64() > xb {
			return box(int64(min(x.Sign(), 0))), nil
		}
		z.Rsh(x, uint(y.Int64()))
	default:
		return nil, nil
	}
	return NewBig(z), nil
}
