package vm

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/copaflash/copaflash/compiler/script/python/syntax"
)

// intTable has ints of any size, and bools.
var intTable = []Row{
	Def("bit_length", intBitLength),
	Def("bit_count", intBitCount),
	DefArgs("to_bytes", intToBytes),
	DefValue("from_bytes", NewBuiltin("from_bytes", intFromBytes)),
	Def("conjugate", intConjugate),
	Def("is_integer", intIsInteger),
	Def("as_integer_ratio", intAsIntegerRatio),
	DefProperty("real", intValue, nil),
	DefProperty("imag", intZero, nil),
	DefProperty("numerator", intValue, nil),
	DefProperty("denominator", intOne, nil),
}

var intSignature = NewSignature("int", "x?", "/", "base?")

func newInt(t *Thread, _ *Class, a Args) (Value, error) {
	vs, err := intSignature.Bind(a)
	if err != nil {
		return nil, err
	}
	if vs[0] == nil {
		return box(0), nil
	}
	if vs[1] == nil {
		if s, ok := Unwrap(vs[0]).(string); ok {
			return t.parseInt(s, 10)
		}
		if b, ok := vs[0].(Bytes); ok {
			return t.parseInt(string(b), 10)
		}
		return t.Unary(OpToInt, vs[0])
	}
	s, ok := vs[0].(string)
	base, isInt := AsInt(vs[1])
	switch {
	case !ok:
		return nil, TypeErrorf("int() can't convert non-string with explicit base")
	case !isInt:
		return nil, TypeErrorf("'%s' object cannot be interpreted as an integer", TypeName(vs[1]))
	case base != 0 && (base < 2 || base > 36):
		return nil, ValueErrorf("int() base must be >= 2 and <= 36, or 0")
	}
	return t.parseInt(s, int(base))
}

var boolSignature = NewSignature("bool", "x?", "/")

func newBool(t *Thread, _ *Class, a Args) (Value, error) {
	vs, err := boolSignature.Bind(a)
	if err != nil || vs[0] == nil {
		return false, err
	}
	b, err := t.Truth(vs[0])
	return b, err
}

func intValue(self Value) Value { return NewBig(toBig(self)) }

func intZero(Value) Value { return box(0) }

func intOne(Value) Value { return box(1) }

func intBitLength(_ *Thread, self Value, _ []Value) (Value, error) {
	return box(int64(toBig(self).BitLen())), nil
}

func intBitCount(_ *Thread, self Value, _ []Value) (Value, error) {
	return box(int64(strings.Count(toBig(self).Text(2), "1"))), nil
}

func intConjugate(_ *Thread, self Value, _ []Value) (Value, error) {
	return self, nil
}

func intIsInteger(*Thread, Value, []Value) (Value, error) {
	return true, nil
}

func intAsIntegerRatio(_ *Thread, self Value, _ []Value) (Value, error) {
	return NewTuple(NewBig(toBig(self)), box(1)), nil
}

// parseInt is int(s, base) for base 0 and 2 to 36.
func (t *Thread) parseInt(s string, base int) (Value, error) {
	bad := func() (Value, error) {
		r := quote(s)
		if len(r) > 200 {
			r = r[:200]
		}
		return nil, ValueErrorf("invalid literal for int() with base %d: %s", base, r)
	}
	text := strings.TrimFunc(s, isSpace)
	digits, neg := strings.CutPrefix(text, "-")
	if !neg {
		digits = strings.TrimPrefix(text, "+")
	}
	b := base
	if len(digits) > 2 && digits[0] == '0' {
		if pb := map[byte]int{'x': 16, 'o': 8, 'b': 2}[digits[1]|0x20]; pb != 0 && (base == 0 || base == pb) {
			digits, b = strings.TrimPrefix(digits[2:], "_"), pb
		}
	}
	if b == 0 {
		if len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "0_") != "" {
			return bad()
		}
		b = 10
	}
	if digits == "" || strings.Contains(digits, "__") || strings.HasPrefix(digits, "_") || strings.HasSuffix(digits, "_") ||
		digits[0] == '-' || digits[0] == '+' {
		return bad()
	}
	digits = strings.ReplaceAll(digits, "_", "")
	if b&(b-1) != 0 && len(digits) > syntax.MaxIntDigits {
		return nil, ValueErrorf("Exceeds the limit (%d digits) for integer string conversion: value has %d digits; use sys.set_int_max_str_digits() to increase the limit",
			syntax.MaxIntDigits, len(digits))
	}
	if err := t.checkBits(int64(len(digits)) * 6); err != nil {
		return nil, err
	}
	if neg {
		digits = "-" + digits
	}
	if i, err := strconv.ParseInt(digits, b, 64); err == nil {
		return box(i), nil
	}
	v, ok := new(big.Int).SetString(digits, b)
	if !ok {
		return bad()
	}
	return NewBig(v), nil
}

// round2 is round(x, digits) with half to even of the exact decimal value.
func (t *Thread) round2(x Value, digits int64) (Value, error) {
	if o, ok := x.(*Instance); ok {
		if m := o.class.defines("__round__"); m != nil {
			return t.Call(m, o, box(digits))
		}
	}
	switch v := Unwrap(x).(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) || digits > 323 {
			return v, nil
		}
		if digits < -308 {
			return math.Copysign(0, v), nil
		}
		if digits >= 0 {
			f, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'f', int(digits), 64), 64)
			return f, nil
		}
		r := new(big.Rat).SetFloat64(v)
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(-digits), nil)
		n := roundRat(r.Quo(r, new(big.Rat).SetInt(unit)))
		f, _ := new(big.Float).SetInt(n.Mul(n, unit)).Float64()
		if math.IsInf(f, 0) {
			return nil, Raise(OverflowError, "rounded value too large to represent")
		}
		return math.Copysign(f, v), nil
	case int64, bool, *big.Int:
		b := toBig(v)
		if digits >= 0 {
			return NewBig(b), nil
		}
		if -digits > int64(b.BitLen()) {
			return box(0), nil
		}
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(-digits), nil)
		n := roundRat(new(big.Rat).SetFrac(b, unit))
		return NewBig(n.Mul(n, unit)), nil
	}
	if m, err := t.special(x, "__round__"); m != nil || err != nil {
		if err != nil {
			return nil, err
		}
		return t.Call(m, box(digits))
	}
	return nil, TypeErrorf("type %s doesn't define __round__ method", TypeName(x))
}

// roundRat rounds to the nearest integer, halves to the even one.
func roundRat(r *big.Rat) *big.Int {
	two := big.NewInt(2)
	num := new(big.Int).Mul(r.Num(), two)
	num.Add(num, r.Denom())
	den := new(big.Int).Mul(r.Denom(), two)
	q, m := new(big.Int).DivMod(num, den, new(big.Int))
	if m.Sign() == 0 && q.Bit(0) == 1 {
		q.Sub(q, big.NewInt(1))
	}
	return q
}
