// Package jsonvalue writes and reads tensors as JSON, exactly: a scalar is a
// number or bool, an array is lists nested as its axes are. A float is the
// shortest decimal that rounds back to it; what JSON has no number for are the
// strings "nan", "inf" and "-inf".
package jsonvalue

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Append appends the JSON of a tensor, which must be consistent (Tensor.Check).
func Append(b []byte, t graph.Tensor) []byte {
	b, _ = appendNested(b, t.DType, t.Shape, t.Bits)
	return b
}

// appendNested writes the first words in a shape and returns the other words.
func appendNested(b []byte, t graph.DType, s graph.Shape, words []uint32) ([]byte, []uint32) {
	if len(s) == 0 {
		return appendWord(b, t, t.At(words, 0)), words[t.Words():]
	}
	b = append(b, '[')
	for i := range s[0] {
		if i > 0 {
			b = append(b, ',')
		}
		b, words = appendNested(b, t, s[1:], words)
	}
	return append(b, ']'), words
}

func appendWord(b []byte, t graph.DType, w uint64) []byte {
	switch t {
	case graph.Bool:
		return strconv.AppendBool(b, w != 0)
	case graph.I32:
		return strconv.AppendInt(b, int64(int32(w)), 10)
	}
	x, size := math.Float64frombits(w), 64
	if t == graph.F32 {
		x, size = float64(math.Float32frombits(uint32(w))), 32
	}
	switch {
	case math.IsNaN(x):
		return append(b, `"nan"`...)
	case math.IsInf(x, 1):
		return append(b, `"inf"`...)
	case math.IsInf(x, -1):
		return append(b, `"-inf"`...)
	case x == 0 && math.Signbit(x):
		return append(b, "-0.0"...) // many readers take -0 for the integer 0
	}
	return strconv.AppendFloat(b, x, 'g', -1, size)
}

// Parse reads the JSON of a tensor whose type and shape are known. A float is
// rounded once, from its decimal; one beyond the range of its type is an error,
// as is a number with a fraction or exponent where the type is an integer.
func Parse(raw []byte, t graph.DType, s graph.Shape) (graph.Tensor, error) {
	// Not more words than the text can have, whatever the shape says.
	words := make([]uint32, 0, min(s.Elements(), len(raw))*t.Words())
	p := parser{rest: raw, t: t, words: words}
	if err := p.nested(s, 0); err != nil {
		return graph.Tensor{}, err
	}
	if p.skip(); len(p.rest) > 0 {
		return graph.Tensor{}, fmt.Errorf("unexpected %s after the value", shorten(p.rest))
	}
	out := graph.Tensor{DType: t, Shape: s, Bits: p.words}
	return out, out.Check()
}

type parser struct {
	rest  []byte
	t     graph.DType
	words []uint32
}

func (p *parser) skip() { p.rest = bytes.TrimLeft(p.rest, " \t\r\n") }

func (p *parser) eat(c byte) bool {
	p.skip()
	if len(p.rest) == 0 || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// nested reads the lists for the axes from one on.
func (p *parser) nested(s graph.Shape, axis int) error {
	if axis == len(s) {
		return p.word()
	}
	if !p.eat('[') {
		return fmt.Errorf("want a list for axis %d of shape %v, found %s", axis, s, shorten(p.rest))
	}
	for i := range s[axis] {
		if i > 0 && !p.eat(',') {
			return fmt.Errorf("axis %d of shape %v: %d elements, then %s", axis, s, i, shorten(p.rest))
		}
		if err := p.nested(s, axis+1); err != nil {
			return err
		}
	}
	if !p.eat(']') {
		return fmt.Errorf("axis %d of shape %v: more than %d elements", axis, s, s[axis])
	}
	return nil
}

func (p *parser) word() error {
	p.skip()
	n := bytes.IndexAny(p.rest, ",[] \t\r\n")
	if n < 0 {
		n = len(p.rest)
	}
	text := p.rest[:n]
	w, ok := parseWord(p.t, string(text))
	if !ok {
		return fmt.Errorf("%s is not of type %v", shorten(p.rest), p.t)
	}
	p.rest = p.rest[n:]
	p.words = append(p.words, make([]uint32, p.t.Words())...)
	p.t.Put(p.words, len(p.words)/p.t.Words()-1, w)
	return nil
}

var named = map[string]float64{`"nan"`: math.NaN(), `"inf"`: math.Inf(1), `"-inf"`: math.Inf(-1)}

func parseWord(t graph.DType, s string) (uint64, bool) {
	if t == graph.Bool {
		return map[string]uint64{"true": 1}[s], s == "true" || s == "false"
	}
	if x, ok := named[s]; ok && t.IsFloat() {
		return floatBits(t, x), true
	}
	if !isNumber(s) {
		return 0, false
	}
	if t == graph.I32 {
		n, err := strconv.ParseInt(s, 10, 32)
		return uint64(uint32(int32(n))), err == nil
	}
	x, err := strconv.ParseFloat(s, 32*t.Words())
	return floatBits(t, x), err == nil
}

// floatBits are those of x, which is a number of type t already.
func floatBits(t graph.DType, x float64) uint64 {
	if t == graph.F64 {
		return graph.Canonical(t, math.Float64bits(x))
	}
	return graph.Canonical(t, uint64(math.Float32bits(float32(x))))
}

// isNumber keeps out what strconv takes and JSON does not.
func isNumber(s string) bool {
	for i := range len(s) {
		c := s[i]
		digit := c >= '0' && c <= '9'
		if i == 0 && !digit && c != '-' || !digit && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			return false
		}
	}
	return s != ""
}

// shorten quotes the beginning of what was found, for messages.
func shorten(b []byte) string {
	const most = 24
	if len(b) == 0 {
		return "the end"
	}
	if i := bytes.IndexAny(b, ",]} \t\r\n"); i > 0 {
		b = b[:i]
	}
	if len(b) > most {
		return fmt.Sprintf("%q...", b[:most])
	}
	return fmt.Sprintf("%q", b)
}
