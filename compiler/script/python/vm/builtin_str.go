package vm

import (
	"math"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"
)

func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

func contains(s, sub string) bool { return strings.Contains(s, sub) }

// strMethod defines a method of str with bound arguments.
func strMethod(name string, params []string, fn func(t *Thread, s string, vs []Value) (Value, error)) {
	StrClass.SetMethod(name, func(t *Thread, self Value, a Args) (Value, error) {
		vs, err := a.Bind("str."+name, params...)
		if err != nil {
			return nil, err
		}
		s := self.(string)
		if err := t.Tick(len(s) / 64); err != nil {
			return nil, err
		}
		return fn(t, s, vs)
	})
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

func init() {
	StrClass.new = func(t *Thread, _ *Class, a Args) (Value, error) {
		vs, err := a.Bind("str", "object?", "encoding?", "errors?")
		if err != nil || vs[0] == nil {
			return "", err
		}
		if b, ok := vs[0].(Bytes); ok && vs[1] != nil {
			return decodeUTF8(b)
		}
		s, err := t.Str(vs[0])
		return s, err
	}
	strCase()
	strTests()
	strSearch()
	strSplit()
	strPad()
	strMethod("encode", []string{"encoding?", "errors?"}, func(_ *Thread, s string, vs []Value) (Value, error) { return Bytes(s), nil })
	StrClass.SetMethod("format", func(t *Thread, self Value, a Args) (Value, error) {
		return t.strFormat(self.(string), a)
	})
	strMethod("format_map", []string{"mapping", "/"}, func(t *Thread, s string, vs []Value) (Value, error) {
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
	})
	strMethod("join", []string{"iterable", "/"}, func(t *Thread, s string, vs []Value) (Value, error) {
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
	})
}

func strCase() {
	for name, fn := range map[string]func(string) string{
		"lower": strings.ToLower, "casefold": strings.ToLower, "upper": func(s string) string { return strings.ReplaceAll(strings.ToUpper(s), "ß", "SS") },
		"capitalize": func(s string) string {
			_, n := utf8.DecodeRuneInString(s)
			return strings.ToTitle(s[:n]) + strings.ToLower(s[n:])
		},
		"swapcase": func(s string) string {
			return strings.Map(func(r rune) rune {
				if unicode.IsUpper(r) {
					return unicode.ToLower(r)
				}
				return unicode.ToUpper(r)
			}, s)
		},
		"title": func(s string) string {
			inWord := false
			return strings.Map(func(r rune) rune {
				first := !inWord
				inWord = unicode.IsLetter(r)
				if inWord && first {
					return unicode.ToTitle(r)
				}
				return unicode.ToLower(r)
			}, s)
		},
	} {
		strMethod(name, nil, func(t *Thread, s string, _ []Value) (Value, error) {
			if err := t.Charge(int64(len(s))); err != nil {
				return nil, err
			}
			return fn(s), nil
		})
	}
}

func strTests() {
	all := func(f func(r rune) bool) func(s string) bool {
		return func(s string) bool {
			return s != "" && strings.IndexFunc(s, func(r rune) bool { return !f(r) }) < 0
		}
	}
	cased := func(want, other func(r rune) bool) func(s string) bool {
		return func(s string) bool { return strings.ContainsFunc(s, want) && !strings.ContainsFunc(s, other) }
	}
	for name, test := range map[string]func(s string) bool{
		"isdigit": all(unicode.IsDigit), "isdecimal": all(unicode.IsDigit), "isnumeric": all(unicode.IsNumber),
		"isalpha": all(unicode.IsLetter), "isspace": all(isSpace),
		"isalnum": all(func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }),
		"isupper": cased(unicode.IsUpper, unicode.IsLower), "islower": cased(unicode.IsLower, unicode.IsUpper),
		"isascii": isASCII, "isprintable": func(s string) bool {
			return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
		},
		"isidentifier": func(s string) bool {
			for i, r := range s {
				if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
					return false
				}
			}
			return s != ""
		},
		"istitle": func(s string) bool {
			inWord, any := false, false
			for _, r := range s {
				if unicode.IsUpper(r) == inWord && unicode.IsLetter(r) {
					return false
				}
				inWord = unicode.IsLetter(r)
				any = any || inWord
			}
			return any
		},
	} {
		strMethod(name, nil, func(_ *Thread, s string, _ []Value) (Value, error) { return test(s), nil })
	}
}

