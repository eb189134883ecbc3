package vm

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/copaflash/copaflash/compiler/script/python/numfmt"
	"github.com/copaflash/copaflash/compiler/script/python/syntax"
)

// Repr is repr(v).
func (t *Thread) Repr(v Value) (string, error) {
	var b strings.Builder
	r := reprer{t: t, b: &b}
	err := r.write(v)
	return b.String(), err
}

// Str is str(v).
func (t *Thread) Str(v Value) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case *Instance:
		if m := v.class.defines("__str__"); m != nil {
			return t.textOf(m, "__str__", v)
		}
		if _, exc := v.native.(*excData); exc {
			return t.exceptionStr(v)
		}
		if v.class.defines("__repr__") == nil && v.native != nil {
			return t.Str(v.native)
		}
	case Stringer:
		return v.Str(t)
	}
	return t.Repr(v)
}

// textOf calls a method that has to return a string.
func (t *Thread) textOf(m Value, name string, self Value, args ...Value) (string, error) {
	r, err := t.Call(m, append([]Value{self}, args...)...)
	if err != nil {
		return "", err
	}
	s, ok := r.(string)
	if !ok {
		return "", TypeErrorf("%s returned non-string (type %s)", name, TypeName(r))
	}
	return s, nil
}

// reprer writes the repr of nested containers and stops at cycles.
type reprer struct {
	t    *Thread
	b    *strings.Builder
	open []Value
	size int // bytes accounted for
}

func (r *reprer) write(v Value) error {
	if n := r.b.Len() - r.size; n > 1024 {
		r.size = r.b.Len()
		if err := r.t.Charge(int64(n) * 2); err != nil {
			return err
		}
		if err := r.t.Tick(n / 16); err != nil {
			return err
		}
	}
	switch v := v.(type) {
	case int64:
		r.b.WriteString(strconv.FormatInt(v, 10))
	case float64:
		r.b.WriteString(numfmt.Repr(v))
	case string:
		r.b.WriteString(quote(v))
	case bool:
		r.b.WriteString(map[bool]string{true: "True", false: "False"}[v])
	case *NoneType:
		r.b.WriteString("None")
	case *big.Int:
		s, err := bigText(v)
		r.b.WriteString(s)
		return err
	case *List:
		return r.elems(v, "[", "]", v.Elems)
	case *Tuple:
		end := ")"
		if len(v.Elems) == 1 {
			end = ",)"
		}
		return r.elems(v, "(", end, v.Elems)
	case *Set:
		return r.set(v)
	case *Dict:
		return r.dict(v)
	case *Instance:
		return r.instance(v)
	case Reprer:
		s, err := v.Repr(r.t)
		r.b.WriteString(s)
		return err
	default:
		return r.other(v)
	}
	return nil
}

// enter reports whether v is being written already, which makes it "...".
func (r *reprer) enter(v Value) (cycle bool, err error) {
	for _, o := range r.open {
		if o == v {
			return true, nil
		}
	}
	if err := r.t.enter(); err != nil {
		return false, err
	}
	r.open = append(r.open, v)
	return false, nil
}

func (r *reprer) leave() {
	r.open = r.open[:len(r.open)-1]
	r.t.leave()
}

func (r *reprer) elems(v Value, begin, end string, elems []Value) error {
	cycle, err := r.enter(v)
	if err != nil {
		return err
	}
	if cycle {
		r.b.WriteString(begin + "..." + end[len(end)-1:])
		return nil
	}
	defer r.leave()
	r.b.WriteString(begin)
	for i, e := range elems {
		if i > 0 {
			r.b.WriteString(", ")
		}
		if err := r.write(e); err != nil {
			return err
		}
	}
	r.b.WriteString(end)
	return nil
}

func (r *reprer) set(s *Set) error {
	switch {
	case s.Frozen && s.Len() == 0:
		r.b.WriteString("frozenset()")
		return nil
	case s.Frozen:
		return r.elems(s, "frozenset({", "})", s.Elems())
	case s.Len() == 0:
		r.b.WriteString("set()")
		return nil
	}
	return r.elems(s, "{", "}", s.Elems())
}

func (r *reprer) dict(d *Dict) error {
	cycle, err := r.enter(d)
	if err != nil {
		return err
	}
	if cycle {
		r.b.WriteString("{...}")
		return nil
	}
	defer r.leave()
	r.b.WriteByte('{')
	first := true
	for k, v := range d.All() {
		if !first {
			r.b.WriteString(", ")
		}
		first = false
		if err := r.write(k); err != nil {
			return err
		}
		r.b.WriteString(": ")
		if err := r.write(v); err != nil {
			return err
		}
	}
	r.b.WriteByte('}')
	return nil
}

