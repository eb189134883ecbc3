package graph

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Role is what a variable is for, to whom watches and tunes a program.
type Role uint8

// Roles. A parameter is an input that a person tunes; an input is written by the host or by a pin.
const (
	NoRole Role = iota
	RoleParam
	RoleInput
	RoleOutput
	RoleLog
	numRoles
)

var roleNames = [numRoles]string{"", "param", "input", "output", "log"}

// Valid reports whether r is known.
func (r Role) Valid() bool { return r < numRoles }

// OfInput tells the roles of variables that are written; the others are those of results.
func (r Role) OfInput() bool { return r == RoleParam || r == RoleInput }

// FedByName tells whether an input with that role is what another program's output of its name feeds: one that is declared
// as an input or, in a program that declares none, one without a role. Parameters are for people.
func (r Role) FedByName(declares bool) bool { return r == RoleInput || r == NoRole && !declares }

// OfResult tells the roles of what a program computes.
func (r Role) OfResult() bool { return r == RoleOutput || r == RoleLog }

// String is "param", "input", "output", "log", or "" for none.
func (r Role) String() string {
	if r.Valid() {
		return roleNames[r]
	}
	return fmt.Sprintf("role(%d)", uint8(r))
}

// ParseRole is the inverse of String.
func ParseRole(s string) (Role, error) {
	if i := slices.Index(roleNames[:], s); i >= 0 {
		return Role(i), nil
	}
	return 0, fmt.Errorf("unknown role %q", s)
}

// Meta is what is known of a variable beside its type and value. The zero Meta says nothing.
type Meta struct {
	Role  Role   `cbor:"1,keyasint,omitempty"`
	Every uint32 `cbor:"6,keyasint,omitempty"` // of a log: ticks from one record to the next; 0: as the reader likes
	Unit  string `cbor:"2,keyasint,omitempty"` // of each element
	// Low and High are the limits of each element; nil: none. They are numbers of the variable's type.
	Low  *float64 `cbor:"3,keyasint,omitempty"`
	High *float64 `cbor:"4,keyasint,omitempty"`
	// Safe is what an output becomes when the loop ends: a number for all elements, or one for each;
	// empty: it stays as it is.
	Safe []float64 `cbor:"5,keyasint,omitempty"`
}

// MaxUnit bounds the text of a unit, in bytes.
const MaxUnit = 32

// IsZero reports whether m says nothing.
func (m *Meta) IsZero() bool {
	return m == nil || m.Role == NoRole && m.Unit == "" && m.Low == nil && m.High == nil && len(m.Safe) == 0 && m.Every == 0
}

// Check reports what is wrong with m as that of a variable of a type and number of elements.
func (m *Meta) Check(t DType, elements int) error {
	switch {
	case !m.Role.Valid():
		return fmt.Errorf("unknown role %d", uint8(m.Role))
	case len(m.Unit) > MaxUnit:
		return fmt.Errorf("a unit of %d bytes: at most %d", len(m.Unit), MaxUnit)
	case !utf8.ValidString(m.Unit) || strings.ContainsFunc(m.Unit, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("the unit %q is not text that can be printed", m.Unit)
	case m.Every != 0 && m.Role != RoleLog:
		return errors.New("only a log has a number of ticks between records")
	case len(m.Safe) > 0 && m.Role != RoleOutput:
		return errors.New("only an output has a safe value")
	case len(m.Safe) > 1 && len(m.Safe) != elements:
		return fmt.Errorf("%d safe values for %d elements", len(m.Safe), elements)
	case t == Bool && (m.Low != nil || m.High != nil):
		return errors.New("a bool has no limits")
	}
	for _, limit := range []*float64{m.Low, m.High} {
		if limit != nil {
			if err := isNumber(t, *limit); err != nil {
				return fmt.Errorf("a limit: %w", err)
			}
		}
	}
	if m.Low != nil && m.High != nil && *m.Low > *m.High {
		return fmt.Errorf("the low limit %v is above the high one %v", *m.Low, *m.High)
	}
	for _, x := range m.Safe {
		if err := isNumber(t, x); err != nil {
			return fmt.Errorf("the safe value: %w", err)
		}
		if !m.within(x) {
			return fmt.Errorf("the safe value %v is not within %s", x, m.Limits())
		}
	}
	return nil
}

// isNumber reports whether x is finite and a number of type t as it stands.
func isNumber(t DType, x float64) error {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return fmt.Errorf("%v is not a finite number", x)
	case Nearest(t, x) != x:
		return fmt.Errorf("%v is not a number of type %v", x, t)
	}
	return nil
}

// Nearest is the number of type t next to x, which is finite.
func Nearest(t DType, x float64) float64 {
	switch t {
	case F32:
		return float64(float32(x))
	case I32:
		return min(max(math.RoundToEven(x), math.MinInt32), math.MaxInt32)
	case Bool:
		if x != 0 {
			return 1
		}
		return 0
	}
	return x
}

func (m *Meta) within(x float64) bool {
	return (m.Low == nil || x >= *m.Low) && (m.High == nil || x <= *m.High)
}

// Limits shows the limits, as in "-1 to 1", "at least 0", "at most 9"; "" for none.
func (m *Meta) Limits() string {
	text := func(x *float64) string { return strconv.FormatFloat(*x, 'g', 6, 64) }
	switch {
	case m.Low != nil && m.High != nil:
		return text(m.Low) + " to " + text(m.High)
	case m.Low != nil:
		return "at least " + text(m.Low)
	case m.High != nil:
		return "at most " + text(m.High)
	}
	return ""
}

// Number is the value of a word of type t.
func (t DType) Number(w uint64) float64 {
	switch t {
	case F32:
		return float64(math.Float32frombits(uint32(w)))
	case F64:
		return math.Float64frombits(w)
	case I32:
		return float64(int32(uint32(w)))
	}
	return float64(w & 1)
}

// FromNumber is the word of type t for a number that isNumber of it.
func (t DType) FromNumber(x float64) uint64 {
	switch t {
	case F32:
		return uint64(math.Float32bits(float32(x)))
	case F64:
		return math.Float64bits(x)
	case I32:
		return uint64(uint32(int32(x)))
	}
	return uint64(boolWord(x != 0))
}

// LimitError says that a value is not within the limits of its variable.
type LimitError struct {
	Value float64
	Meta  *Meta
}

func (e *LimitError) Error() string {
	unit := ""
	if e.Meta.Unit != "" {
		unit = " " + e.Meta.Unit
	}
	return fmt.Sprintf("%v%s is not within the limits: %s%s", e.Value, unit, e.Meta.Limits(), unit)
}

// CheckValue reports the first of the words of type t that a variable with limits must not be
// given: one beyond them, or NaN.
func (m *Meta) CheckValue(t DType, words []uint32) error {
	if m.Low == nil && m.High == nil {
		return nil
	}
	for i := range len(words) / t.Words() {
		if x := t.Number(t.At(words, i)); !m.within(x) {
			return &LimitError{x, m}
		}
	}
	return nil
}

// SafeWords are the words of the safe value of a variable, nil if it has none.
func (m *Meta) SafeWords(t DType, elements int) []uint32 {
	if len(m.Safe) == 0 {
		return nil
	}
	words := make([]uint32, elements*t.Words())
	for i := range elements {
		x := m.Safe[0]
		if len(m.Safe) > 1 {
			x = m.Safe[i]
		}
		t.Put(words, i, t.FromNumber(x))
	}
	return words
}