// window cuts s to the code points from start to stop and returns how many
// come before it; ok is false when start lies behind the end.
func window(s string, start, stop Value) (part string, before int, ok bool, err error) {
	if (start == nil || start == None) && (stop == nil || stop == None) {
		return s, 0, true, nil
	}
	bounds := [2]int64{0, math.MaxInt64}
	for i, v := range []Value{start, stop} {
		if v != nil && v != None {
			if bounds[i], err = wantInt(v); err != nil {
				return "", 0, false, err
			}
		}
	}
	runes := []rune(s)
	if bounds[0] > int64(len(runes)) {
		return "", 0, false, nil
	}
	lo, hi := clampRange(bounds[0], bounds[1], len(runes))
	if lo > hi {
		return "", 0, false, nil
	}
	return string(runes[lo:hi]), lo, true, nil
}

func strSearch() {
	params := []string{"sub", "start?", "end?", "/"}
	search := func(name string, last, strict bool) {
		strMethod(name, params, func(_ *Thread, s string, vs []Value) (Value, error) {
			sub, err := wantStr(name+"() argument", vs[0])
			if err != nil {
				return nil, err
			}
			part, before, ok, err := window(s, vs[1], vs[2])
			if err != nil {
				return nil, err
			}
			i := -1
			if ok {
				i = strings.Index(part, sub)
				if last {
					i = strings.LastIndex(part, sub)
				}
			}
			if i < 0 {
				if strict {
					return nil, ValueErrorf("substring not found")
				}
				return box(-1), nil
			}
			return box(int64(before + utf8.RuneCountInString(part[:i]))), nil
		})
	}
	search("find", false, false)
	search("rfind", true, false)
	search("index", false, true)
	search("rindex", true, true)
	strMethod("count", params, func(_ *Thread, s string, vs []Value) (Value, error) {
		sub, err := wantStr("count() argument", vs[0])
		if err != nil {
			return nil, err
		}
		part, _, ok, err := window(s, vs[1], vs[2])
		if !ok || err != nil {
			return box(0), err
		}
		return box(int64(strings.Count(part, sub))), nil
	})
	affix := func(name string, has func(s, x string) bool) {
		strMethod(name, []string{"prefix", "start?", "end?", "/"}, func(_ *Thread, s string, vs []Value) (Value, error) {
			part, _, ok, err := window(s, vs[1], vs[2])
			if err != nil {
				return nil, err
			}
			options := []Value{vs[0]}
			if tuple, isTuple := vs[0].(*Tuple); isTuple {
				options = tuple.Elems
			}
			for _, o := range options {
				x, isStr := Unwrap(o).(string)
				if !isStr {
					return nil, TypeErrorf("%s first arg must be str or a tuple of str, not %s", name, TypeName(o))
				}
				if ok && has(part, x) {
					return true, nil
				}
			}
			return false, nil
		})
	}
	affix("startswith", strings.HasPrefix)
	affix("endswith", strings.HasSuffix)
	strMethod("removeprefix", []string{"prefix", "/"}, func(_ *Thread, s string, vs []Value) (Value, error) {
		p, err := wantStr("removeprefix() argument", vs[0])
		return strings.TrimPrefix(s, p), err
	})
	strMethod("removesuffix", []string{"suffix", "/"}, func(_ *Thread, s string, vs []Value) (Value, error) {
		p, err := wantStr("removesuffix() argument", vs[0])
		return strings.TrimSuffix(s, p), err
	})
	strMethod("replace", []string{"old", "new", "count?", "/"}, func(t *Thread, s string, vs []Value) (Value, error) {
		old, err := wantStr("replace() argument 1", vs[0])
		if err != nil {
			return nil, err
		}
		with, err := wantStr("replace() argument 2", vs[1])
		if err != nil {
			return nil, err
		}
		n := int64(-1)
		if vs[2] != nil {
			if n, err = wantInt(vs[2]); err != nil {
				return nil, err
			}
		}
		hits := int64(strings.Count(s, old))
		if n >= 0 {
			hits = min(hits, n)
		}
		if err := t.Charge(int64(len(s)) + hits*int64(len(with))); err != nil {
			return nil, err
		}
		return strings.Replace(s, old, with, int(max(min(n, math.MaxInt32), -1))), nil
	})
}
