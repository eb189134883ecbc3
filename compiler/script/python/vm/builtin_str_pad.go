package vm

import (
	"math"
	"strings"
	"unicode/utf8"
)

var strPadTable = []Row{
	defStr("ljust", strLjust, "width", "fillchar?", "/"),
	defStr("rjust", strRjust, "width", "fillchar?", "/"),
	defStr("center", strCenter, "width", "fillchar?", "/"),
	defStr("zfill", strZfill, "width", "/"),
	defStr("expandtabs", strExpandtabs, "tabsize?"),
}

func strLjust(t *Thread, s string, vs []Value) (Value, error) {
	fill, n, err := t.padding(s, vs)
	return s + strings.Repeat(fill, n), err
}

func strRjust(t *Thread, s string, vs []Value) (Value, error) {
	fill, n, err := t.padding(s, vs)
	return strings.Repeat(fill, n) + s, err
}

func strCenter(t *Thread, s string, vs []Value) (Value, error) {
	fill, n, err := t.padding(s, vs)
	if err != nil {
		return nil, err
	}
	left := n / 2
	if width, _ := wantInt(vs[0]); n%2 == 1 && width%2 == 1 {
		left++ // as CPython: the odd one goes left for odd widths
	}
	return strings.Repeat(fill, left) + s + strings.Repeat(fill, n-left), nil
}

// padding gives the character that fills s up to a width, and how often.
func (t *Thread) padding(s string, vs []Value) (fill string, n int, err error) {
	width, err := wantInt(vs[0])
	if err != nil {
		return "", 0, err
	}
	fill = " "
	if vs[1] != nil {
		if fill, err = wantStr("the fill character", vs[1]); err != nil {
			return "", 0, err
		}
		if utf8.RuneCountInString(fill) != 1 {
			return "", 0, TypeErrorf("The fill character must be exactly one character long")
		}
	}
	missing := width - int64(utf8.RuneCountInString(s))
	if missing <= 0 {
		return fill, 0, nil
	}
	if missing > math.MaxInt64/4 {
		return "", 0, t.outOfMemory()
	}
	if err := t.Charge(missing * int64(len(fill))); err != nil {
		return "", 0, err
	}
	return fill, int(missing), nil
}

func strZfill(t *Thread, s string, vs []Value) (Value, error) {
	width, err := wantInt(vs[0])
	if err != nil {
		return nil, err
	}
	n := width - int64(utf8.RuneCountInString(s))
	if n <= 0 {
		return s, nil
	}
	if n > math.MaxInt64/4 {
		return nil, t.outOfMemory()
	}
	if err := t.Charge(n); err != nil {
		return nil, err
	}
	sign := ""
	if s != "" && (s[0] == '-' || s[0] == '+') {
		sign, s = s[:1], s[1:]
	}
	return sign + strings.Repeat("0", int(n)) + s, nil
}

func strExpandtabs(t *Thread, s string, vs []Value) (Value, error) {
	size := int64(8)
	if vs[0] != nil {
		var err error
		if size, err = wantInt(vs[0]); err != nil {
			return nil, err
		}
	}
	tabs := int64(strings.Count(s, "\t"))
	if tabs > 0 && size > t.opts.Limits.Memory/tabs {
		return nil, t.outOfMemory()
	}
	if err := t.Charge(int64(len(s)) + tabs*max(size, 0)); err != nil {
		return nil, err
	}
	var b strings.Builder
	col := int64(0)
	for _, r := range s {
		switch {
		case r == '\t' && size > 0:
			n := size - col%size
			b.WriteString(strings.Repeat(" ", int(n)))
			col += n
			continue
		case r == '\t':
			continue
		case r == '\n' || r == '\r':
			col = -1
		}
		col++
		b.WriteRune(r)
	}
	return b.String(), nil
}