func (r *reprer) instance(v *Instance) error {
	if m := v.class.defines("__repr__"); m != nil {
		s, err := r.t.textOf(m, "__repr__", v)
		r.b.WriteString(s)
		return err
	}
	if _, exc := v.native.(*excData); exc {
		s, err := r.t.exceptionRepr(v)
		r.b.WriteString(s)
		return err
	}
	if v.native != nil {
		return r.write(v.native)
	}
	r.b.WriteString(v.defaultRepr())
	return nil
}

func (i *Instance) defaultRepr() string {
	return fmt.Sprintf("<%s.%s object at 0x%012x>", i.class.module, i.class.Name, identityHash(i))
}

func (r *reprer) other(v Value) error {
	at := identityHash(v)
	switch v := v.(type) {
	case *Range:
		if v.Step == 1 {
			fmt.Fprintf(r.b, "range(%d, %d)", v.Start, v.Stop)
		} else {
			fmt.Fprintf(r.b, "range(%d, %d, %d)", v.Start, v.Stop, v.Step)
		}
	case *Slice:
		return r.elems(v, "slice(", ")", []Value{v.Start, v.Stop, v.Step})
	case Bytes:
		r.b.WriteString("b" + quoteBytes(string(v)))
	case *Class:
		if m := v.metaMethod("__repr__"); m != nil {
			s, err := r.t.textOf(m, "__repr__", v)
			r.b.WriteString(s)
			return err
		}
		name := v.Name
		if v.module != "" {
			name = v.module + "." + name
		}
		r.b.WriteString("<class '" + name + "'>")
	case *Function:
		fmt.Fprintf(r.b, "<function %s at 0x%012x>", v.prog.QualName, at)
	case *Builtin:
		fmt.Fprintf(r.b, "<built-in function %s>", v.Name)
	case *Method:
		fmt.Fprintf(r.b, "<method '%s' of '%s' objects>", v.Name, v.Class.Name)
	case *BoundMethod:
		if m, ok := v.Func.(*Method); ok {
			fmt.Fprintf(r.b, "<built-in method %s of %s object at 0x%012x>", m.Name, TypeName(v.Self), identityHash(v.Self))
			return nil
		}
		r.b.WriteString("<bound method ")
		if f, ok := v.Func.(*Function); ok {
			r.b.WriteString(f.prog.QualName)
		}
		r.b.WriteString(" of ")
		if err := r.elems(v, "", ">", []Value{v.Self}); err != nil {
			return err
		}
	case *Module:
		fmt.Fprintf(r.b, "<module '%s'>", v.Name)
	case *EllipsisType:
		r.b.WriteString("Ellipsis")
	case *NotImplementedType:
		r.b.WriteString("NotImplemented")
	case *Generator:
		fmt.Fprintf(r.b, "<generator object %s at 0x%012x>", v.name, at)
	default:
		if at == 0 {
			fmt.Fprintf(r.b, "<%s object>", TypeName(v))
		} else {
			fmt.Fprintf(r.b, "<%s object at 0x%012x>", TypeName(v), at)
		}
	}
	return nil
}

// bigText writes a big int in decimal, within the limit on digits.
func bigText(v *big.Int) (string, error) {
	if v.BitLen() > syntax.MaxIntDigits*3322/1000+4 {
		return "", tooManyDigits()
	}
	s := v.String()
	if len(strings.TrimPrefix(s, "-")) > syntax.MaxIntDigits {
		return "", tooManyDigits()
	}
	return s, nil
}

func tooManyDigits() error {
	return ValueErrorf("Exceeds the limit (%d digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit", syntax.MaxIntDigits)
}

// quote writes a string literal as repr does.
func quote(s string) string {
	q := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = '"'
	}
	b := make([]byte, 0, len(s)+2)
	b = append(b, q)
	for _, c := range s {
		switch {
		case c == rune(q) || c == '\\':
			b = append(b, '\\', byte(c))
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c == '\t':
			b = append(b, '\\', 't')
		case c < ' ' || c == 0x7f || c > 0x7f && c < 0x100 && !unicode.IsPrint(c):
			b = fmt.Appendf(b, "\\x%02x", c)
		case c < 0x7f || unicode.IsPrint(c):
			b = utf8.AppendRune(b, c)
		default:
			b = appendEscape(b, c)
		}
	}
	return string(append(b, q))
}

// appendEscape writes a code point in the shortest form of escape.
func appendEscape(b []byte, c rune) []byte {
	switch {
	case c < 0x100:
		return fmt.Appendf(b, "\\x%02x", c)
	case c < 0x10000:
		return fmt.Appendf(b, "\\u%04x", c)
	}
	return fmt.Appendf(b, "\\U%08x", c)
}

func quoteBytes(s string) string {
	q := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = '"'
	}
	b := []byte{q}
	for i := range len(s) {
		switch c := s[i]; {
		case c == q || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c == '\t':
			b = append(b, '\\', 't')
		case c < ' ' || c >= 0x7f:
			b = fmt.Appendf(b, "\\x%02x", c)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, q))
}
