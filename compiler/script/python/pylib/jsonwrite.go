package pylib

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

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
