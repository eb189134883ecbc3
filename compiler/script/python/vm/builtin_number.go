package vm

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/copaflash/copaflash/compiler/script/python/numfmt"
	"github.com/copaflash/copaflash/compiler/script/python/syntax"
)

func init() {
	IntClass.new = func(t *Thread, _ *Class, a Args) (Value, error) {
		vs, err := a.Bind("int", "x?", "/", "base?")
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
	FloatClass.new = func(t *Thread, _ *Class, a Args) (Value, error) {
		vs, err := a.Bind("float", "x?", "/")
		if err != nil {
			return nil, err
		}
		if vs[0] == nil {
			return 0.0, nil
		}
		if s, ok := Unwrap(vs[0]).(string); ok {
			return parseFloat(s)
		}
		return t.Unary(OpToFloat, vs[0])
	}
	BoolClass.new = func(t *Thread, _ *Class, a Args) (Value, error) {
		vs, err := a.Bind("bool", "x?", "/")
		if err != nil || vs[0] == nil {
			return false, err
		}
		b, err := t.Truth(vs[0])
		return b, err
	}
	intMethods()
	floatMethods()
}

func intMethods() {
	IntClass.SetMethod("bit_length", func(_ *Thread, self Value, _ Args) (Value, error) {
		return box(int64(toBig(self).BitLen())), nil
	})
	IntClass.SetMethod("bit_count", func(_ *Thread, self Value, _ Args) (Value, error) {
		return box(int64(strings.Count(toBig(self).Text(2), "1"))), nil
	})
	IntClass.SetMethod("to_bytes", intToBytes)
	IntClass.Set("from_bytes", NewBuiltin("from_bytes", intFromBytes))
	IntClass.SetMethod("conjugate", func(_ *Thread, self Value, _ Args) (Value, error) { return self, nil })
	IntClass.SetMethod("is_integer", func(*Thread, Value, Args) (Value, error) { return true, nil })
	IntClass.SetMethod("as_integer_ratio", func(_ *Thread, self Value, _ Args) (Value, error) {
		return NewTuple(NewBig(toBig(self)), box(1)), nil
	})
	IntClass.SetProperty("real", func(_ *Thread, self Value, _ Args) (Value, error) { return NewBig(toBig(self)), nil }, nil)
	IntClass.SetProperty("imag", func(*Thread, Value, Args) (Value, error) { return box(0), nil }, nil)
	IntClass.SetProperty("numerator", func(_ *Thread, self Value, _ Args) (Value, error) { return NewBig(toBig(self)), nil }, nil)
	IntClass.SetProperty("denominator", func(*Thread, Value, Args) (Value, error) { return box(1), nil }, nil)
}

func floatMethods() {
	FloatClass.SetMethod("is_integer", func(_ *Thread, self Value, _ Args) (Value, error) {
		f := self.(float64)
		return f == math.Floor(f) && !math.IsInf(f, 0), nil
	})
	FloatClass.SetMethod("conjugate", func(_ *Thread, self Value, _ Args) (Value, error) { return self, nil })
	FloatClass.SetMethod("as_integer_ratio", func(_ *Thread, self Value, _ Args) (Value, error) {
		f := self.(float64)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			if _, err := floatToInt(f); isException(err, OverflowError) {
				return nil, Raise(OverflowError, "cannot convert Infinity to integer ratio")
			}
			return nil, ValueErrorf("cannot convert NaN to integer ratio")
		}
		r := new(big.Rat).SetFloat64(f)
		return NewTuple(NewBig(new(big.Int).Set(r.Num())), NewBig(new(big.Int).Set(r.Denom()))), nil
	})
	FloatClass.SetMethod("hex", func(_ *Thread, self Value, _ Args) (Value, error) { return floatHex(self.(float64)), nil })
	FloatClass.SetProperty("real", func(_ *Thread, self Value, _ Args) (Value, error) { return self, nil }, nil)
	FloatClass.SetProperty("imag", func(*Thread, Value, Args) (Value, error) { return 0.0, nil }, nil)
}

// floatHex is float.hex().
func floatHex(f float64) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return numfmt.Repr(f)
	}
	bits := math.Float64bits(f)
	exp := int(bits>>52&0x7ff) - 1023
	lead := "0x1."
	switch {
	case f == 0:
		lead, exp = "0x0.", 0
	case exp == -1023:
		lead, exp = "0x0.", -1022
	}
	frac := strconv.FormatUint(bits&(1<<52-1)|1<<52, 16)[1:]
	if f == 0 {
		frac = "0"
	}
	sign := ""
	if math.Signbit(f) {
		sign = "-"
	}
	e := strconv.Itoa(exp)
	if exp >= 0 {
		e = "+" + e
	}
	return sign + lead + frac + "p" + e
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

func parseFloat(s string) (Value, error) {
	text := strings.ToLower(strings.TrimFunc(s, isSpace))
	bare := strings.TrimPrefix(strings.TrimPrefix(text, "+"), "-")
	ok := bare != "" && !strings.ContainsAny(bare, "xp") && !strings.Contains(bare, "__") && bare[0] != '_' && bare[len(bare)-1] != '_'
	if ok && (bare[0] < '0' || bare[0] > '9') && bare[0] != '.' {
		ok = bare == "inf" || bare == "infinity" || bare == "nan"
	}
	if ok {
		f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
		if err == nil || math.IsInf(f, 0) {
			return f, nil
		}
		if bare == "nan" {
			return math.NaN(), nil
		}
	}
	return nil, ValueErrorf("could not convert string to float: %s", quote(s))
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
