package vm

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/copaflash/copaflash/compiler/script/python/numfmt"
)

var floatTable = []Row{
	Def("is_integer", floatIsInteger),
	Def("conjugate", floatConjugate),
	Def("as_integer_ratio", floatAsIntegerRatio),
	Def("hex", floatHex),
	DefProperty("real", floatReal, nil),
	DefProperty("imag", floatImag, nil),
}

var floatSignature = NewSignature("float", "x?", "/")

func newFloat(t *Thread, _ *Class, a Args) (Value, error) {
	vs, err := floatSignature.Bind(a)
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

func floatReal(f float64) Value { return f }

func floatImag(float64) Value { return 0.0 }

func floatIsInteger(_ *Thread, f float64, _ []Value) (Value, error) {
	return f == math.Floor(f) && !math.IsInf(f, 0), nil
}

func floatConjugate(_ *Thread, f float64, _ []Value) (Value, error) {
	return f, nil
}

func floatAsIntegerRatio(_ *Thread, f float64, _ []Value) (Value, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		if _, err := floatToInt(f); isException(err, OverflowError) {
			return nil, Raise(OverflowError, "cannot convert Infinity to integer ratio")
		}
		return nil, ValueErrorf("cannot convert NaN to integer ratio")
	}
	r := new(big.Rat).SetFloat64(f)
	return NewTuple(NewBig(new(big.Int).Set(r.Num())), NewBig(new(big.Int).Set(r.Denom()))), nil
}

// floatHex is float.hex().
func floatHex(_ *Thread, f float64, _ []Value) (Value, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return numfmt.Repr(f), nil
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
	return sign + lead + frac + "p" + e, nil
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
