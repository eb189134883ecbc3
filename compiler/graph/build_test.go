package graph

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpTableIsComplete(t *testing.T) {
	seen := map[string]Op{}
	for op := range NumOps {
		info := op.Info()
		require.NotEmpty(t, info.Name, "op %d", op)
		require.NotEmpty(t, info.Doc, info.Name)
		require.NotEmpty(t, info.Meaning, info.Name)
		require.NotEmpty(t, info.Derivative, info.Name)
		if other, ok := seen[info.Name]; ok {
			t.Errorf("ops %d and %d are both called %s", op, other, info.Name)
		}
		seen[info.Name] = op
		parsed, err := ParseOp(info.Name)
		require.NoError(t, err)
		require.Equal(t, op, parsed)
		require.Equal(t, info.Sig == SigSource, info.Arity == 0, info.Name)
		if info.Commutative {
			require.Equal(t, 2, info.Arity, info.Name)
		}
		if info.Sig != SigSource {
			require.Equal(t, info.Elementwise, shapeRules[op] == nil, "%s needs a shape rule or to be elementwise", info.Name)
		}
		accepted := 0
		for dt := Bool; dt < numDTypes; dt++ {
			if typeRules[op][dt].want != 0 {
				accepted++
			}
		}
		require.Equal(t, info.Sig != SigSource, accepted > 0, "%s takes no type", info.Name)
	}
}

func TestPromotion(t *testing.T) {
	// One operand type, or two: the operands' types after conversion, and the
	// result's.
	const x = DType(0)
	tests := []struct {
		op         Op
		a, b       DType
		want, give DType
	}{
		{OpAdd, Bool, Bool, I32, I32},
		{OpAdd, Bool, I32, I32, I32},
		{OpAdd, I32, F32, F32, F32},
		{OpAdd, Bool, F32, F32, F32},
		{OpMul, I32, I32, I32, I32},
		{OpDiv, I32, I32, F32, F32},
		{OpFloorDiv, I32, I32, I32, I32},
		{OpMod, I32, F32, F32, F32},
		{OpPow, I32, I32, F32, F32},
		{OpMin, Bool, Bool, I32, I32},
		{OpAnd, Bool, Bool, Bool, Bool},
		{OpAnd, Bool, I32, I32, I32},
		{OpShl, Bool, Bool, I32, I32},
		{OpLt, Bool, Bool, I32, Bool},
		{OpLt, I32, F32, F32, Bool},
		{OpEq, Bool, Bool, Bool, Bool},
		{OpNe, Bool, F32, F32, Bool},
		{OpNeg, Bool, x, I32, I32},
		{OpNeg, I32, x, I32, I32},
		{OpAbs, F32, x, F32, F32},
		{OpNot, Bool, x, Bool, Bool},
		{OpNot, I32, x, I32, I32},
		{OpSqrt, I32, x, F32, F32},
		{OpFloor, F32, x, F32, F32},
		{OpToI32, F32, x, F32, I32},
		{OpToBool, I32, x, I32, Bool},
	}
	for _, tt := range tests {
		g := New()
		args := []Value{g.keep(g.Input("a", tt.a, Shape{}, nil))}
		if tt.b != x {
			args = append(args, g.keep(g.Input("b", tt.b, Shape{}, nil)))
		}
		v, err := g.Apply(tt.op, args...)
		require.NoError(t, err, "%v(%v, %v)", tt.op, tt.a, tt.b)
		require.Equal(t, tt.op, v.Op())
		require.Equal(t, tt.give, v.DType(), "%v(%v, %v)", tt.op, tt.a, tt.b)
		for _, a := range g.Args(v.ID()) {
			require.Equal(t, tt.want, g.Node(a).DType, "operand of %v(%v, %v)", tt.op, tt.a, tt.b)
		}
		require.NoError(t, Check(g))
	}
}

