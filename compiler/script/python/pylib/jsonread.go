package pylib

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// jsonReader parses a text. fail is a function of the library that raises JSONDecodeError.
type jsonReader struct {
	t                                  *vm.Thread
	s                                  string
	i                                  int
	fail                               vm.Value
	hook, pairs, toFloat, toInt, toNum vm.Value // nil: none
}

func (r *jsonReader) error(msg string, at int) error {
	_, err := r.t.Call(r.fail, msg, r.s, int64(utf8.RuneCountInString(r.s[:min(at, len(r.s))])))
	return err
}

func (r *jsonReader) space() {
	for r.i < len(r.s) && strings.IndexByte(" \t\n\r", r.s[r.i]) >= 0 {
		r.i++
	}
}

func (r *jsonReader) eat(c byte) bool {
	if r.i < len(r.s) && r.s[r.i] == c {
		r.i++
		return true
	}
	return false
}

var jsonWords = []struct {
	text  string
	value vm.Value
}{{"null", vm.None}, {"true", true}, {"false", false}, {"NaN", math.NaN()}, {"Infinity", math.Inf(1)}, {"-Infinity", math.Inf(-1)}}

func (r *jsonReader) value() (vm.Value, error) {
	if err := r.t.Nest(); err != nil {
		return nil, err
	}
	defer r.t.Unnest()
	if err := r.t.Tick(1); err != nil {
		return nil, err
	}
	if err := r.t.Charge(elementBytes); err != nil {
		return nil, err
	}
	if r.i < len(r.s) {
		switch c := r.s[r.i]; {
		case c == '{':
			return r.object()
		case c == '[':
			return r.array()
		case c == '"':
			return r.text()
		}
	}
	for _, w := range jsonWords {
		if strings.HasPrefix(r.s[r.i:], w.text) {
			r.i += len(w.text)
			if _, number := w.value.(float64); number && r.toNum != nil {
				return r.t.Call(r.toNum, w.text)
			}
			return w.value, nil
		}
	}
	return r.number()
}

func (r *jsonReader) number() (vm.Value, error) {
	start, i := r.i, r.i
	digits := func() bool {
		from := i
		for i < len(r.s) && r.s[i] >= '0' && r.s[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(r.s) && r.s[i] == '-' {
		i++
	}
	if i < len(r.s) && r.s[i] == '0' {
		i++
	} else if !digits() {
		return nil, r.error("Expecting value", start)
	}
	float := false
	end := i
	if i < len(r.s) && r.s[i] == '.' {
		i++
		if digits() {
			float, end = true, i
		}
	}
	if i = end; i < len(r.s) && r.s[i]|0x20 == 'e' {
		i++
		if i < len(r.s) && (r.s[i] == '+' || r.s[i] == '-') {
			i++
		}
		if digits() {
			float, end = true, i
		}
	}
	text := r.s[start:end]
	r.i = end
	switch {
	case float && r.toFloat != nil:
		return r.t.Call(r.toFloat, text)
	case float:
		f, _ := strconv.ParseFloat(text, 64) // too large is inf, as in Python
		return f, nil
	case r.toInt != nil:
		return r.t.Call(r.toInt, text)
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	return r.t.Call(vm.IntClass, text)
}

// jsonEscapes are the one-letter escapes.
var jsonEscapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': 8, 'f': 12, 'n': 10, 'r': 13, 't': 9}

func (r *jsonReader) text() (vm.Value, error) {
	start := r.i
	r.i++
	from := r.i
	for r.i < len(r.s) && r.s[r.i] != '"' && r.s[r.i] != '\\' && r.s[r.i] >= ' ' {
		r.i++
	}
	if r.eat('"') {
		s := r.s[from : r.i-1]
		return s, r.t.Tick(len(s) / 32)
	}
	var b strings.Builder
	b.WriteString(r.s[from:r.i])
	for {
		switch {
		case r.i >= len(r.s):
			return nil, r.error("Unterminated string starting at", start)
		case r.s[r.i] == '"':
			r.i++
			return b.String(), r.t.Charge(int64(b.Len()))
		case r.s[r.i] < ' ':
			return nil, r.error("Invalid control character at", r.i)
		case r.s[r.i] != '\\':
			b.WriteByte(r.s[r.i])
			r.i++
			continue
		}
		r.i++
		if r.i >= len(r.s) {
			return nil, r.error("Unterminated string starting at", start)
		}
		c := r.s[r.i]
		r.i++
		if e, ok := jsonEscapes[c]; ok {
			b.WriteByte(e)
			continue
		}
		if c != 'u' {
			return nil, r.error("Invalid \\escape", r.i-2)
		}
		u, err := r.hex4()
		if err != nil {
			return nil, err
		}
		if utf16.IsSurrogate(u) && strings.HasPrefix(r.s[r.i:], "\\u") {
			at := r.i
			r.i += 2
			low, err := r.hex4()
			if err != nil {
				return nil, err
			}
			if pair := utf16.DecodeRune(u, low); pair != utf8.RuneError {
				u = pair
			} else {
				r.i = at
			}
		}
		b.WriteRune(u)
	}
}

func (r *jsonReader) hex4() (rune, error) {
	if r.i+4 <= len(r.s) {
		if u, err := strconv.ParseUint(r.s[r.i:r.i+4], 16, 32); err == nil {
			r.i += 4
			return rune(u), nil
		}
	}
	return 0, r.error("Invalid \\uXXXX escape", r.i-1)
}

func (r *jsonReader) array() (vm.Value, error) {
	r.i++
	list := vm.NewList(nil)
	r.space()
	if r.eat(']') {
		return list, nil
	}
	for {
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		list.Elems = append(list.Elems, v)
		r.space()
		if r.eat(']') {
			return list, nil
		}
		if !r.eat(',') {
			return nil, r.error("Expecting ',' delimiter", r.i)
		}
		r.space()
	}
}

func (r *jsonReader) object() (vm.Value, error) {
	r.i++
	d := vm.NewDict()
	var pairs []vm.Value
	r.space()
	for first := true; first || !r.eat('}'); first = false {
		if first && r.eat('}') {
			break
		}
		if !first {
			if !r.eat(',') {
				return nil, r.error("Expecting ',' delimiter", r.i)
			}
			r.space()
		}
		if r.i >= len(r.s) || r.s[r.i] != '"' {
			return nil, r.error("Expecting property name enclosed in double quotes", r.i)
		}
		k, err := r.text()
		if err != nil {
			return nil, err
		}
		r.space()
		if !r.eat(':') {
			return nil, r.error("Expecting ':' delimiter", r.i)
		}
		r.space()
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		if r.pairs != nil {
			pairs = append(pairs, vm.NewTuple(k, v))
		} else if err := d.Set(r.t, k, v); err != nil {
			return nil, err
		}
		r.space()
	}
	switch {
	case r.pairs != nil:
		return r.t.Call(r.pairs, vm.NewList(pairs))
	case r.hook != nil:
		return r.t.Call(r.hook, d)
	}
	return d, nil
}
