package vm

import (
	"errors"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/copaflash/copaflash/compiler/script/python/numfmt"
)

// Format is format(v, spec).
func (t *Thread) Format(v Value, spec string) (string, error) {
	switch x := v.(type) {
	case *Instance:
		if m := x.class.defines("__format__"); m != nil {
			return t.textOf(m, "__format__", x, spec)
		}
		if spec == "" {
			return t.Str(v)
		}
		if x.native != nil && x.class.defines("__str__") == nil {
			return t.Format(x.native, spec)
		}
	case Formatter:
		return x.Format(t, spec)
	}
	if spec == "" {
		return t.Str(v)
	}
	switch v.(type) {
	case string, int64, float64, bool, *big.Int:
	default:
		return "", TypeErrorf("unsupported format string passed to %s.__format__", TypeName(v))
	}
	s, err := numfmt.Parse(spec)
	if err != nil {
		if errors.Is(err, numfmt.ErrInvalid) {
			return "", ValueErrorf("%s '%s' for object of type '%s'", err, spec, TypeName(v))
		}
		return "", ValueErrorf("%s", err)
	}
	if err := t.Charge(int64(s.Width) + int64(max(s.Precision, 0))); err != nil {
		return "", err
	}
	out, err := t.formatNumber(s, v)
	if err != nil && ExceptionClass(err) == nil {
		return "", ValueErrorf("%s", err)
	}
	return out, err
}

func (t *Thread) formatNumber(s *numfmt.Spec, v Value) (string, error) {
	switch x := v.(type) {
	case string:
		return s.Str(x)
	case float64:
		return s.Float(x)
	}
	b := toBig(v)
	if s.IsFloat() {
		f, err := toFloat(NewBig(b))
		if err != nil {
			return "", err
		}
		return s.Float(f.(float64))
	}
	if b.BitLen() > 14000 && (s.Type == 0 || s.Type == 'd' || s.Type == 'n') {
		if _, err := bigText(b); err != nil {
			return "", err
		}
	}
	return s.Int(b)
}

// formatConverted is a field of an f-string: !r, !s or !a, then the spec.
func (t *Thread) formatConverted(v Value, conv byte, spec string) (string, error) {
	var text string
	var err error
	switch conv {
	case 0:
		return t.Format(v, spec)
	case 's':
		text, err = t.Str(v)
	default:
		text, err = t.Repr(v)
		if conv == 'a' {
			text = asciiOnly(text)
		}
	}
	if err != nil || spec == "" {
		return text, err
	}
	return t.Format(text, spec)
}

// asciiOnly escapes what is not ASCII in a repr.
func asciiOnly(s string) string {
	if isASCII(s) {
		return s
	}
	b := make([]byte, 0, len(s)+8)
	for _, r := range s {
		if r < utf8.RuneSelf {
			b = append(b, byte(r))
		} else {
			b = appendEscape(b, r)
		}
	}
	return string(b)
}

// percentFormat is format % args.
func (t *Thread) percentFormat(format string, args Value) (Value, error) {
	p := &percent{t: t, args: []Value{args}}
	if tuple, ok := args.(*Tuple); ok {
		p.args = tuple.Elems
	} else if d, ok := Unwrap(args).(*Dict); ok {
		p.mapping = d
	}
	var b strings.Builder
	for i := 0; i < len(format); {
		j := strings.IndexByte(format[i:], '%')
		if j < 0 {
			b.WriteString(format[i:])
			break
		}
		b.WriteString(format[i : i+j])
		p.at = i + j + 1
		text, n, err := p.item(format[i+j+1:])
		if err != nil {
			return nil, err
		}
		b.WriteString(text)
		if err := t.Charge(int64(len(text))); err != nil {
			return nil, err
		}
		i += j + 1 + n
	}
	if p.mapping == nil && p.used < len(p.args) {
		return nil, TypeErrorf("not all arguments converted during string formatting")
	}
	return b.String(), nil
}

// percent is the state of one % formatting.
type percent struct {
	t       *Thread
	args    []Value
	used    int
	mapping *Dict
	at      int // offset of the conversion
}

func (p *percent) arg() (Value, error) {
	if p.used >= len(p.args) {
		return nil, TypeErrorf("not enough arguments for format string")
	}
	p.used++
	return p.args[p.used-1], nil
}

func tooWide() error {
	return ValueErrorf("width or precision of more than %d in a format", numfmt.MaxWidth)
}

