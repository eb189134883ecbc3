package vm

import (
	"math"
	"math/big"
	"strings"
	"unicode"
)

func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

func contains(s, sub string) bool { return strings.Contains(s, sub) }

var strTable = []Row{
	defStr("encode", strEncode, "encoding?", "errors?"),
	DefArgs("format", (*Thread).strFormat),
	defStr("format_map", strFormatMap, "mapping", "/"),
	defStr("join", strJoin, "iterable", "/"),
}

// defStr is a method of str with bound arguments, which takes time by the length of the text.
func defStr(name string, fn func(t *Thread, s string, vs []Value) (Value, error), params ...string) Row {
	timed := func(t *Thread, s string, vs []Value) (Value, error) {
		if err := t.Tick(len(s) / 64); err != nil {
			return nil, err
		}
		return fn(t, s, vs)
	}
	r := Def("str."+name, timed, params...)
	r.name = name
	return r
}

var strSignature = NewSignature("str", "object?", "encoding?", "errors?")

func newStr(t *Thread, _ *Class, a Args) (Value, error) {
	vs, err := strSignature.Bind(a)
	if err != nil || vs[0] == nil {
		return "", err
	}
	if b, ok := vs[0].(Bytes); ok && vs[1] != nil {
		return decodeUTF8(b)
	}
	s, err := t.Str(vs[0])
	return s, err
}

func wantStr(fn string, v Value) (string, error) {
	s, ok := Unwrap(v).(string)
	if !ok {
		return "", TypeErrorf("%s must be str, not %s", fn, TypeName(v))
	}
	return s, nil
}

func wantInt(v Value) (int64, error) {
	i, ok := AsInt(v)
	if ok {
		return i, nil
	}
	if b, isBig := Unwrap(v).(*big.Int); isBig {
		if b.Sign() < 0 {
			return math.MinInt64, nil
		}
		return math.MaxInt64, nil
	}
	return 0, TypeErrorf("'%s' object cannot be interpreted as an integer", TypeName(v))
}

func strEncode(_ *Thread, s string, vs []Value) (Value, error) {
	return Bytes(s), nil
}

func strFormatMap(t *Thread, s string, vs []Value) (Value, error) {
	d, ok := Unwrap(vs[0]).(*Dict)
	if !ok {
		return nil, TypeErrorf("format_map() argument must be a dict, not %s", TypeName(vs[0]))
	}
	var kw []Keyword
	for _, name := range sortedKeys(d) {
		v, err := d.Get(t, name)
		if err != nil {
			return nil, err
		}
		kw = append(kw, Keyword{name, v})
	}
	return t.strFormat(s, Args{Kw: kw})
}

func strJoin(t *Thread, s string, vs []Value) (Value, error) {
	var parts []string
	size := 0
	err := t.each(vs[0], func(x Value) error {
		p, ok := Unwrap(x).(string)
		if !ok {
			return TypeErrorf("sequence item %d: expected str instance, %s found", len(parts), TypeName(x))
		}
		parts = append(parts, p)
		size += len(p) + len(s)
		if size > int(min(t.opts.Limits.Memory, math.MaxInt)) {
			return t.outOfMemory()
		}
		return nil
	})
	if isException(err, TypeError) && len(parts) == 0 {
		if _, e := t.Iter(vs[0]); e != nil {
			return nil, TypeErrorf("can only join an iterable")
		}
	}
	if err == nil {
		err = t.Charge(int64(size))
	}
	if err != nil {
		return nil, err
	}
	return strings.Join(parts, s), nil
}
