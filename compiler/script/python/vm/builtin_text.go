package vm

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// textFunctions make texts.
var textFunctions = []*Builtin{
	NewBuiltin("print", printFunc),
	DefFunc("format", builtinFormat, "value", "spec?", "/"),
	DefFunc("chr", builtinChr, "i", "/"),
	DefFunc("ord", builtinOrd, "c", "/"),
	DefFunc("hex", builtinHex, "number", "/"),
	DefFunc("oct", builtinOct, "number", "/"),
	DefFunc("bin", builtinBin, "number", "/"),
}

func builtinFormat(t *Thread, vs []Value) (Value, error) {
	spec := ""
	if vs[1] != nil {
		var ok bool
		if spec, ok = vs[1].(string); !ok {
			return nil, TypeErrorf("format() argument 2 must be str, not %s", TypeName(vs[1]))
		}
	}
	return wrapString(t.Format(vs[0], spec))
}

func builtinChr(_ *Thread, vs []Value) (Value, error) {
	i, err := wantInt(vs[0])
	if err != nil {
		return nil, err
	}
	if i < 0 || i > utf8.MaxRune || !utf8.ValidRune(rune(i)) {
		return nil, ValueErrorf("chr() arg not in range(0x110000)")
	}
	return string(rune(i)), nil
}

func builtinOrd(_ *Thread, vs []Value) (Value, error) {
	s, ok := vs[0].(string)
	if !ok {
		return nil, TypeErrorf("ord() expected string of length 1, but %s found", TypeName(vs[0]))
	}
	if n := utf8.RuneCountInString(s); n != 1 {
		return nil, TypeErrorf("ord() expected a character, but string of length %d found", n)
	}
	r, _ := utf8.DecodeRuneInString(s)
	return box(int64(r)), nil
}

func builtinHex(_ *Thread, vs []Value) (Value, error) { return digits(vs[0], "0x", 16) }

func builtinOct(_ *Thread, vs []Value) (Value, error) { return digits(vs[0], "0o", 8) }

func builtinBin(_ *Thread, vs []Value) (Value, error) { return digits(vs[0], "0b", 2) }

// digits writes an int in a base, with a prefix.
func digits(v Value, prefix string, base int) (Value, error) {
	b := toBig(Unwrap(v))
	if b == nil {
		return nil, TypeErrorf("'%s' object cannot be interpreted as an integer", TypeName(v))
	}
	text, neg := strings.CutPrefix(b.Text(base), "-")
	if neg {
		return "-" + prefix + text, nil
	}
	return prefix + text, nil
}

func printFunc(t *Thread, a Args) (Value, error) {
	sep, end := " ", "\n"
	var file Value
	for _, k := range a.Kw {
		var into *string
		switch k.Name {
		case "sep":
			into = &sep
		case "end":
			into = &end
		case "flush":
			continue
		case "file":
			if k.Value != None {
				file = k.Value
			}
			continue
		default:
			return nil, TypeErrorf("'%s' is an invalid keyword argument for print()", k.Name)
		}
		if k.Value == None {
			continue
		}
		s, ok := k.Value.(string)
		if !ok {
			return nil, TypeErrorf("%s must be None or a string, not %s", k.Name, TypeName(k.Value))
		}
		*into = s
	}
	var b strings.Builder
	for i, v := range a.Pos {
		if i > 0 {
			b.WriteString(sep)
		}
		s, err := t.Str(v)
		if err != nil {
			return nil, err
		}
		b.WriteString(s)
	}
	b.WriteString(end)
	if err := t.Tick(b.Len() / 8); err != nil {
		return nil, err
	}
	if err := t.Charge(int64(b.Len())); err != nil {
		return nil, err
	}
	if file != nil {
		_, err := t.CallMethod(file, "write", b.String())
		return None, err
	}
	if _, err := io.WriteString(t.opts.Stdout, b.String()); err != nil {
		return nil, Raise(OSError, "cannot write output: %s", err)
	}
	return None, nil
}

// itoa names the argument number n in messages.
func itoa(n int) string { return strconv.Itoa(n) }