// item formats one conversion, whose text follows the %, and returns its length.
func (p *percent) item(f string) (text string, n int, err error) {
	spec := &numfmt.Spec{Fill: ' ', Precision: -1}
	var v Value
	if strings.HasPrefix(f, "(") {
		end := strings.IndexByte(f, ')')
		if end < 0 {
			return "", 0, ValueErrorf("incomplete format key")
		}
		if p.mapping == nil {
			return "", 0, TypeErrorf("format requires a mapping")
		}
		if v, err = p.t.Index(p.mapping, f[1:end]); err != nil {
			return "", 0, err
		}
		n = end + 1
	}
	left, zero := false, false
	for ; n < len(f) && strings.IndexByte("-+ #0", f[n]) >= 0; n++ {
		switch f[n] {
		case '-':
			left = true
		case '0':
			zero = true
		case '#':
			spec.Alt = true
		default:
			if spec.Sign != '+' {
				spec.Sign = f[n]
			}
		}
	}
	number := func(into *int) error {
		if n < len(f) && f[n] == '*' {
			n++
			v, err := p.arg()
			if err != nil {
				return err
			}
			i, ok := AsInt(v)
			if !ok {
				return TypeErrorf("* wants int")
			}
			if i > numfmt.MaxWidth || i < -numfmt.MaxWidth {
				return tooWide()
			}
			if i < 0 {
				left, i = true, -i
			}
			*into = int(i)
			return nil
		}
		for *into = 0; n < len(f) && '0' <= f[n] && f[n] <= '9'; n++ {
			if *into = *into*10 + int(f[n]-'0'); *into > numfmt.MaxWidth {
				return tooWide()
			}
		}
		return nil
	}
	if err := number(&spec.Width); err != nil {
		return "", 0, err
	}
	if n < len(f) && f[n] == '.' {
		n++
		if err := number(&spec.Precision); err != nil {
			return "", 0, err
		}
	}
	if n >= len(f) {
		return "", 0, ValueErrorf("incomplete format")
	}
	if err := p.t.Charge(int64(spec.Width) + int64(max(spec.Precision, 0))); err != nil {
		return "", 0, err
	}
	spec.Type = f[n]
	n++
	if spec.Type == '%' {
		return "%", n, nil
	}
	if v == nil {
		if v, err = p.arg(); err != nil {
			return "", 0, err
		}
	}
	switch {
	case left:
		spec.Align = '<'
	case zero:
		spec.Align, spec.Fill = '=', '0'
	default:
		spec.Align = '>'
	}
	p.at += n - 1
	text, err = p.convert(spec, v)
	return text, n, err
}

func (p *percent) convert(spec *numfmt.Spec, v Value) (string, error) {
	code := spec.Type
	var text string
	var err error
	switch code {
	case 's', 'r', 'a':
		text, err = p.t.formatConverted(v, code, "")
	case 'c':
		s, ok := Unwrap(v).(string)
		if !ok {
			return p.number(spec, v, false)
		}
		if len([]rune(s)) != 1 {
			return "", TypeErrorf("%%c requires int or char")
		}
		text = s
	case 'd', 'i', 'u', 'x', 'X', 'o':
		return p.number(spec, v, false)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		return p.number(spec, v, true)
	default:
		return "", ValueErrorf("unsupported format character '%c' (0x%x) at index %d", code, code, p.at)
	}
	if err != nil {
		return "", err
	}
	spec.Type, spec.Sign, spec.Alt = 's', 0, false
	if spec.Align == '=' {
		spec.Align, spec.Fill = '>', ' '
	}
	return spec.Str(text)
}

func (p *percent) number(spec *numfmt.Spec, v Value, float bool) (string, error) {
	code := spec.Type
	if float {
		f, err := p.t.Unary(OpToFloat, v)
		if err != nil {
			if isException(err, TypeError) {
				return "", TypeErrorf("must be real number, not %s", TypeName(v))
			}
			return "", err
		}
		x, ok := f.(float64)
		if !ok {
			return "", TypeErrorf("must be real number, not %s", TypeName(v))
		}
		return p.wrap(spec.Float(x))
	}
	if code == 'i' || code == 'u' {
		spec.Type = 'd'
	}
	x := Unwrap(v)
	if f, ok := x.(float64); ok && spec.Type == 'd' {
		n, err := floatUnary(OpTrunc, f)
		if err != nil {
			return "", err
		}
		x = n
	}
	b := toBig(x)
	if b == nil {
		if code == 'd' || code == 'i' || code == 'u' {
			return "", TypeErrorf("%%%c format: a real number is required, not %s", code, TypeName(v))
		}
		return "", TypeErrorf("%%%c format: an integer is required, not %s", code, TypeName(v))
	}
	if _, err := bigText(b); err != nil && spec.Type == 'd' {
		return "", err
	}
	if prec := spec.Precision; prec >= 0 { // minimum number of digits
		spec.Precision = -1
		inner := *spec
		inner.Width, inner.Sign, inner.Alt = prec, 0, false
		inner.Fill, inner.Align = '0', '='
		digits, err := inner.Int(new(big.Int).Abs(b))
		if err != nil {
			return p.wrap("", err)
		}
		if b.Sign() < 0 {
			digits = "-" + digits
		} else if spec.Sign != 0 {
			digits = string(spec.Sign) + digits
		}
		spec.Type, spec.Sign, spec.Alt = 's', 0, false
		if spec.Align == '=' {
			spec.Align, spec.Fill = '>', ' '
		}
		return spec.Str(digits)
	}
	return p.wrap(spec.Int(b))
}

func (p *percent) wrap(s string, err error) (string, error) {
	if err != nil {
		return "", ValueErrorf("%s", err)
	}
	return s, nil
}
