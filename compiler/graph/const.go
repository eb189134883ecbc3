package graph

import (
	"fmt"
	"hash/maphash"
	"math"
	"slices"
)

// Tensor is a value outside a graph: its elements row by row, each in
// DType.Words words. A scalar has shape () and one element.
type Tensor struct {
	DType DType
	Shape Shape
	Bits  []uint32
}

// ScalarF32, ScalarI32 and ScalarBool make scalars.
func ScalarF32(x float32) Tensor { return F32s(Shape{}, x) }

// ScalarF64 makes a scalar.
func ScalarF64(x float64) Tensor { return F64s(Shape{}, x) }

// ScalarI32 makes a scalar.
func ScalarI32(x int32) Tensor { return I32s(Shape{}, x) }

// ScalarBool makes a scalar.
func ScalarBool(x bool) Tensor { return Bools(Shape{}, x) }

// F32s makes a tensor of floats; NaNs become NaN.
func F32s(s Shape, xs ...float32) Tensor {
	bits := make([]uint32, len(xs))
	for i, x := range xs {
		bits[i] = uint32(Canonical(F32, uint64(math.Float32bits(x))))
	}
	return Tensor{F32, s, bits}
}

// F64s makes a tensor of doubles; NaNs become NaN64.
func F64s(s Shape, xs ...float64) Tensor {
	words := make([]uint32, 2*len(xs))
	for i, x := range xs {
		F64.Put(words, i, Canonical(F64, math.Float64bits(x)))
	}
	return Tensor{F64, s, words}
}

// I32s makes a tensor of integers.
func I32s(s Shape, xs ...int32) Tensor {
	bits := make([]uint32, len(xs))
	for i, x := range xs {
		bits[i] = uint32(x)
	}
	return Tensor{I32, s, bits}
}

// Bools makes a tensor of bools.
func Bools(s Shape, xs ...bool) Tensor {
	bits := make([]uint32, len(xs))
	for i, x := range xs {
		bits[i] = boolWord(x)
	}
	return Tensor{Bool, s, bits}
}

func boolWord(x bool) uint32 {
	if x {
		return 1
	}
	return 0
}

// F32 returns the elements as floats; t must have that type.
func (t Tensor) F32() []float32 {
	xs := make([]float32, len(t.Bits))
	for i, b := range t.Bits {
		xs[i] = math.Float32frombits(b)
	}
	return xs
}

// F64 returns the elements as doubles; t must have that type.
func (t Tensor) F64() []float64 {
	xs := make([]float64, len(t.Bits)/2)
	for i := range xs {
		xs[i] = math.Float64frombits(F64.At(t.Bits, i))
	}
	return xs
}

// Len is the number of elements that the words make.
func (t Tensor) Len() int { return len(t.Bits) / t.DType.Words() }

// I32 returns the elements as integers; t must have type i32 or bool.
func (t Tensor) I32() []int32 {
	xs := make([]int32, len(t.Bits))
	for i, b := range t.Bits {
		xs[i] = int32(b)
	}
	return xs
}

// Check reports whether type, shape and number of words fit together and every
// word is as Canonical returns it.
func (t Tensor) Check() error {
	if !t.DType.Valid() {
		return fmt.Errorf("unknown dtype %d", uint8(t.DType))
	}
	if err := t.Shape.check(); err != nil {
		return err
	}
	n := t.Shape.Elements()
	if w := t.DType.Words(); len(t.Bits)%w != 0 {
		return fmt.Errorf("%d words do not make elements of type %v, which have %d", len(t.Bits), t.DType, w)
	}
	if n != t.Len() {
		return fmt.Errorf("%d values for shape %v, which has %d elements", t.Len(), t.Shape, n)
	}
	for i := range n {
		if b := t.DType.At(t.Bits, i); Canonical(t.DType, b) != b {
			return fmt.Errorf("element %d: 0x%0*x is not a canonical %v", i, 8*t.DType.Words(), b, t.DType)
		}
	}
	return nil
}

// canonical returns t with canonical words of its own.
func (t Tensor) canonical() (Tensor, error) {
	t.Bits = slices.Clone(t.Bits)
	t.Shape = slices.Clone(t.Shape)
	if !t.DType.Valid() {
		return t, t.Check()
	}
	for i := range t.Len() {
		t.DType.Put(t.Bits, i, Canonical(t.DType, t.DType.At(t.Bits, i)))
	}
	return t, t.Check()
}

// arrayPool holds the words of constant arrays; equal arrays share an entry.
type arrayPool struct {
	list   [][]uint32
	byHash map[uint64][]int32
	seed   maphash.Seed
}

