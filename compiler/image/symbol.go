package image

import (
	"fmt"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Kind tells what the host does with a symbol.
type Kind uint8

// Kinds of symbols. An input keeps its value from run to run; a state has a new
// one after each run, which the next one starts from. The host may write both.
const (
	Input  Kind = 1
	Output Kind = 2
	State  Kind = 3
)

var kindNames = [...]string{Input: "input", Output: "output", State: "state"}

// Valid reports whether k is a known kind.
func (k Kind) Valid() bool { return k != 0 && int(k) < len(kindNames) }

func (k Kind) String() string {
	if !k.Valid() {
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// Symbol names words of the data block.
type Symbol struct {
	Name   string      `cbor:"1,keyasint"` // unique among the symbols of its kind
	Kind   Kind        `cbor:"2,keyasint"`
	DType  graph.DType `cbor:"3,keyasint"`
	Offset uint32      `cbor:"5,keyasint"`           // bytes from the start of the data block
	Shape  graph.Shape `cbor:"4,keyasint,omitempty"` // empty: a scalar
	Meta   *Meta       `cbor:"6,keyasint,omitzero"`  // unit, limits and the like, nil: nothing is said; from format 3 on
}

// About is what Meta says: the zero Meta where that is nil.
func (s *Symbol) About() Meta {
	if s.Meta == nil {
		return Meta{}
	}
	return *s.Meta
}

// Meta is what is known of a variable beside its type and place.
type Meta = graph.Meta

// Len is the number of elements.
func (s *Symbol) Len() int { return s.Shape.Elements() }

// Size is the number of bytes in the data block.
func (s *Symbol) Size() int { return s.Len() * s.DType.Size() }

// In is the symbol's part of a data block.
func (s *Symbol) In(block []byte) []byte { return block[s.Offset:][:s.Size()] }

// Safe is the bytes that the symbol takes when the loop ends, nil if it has no safe value.
func (s *Symbol) Safe() []byte {
	about := s.About()
	words := about.SafeWords(s.DType, s.Len())
	if words == nil {
		return nil
	}
	return s.Encode(words)
}

// Check reports what must not be written to the symbol: words beyond its limits.
func (s *Symbol) Check(words []uint32) error {
	about := s.About()
	if err := about.CheckValue(s.DType, words); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	return nil
}

// Decode is the value of the symbol whose bytes on a target are raw. Any NaN becomes the
// canonical one.
func (s *Symbol) Decode(raw []byte) graph.Tensor {
	v := graph.Tensor{DType: s.DType, Shape: s.Shape, Bits: graph.Words(raw)}
	if !v.DType.IsFloat() {
		return v
	}
	for i := range v.Len() {
		v.DType.Put(v.Bits, i, graph.Canonical(v.DType, v.DType.At(v.Bits, i)))
	}
	return v
}

// Encode is the bytes on a target of the words of some elements.
func (*Symbol) Encode(words []uint32) []byte {
	return graph.AppendWords(make([]byte, 0, len(words)*graph.WordSize), words...)
}

// EveryOf is the number of ticks from one record of variables to the next where whoever records them does not say: the
// greatest one by which no log has fewer records than its program asked for. Variables of which it asks nothing are of
// every tick, so that none of their values is left out unasked.
func EveryOf(symbols []*Symbol) int {
	every := uint32(0)
	for _, s := range symbols {
		for a := max(s.About().Every, 1); a != 0; {
			every, a = a, every%a
		}
	}
	return int(max(every, 1))
}
