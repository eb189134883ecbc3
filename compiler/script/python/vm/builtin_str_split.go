package vm

import (
	"math"
	"strings"
	"unicode/utf8"
)

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

func strSplit() {
	split := func(name string, right bool) {
		strMethod(name, []string{"sep?", "maxsplit?"}, func(t *Thread, s string, vs []Value) (Value, error) {
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
			sep, err := wantStr("sep", vs[0])
			if err != nil {
				return nil, err
			}
			if sep == "" {
				return nil, ValueErrorf("empty separator")
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
		})
	}
	split("split", false)
	split("rsplit", true)
	strMethod("splitlines", []string{"keepends?"}, func(t *Thread, s string, vs []Value) (Value, error) {
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
	})
	partition := func(name string, index func(s, sep string) int, last bool) {
		strMethod(name, []string{"sep", "/"}, func(_ *Thread, s string, vs []Value) (Value, error) {
			sep, err := wantStr("sep", vs[0])
			if err != nil {
				return nil, err
			}
			if sep == "" {
				return nil, ValueErrorf("empty separator")
			}
			i := index(s, sep)
			switch {
			case i >= 0:
				return NewTuple(s[:i], sep, s[i+len(sep):]), nil
			case last:
				return NewTuple("", "", s), nil
			}
			return NewTuple(s, "", ""), nil
		})
	}
	partition("partition", strings.Index, false)
	partition("rpartition", strings.LastIndex, true)
	strip := func(name string, left, right bool) {
		strMethod(name, []string{"chars?", "/"}, func(_ *Thread, s string, vs []Value) (Value, error) {
			cut := isSpace
			if vs[0] != nil && vs[0] != None {
				chars, err := wantStr(name+" arg", vs[0])
				if err != nil {
					return nil, err
				}
				cut = func(r rune) bool { return strings.ContainsRune(chars, r) }
			}
			if left {
				s = strings.TrimLeftFunc(s, cut)
			}
			if right {
				s = strings.TrimRightFunc(s, cut)
			}
			return s, nil
		})
	}
	strip("strip", true, true)
	strip("lstrip", true, false)
	strip("rstrip", false, true)
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

func strPad() {
	pad := func(name string, place func(n int) (left, right int)) {
		strMethod(name, []string{"width", "fillchar?", "/"}, func(t *Thread, s string, vs []Value) (Value, error) {
			width, err := wantInt(vs[0])
			if err != nil {
				return nil, err
			}
			fill := " "
			if vs[1] != nil {
				if fill, err = wantStr("the fill character", vs[1]); err != nil {
					return nil, err
				}
				if utf8.RuneCountInString(fill) != 1 {
					return nil, TypeErrorf("The fill character must be exactly one character long")
				}
			}
			n := width - int64(utf8.RuneCountInString(s))
			if n <= 0 {
				return s, nil
			}
			if n > math.MaxInt64/4 {
				return nil, t.outOfMemory()
			}
			if err := t.Charge(n * int64(len(fill))); err != nil {
				return nil, err
			}
			left, right := place(int(n))
			if name == "center" && left != right && int(width)%2 == 1 {
				left, right = right, left // as CPython: the odd one goes left for odd widths
			}
			return strings.Repeat(fill, left) + s + strings.Repeat(fill, right), nil
		})
	}
	pad("ljust", func(n int) (int, int) { return 0, n })
	pad("rjust", func(n int) (int, int) { return n, 0 })
	pad("center", func(n int) (int, int) { return n / 2, n - n/2 })
	strMethod("zfill", []string{"width", "/"}, func(t *Thread, s string, vs []Value) (Value, error) {
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
	})
	strMethod("expandtabs", []string{"tabsize?"}, func(t *Thread, s string, vs []Value) (Value, error) {
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
	})
}

// bytesContain is `x in b`: a byte value or a subsequence.
func bytesContain(b Bytes, x Value) (bool, error) {
	if s, ok := x.(Bytes); ok {
		return strings.Contains(string(b), string(s)), nil
	}
	i, ok := AsInt(x)
	if !ok {
		return false, TypeErrorf("a bytes-like object is required, not '%s'", TypeName(x))
	}
	if i < 0 || i > 255 {
		return false, ValueErrorf("byte must be in range(0, 256)")
	}
	return strings.IndexByte(string(b), byte(i)) >= 0, nil
}

func decodeUTF8(b Bytes) (Value, error) {
	if !utf8.ValidString(string(b)) {
		return nil, Raise(UnicodeDecodeError, "'utf-8' codec can't decode the bytes")
	}
	return string(b), nil
}

func init() {
	BytesClass.new = func(t *Thread, _ *Class, a Args) (Value, error) {
		vs, err := a.Bind("bytes", "source?", "encoding?", "errors?")
		if err != nil || vs[0] == nil {
			return Bytes(""), err
		}
		switch v := vs[0].(type) {
		case string:
			if vs[1] == nil {
				return nil, TypeErrorf("string argument without an encoding")
			}
			return Bytes(v), nil
		case Bytes:
			return v, nil
		}
		if n, ok := AsInt(vs[0]); ok {
			if n < 0 {
				return nil, ValueErrorf("negative count")
			}
			if err := t.Charge(n); err != nil {
				return nil, err
			}
			return Bytes(make([]byte, n)), nil
		}
		var b []byte
		err = t.each(vs[0], func(x Value) error {
			i, err := wantInt(x)
			if err == nil && (i < 0 || i > 255) {
				err = ValueErrorf("bytes must be in range(0, 256)")
			}
			b = append(b, byte(i))
			return err
		})
		return Bytes(b), err
	}
	BytesClass.SetMethod("decode", func(_ *Thread, self Value, _ Args) (Value, error) { return decodeUTF8(self.(Bytes)) })
	BytesClass.SetMethod("hex", func(_ *Thread, self Value, _ Args) (Value, error) {
		const digits = "0123456789abcdef"
		b := self.(Bytes)
		out := make([]byte, 0, 2*len(b))
		for i := range len(b) {
			out = append(out, digits[b[i]>>4], digits[b[i]&15])
		}
		return string(out), nil
	})
}
