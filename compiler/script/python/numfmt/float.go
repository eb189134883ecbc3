package numfmt

import (
	"math"
	"strconv"
	"strings"
)

// Repr writes the shortest decimal that reads back as f.
func Repr(f float64) string {
	if s, ok := special(f); ok {
		return s
	}
	return general(shortest(f), reprExponent, true, false, 'e')
}

// reprExponent is the power of ten from which repr uses an exponent.
const reprExponent = 16

func special(f float64) (string, bool) {
	switch {
	case math.IsNaN(f):
		return "nan", true
	case math.IsInf(f, 1):
		return "inf", true
	case math.IsInf(f, -1):
		return "-inf", true
	}
	return "", false
}

// decimal is 0.digits * 10^point, with sign.
type decimal struct {
	neg    bool
	digits string // without trailing zeros, "0" for zero
	point  int
}

func shortest(f float64) decimal { return parse(strconv.FormatFloat(f, 'e', -1, 64)) }

// rounded has n significant digits before trailing zeros are cut.
func rounded(f float64, n int) decimal { return parse(strconv.FormatFloat(f, 'e', n-1, 64)) }

func parse(s string) decimal {
	var d decimal
	s, d.neg = strings.CutPrefix(s, "-")
	mantissa, exp, _ := strings.Cut(s, "e")
	d.digits = strings.TrimRight(strings.Replace(mantissa, ".", "", 1), "0")
	e, _ := strconv.Atoi(exp)
	d.point = e + 1
	if d.digits == "" {
		d.digits, d.point = "0", 1
	}
	return d
}

// general writes d without an exponent if -4 <= exponent < limit. dotZero
// adds ".0" to integral values; keep keeps the decimal point ('#').
func general(d decimal, limit int, dotZero, keep bool, e byte) string {
	var b strings.Builder
	if d.neg {
		b.WriteByte('-')
	}
	switch exp := d.point - 1; {
	case exp < -4 || exp >= limit:
		b.WriteString(d.digits[:1])
		if len(d.digits) > 1 || keep {
			b.WriteByte('.')
			b.WriteString(d.digits[1:])
		}
		b.WriteByte(e)
		writeExponent(&b, exp)
	case d.point <= 0:
		b.WriteString("0." + strings.Repeat("0", -d.point) + d.digits)
	case d.point >= len(d.digits):
		b.WriteString(d.digits + strings.Repeat("0", d.point-len(d.digits)))
		if dotZero {
			b.WriteString(".0")
		} else if keep {
			b.WriteByte('.')
		}
	default:
		b.WriteString(d.digits[:d.point] + "." + d.digits[d.point:])
	}
	return b.String()
}

func writeExponent(b *strings.Builder, exp int) {
	if exp < 0 {
		b.WriteByte('-')
		exp = -exp
	} else {
		b.WriteByte('+')
	}
	if exp < 10 {
		b.WriteByte('0')
	}
	b.WriteString(strconv.Itoa(exp))
}

// Float writes f by a format specification.
func (s *Spec) Float(f float64) (string, error) {
	var body string
	prec := s.Precision
	if prec > maxPrecision {
		return "", errPrecision
	}
	percent := ""
	text, isSpecial := special(f)
	switch s.Type {
	case 0:
		if prec < 0 {
			body = general(shortest(f), reprExponent, true, s.Alt, 'e')
		} else {
			body = s.significant(f, max(prec, 1), true, 'e')
		}
	case 'e', 'E':
		body = s.point(strconv.FormatFloat(f, s.Type, defaultPrecision(prec), 64))
	case 'f', 'F':
		body = s.point(strconv.FormatFloat(f, 'f', defaultPrecision(prec), 64))
	case '%':
		body, percent = s.point(strconv.FormatFloat(f*100, 'f', defaultPrecision(prec), 64)), "%"
	case 'g', 'G', 'n':
		p := max(defaultPrecision(prec), 1)
		body = s.significant(f, p, false, s.Type-'g'+'e')
		if s.Type == 'n' {
			body = s.significant(f, p, false, 'e')
		}
	default:
		return "", s.unknown("float")
	}
	if isSpecial {
		body = text
		if s.Type == 'E' || s.Type == 'F' || s.Type == 'G' {
			body = strings.ToUpper(body)
		}
	}
	body, neg := strings.CutPrefix(body, "-")
	if s.NoNegZero && neg && strings.Trim(body, "0.") == "" {
		neg = false
	}
	digits := 0
	for digits < len(body) && '0' <= body[digits] && body[digits] <= '9' {
		digits++
	}
	return s.number(neg, "", body[:digits], body[digits:]+percent, 3), nil
}

// significant is the g format with n digits.
func (s *Spec) significant(f float64, n int, dotZero bool, e byte) string {
	d := rounded(f, n)
	if s.Alt {
		d.digits += strings.Repeat("0", max(n-len(d.digits), 0))
	}
	limit := n
	if dotZero {
		limit--
	}
	return general(d, limit, dotZero, s.Alt, e)
}

// point adds the decimal point that '#' asks for.
func (s *Spec) point(text string) string {
	if !s.Alt || strings.Contains(text, ".") {
		return text
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		return text[:i] + "." + text[i:]
	}
	return text + "."
}

func defaultPrecision(p int) int {
	if p < 0 {
		return 6
	}
	return p
}
