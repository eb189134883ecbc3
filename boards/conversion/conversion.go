// Package conversion describes how what a register holds becomes the value of a
// variable, and back: a list of steps, each of them one or two operations of a
// graph. Eval is their meaning in plain Go, with the same bits.
package conversion

import (
	"fmt"
	"math"
	"slices"
)

// A Kind is what a step does.
type Kind string

// The kinds, with the types that they take and give.
const (
	// Integers (i32, two's complement, wrapping).
	Mask       Kind = "mask"       // x & A
	Shift      Kind = "shift"      // A >= 0: x << A; else x >> -A, with zeros from the left
	Signed     Kind = "signed"     // the low A bits, 1 to 32, as a signed number
	Flip       Kind = "flip"       // x ^ A
	Limit      Kind = "limit"      // at least A, at most B
	Difference Kind = "difference" // x - x of the tick before, which is 0 for the first
	Sum        Kind = "sum"        // x + the sum of all ticks before

	Truth  Kind = "bool"   // i32 to bool: x != 0
	Select Kind = "select" // bool to i32: A where it is true, else B

	// Floats (f32, each operation rounded).
	Float  Kind = "float"  // i32 to f32
	Scale  Kind = "scale"  // x * A
	Offset Kind = "offset" // x + A
	Clamp  Kind = "clamp"  // at least A, at most B; NaN stays
	Round  Kind = "round"  // f32 to i32: half to even, saturating, NaN gives 0
)

// A Type is that of a value between steps.
type Type string

// The types.
const (
	Bool Type = "bool"
	I32  Type = "i32"
	F32  Type = "f32"
)

// A form says what a kind takes.
type form struct {
	operands int // A, or A and B
	from, to Type
	state    bool // keeps an i32 from tick to tick, 0 before the first
}

var forms = map[Kind]form{
	Mask: {1, I32, I32, false}, Shift: {1, I32, I32, false}, Signed: {1, I32, I32, false}, Flip: {1, I32, I32, false},
	Limit: {2, I32, I32, false}, Difference: {0, I32, I32, true}, Sum: {0, I32, I32, true},
	Truth: {0, I32, Bool, false}, Select: {2, Bool, I32, false},
	Float: {0, I32, F32, false}, Scale: {1, F32, F32, false}, Offset: {1, F32, F32, false}, Clamp: {2, F32, F32, false}, Round: {0, F32, I32, false},
}

// A Step is one part of a conversion.
type Step struct {
	Kind Kind    `json:"kind"`
	A    float64 `json:"a,omitempty"` // exact for every i32; rounded to f32 where it meets one
	B    float64 `json:"b,omitempty"`
}

// Operands is how many of A and B a kind takes; ok is false for a kind that is not known.
func Operands(k Kind) (n int, ok bool) {
	f, ok := forms[k]
	return f.operands, ok
}

// HasState tells whether a step keeps a value from tick to tick.
func (s Step) HasState() bool { return forms[s.Kind].state }

func (s Step) String() string {
	switch forms[s.Kind].operands {
	case 1:
		return fmt.Sprintf("%s %v", s.Kind, s.A)
	case 2:
		return fmt.Sprintf("%s %v %v", s.Kind, s.A, s.B)
	}
	return string(s.Kind)
}

// Check follows the types through the steps and returns the last one.
func Check(steps []Step, from Type) (Type, error) {
	at := from
	for i, s := range steps {
		f, ok := forms[s.Kind]
		if !ok {
			return "", fmt.Errorf("step %d: %q is not known", i+1, s.Kind)
		}
		if f.from != at {
			return "", fmt.Errorf("step %d: %s takes %s, not %s", i+1, s.Kind, f.from, at)
		}
		if err := s.check(f); err != nil {
			return "", fmt.Errorf("step %d: %s: %w", i+1, s.Kind, err)
		}
		at = f.to
	}
	return at, nil
}