func (p *arrayPool) clone() arrayPool {
	c := arrayPool{list: slices.Clone(p.list), seed: p.seed}
	if p.byHash != nil {
		c.byHash = make(map[uint64][]int32, len(p.byHash))
		for h, at := range p.byHash {
			c.byHash[h] = slices.Clone(at)
		}
	}
	return c
}

// intern keeps words, which must not change afterwards.
func (p *arrayPool) intern(words []uint32) uint64 {
	if p.byHash == nil {
		p.byHash = map[uint64][]int32{}
		p.seed = maphash.MakeSeed()
	}
	var h maphash.Hash
	h.SetSeed(p.seed)
	for _, w := range words {
		h.Write([]byte{byte(w), byte(w >> 8), byte(w >> 16), byte(w >> 24)})
	}
	key := h.Sum64()
	for _, i := range p.byHash[key] {
		if slices.Equal(p.list[i], words) {
			return uint64(i)
		}
	}
	i := int32(len(p.list))
	p.list = append(p.list, words)
	p.byHash[key] = append(p.byHash[key], i)
	return uint64(i)
}

// maxWords bounds the words of all array constants and inputs of a graph:
// 256 MB. A program that needs more fits no target.
const maxWords = 1 << 26

// hold counts words that the graph is about to keep.
func (g *Graph) hold(op Op, words int) error {
	if g.held += words; g.held > maxWords {
		return g.errorf(op, "too much data: at most %d words of arrays are supported", maxWords)
	}
	return g.room(op, 0)
}

// Const returns a constant; the words are copied and made canonical.
func (g *Graph) Const(t Tensor) (Value, error) {
	t, err := t.canonical()
	if err != nil {
		return Value{g, None}, g.errorf(OpConst, "%v", err)
	}
	if len(t.Shape) == 0 {
		return Value{g, g.constWord(t.DType, t.DType.At(t.Bits, 0))}, nil
	}
	if err := g.hold(OpConst, len(t.Bits)); err != nil {
		return Value{g, None}, err
	}
	s, err := g.shapes.intern(t.Shape)
	if err != nil {
		return Value{g, None}, g.errorf(OpConst, "%v", err)
	}
	return Value{g, g.ConstArray(t.DType, s, t.Bits)}, nil
}

// ConstArray interns a constant array. Like Intern it trusts its arguments; it
// keeps words.
func (g *Graph) ConstArray(t DType, s ShapeID, words []uint32) ID {
	return g.intern(OpConst, t, s, g.arrays.intern(words), None, None, None, 0)
}

// constWord interns a scalar constant with canonical bits.
func (g *Graph) constWord(t DType, bits uint64) ID {
	return g.intern(OpConst, t, Scalar, bits, None, None, None, 0)
}

// ConstWord returns the scalar constant with the given bits.
func (g *Graph) ConstWord(t DType, bits uint64) Value {
	return Value{g, g.constWord(t, Canonical(t, bits))}
}

// Number returns a scalar constant of type t: x rounded for f32, without its
// fraction for i32 (which it must fit), whether it is not 0 for bool.
func (g *Graph) Number(t DType, x float64) Value {
	switch t {
	case F64:
		return g.F64(x)
	case F32:
		return g.F32(float32(x))
	case Bool:
		return g.Bool(x != 0)
	}
	return g.ConstWord(t, uint64(uint32(int32(x))))
}

// F32 returns a scalar constant.
func (g *Graph) F32(x float32) Value { return g.ConstWord(F32, uint64(math.Float32bits(x))) }

// F64 returns a scalar constant.
func (g *Graph) F64(x float64) Value { return g.ConstWord(F64, math.Float64bits(x)) }

// I32 returns a scalar constant. Beside a float operand it becomes a float
// constant, without a conversion in the program.
func (g *Graph) I32(x int32) Value { return g.ConstWord(I32, uint64(uint32(x))) }

// Bool returns a scalar constant.
func (g *Graph) Bool(x bool) Value { return g.ConstWord(Bool, uint64(boolWord(x))) }

// ConstF32 returns an array constant with the elements in row-major order.
func (g *Graph) ConstF32(s Shape, xs []float32) Value { return g.keep(g.Const(F32s(s, xs...))) }

// ConstF64 returns an array constant with the elements in row-major order.
func (g *Graph) ConstF64(s Shape, xs []float64) Value { return g.keep(g.Const(F64s(s, xs...))) }

// ConstI32 returns an array constant with the elements in row-major order.
func (g *Graph) ConstI32(s Shape, xs []int32) Value { return g.keep(g.Const(I32s(s, xs...))) }

