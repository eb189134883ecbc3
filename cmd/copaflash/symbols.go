package main

import (
	"encoding/binary"
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
	Value any    `json:"value"`
}

// decodeSymbol turns the bytes of a variable into numbers, nested by its shape.
func decodeSymbol(s *image.Symbol, raw []byte) any {
	flat := make([]any, s.Len())
	for i := range flat {
		flat[i] = decodeElement(s.DType, raw[i*s.DType.Size():])
	}
	return nest(flat, s.Shape)
}

func decodeElement(t image.DType, raw []byte) any {
	w := binary.LittleEndian.Uint32(raw)
	switch t {
	case image.F32:
		return jsonFloat{float64(math.Float32frombits(w)), 32}
	case image.F64:
		return jsonFloat{math.Float64frombits(binary.LittleEndian.Uint64(raw)), 64}
	case image.I32:
		return int32(w)
	}
	return w != 0
}

// jsonFloat is a float that is a JSON number where JSON has one, and a string
// for NaN and the infinities: of 32 or 64 bits, which say how many digits it has.
type jsonFloat struct {
	x    float64
	bits int
}

// MarshalJSON writes the float as graph files have it.
func (f jsonFloat) MarshalJSON() ([]byte, error) {
	if f.bits == 64 {
		return jsonvalue.Append(nil, graph.ScalarF64(f.x)), nil
	}
	return jsonvalue.Append(nil, graph.ScalarF32(float32(f.x))), nil
}

func (f jsonFloat) String() string {
	switch x := f.x; {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	return strconv.FormatFloat(f.x, 'g', -1, f.bits)
}

func nest(flat []any, shape []int32) any {
	if len(shape) == 0 {
		return flat[0]
	}
	if len(shape) == 1 {
		return flat
	}
	out := make([]any, shape[0])
	step := len(flat) / max(int(shape[0]), 1)
	for i := range out {
		out[i] = nest(flat[i*step:(i+1)*step], shape[1:])
	}
	return out
}

// numberText shows a value as Python would.
func numberText(v any) string {
	switch v := v.(type) {
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = numberText(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case bool:
		if v {
			return "True"
		}
		return "False"
	}
	return fmt.Sprint(v)
}

// encodeSymbol parses numbers from the command line into the bytes of a
// variable: one for a scalar, as many as elements for an array.
func encodeSymbol(s *image.Symbol, words []string) ([]byte, error) {
	if len(words) != s.Len() {
		return nil, &failure{Code: exitUsage, Message: fmt.Sprintf("%s has %s, and %s given", s.Name, plural(s.Len(), "element"), were(len(words))),
			Hint: "numbers are separated by commas or spaces"}
	}
	raw := make([]byte, 0, s.Size())
	for _, text := range words {
		w, err := encodeElement(s.DType, text)
		if err != nil {
			return nil, &failure{Code: exitUsage, Message: fmt.Sprintf("%s is %s: %q is no such number", s.Name, typeText(s.DType), text)}
		}
		raw = binary.LittleEndian.AppendUint64(raw, w)[:len(raw)+s.DType.Size()]
	}
	return raw, nil
}

func were(n int) string {
	if n == 1 {
		return "1 was"
	}
	return fmt.Sprintf("%d were", n)
}

func typeText(t image.DType) string {
	switch t {
	case image.F32:
		return "a float"
	case image.F64:
		return "a double"
	case image.I32:
		return "a 32-bit int"
	}
	return "a bool"
}

func encodeElement(t image.DType, text string) (uint64, error) {
	switch t {
	case image.F32:
		f, err := strconv.ParseFloat(text, 32)
		return graph.Canonical(graph.F32, uint64(math.Float32bits(float32(f)))), err
	case image.F64:
		f, err := strconv.ParseFloat(text, 64)
		return graph.Canonical(graph.F64, math.Float64bits(f)), err
	case image.I32:
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