func (s Step) check(f form) error {
	for _, v := range []float64{s.A, s.B}[:f.operands] {
		switch {
		case f.from != F32 && (v != math.Trunc(v) || v < math.MinInt32 || v > math.MaxUint32):
			return fmt.Errorf("%v is not a number of 32 bits", v)
		case f.from == F32 && math.IsInf(float64(float32(v)), 0) || math.IsNaN(v):
			return fmt.Errorf("%v is no float", v)
		}
	}
	switch {
	case (s.Kind == Clamp || s.Kind == Limit) && s.A > s.B:
		return fmt.Errorf("%v is above %v", s.A, s.B)
	case s.Kind == Signed && (s.A < 1 || s.A > 32):
		return fmt.Errorf("%v bits: want 1 to 32", s.A)
	case s.Kind == Shift && math.Abs(s.A) > 31:
		return fmt.Errorf("by %v: want -31 to 31", s.A)
	}
	return nil
}

// States is the number of values that steps keep from tick to tick.
func States(steps []Step) int {
	n := 0
	for _, s := range steps {
		if s.HasState() {
			n++
		}
	}
	return n
}

// A Value is a number of one of the types: bool as 0 and 1.
type Value struct {
	Type Type
	Int  int32   // Bool, I32
	F32  float32 // F32
}

// Of makes a value of a type: rounded to f32, or to the nearest i32, or whether it is not 0.
func Of(t Type, v float64) Value {
	switch t {
	case F32:
		return Value{Type: F32, F32: float32(v)}
	case I32:
		return Value{Type: I32, Int: round(v)}
	}
	if v != 0 {
		return Value{Type: Bool, Int: 1}
	}
	return Value{Type: Bool}
}

// Float is the value as a number; false is 0 and true is 1.
func (v Value) Float() float64 {
	if v.Type == F32 {
		return float64(v.F32)
	}
	return float64(v.Int)
}

// Eval carries out steps that Check accepts. state has a value for each step
// with one, in their order, and is changed.
func Eval(steps []Step, v Value, state []int32) Value {
	for _, s := range steps {
		if s.HasState() {
			v.Int, state = keep(s.Kind, v.Int, state), state[1:]
			continue
		}
		v = s.eval(v)
	}
	return v
}

func keep(k Kind, x int32, state []int32) int32 {
	if k == Sum {
		state[0] += x
		return state[0]
	}
	x, state[0] = x-state[0], x
	return x
}

// word is an operand as 32 bits: masks may be written without a sign.
func word(v float64) int32 { return int32(uint32(int64(v))) }

func (s Step) eval(v Value) Value {
	a, b := float32(s.A), float32(s.B)
	switch s.Kind {
	case Mask:
		v.Int &= word(s.A)
	case Flip:
		v.Int ^= word(s.A)
	case Shift:
		if s.A >= 0 {
			v.Int <<= uint(s.A)
		} else {
			v.Int = int32(uint32(v.Int) >> uint(-s.A))
		}
	case Signed:
		rest := 32 - uint(s.A)
		v.Int = v.Int << rest >> rest
	case Limit:
		v.Int = min(max(v.Int, word(s.A)), word(s.B))
	case Truth:
		return Of(Bool, float64(v.Int))
	case Select:
		if v.Int != 0 {
			return Value{Type: I32, Int: word(s.A)}
		}
		return Value{Type: I32, Int: word(s.B)}
	case Float:
		return Value{Type: F32, F32: float32(v.Int)}
	case Scale:
		v.F32 *= a
	case Offset:
		v.F32 += a
	case Clamp:
		v.F32 = min(max(v.F32, a), b)
	case Round:
		return Value{Type: I32, Int: round(float64(v.F32))}
	}
	return v
}

// round is that of the language: half to even, saturating, 0 for NaN.
func round(x float64) int32 {
	switch {
	case math.IsNaN(x):
		return 0
	case x >= math.MaxInt32:
		return math.MaxInt32
	case x <= math.MinInt32:
		return math.MinInt32
	}
	return int32(math.RoundToEven(x))
}

// Kinds are all kinds, sorted.
func Kinds() []Kind {
	all := make([]Kind, 0, len(forms))
	for k := range forms {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}