// ConstBool returns an array constant with the elements in row-major order.
func (g *Graph) ConstBool(s Shape, xs []bool) Value { return g.keep(g.Const(Bools(s, xs...))) }

// ConstTensor returns a constant with the type, shape and values of t.
func (g *Graph) ConstTensor(t Tensor) Value { return g.keep(g.Const(t)) }

// Fill returns a value of the given type and shape with every element of these
// bits: a scalar constant, repeated. It takes no room in the program's data.
func (g *Graph) Fill(t DType, s Shape, bits uint64) (Value, error) {
	if !t.Valid() {
		return Value{g, None}, g.errorf(OpConst, "unknown dtype %d", uint8(t))
	}
	return g.Broadcast(g.ConstWord(t, bits), s)
}

// ConstBits returns the words of a constant node, scalar or array. They must
// not be changed.
func (g *Graph) ConstBits(id ID) []uint32 {
	n := &g.nodes[id]
	switch {
	case n.Shape != Scalar:
	case n.DType == F64:
		return []uint32{uint32(n.Attr), uint32(n.Attr >> 32)}
	default:
		return []uint32{uint32(n.Attr)}
	}
	return g.arrays.list[n.Attr]
}

// IsConst reports whether the node is a constant.
func (g *Graph) IsConst(id ID) bool { return g.nodes[id].Op == OpConst }

// InputInfo describes an input: a variable in the program's data memory.
type InputInfo struct {
	Name string // for symbols; may be empty
	Init []uint32
	Meta *Meta // nil: nothing is said
}

// Input returns a new input, distinct from every other, with initial words in
// row-major order; nil means zeros.
func (g *Graph) Input(name string, t DType, s Shape, init []uint32) (Value, error) {
	if init == nil {
		if err := s.check(); err != nil {
			return Value{g, None}, g.errorf(OpInput, "%v", err)
		}
		init = make([]uint32, s.Elements()*t.Words())
	}
	if err := g.hold(OpInput, len(init)); err != nil {
		return Value{g, None}, err
	}
	tensor, err := Tensor{t, s, init}.canonical()
	if err != nil {
		return Value{g, None}, g.errorf(OpInput, "%v", err)
	}
	shape, err := g.shapes.intern(s)
	if err != nil {
		return Value{g, None}, g.errorf(OpInput, "%v", err)
	}
	i := g.inputs.add(InputInfo{Name: name, Init: tensor.Bits})
	return Value{g, g.intern(OpInput, t, shape, i, None, None, None, 0)}, nil
}

// inputChunk is how many initial words of scalar inputs share an allocation.
const inputChunk = 256

// InputWord returns a new scalar input with the given initial bits.
func (g *Graph) InputWord(name string, t DType, bits uint64) (Value, error) {
	if !t.Valid() {
		return Value{g, None}, g.errorf(OpInput, "unknown dtype %d", uint8(t))
	}
	if err := g.room(OpInput, 0); err != nil {
		return Value{g, None}, err
	}
	size := t.Words()
	if len(g.words)+size > cap(g.words) {
		g.words = make([]uint32, 0, inputChunk)
	}
	n := len(g.words)
	init := g.words[n : n+size : n+size]
	t.Put(init, 0, Canonical(t, bits))
	g.words = g.words[:n+size]
	i := g.inputs.add(InputInfo{Name: name, Init: init})
	return Value{g, g.intern(OpInput, t, Scalar, i, None, None, None, 0)}, nil
}

// InputF32 returns a scalar input.
func (g *Graph) InputF32(name string, init float32) Value {
	return g.keep(g.InputWord(name, F32, uint64(math.Float32bits(init))))
}

// InputF64 returns a scalar input.
func (g *Graph) InputF64(name string, init float64) Value {
	return g.keep(g.InputWord(name, F64, math.Float64bits(init)))
}

// InputI32 returns a scalar input.
func (g *Graph) InputI32(name string, init int32) Value {
	return g.keep(g.InputWord(name, I32, uint64(uint32(init))))
}

// InputBool returns a scalar input.
func (g *Graph) InputBool(name string, init bool) Value {
	return g.keep(g.InputWord(name, Bool, uint64(boolWord(init))))
}

// InputTensor returns an input with the type, shape and values of init.
func (g *Graph) InputTensor(name string, init Tensor) Value {
	return g.keep(g.Input(name, init.DType, init.Shape, init.Bits))
}

// InputInfo returns the description of an input node. It must not be changed.
func (g *Graph) InputInfo(id ID) *InputInfo { return g.inputs.at(g.nodes[id].Attr) }