func TestApplyThatIsNoNode(t *testing.T) {
	g := New()
	b, i, f := g.InputBool("b", true), g.InputI32("i", 1), g.InputF32("f", 1)
	v := g.StackOf(f, i, b)
	m := v.Reshape(1, 3)
	require.Equal(t, i, i.Floor(), "floor of an integer")
	require.Equal(t, b.ToI32(), b.Trunc(), "trunc of a bool")
	require.Equal(t, f, f.ToF32())
	require.Equal(t, v, v.Transpose())
	require.Equal(t, f, f.Transpose())
	require.Equal(t, v, v.Reshape(3))
	require.Equal(t, v, v.Broadcast(3))
	require.Equal(t, v, v.Slice(0, 3, 1))
	require.Equal(t, f, v.Index(0), "element of a stack")
	require.Equal(t, i.ToF32(), v.Index(-2))
	require.Equal(t, f, f.Sum())
	require.Equal(t, m, g.ConcatOf(m))
	require.Equal(t, g.I32(7), g.ConstI32(Shape{2}, []int32{5, 7}).Index(1))
	require.Equal(t, g.F32(3), g.I32(3).ToF32(), "a converted literal is a literal")
	require.Equal(t, g.F32(16777216), g.I32(16777217).ToF32())
	require.NoError(t, g.Err())
}

func TestEqualNodesAreOne(t *testing.T) {
	g := New()
	a, b := g.InputF32("", 1), g.InputF32("", 1)
	require.NotEqual(t, a, b, "inputs are variables")
	g.SetPos(5)
	c := a.Add(b)
	g.SetPos(6)
	require.Equal(t, c, b.Add(a))
	require.NotEqual(t, a.Sub(b), b.Sub(a))
	require.Equal(t, uint32(5), g.Node(c.ID()).Pos, "the first position stays")
	require.Equal(t, g.ConstF32(Shape{2}, []float32{1, 2}), g.ConstF32(Shape{2}, []float32{1, 2}))
	require.NotEqual(t, g.ConstF32(Shape{2}, []float32{1, 2}), g.ConstF32(Shape{1, 2}, []float32{1, 2}))
	require.NotEqual(t, g.F32(0), g.F32(float32(math.Copysign(0, -1))))
	require.Equal(t, g.F32(float32(math.NaN())), g.ConstWord(F32, 0xffc00001), "NaNs are canonical")
	many := func() Value { return g.StackOf(a, b, c, a, b) }
	require.Equal(t, many(), many())
	require.NotEqual(t, many(), g.StackOf(a, b, c, b, a))
	require.NoError(t, Check(g))
}

func TestBroadcasting(t *testing.T) {
	tests := []struct{ a, b, c Shape }{
		{Shape{3}, Shape{}, Shape{3}},
		{Shape{}, Shape{2, 3}, Shape{2, 3}},
		{Shape{2, 1}, Shape{3}, Shape{2, 3}},
		{Shape{4, 1, 3}, Shape{2, 1}, Shape{4, 2, 3}},
		{Shape{0}, Shape{1}, Shape{0}},
		{Shape{3}, Shape{4}, nil},
		{Shape{2, 3}, Shape{2}, nil},
	}
	for _, tt := range tests {
		g := New()
		a := g.keep(g.Input("a", F32, tt.a, nil))
		b := g.keep(g.Input("b", I32, tt.b, nil))
		c, err := g.Apply(OpMul, a, b)
		if tt.c == nil {
			require.ErrorContains(t, err, "do not match")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, tt.c, c.Shape())
		s, err := g.Apply(OpSelect, a, b, g.Bool(true))
		require.NoError(t, err)
		require.Equal(t, tt.c, s.Shape())
		require.Equal(t, I32, s.DType())
		require.NoError(t, Check(g))
	}
}

