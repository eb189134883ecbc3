package array

import (
	"fmt"
	"math"
	"math/big"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Value is a traced scalar: a node whose number is known only when the program
// has run.
type Value struct {
	m    *Tracer
	Node graph.Value
}

// PyClass returns the class `value`.
func (x *Value) PyClass() *vm.Class { return x.m.ValueClass }

// valueChunk is how many traced scalars share an allocation: a script makes one for
// each operation.
const valueChunk = 64

// Scalar is a node without axes as a value of the script.
func (m *Tracer) Scalar(v graph.Value) *Value {
	if len(m.values) == cap(m.values) {
		m.values = make([]Value, 0, valueChunk)
	}
	m.values = append(m.values, Value{m: m, Node: v})
	return &m.values[len(m.values)-1]
}

// NoTruth is the refusal of a traced value to decide a branch.
const NoTruth = "a traced value is not known while the program is being traced, so it cannot decide here"

// Truth refuses: the number is not known yet. Advice says what to write instead.
func (x *Value) Truth(*vm.Thread) (bool, error) { return false, vm.TypeErrorf(NoTruth) }

// Key makes a traced value a key of dicts and a member of sets: the same node is the same
// key, and == is not asked, which would give a traced value.
func (x *Value) Key() any { return x.Node }

// binaryOps maps the operators that are one op each.
var binaryOps = map[vm.BinaryOp]graph.Op{
	vm.OpAdd: graph.OpAdd, vm.OpSub: graph.OpSub, vm.OpMul: graph.OpMul, vm.OpDiv: graph.OpDiv,
	vm.OpFloorDiv: graph.OpFloorDiv, vm.OpMod: graph.OpMod,
	vm.OpBitAnd: graph.OpAnd, vm.OpBitOr: graph.OpOr, vm.OpBitXor: graph.OpXor,
	vm.OpLShift: graph.OpShl, vm.OpRShift: graph.OpShr,
}

var compareOps = map[vm.CompareOp]graph.Op{
	vm.OpEq: graph.OpEq, vm.OpNe: graph.OpNe, vm.OpLt: graph.OpLt,
	vm.OpLe: graph.OpLe, vm.OpGt: graph.OpGt, vm.OpGe: graph.OpGe,
}

// binaryTable and compareTable are the maps above as arrays, for the hot path.
var (
	binaryTable  = table(binaryOps)
	compareTable = table(compareOps)
)

func table[K ~uint8](m map[K]graph.Op) (t [256]graph.Op) {
	for i := range t {
		t[i] = graph.NumOps
	}
	for k, op := range m {
		t[k] = op
	}
	return t
}

// Binary computes with another traced value or a number.
func (x *Value) Binary(t *vm.Thread, op vm.BinaryOp, other vm.Value, reflected bool) (vm.Value, error) {
	y, ok, err := x.m.operand(asPattern(op, x, other), x.Node)
	if !ok || err != nil {
		return vm.NotImplemented, err
	}
	a, b := x.Node, y
	if reflected {
		a, b = y, x.Node
	}
	x.m.At(t)
	r, err := x.m.binary(op, a, b)
	if err != nil {
		return nil, err
	}
	if !r.Valid() {
		return vm.NotImplemented, nil
	}
	return x.m.Scalar(r), nil
}

// binary returns an invalid value for an operator that has no op.
func (m *Tracer) binary(op vm.BinaryOp, a, b graph.Value) (graph.Value, error) {
	if op == vm.OpPow {
		return m.pow(a, b)
	}
	gop := binaryTable[op]
	if gop == graph.NumOps {
		return graph.Value{}, nil
	}
	r, err := m.Graph.Apply(gop, a, b)
	return r, m.TraceError(err)
}

// Compare gives a traced bool.
func (x *Value) Compare(t *vm.Thread, op vm.CompareOp, other vm.Value) (vm.Value, error) {
	y, ok, err := x.m.operand(other, x.Node)
	if !ok || err != nil {
		return vm.NotImplemented, err
	}
	x.m.At(t)
	r, err := x.m.Graph.Apply(compareTable[op], x.Node, y)
	if err != nil {
		return nil, x.m.TraceError(err)
	}
	return x.m.Scalar(r), nil
}

// Select makes `a if x else b` with a traced x a select of both sides.
func (x *Value) Select(t *vm.Thread, a, b vm.Value) (vm.Value, error) {
	return x.m.iif(t, x, a, b)
}

// Unary computes the unary operators and the conversions int, float, round,
// floor, ceil and trunc, which stay traced.
func (x *Value) Unary(t *vm.Thread, op vm.UnaryOp) (vm.Value, error) {
	x.m.At(t)
	r, err := x.m.unary(op, x.Node)
	if err != nil {
		return nil, err
	}
	if !r.Valid() {
		return vm.NotImplemented, nil
	}
	return x.m.Scalar(x.m.copied(r)), nil
}

// unaryOps maps the unary operators and conversions to the ops that make them.
// conversions to a type that the operand has already are passed over.
var unaryOps = map[vm.UnaryOp][]graph.Op{
	vm.OpPlus:    {},
	vm.OpNeg:     {graph.OpNeg},
	vm.OpInvert:  {graph.OpNot},
	vm.OpAbs:     {graph.OpAbs},
	vm.OpToInt:   {graph.OpToI32},
	vm.OpTrunc:   {graph.OpToI32},
	vm.OpToFloat: {graph.OpToF32},
	vm.OpFloor:   {graph.OpFloor, graph.OpToI32},
	vm.OpCeil:    {graph.OpCeil, graph.OpToI32},
	vm.OpRound:   {graph.OpRound, graph.OpToI32},
}

// unary returns an invalid value for an operator that has no ops.
func (m *Tracer) unary(op vm.UnaryOp, v graph.Value) (graph.Value, error) {
	chain, ok := unaryOps[op]
	if !ok {
		return graph.Value{}, nil
	}
	for _, o := range chain {
		if o == graph.OpToI32 && v.DType() == graph.I32 || o == graph.OpToF32 && v.DType() == graph.F32 {
			continue
		}
		r, err := m.Graph.Apply(o, v)
		if err != nil {
			return graph.Value{}, m.TraceError(err)
		}
		v = r
	}
	return v, nil
}

// pow expands an integer exponent that is known, also one written as a float.
func (m *Tracer) pow(a, b graph.Value) (graph.Value, error) {
	r, err := m.Graph.Pow(a, b)
	return r, m.TraceError(err)
}

// Repr shows type and node, since there is no number yet.
func (x *Value) Repr(*vm.Thread) (string, error) {
	return fmt.Sprintf("<traced %s #%d>", PyType(x.Node.DType()), x.Node.ID()), nil
}

// Format refuses a spec for numbers: there is no number yet.
func (x *Value) Format(t *vm.Thread, spec string) (string, error) {
	if spec == "" {
		return x.Repr(t)
	}
	return "", vm.WithHint(vm.TypeErrorf("a traced value has no number to format with '%s' before the program has run", spec),
		"read it first: tg.read_value(x)")
}

// PyType names a type as scripts know it.
func PyType(d graph.DType) string {
	switch d {
	case graph.F64:
		return "float64"
	case graph.F32:
		return "float"
	case graph.I32:
		return "int"
	}
	return "bool"
}

// operand converts what meets a traced value into one. ok is false for things
// that are no numbers. A literal is weak: an int becomes a float next to one, and a
// float a double.
func (m *Tracer) operand(other vm.Value, partner graph.Value) (v graph.Value, ok bool, err error) {
	other = PlainNumber(other)
	if y, isValue := other.(*Value); isValue {
		return y.Node, true, nil
	}
	if !IsNumber(other) {
		return graph.Value{}, false, nil
	}
	v, err = m.Constant(other, FloatType(partner.DType()))
	return v, true, err
}

// NoFloat is the type of what a literal meets where that is no float.
const NoFloat graph.DType = 0

// FloatType is d where it is a float, and noFloat otherwise.
func FloatType(d graph.DType) graph.DType {
	if d.IsFloat() {
		return d
	}
	return NoFloat
}

// Constant is a number as a node, or the node of a traced scalar. Beside a float
// of type like, a number becomes one of that type.
func (m *Tracer) Constant(e vm.Value, like graph.DType) (graph.Value, error) {
	if x, ok := e.(*Value); ok {
		return x.Node, nil
	}
	d, w, err := Number(e, like)
	if err != nil {
		return graph.Value{}, err
	}
	return m.Graph.ConstWord(d, w), nil
}

// Number gives the type and the bits of a plain number on the target, beside a
// float of type like.
func Number(e vm.Value, like graph.DType) (graph.DType, uint64, error) {
	switch n := e.(type) {
	case float64:
		if like == graph.F64 {
			return like, math.Float64bits(n), nil
		}
		return graph.F32, uint64(math.Float32bits(float32(n))), nil
	case bool:
		if n {
			return graph.Bool, 1, nil
		}
		return graph.Bool, 0, nil
	}
	i, small := e.(int64)
	switch {
	case like == graph.F32 && small && i > -1<<53 && i < 1<<53:
		return like, uint64(math.Float32bits(float32(i))), nil
	case like != NoFloat:
		b, ok := e.(*big.Int)
		if !ok {
			b = big.NewInt(i)
		}
		// Rounded once: a float32 through a float64 could be rounded twice.
		if like == graph.F64 {
			f, _ := new(big.Float).SetInt(b).Float64()
			return like, math.Float64bits(f), nil
		}
		f, _ := new(big.Float).SetInt(b).Float32()
		return like, uint64(math.Float32bits(f)), nil
	case small && i >= math.MinInt32 && i <= math.MaxInt32:
		return graph.I32, uint64(uint32(int32(i))), nil
	}
	hint := "use a float, or a number from -2147483648 to 2147483647"
	if small && i > math.MaxInt32 && i <= math.MaxUint32 {
		hint = fmt.Sprintf("use a float; as 32 bits write %d for 0x%X, and (x >> n) & mask for a shift that brings in zeros", int32(uint32(i)), i)
	}
	return 0, 0, vm.WithHint(vm.Raise(vm.OverflowError, "the integer does not fit into the 32 bits of the target"), hint)
}

// IsNumber tells plain Python numbers.
func IsNumber(v vm.Value) bool {
	switch v.(type) {
	case int64, *big.Int, float64, bool:
		return true
	}
	return false
}

// Word converts a plain number to the bits of a variable of type d.
func Word(d graph.DType, n vm.Value) (uint64, error) {
	if !IsNumber(n) {
		return 0, vm.TypeErrorf("must be a number, not '%s'", vm.TypeName(n))
	}
	switch x := n.(type) {
	case bool:
		if d == graph.Bool {
			break
		}
		n = int64(0)
		if x {
			n = int64(1)
		}
	case float64:
		if d != graph.I32 {
			break
		}
		if x != math.Trunc(x) || math.Abs(x) > math.MaxInt32 {
			return 0, vm.ValueErrorf("%v is not a 32-bit integer, and the variable is an int", x)
		}
		n = int64(x)
	}
	if d == graph.Bool {
		if f, ok := vm.AsFloat(n); ok && f == 0 {
			return 0, nil
		}
		return 1, nil
	}
	_, w, err := Number(n, FloatType(d))
	return w, err
}

// IsScalar tells traced scalars.
func IsScalar(v vm.Value) bool {
	_, ok := v.(*Value)
	return ok
}
