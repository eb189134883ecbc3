package vm

import (
	"math"
	"strings"
	"unicode/utf8"
)

var strSearchTable = []Row{
	defStr("find", strFind, "sub", "start?", "end?", "/"),
	defStr("rfind", strRfind, "sub", "start?", "end?", "/"),
	defStr("index", strIndex, "sub", "start?", "end?", "/"),
	defStr("rindex", strRindex, "sub", "start?", "end?", "/"),
	defStr("count", strCount, "sub", "start?", "end?", "/"),
	defStr("startswith", strStartswith, "prefix", "start?", "end?", "/"),
	defStr("endswith", strEndswith, "prefix", "start?", "end?", "/"),
	defStr("removeprefix", strRemoveprefix, "prefix", "/"),
	defStr("removesuffix", strRemovesuffix, "suffix", "/"),
	defStr("replace", strReplace, "old", "new", "count?", "/"),
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

func strFind(_ *Thread, s string, vs []Value) (Value, error) {
	return wrapInt(search("find", strings.Index, s, vs))
}

func strRfind(_ *Thread, s string, vs []Value) (Value, error) {
	return wrapInt(search("rfind", strings.LastIndex, s, vs))
}

func strIndex(_ *Thread, s string, vs []Value) (Value, error) {
	return found(search("index", strings.Index, s, vs))
}

func strRindex(_ *Thread, s string, vs []Value) (Value, error) {
	return found(search("rindex", strings.LastIndex, s, vs))
}

// search gives the place of vs[0] in code points, or -1.
func search(name string, index func(s, sub string) int, s string, vs []Value) (int, error) {
	sub, err := wantStr(name+"() argument", vs[0])
	if err != nil {
		return 0, err
	}
	part, before, ok, err := window(s, vs[1], vs[2])
	if err != nil || !ok {
		return -1, err
	}
	i := index(part, sub)
	if i < 0 {
		return -1, nil
	}
	return before + utf8.RuneCountInString(part[:i]), nil
}

func found(i int, err error) (Value, error) {
	if err == nil && i < 0 {
		err = ValueErrorf("substring not found")
	}
	return wrapInt(i, err)
}

func strStartswith(_ *Thread, s string, vs []Value) (Value, error) {
	return affix("startswith", strings.HasPrefix, s, vs)
}

func strEndswith(_ *Thread, s string, vs []Value) (Value, error) {
	return affix("endswith", strings.HasSuffix, s, vs)
}

// affix tells whether s has vs[0], or one of that tuple, at one end.
func affix(name string, has func(s, x string) bool, s string, vs []Value) (Value, error) {
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
}

func strCount(_ *Thread, s string, vs []Value) (Value, error) {
	sub, err := wantStr("count() argument", vs[0])
	if err != nil {
		return nil, err
	}
	part, _, ok, err := window(s, vs[1], vs[2])
	if !ok || err != nil {
		return box(0), err
	}
	return box(int64(strings.Count(part, sub))), nil
}

func strRemoveprefix(_ *Thread, s string, vs []Value) (Value, error) {
	p, err := wantStr("removeprefix() argument", vs[0])
	return strings.TrimPrefix(s, p), err
}

func strRemovesuffix(_ *Thread, s string, vs []Value) (Value, error) {
	p, err := wantStr("removesuffix() argument", vs[0])
	return strings.TrimSuffix(s, p), err
}

func strReplace(t *Thread, s string, vs []Value) (Value, error) {
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
}