func TestPowerExpansion(t *testing.T) {
	product := func(x Value, n int32) (r Value) { // as the text of Value.Pow says
		for b := x; n > 0; b = b.Mul(b) {
			if n&1 != 0 {
				if r == (Value{}) {
					r = b
				} else {
					r = r.Mul(b)
				}
			}
			n >>= 1
		}
		return r
	}
	for n := int32(-12); n <= 17; n++ {
		g := New()
		x := g.InputF32("x", 1)
		var r Value
		switch k := (1 - n) / 2; {
		case n > 8 || n < -8:
			r, _ = g.Apply(OpPow, x, g.F32(float32(n)))
		case n == 0:
			r = g.F32(1)
		case n > 0:
			r = product(x, n)
		case n == -1:
			r = g.F32(1).Div(x)
		default:
			r = g.F32(1).Div(product(x, k)).Div(product(x, -n-k))
		}
		require.Equal(t, r, x.Pow(g.I32(n)), "x**%d", n)
		require.Equal(t, r, x.Pow(g.F32(float32(n))), "x**%d.0", n)
		require.NoError(t, g.Err())
	}
	g := New()
	x, i := g.InputF32("x", 1), g.InputI32("i", 3)
	for _, y := range []Value{g.F32(0.5), i, g.F32(float32(math.NaN())), g.F32(3e9), g.F32(float32(math.Inf(-1))), g.I32(1 << 24), g.I32(-1 << 31), g.I32(1<<31 - 1)} {
		require.Equal(t, OpPow, x.Pow(y).Op())
	}
	require.Equal(t, product(i, 23), i.Pow(g.I32(23)))
	for _, y := range []Value{g.I32(-2), g.F32(-2), g.F32(2), g.F32(0), g.F32(1), g.F32(23), g.F32(2.5)} {
		require.Equal(t, F32, i.Pow(y).DType(), g.Line(y.ID()))
	}
	require.Equal(t, F64, i.Pow(g.F64(2)).DType())
	require.Equal(t, i.ToF32().Mul(i.ToF32()), i.Pow(g.F32(2)))
	require.Equal(t, g.I32(1), i.Pow(g.I32(0)))
	v := g.StackOf(x, x)
	require.Equal(t, v.Mul(v), v.Pow(g.I32(2)))
	require.Equal(t, Shape{2}, v.Pow(g.I32(0)).Shape())
	require.NoError(t, g.Err())
}

