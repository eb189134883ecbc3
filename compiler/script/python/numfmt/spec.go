package numfmt

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxPrecision bounds the digits after the point, MaxWidth the width of a field.
const (
	maxPrecision = 100_000
	MaxWidth     = 10_000_000
)

// Error is the message that Python has for a specification.
type Error string

func (e Error) Error() string { return string(e) }

func errorf(format string, args ...any) error { return Error(fmt.Sprintf(format, args...)) }

const (
	errPrecision = Error("precision too big")
	// ErrInvalid is a specification that cannot be read.
	ErrInvalid = Error("Invalid format specifier")
)

// Spec is a parsed format specification: [[fill]align][sign][z][#][0][width][grouping][.precision][type]
type Spec struct {
	Fill      rune
	Align     byte // < > ^ = or 0
	Sign      byte // + - space or 0
	NoNegZero bool
	Alt       bool
	Width     int
	Group     byte // , _ or 0
	Precision int  // -1: none
	Type      byte // 0: none
}

// Parse reads a format specification.
func Parse(text string) (*Spec, error) {
	s := &Spec{Fill: ' ', Precision: -1}
	full := text
	isAlign := func(c byte) bool { return strings.IndexByte("<>=^", c) >= 0 }
	if _, n := utf8.DecodeRuneInString(text); n > 0 && n < len(text) && isAlign(text[n]) {
		s.Fill, _ = utf8.DecodeRuneInString(text)
		s.Align = text[n]
		text = text[n+1:]
	} else if text != "" && isAlign(text[0]) {
		s.Align = text[0]
		text = text[1:]
	}
	filled := len(full) != len(text) && s.Fill != ' '
	take := func(set string) byte {
		if text != "" && strings.IndexByte(set, text[0]) >= 0 {
			c := text[0]
			text = text[1:]
			return c
		}
		return 0
	}
	s.Sign = take("+- ")
	s.NoNegZero = take("z") != 0
	s.Alt = take("#") != 0
	if take("0") != 0 {
		if !filled && s.Fill == ' ' && (s.Align == 0 || full[0] != ' ') {
			s.Fill = '0'
		}
		if s.Align == 0 {
			s.Align = '='
		}
	}
	var err error
	if s.Width, text, err = number(text); err != nil {
		return nil, err
	}
	s.Width = max(s.Width, 0)
	s.Group = take(",_")
	if s.Group != 0 && text != "" && (text[0] == ',' || text[0] == '_') {
		if text[0] == s.Group {
			return nil, errorf("Cannot specify '%c' with '%c'.", s.Group, s.Group)
		}
		return nil, Error("Cannot specify both ',' and '_'.")
	}
	if take(".") != 0 {
		if s.Precision, text, err = number(text); err != nil {
			return nil, err
		}
		if s.Precision < 0 {
			return nil, Error("Format specifier missing precision")
		}
	}
	if len(text) > 1 {
		return nil, ErrInvalid
	}
	if text != "" {
		s.Type = text[0]
	}
	return s, nil
}

// number reads leading digits; -1 if there are none.
func number(text string) (n int, rest string, err error) {
	i := 0
	for i < len(text) && '0' <= text[i] && text[i] <= '9' {
		i++
	}
	if i == 0 {
		return -1, text, nil
	}
	n, err = strconv.Atoi(text[:i])
	if err != nil || n > MaxWidth {
		return 0, "", Error("Too many decimal digits in format string")
	}
	return n, text[i:], nil
}

func (s *Spec) unknown(typ string) error {
	if s.Type < 32 || s.Type > 126 {
		return errorf("Unknown format code '\\x%x' for object of type '%s'", s.Type, typ)
	}
	return errorf("Unknown format code '%c' for object of type '%s'", s.Type, typ)
}

// Str writes a string by a format specification.
func (s *Spec) Str(text string) (string, error) {
	switch {
	case s.Type != 0 && s.Type != 's':
		return "", s.unknown("str")
	case s.Sign != 0:
		return "", Error("Sign not allowed in string format specifier")
	case s.Alt:
		return "", Error("Alternate form (#) not allowed in string format specifier")
	case s.Group != 0:
		return "", errorf("Cannot specify '%c' with 's'.", s.Group)
	case s.Align == '=' && s.Fill != '0':
		return "", Error("'=' alignment not allowed in string format specifier")
	}
	if s.Precision >= 0 {
		n := 0
		for i := range text {
			if n == s.Precision {
				text = text[:i]
				break
			}
			n++
		}
	}
	return s.pad(text, '<'), nil
}

