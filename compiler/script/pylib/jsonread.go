package pylib

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/copaflash/copaflash/compiler/script/vm"
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

func orNil(v vm.Value) vm.Value {
	if v == vm.None {
		return nil
	}
	return v
}

func (h *host) json(*vm.Thread) (*vm.Module, error) {
	m := vm.NewModule("_json")
	m.Func("loads", func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		vs, err := a.Bind("loads", "s", "fail", "object_hook", "object_pairs_hook", "parse_float", "parse_int", "parse_constant")
		if err != nil {
			return nil, err
		}
		s, ok := vm.Unwrap(vs[0]).(string)
		if b, isBytes := vs[0].(vm.Bytes); isBytes {
			s, ok = string(b), true
		}
		if !ok {
			return nil, vm.TypeErrorf("the JSON object must be str, bytes or bytearray, not %s", vm.TypeName(vs[0]))
		}
		r := &jsonReader{t: t, s: s, fail: vs[1], hook: orNil(vs[2]), pairs: orNil(vs[3]), toFloat: orNil(vs[4]), toInt: orNil(vs[5]), toNum: orNil(vs[6])}
		if strings.HasPrefix(s, "\ufeff") {
			return nil, r.error("Unexpected UTF-8 BOM (decode using utf-8-sig)", 0)
		}
		r.space()
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		if r.space(); r.i < len(r.s) {
			return nil, r.error("Extra data", r.i)
		}
		return v, nil
	})
	m.Func("dumps", func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		vs, err := a.Bind("dumps", "obj", "skipkeys", "ascii", "nan", "indent", "comma", "colon", "default", "sort_keys")
		if err != nil {
			return nil, err
		}
		w := &jsonWriter{t: t, fallback: orNil(vs[7]), comma: vs[5].(string), colon: vs[6].(string)}
		w.skip, w.ascii, w.nan, w.sorted = vs[1] == true, vs[2] == true, vs[3] == true, vs[8] == true
		if s, ok := vs[4].(string); ok {
			w.indent, w.lines = s, true
		}
		if err := w.write(vs[0]); err != nil {
			return nil, err
		}
		return w.b.String(), nil
	})
	return m, nil
}

// jsonWriter writes values; lines: each element on a line of its own.
type jsonWriter struct {
	t                 *vm.Thread
	b                 strings.Builder
	fallback          vm.Value
	comma, colon      string
	indent            string
	lines, ascii, nan bool
	skip, sorted      bool
	depth, accounted  int
	open              []vm.Value
}

func (w *jsonWriter) write(v vm.Value) error {
	if n := w.b.Len() - w.accounted; n > 1024 {
		w.accounted = w.b.Len()
		if err := w.t.Charge(int64(2 * n)); err != nil {
			return err
		}
	}
	if err := w.t.Tick(1); err != nil {
		return err
	}
	switch x := vm.Unwrap(v).(type) {
	case string:
		w.quote(x)
	case *vm.NoneType:
		w.b.WriteString("null")
	case bool:
		w.b.WriteString(strconv.FormatBool(x))
	case int64, *big.Int:
		s, err := w.t.Repr(x)
		w.b.WriteString(s)
		return err
	case float64:
		s, err := w.float(x)
		w.b.WriteString(s)
		return err
	case *vm.List:
		return w.inside(v, func() error { return w.array(x.Elems) })
	case *vm.Tuple:
		return w.inside(v, func() error { return w.array(x.Elems) })
	case *vm.Dict:
		return w.inside(v, func() error { return w.object(x) })
	default:
		if w.fallback == nil {
			err := vm.TypeErrorf("Object of type %s is not JSON serializable", vm.TypeName(v))
			if _, traced := v.(vm.Operand); traced {
				err = vm.WithHint(err, "read it from the target first: tg.read_value(x)")
			}
			return err
		}
		return w.inside(v, func() error {
			r, err := w.t.Call(w.fallback, v)
			if err != nil {
				return err
			}
			return w.write(r)
		})
	}
	return nil
}

