package vm

import (
	"math"
	"strings"
	"unicode/utf8"
)

var strSplitTable = []Row{
	defStr("split", strSplit, "sep?", "maxsplit?"),
	defStr("rsplit", strRsplit, "sep?", "maxsplit?"),
	defStr("splitlines", strSplitlines, "keepends?"),
	defStr("partition", strPartition, "sep", "/"),
	defStr("rpartition", strRpartition, "sep", "/"),
	defStr("strip", strStrip, "chars?", "/"),
	defStr("lstrip", strLstrip, "chars?", "/"),
	defStr("rstrip", strRstrip, "chars?", "/"),
}

// stringBytes is a string without its text, which the parts of another share.
const stringBytes = 16

// parts makes a list of strings.
func (t *Thread) parts(list []string) (Value, error) {
	if err := t.Charge(int64(len(list)) * (valueBytes + stringBytes)); err != nil {
		return nil, err
	}
	elems := make([]Value, len(list))
	for i, s := range list {
		elems[i] = s
	}
	return NewList(elems), nil
}

func strSplit(t *Thread, s string, vs []Value) (Value, error) { return t.split(s, vs, false) }

func strRsplit(t *Thread, s string, vs []Value) (Value, error) { return t.split(s, vs, true) }

// split splits at vs[0], or at white space, at most vs[1] times; right: from the end.
func (t *Thread) split(s string, vs []Value, right bool) (Value, error) {
	limit := int64(-1)
	if vs[1] != nil {
		var err error
		if limit, err = wantInt(vs[1]); err != nil {
			return nil, err
		}
	}
	if limit < 0 || limit > math.MaxInt32 {
		limit = math.MaxInt32
	}
	// The parts are found before they are a list.
	if err := t.Charge((min(int64(len(s)), limit) + 1) * stringBytes / 2); err != nil {
		return nil, err
	}
	if vs[0] == nil || vs[0] == None {
		return t.parts(splitSpace(s, int(limit), right))
	}
	sep, err := wantSep(vs[0])
	if err != nil {
		return nil, err
	}
	if !right {
		return t.parts(strings.SplitN(s, sep, int(limit)+1))
	}
	var rev []string
	for ; limit > 0; limit-- {
		i := strings.LastIndex(s, sep)
		if i < 0 {
			break
		}
		rev = append(rev, s[i+len(sep):])
		s = s[:i]
	}
	return t.parts(reversed(append(rev, s)))
}

// wantSep is the argument of methods that split at a text.
func wantSep(v Value) (string, error) {
	sep, err := wantStr("sep", v)
	if err == nil && sep == "" {
		err = ValueErrorf("empty separator")
	}
	return sep, err
}

func strSplitlines(t *Thread, s string, vs []Value) (Value, error) {
	keep := false
	if vs[0] != nil {
		var err error
		if keep, err = t.Truth(vs[0]); err != nil {
			return nil, err
		}
	}
	var lines []string
	for s != "" {
		i := strings.IndexAny(s, "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029")
		if i < 0 {
			lines = append(lines, s)
			break
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		if strings.HasPrefix(s[i:], "\r\n") {
			n = 2
		}
		if keep {
			lines = append(lines, s[:i+n])
		} else {
			lines = append(lines, s[:i])
		}
		s = s[i+n:]
	}
	return t.parts(lines)
}

func strPartition(_ *Thread, s string, vs []Value) (Value, error) {
	sep, err := wantSep(vs[0])
	if err != nil {
		return nil, err
	}
	if before, after, ok := strings.Cut(s, sep); ok {
		return NewTuple(before, sep, after), nil
	}
	return NewTuple(s, "", ""), nil
}

func strRpartition(_ *Thread, s string, vs []Value) (Value, error) {
	sep, err := wantSep(vs[0])
	if err != nil {
		return nil, err
	}
	if i := strings.LastIndex(s, sep); i >= 0 {
		return NewTuple(s[:i], sep, s[i+len(sep):]), nil
	}
	return NewTuple("", "", s), nil
}

func strStrip(_ *Thread, s string, vs []Value) (Value, error) {
	cut, err := cutset("strip", vs[0])
	return strings.TrimFunc(s, cut), err
}

func strLstrip(_ *Thread, s string, vs []Value) (Value, error) {
	cut, err := cutset("lstrip", vs[0])
	return strings.TrimLeftFunc(s, cut), err
}

func strRstrip(_ *Thread, s string, vs []Value) (Value, error) {
	cut, err := cutset("rstrip", vs[0])
	return strings.TrimRightFunc(s, cut), err
}

// cutset tells which characters are cut off: white space, or those of a text.
func cutset(name string, chars Value) (func(r rune) bool, error) {
	if chars == nil || chars == None {
		return isSpace, nil
	}
	set, err := wantStr(name+" arg", chars)
	return func(r rune) bool { return strings.ContainsRune(set, r) }, err
}

func reversed(list []string) []string {
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// splitSpace splits at runs of white space, at most limit times.
func splitSpace(s string, limit int, right bool) []string {
	var list []string
	for {
		if right {
			s = strings.TrimRightFunc(s, isSpace)
		} else {
			s = strings.TrimLeftFunc(s, isSpace)
		}
		if s == "" {
			break
		}
		i := strings.IndexFunc(s, isSpace)
		if right {
			i = strings.LastIndexFunc(s, isSpace)
		}
		if i < 0 || len(list) == limit {
			list = append(list, s)
			break
		}
		if right {
			_, n := utf8.DecodeRuneInString(s[i:])
			list = append(list, s[i+n:])
			s = s[:i]
		} else {
			list = append(list, s[:i])
			s = s[i:]
		}
	}
	if right {
		return reversed(list)
	}
	return list
}