// pad fills text up to the width.
func (s *Spec) pad(text string, align byte) string {
	n := s.Width - utf8.RuneCountInString(text)
	if n <= 0 {
		return text
	}
	if s.Align != 0 && s.Align != '=' {
		align = s.Align
	}
	fill := string(s.Fill)
	switch align {
	case '<':
		return text + strings.Repeat(fill, n)
	case '^':
		return strings.Repeat(fill, n/2) + text + strings.Repeat(fill, n-n/2)
	}
	return strings.Repeat(fill, n) + text
}

// intBases are the bases and prefixes of the integer types.
var intBases = map[byte]struct {
	base   int
	prefix string
}{0: {10, ""}, 'd': {10, ""}, 'n': {10, ""}, 'b': {2, "0b"}, 'o': {8, "0o"}, 'x': {16, "0x"}, 'X': {16, "0X"}}

// Int writes an int by a format specification. Float types are not handled:
// see IsFloat.
func (s *Spec) Int(v *big.Int) (string, error) {
	if s.Type == 'c' {
		return s.char(v)
	}
	b, ok := intBases[s.Type]
	switch {
	case !ok:
		return "", s.unknown("int")
	case s.Precision >= 0:
		return "", Error("Precision not allowed in integer format specifier")
	case s.NoNegZero:
		return "", Error("Negative zero coercion (z) not allowed in format specifier with integer presentation type")
	case s.Group == ',' && b.base != 10:
		return "", errorf("Cannot specify ',' with '%c'.", s.Type)
	}
	digits := new(big.Int).Abs(v).Text(b.base)
	if s.Type == 'X' {
		digits = strings.ToUpper(digits)
	}
	prefix := ""
	if s.Alt {
		prefix = b.prefix
	}
	group := 3
	if b.base != 10 {
		group = 4
	}
	return s.number(v.Sign() < 0, prefix, digits, "", group), nil
}

func (s *Spec) char(v *big.Int) (string, error) {
	switch {
	case s.Sign != 0:
		return "", Error("Sign not allowed with integer format specifier 'c'")
	case s.Alt:
		return "", Error("Alternate form (#) not allowed with integer format specifier 'c'")
	case !v.IsInt64() || v.Int64() < 0 || v.Int64() > utf8.MaxRune || !utf8.ValidRune(rune(v.Int64())):
		return "", Error("%c arg not in range(0x110000)")
	}
	return s.pad(string(rune(v.Int64())), '<'), nil
}

// IsFloat reports whether the type converts an int to float.
func (s *Spec) IsFloat() bool { return s.Type != 0 && strings.IndexByte("eEfFgG%", s.Type) >= 0 }

// number puts sign, prefix, grouped digits and the rest together.
func (s *Spec) number(neg bool, prefix, digits, rest string, group int) string {
	sign := ""
	switch {
	case neg:
		sign = "-"
	case s.Sign == '+' || s.Sign == ' ':
		sign = string(s.Sign)
	}
	lead := sign + prefix
	inner := s.Align == '='
	if s.Group != 0 && digits != "" {
		want := 0
		if inner && s.Fill == '0' {
			want = s.Width - len(lead) - len(rest)
		}
		digits = groupDigits(digits, s.Group, group, want)
	}
	body := digits + rest
	if n := s.Width - len(lead) - len(body); inner && n > 0 {
		return lead + strings.Repeat(string(s.Fill), n) + body
	}
	return s.pad(lead+body, '>')
}

// groupDigits separates digits in groups, with leading zeros up to the width.
func groupDigits(digits string, sep byte, group, width int) string {
	var b []byte // backwards
	for i := 0; i < len(digits) || len(b) < width; i++ {
		if i > 0 && i%group == 0 {
			b = append(b, sep)
		}
		if i < len(digits) {
			b = append(b, digits[len(digits)-1-i])
		} else {
			b = append(b, '0')
		}
	}
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}