func (w *jsonWriter) inside(v vm.Value, f func() error) error {
	for _, o := range w.open {
		if o == v {
			return vm.ValueErrorf("Circular reference detected")
		}
	}
	if err := w.t.Nest(); err != nil {
		return err
	}
	w.open = append(w.open, v)
	err := f()
	w.open = w.open[:len(w.open)-1]
	w.t.Unnest()
	return err
}

func (w *jsonWriter) float(x float64) (string, error) {
	word := map[bool]string{true: "Infinity", false: "-Infinity"}[x > 0]
	switch {
	case math.IsNaN(x):
		word = "NaN"
	case !math.IsInf(x, 0):
		return w.t.Repr(x)
	}
	if !w.nan {
		return "", vm.ValueErrorf("Out of range float values are not JSON compliant")
	}
	return word, nil
}

func (w *jsonWriter) newline() {
	if w.lines {
		w.b.WriteByte('\n')
		for range w.depth {
			w.b.WriteString(w.indent)
		}
	}
}

func (w *jsonWriter) array(elems []vm.Value) error {
	if len(elems) == 0 {
		w.b.WriteString("[]")
		return nil
	}
	w.b.WriteByte('[')
	w.depth++
	for i, e := range elems {
		if i > 0 {
			w.b.WriteString(w.comma)
		}
		w.newline()
		if err := w.write(e); err != nil {
			return err
		}
	}
	w.depth--
	w.newline()
	w.b.WriteByte(']')
	return nil
}

func (w *jsonWriter) object(d *vm.Dict) error {
	keys := d.Keys()
	if w.sorted {
		sorted, err := w.t.Sorted(keys)
		if err != nil {
			return err
		}
		keys = sorted
	}
	n := 0
	for _, k := range keys {
		name, ok, err := w.key(k)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if n == 0 {
			w.b.WriteByte('{')
			w.depth++
		} else {
			w.b.WriteString(w.comma)
		}
		n++
		w.newline()
		w.quote(name)
		w.b.WriteString(w.colon)
		v, err := d.Get(w.t, k)
		if err != nil {
			return err
		}
		if err := w.write(v); err != nil {
			return err
		}
	}
	if n == 0 {
		w.b.WriteString("{}")
		return nil
	}
	w.depth--
	w.newline()
	w.b.WriteByte('}')
	return nil
}

// key is the text of a key; ok false skips it.
func (w *jsonWriter) key(k vm.Value) (name string, ok bool, err error) {
	switch x := vm.Unwrap(k).(type) {
	case string:
		return x, true, nil
	case *vm.NoneType:
		return "null", true, nil
	case bool:
		return strconv.FormatBool(x), true, nil
	case int64, *big.Int:
		name, err = w.t.Repr(x)
		return name, true, err
	case float64:
		name, err = w.float(x)
		return name, true, err
	}
	if w.skip {
		return "", false, nil
	}
	return "", false, vm.TypeErrorf("keys must be str, int, float, bool or None, not %s", vm.TypeName(k))
}

func (w *jsonWriter) quote(s string) {
	const hex = "0123456789abcdef"
	w.b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			w.b.WriteByte('\\')
			w.b.WriteRune(c)
		case c == '\n':
			w.b.WriteString(`\n`)
		case c == '\r':
			w.b.WriteString(`\r`)
		case c == '\t':
			w.b.WriteString(`\t`)
		case c == '\b':
			w.b.WriteString(`\b`)
		case c == '\f':
			w.b.WriteString(`\f`)
		case c < ' ' || c > 0x7e && w.ascii && c != 0x7f:
			for _, u := range utf16.Encode([]rune{c}) {
				w.b.WriteString(`\u`)
				for shift := 12; shift >= 0; shift -= 4 {
					w.b.WriteByte(hex[u>>shift&15])
				}
			}
		default:
			w.b.WriteRune(c)
		}
	}
	w.b.WriteByte('"')
}