func TestErrors(t *testing.T) {
	g := New()
	f, i := g.InputF32("f", 1), g.InputI32("i", 1)
	v := g.StackOf(f, f, f)
	m := g.ConstF32(Shape{2, 3}, make([]float32, 6))
	other := New().F32(1)
	try := func(v Value, err error) error { require.False(t, v.Valid()); return err }
	tests := map[string]error{
		"and: operands are f32 and i32: operands must be bool or i32":                      try(g.Apply(OpAnd, f, i)),
		"shl: operands are i32 and f32: operands must be i32":                              try(g.Apply(OpShl, i, f)),
		"not: operand is f32: operands must be bool or i32":                                try(g.Apply(OpNot, f)),
		"add: operand 1 is not a value of this graph":                                      try(g.Apply(OpAdd, f, other)),
		"add: operand 0 is not a value of this graph":                                      try(g.Apply(OpAdd, Value{}, f)),
		"add: takes 2 operands, not 3":                                                     try(g.Apply(OpAdd, f, f, f)),
		"sin: takes one operand, not 0":                                                    try(g.Apply(OpSin)),
		"stack: takes at least one operand":                                                try(g.Apply(OpStack)),
		"const: cannot be applied":                                                         try(g.Apply(OpConst)),
		"index: needs an operand known when the graph is built: use its own method":        try(g.Apply(OpIndex, v)),
		"mul: shapes (3,) and (2,) do not match":                                           try(g.Apply(OpMul, v, m.SumAxis(1))),
		"dot: vectors of 3 and 2 elements":                                                 try(g.Dot(v, m.SumAxis(1))),
		"dot: operands have shapes (3,) and (), not vectors":                               try(g.Dot(v, f)),
		"matmul: shapes (2, 3) and (2, 3) do not match: 3 columns, 2 rows":                 try(g.MatMul(m, m)),
		"matmul: shapes () and (): needs two matrices, or a matrix and a vector":           try(g.MatMul(f, f)),
		"index: index 3 is out of range for axis 0 with 3 rows":                            try(g.Index(v, 3)),
		"index: index -4 is out of range for axis 0 with 3 rows":                           try(g.Index(v, -4)),
		"index: a scalar has no elements to index":                                         try(g.Index(f, 0)),
		"slice: a scalar has no rows to slice":                                             try(g.Slice(f, 0, 1, 1)),
		"slice: rows 1 to 3 by 1 are out of range for axis 0 with 3 rows":                  try(g.Slice(v, 1, 3, 1)),
		"slice: rows from 0, 1 of them, by 0 are out of range":                             try(g.Slice(v, 0, 1, 0)),
		"stack: operand 1 has shape (3,), not a scalar":                                    try(g.Stack(f, v)),
		"concat: operand 0 is a scalar":                                                    try(g.Concat(f, v)),
		"concat: shapes (3,) and (2, 3) differ beyond axis 0":                              try(g.Concat(v, m)),
		"reshape: 3 elements of shape (3,) do not fill shape (2, 2)":                       try(g.Reshape(v, Shape{2, 2})),
		"reshape: shape (-1, 3) has a negative length":                                     try(g.Reshape(v, Shape{-1, 3})),
		"transpose: shape (1, 2, 3) does not have two axes":                                try(g.Transpose(m.Reshape(1, 2, 3))),
		"broadcast: shape (3,) cannot be repeated to (3, 2)":                               try(g.Broadcast(v, Shape{3, 2})),
		"sum: axis 2 is out of range for shape (2, 3)":                                     try(g.Sum(m, 2)),
		"sum: axis 0 is out of range for shape ()":                                         try(g.Sum(f, 0)),
		"const: 1 values for shape (2,), which has 2 elements":                             try(g.Const(F32s(Shape{2}, 1))),
		"const: unknown dtype 9":                                                           try(g.Const(Tensor{DType: 9, Bits: []uint32{1}})),
		"input: shape (16777216, 2) has too many elements: at most 16777216 are supported": try(g.Input("", F32, Shape{1 << 24, 2}, nil)),
		"broadcast: shape with 9 axes: at most 8 are supported":                            try(g.Broadcast(f, make(Shape, 9))),
	}
	for message, err := range tests {
		require.EqualError(t, err, message)
	}
	require.NoError(t, g.Err(), "only the methods of Value record errors")
	require.NoError(t, Check(g))
}

func TestFirstErrorIsKept(t *testing.T) {
	g := New()
	g.SetPos(41)
	x := g.InputF32("x", 1)
	g.SetPos(42)
	bad := x.And(x)
	require.False(t, bad.Valid())
	g.SetPos(43)
	n := g.NumNodes()
	for _, v := range []Value{bad.Add(x), x.Add(bad), bad.Sin(), bad.Select(x, x), x.Select(x, bad), bad.Index(0), bad.Slice(0, 1, 1),
		bad.Reshape(1), bad.Broadcast(1), bad.SumAxis(0), bad.Pow(x), x.Pow(bad), bad.MatMul(x), x.MatMul(bad),
		g.StackOf(x, bad), g.ConcatOf(bad), x.Shl(x)} {
		require.False(t, v.Valid())
	}
	require.Equal(t, n, g.NumNodes())
	var e *Error
	require.ErrorAs(t, g.Err(), &e)
	require.Equal(t, uint32(42), e.Pos)
	require.Equal(t, OpAnd, e.Op)
}

