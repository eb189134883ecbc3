package main

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/jsonvalue"
	"github.com/copaflash/copaflash/compiler/image"
)

// outputValue is a variable as JSON: a number or bool, or nested lists.
type outputValue struct {
	Name  string `json:"name"`
	Value value  `json:"value"`
}

// value is a tensor that is shown.
type value graph.Tensor

// MarshalJSON writes the value as graph files have it.
func (v value) MarshalJSON() ([]byte, error) { return jsonvalue.Append(nil, graph.Tensor(v)), nil }

// pythonTexts are the values that JSON writes in another way.
var pythonTexts = map[string]string{"true": "True", "false": "False", `"nan"`: "nan", `"inf"`: "inf", `"-inf"`: "-inf", "-0.0": "-0"}

// String shows the value as Python would.
func (v value) String() string {
	if len(v.Shape) == 0 {
		text := string(jsonvalue.Append(nil, graph.Tensor(v)))
		return cmp.Or(pythonTexts[text], text)
	}
	parts := make([]string, v.Shape[0])
	step := len(v.Bits) / max(len(parts), 1)
	for i := range parts {
		parts[i] = value{v.DType, v.Shape[1:], v.Bits[i*step : (i+1)*step]}.String()
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// encodeSymbol parses numbers from the command line into the bytes of a
// variable: one for a scalar, as many as elements for an array.
func encodeSymbol(s *image.Symbol, words []string) ([]byte, error) {
	if len(words) != s.Len() {
		return nil, &failure{Code: exitUsage, Message: fmt.Sprintf("%s has %s, and %s given", s.Name, plural(s.Len(), "element"), were(len(words))),
			Hint: "numbers are separated by commas or spaces"}
	}
	bits := make([]uint32, s.Size()/graph.WordSize)
	for i, text := range words {
		w, err := encodeElement(s.DType, text)
		if err != nil {
			return nil, &failure{Code: exitUsage, Message: fmt.Sprintf("%s is %s: %q is not such a number", s.Name, typeText(s.DType), text), Hint: numberHint(s.DType)}
		}
		s.DType.Put(bits, i, w)
	}
	return s.Encode(bits), nil
}

func were(n int) string {
	if n == 1 {
		return "1 was"
	}
	return fmt.Sprintf("%d were", n)
}

// numberHint says how values of a type are written.
func numberHint(t graph.DType) string {
	switch {
	case t == graph.Bool:
		return "write True or False"
	case t.IsFloat():
		return "write it as 2, -1.5, 1e-3, nan or inf"
	}
	return fmt.Sprintf("write it as 2, -5 or 0x1f, from %d to %d", math.MinInt32, math.MaxInt32)
}

func typeText(t graph.DType) string {
	switch t {
	case graph.F32:
		return "a float"
	case graph.F64:
		return "a double"
	case graph.I32:
		return "a 32-bit int"
	}
	return "a bool"
}

func encodeElement(t graph.DType, text string) (uint64, error) {
	switch t {
	case graph.F32:
		f, err := strconv.ParseFloat(text, 32)
		return graph.Canonical(graph.F32, uint64(math.Float32bits(float32(f)))), err
	case graph.F64:
		f, err := strconv.ParseFloat(text, 64)
		return graph.Canonical(graph.F64, math.Float64bits(f)), err
	case graph.I32:
		n, err := strconv.ParseInt(text, 0, 32)
		return uint64(uint32(int32(n))), err
	}
	b, err := strconv.ParseBool(strings.ToLower(text))
	if b {
		return 1, err
	}
	return 0, err
}

// rateText shows bytes per second, as a link rate.
func rateText(bytesPerSecond float64) string {
	switch {
	case bytesPerSecond >= 1e6:
		return fmt.Sprintf("%.3g MB/s", bytesPerSecond/1e6)
	case bytesPerSecond >= 1e3:
		return fmt.Sprintf("%.4g kB/s", bytesPerSecond/1e3)
	}
	return fmt.Sprintf("%.3g B/s", bytesPerSecond)
}

// elementValue is one element of a variable.
func elementValue(word uint64, s *image.Symbol) value {
	v := value{DType: s.DType, Bits: make([]uint32, s.DType.Words())}
	v.DType.Put(v.Bits, 0, word)
	return v
}