// Against the rule itself: a slice of a list picks i, i+step, ... while in range.
func TestSliceBounds(t *testing.T) {
	bounds := []*int{nil}
	for i := -7; i <= 7; i++ {
		bounds = append(bounds, &i)
	}
	for n := range 5 {
		for _, start := range bounds {
			for _, stop := range bounds {
				for _, step := range []int{-3, -2, -1, 1, 2, 5} {
					var want []int
					inRange := func(i int) bool {
						if stop == nil {
							return true
						}
						to := *stop
						if to < 0 {
							to += n
						}
						return step > 0 && i < to || step < 0 && i > max(to, -1)
					}
					from := 0
					if step < 0 {
						from = n - 1
					}
					if start != nil {
						from = *start
						if from < 0 {
							from += n
						}
						from = min(max(from, 0), n)
						if step < 0 {
							from = min(*start, n-1)
							if *start < 0 {
								from = *start + n
							}
						}
					}
					for i := from; i >= 0 && i < n && inRange(i); i += step {
						want = append(want, i)
					}
					first, count := SliceBounds(n, start, stop, step)
					var got []int
					for k := range count {
						got = append(got, first+k*step)
					}
					require.Equal(t, want, got, "n=%d start=%v stop=%v step=%d", n, start, stop, step)
				}
			}
		}
	}
}

func TestUsers(t *testing.T) {
	g := New()
	a, b := g.InputF32("a", 1), g.InputF32("b", 1)
	c := a.Mul(a)
	b.Sin()
	d := c.Add(a)
	require.Equal(t, []int32{3, 0, 1, 0, 2}, g.Users([]ID{d.ID(), d.ID()}))
}

func TestCheckFindsDamage(t *testing.T) {
	damage := map[string]func(g *Graph, sum, input, array ID){
		"operands are i32 and f32": func(g *Graph, sum, _, _ ID) { g.nodes[sum].args[0] = 0 },
		"is not before it":         func(g *Graph, sum, _, _ ID) { g.nodes[sum].args[1] = sum },
		"gives f32, not i32":       func(g *Graph, sum, _, _ ID) { g.nodes[sum].DType = I32 },
		"gives shape ()":           func(g *Graph, sum, _, array ID) { g.nodes[sum].Shape = g.nodes[array].Shape },
		"unknown shape 99":         func(g *Graph, sum, _, _ ID) { g.nodes[sum].Shape = 99 },
		"attribute 7 on an op":     func(g *Graph, sum, _, _ ID) { g.nodes[sum].Attr = 7 },
		"unknown op or dtype":      func(g *Graph, sum, _, _ ID) { g.nodes[sum].Op = NumOps },
		"unknown input 5":          func(g *Graph, _, input, _ ID) { g.nodes[input].Attr = 5 },
		"attribute 8 out of range": func(g *Graph, _, _, array ID) { g.nodes[array].Attr = 8 },
		"is not a canonical f32":   func(g *Graph, _, _, array ID) { g.arrays.list[0][1] = 0xffffffff },
		"equals node":              func(g *Graph, sum, _, _ ID) { g.nodes = append(g.nodes, g.nodes[sum]) },
		"out of order":             func(g *Graph, sum, _, _ ID) { a := &g.nodes[sum].args; a[0], a[1] = a[1], a[0] },
		"1 operands":               func(g *Graph, sum, _, _ ID) { g.nodes[sum].nargs = 1 },
	}
	for message, break1 := range damage {
		g := New()
		g.InputI32("i", 0)
		input := g.InputF32("f", 0)
		array := g.ConstF32(Shape{2}, []float32{1, 2})
		sum := input.Add(input.Sin())
		require.NoError(t, Check(g))
		break1(g, sum.ID(), input.ID(), array.ID())
		require.ErrorContains(t, Check(g), message)
	}
}

func BenchmarkApply(b *testing.B) {
	for b.Loop() {
		g := New()
		x := g.InputF32("x", 1)
		c, d := g.F32(1.0001), g.F32(0.5)
		for i := range 50_000 {
			g.SetPos(uint32(i))
			x, _ = g.Apply(OpMul, x, c)
			x, _ = g.Apply(OpAdd, x, d)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/node")
}
