package autodiff

import (
	"cmp"
	"math"
	"slices"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
)

// Ops on floats in double precision, so that differences and gradients can be
// compared closely. It is written apart from eval, from Go's math package; an op
// that is not listed is computed by eval.
var ops64 = map[graph.Op]func(a, b float64) float64{
	graph.OpNeg: func(a, _ float64) float64 { return -a },
	graph.OpAbs: func(a, _ float64) float64 { return math.Abs(a) },
	graph.OpSign: func(a, _ float64) float64 {
		switch {
		case a > 0:
			return 1
		case a < 0:
			return -1
		}
		return a
	},
	graph.OpSqrt:     func(a, _ float64) float64 { return math.Sqrt(a) },
	graph.OpSin:      func(a, _ float64) float64 { return math.Sin(a) },
	graph.OpCos:      func(a, _ float64) float64 { return math.Cos(a) },
	graph.OpTan:      func(a, _ float64) float64 { return math.Tan(a) },
	graph.OpAsin:     func(a, _ float64) float64 { return math.Asin(a) },
	graph.OpAcos:     func(a, _ float64) float64 { return math.Acos(a) },
	graph.OpAtan:     func(a, _ float64) float64 { return math.Atan(a) },
	graph.OpExp:      func(a, _ float64) float64 { return math.Exp(a) },
	graph.OpLog:      func(a, _ float64) float64 { return math.Log(a) },
	graph.OpExp2:     func(a, _ float64) float64 { return math.Exp2(a) },
	graph.OpExpm1:    func(a, _ float64) float64 { return math.Expm1(a) },
	graph.OpSinh:     func(a, _ float64) float64 { return math.Sinh(a) },
	graph.OpCosh:     func(a, _ float64) float64 { return math.Cosh(a) },
	graph.OpTanh:     func(a, _ float64) float64 { return math.Tanh(a) },
	graph.OpLog2:     func(a, _ float64) float64 { return math.Log2(a) },
	graph.OpLog10:    func(a, _ float64) float64 { return math.Log10(a) },
	graph.OpLog1p:    func(a, _ float64) float64 { return math.Log1p(a) },
	graph.OpCbrt:     func(a, _ float64) float64 { return math.Cbrt(a) },
	graph.OpFloor:    func(a, _ float64) float64 { return math.Floor(a) },
	graph.OpTrunc:    func(a, _ float64) float64 { return math.Trunc(a) },
	graph.OpCeil:     func(a, _ float64) float64 { return math.Ceil(a) },
	graph.OpRound:    func(a, _ float64) float64 { return math.RoundToEven(a) },
	graph.OpIsNaN:    func(a, _ float64) float64 { return truth(math.IsNaN(a)) },
	graph.OpIsFinite: func(a, _ float64) float64 { return truth(!math.IsNaN(a) && !math.IsInf(a, 0)) },
	graph.OpStop:     func(a, _ float64) float64 { return a },
	graph.OpToI32: func(a, _ float64) float64 {
		return float64(int32(min(max(math.Trunc(a), math.MinInt32), math.MaxInt32)))
	},
	graph.OpToBool:   func(a, _ float64) float64 { return truth(a != 0) },
	graph.OpAdd:      func(a, b float64) float64 { return a + b },
	graph.OpSub:      func(a, b float64) float64 { return a - b },
	graph.OpMul:      func(a, b float64) float64 { return a * b },
	graph.OpDiv:      func(a, b float64) float64 { return a / b },
	graph.OpFloorDiv: func(a, b float64) float64 { return math.Floor(a / b) },
	graph.OpMod:      func(a, b float64) float64 { return a - b*math.Floor(a/b) },
	graph.OpPow:      math.Pow,
	graph.OpAtan2:    math.Atan2,
	graph.OpHypot:    math.Hypot,
	graph.OpFmod:     math.Mod,
	graph.OpMin:      math.Min,
	graph.OpMax:      math.Max,
	graph.OpLt:       func(a, b float64) float64 { return truth(a < b) },
	graph.OpLe:       func(a, b float64) float64 { return truth(a <= b) },
	graph.OpGt:       func(a, b float64) float64 { return truth(a > b) },
	graph.OpGe:       func(a, b float64) float64 { return truth(a >= b) },
	graph.OpEq:       func(a, b float64) float64 { return truth(a == b) },
	graph.OpNe:       func(a, b float64) float64 { return truth(a != b) },
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// arrays64 has the ops on arrays; s is the shape of the first operand.
var arrays64 = map[graph.Op]func(n *graph.Node, s, to graph.Shape, args [][]float64, out []float64){
	graph.OpStack: func(_ *graph.Node, _, _ graph.Shape, args [][]float64, out []float64) {
		for i, a := range args {
			out[i] = a[0]
		}
	},
	graph.OpIndex: func(n *graph.Node, _, _ graph.Shape, args [][]float64, out []float64) {
		copy(out, args[0][int(n.Attr)*len(out):])
	},
	graph.OpTake: func(_ *graph.Node, s, _ graph.Shape, args [][]float64, out []float64) {
		size := s[1:].Elements()
		for k, by := range args[1] {
			row := graph.TakePlace(int32(by), s[0])
			copy(out[k*size:(k+1)*size], args[0][row*size:])
		}
	},
	graph.OpSlice: func(n *graph.Node, s, to graph.Shape, args [][]float64, out []float64) {
		start, step := n.SliceRange()
		inner := s[1:].Elements()
		for k := range to[0] {
			copy(out[k*inner:(k+1)*inner], args[0][(start+k*step)*inner:])
		}
	},
	graph.OpConcat: func(_ *graph.Node, _, _ graph.Shape, args [][]float64, out []float64) {
		for _, a := range args {
			out = out[copy(out, a):]
		}
	},
	graph.OpReshape: func(_ *graph.Node, _, _ graph.Shape, args [][]float64, out []float64) { copy(out, args[0]) },
	graph.OpTranspose: func(_ *graph.Node, s, _ graph.Shape, args [][]float64, out []float64) {
		for k := range out {
			out[k] = args[0][k%s[0]*s[1]+k/s[0]]
		}
	},
	graph.OpBroadcast: func(_ *graph.Node, s, to graph.Shape, args [][]float64, out []float64) {
		for k := range out {
			from, stride, rest := 0, 1, k
			for i := len(to) - 1; i >= 0; i-- {
				at := rest % to[i]
				rest /= to[i]
				if j := i - len(to) + len(s); j >= 0 {
					if s[j] != 1 {
						from += at * stride
					}
					stride *= s[j]
				}
			}
			out[k] = args[0][from]
		}
	},
	graph.OpSum: func(n *graph.Node, s, _ graph.Shape, args [][]float64, out []float64) {
		clear(out)
		inner, length := 1, s.Elements()
		if axis := n.Axis(); axis >= 0 {
			inner, length = s[axis+1:].Elements(), s[axis]
		}
		for k, x := range args[0] {
			if n.Axis() < 0 {
				out[0] += x
			} else {
				out[k/(inner*length)*inner+k%inner] += x
			}
		}
	},
	graph.OpSort: func(_ *graph.Node, s, _ graph.Shape, args [][]float64, out []float64) {
		for line := range slices.Chunk(out[:copy(out, args[0])], max(s[len(s)-1], 1)) {
			slices.Sort(line)
		}
	},
	graph.OpArgsort: func(_ *graph.Node, s, _ graph.Shape, args [][]float64, out []float64) {
		n := max(s[len(s)-1], 1)
		for i := range out {
			out[i] = float64(i % n)
		}
		for at := 0; at < len(out); at += n {
			slices.SortStableFunc(out[at:at+n], func(a, b float64) int {
				return cmp.Compare(args[0][at+int(a)], args[0][at+int(b)])
			})
		}
	},
	graph.OpAMax: extremum64(math.Max),
	graph.OpAMin: extremum64(math.Min),
	graph.OpDot: func(_ *graph.Node, _, _ graph.Shape, args [][]float64, out []float64) {
		out[0] = 0
		for k := range args[0] {
			out[0] += args[0][k] * args[1][k]
		}
	},
	graph.OpMatMul: func(_ *graph.Node, s, _ graph.Shape, args [][]float64, out []float64) {
		n := s[len(s)-1]
		p := len(args[1]) / max(n, 1)
		clear(out)
		for k := range out {
			for j := range n {
				out[k] += args[0][k/p*n+j] * args[1][j*p+k%p]
			}
		}
	},
}

// extremum64 is a minimum or maximum along an axis.
func extremum64(f func(a, b float64) float64) func(n *graph.Node, s, to graph.Shape, args [][]float64, out []float64) {
	return func(n *graph.Node, s, _ graph.Shape, args [][]float64, out []float64) {
		inner, length := 1, s.Elements()
		if axis := n.Axis(); axis >= 0 {
			inner, length = s[axis+1:].Elements(), s[axis]
		}
		for k := range out {
			for j := range length {
				x := args[0][(k/inner*length+j)*inner+k%inner]
				if j == 0 {
					out[k] = x
				}
				out[k] = f(out[k], x)
			}
		}
	}
}

// eval64 computes every node of g in double precision, given the inputs'
// values; integers and bools keep their exact meaning.
func eval64(g *graph.Graph, inputs map[graph.ID][]float64) [][]float64 {
	return eval64Body(g, inputs, nil)
}

// eval64Body is eval64 for the body of a loop with these params. What is left over
// in a graph from making a body has no params: any number will do.
func eval64Body(g *graph.Graph, inputs map[graph.ID][]float64, params [][]float64) [][]float64 {
	all := make([][]float64, g.NumNodes())
	for i := range all {
		id := graph.ID(i)
		n, out := g.Node(id), make([]float64, g.Elements(id))
		all[i] = out
		args := make([][]float64, len(g.Args(id)))
		for k, a := range g.Args(id) {
			args[k] = all[a]
		}
		switch {
		case n.Op == graph.OpConst:
			toFloat64(n.DType, g.ConstBits(id), out)
		case n.Op == graph.OpInput:
			if x, ok := inputs[id]; ok {
				copy(out, x)
			} else {
				toFloat64(n.DType, g.InputInfo(id).Init, out)
			}
		case n.Op == graph.OpParam:
			for k := range out {
				if out[k] = 0.75; params != nil {
					out[k] = params[n.Attr][k]
				}
			}
		case n.Op == graph.OpScan:
			scan64(g, id, args, out)
		case !n.Op.Info().Elementwise:
			arrays64[n.Op](n, g.ShapeOf(g.Args(id)[0]), g.ShapeOf(id), args, out)
		default:
			t := g.Node(g.Args(id)[len(args)-1]).DType
			for k := range out {
				out[k] = scalar64(n.Op, t, args, k)
			}
		}
	}
	return all
}

// scan64 computes one result of a loop.
func scan64(g *graph.Graph, id graph.ID, args [][]float64, out []float64) {
	s, result := g.ScanInfo(id)
	params := append([][]float64{{0}}, args...)
	for iteration := range s.Iterations {
		params[0] = []float64{float64(iteration)}
		for k := s.Carries; k < s.Carries+s.Slices; k++ {
			n := len(args[k]) / s.Iterations
			params[1+k] = args[k][iteration*n : (iteration+1)*n]
		}
		if k := result - len(s.Results); k >= 0 {
			copy(out[iteration*len(params[1+k]):], params[1+k])
		}
		all := eval64Body(s.Body, nil, params)
		if result >= s.Carries && result < len(s.Results) {
			row := all[s.Results[result]]
			copy(out[iteration*len(row):], row)
		}
		for k := range s.Carries {
			params[1+k] = all[s.Results[k]]
		}
	}
	if result < s.Carries {
		copy(out, params[1+result])
	}
}

func scalar64(op graph.Op, t graph.DType, args [][]float64, k int) float64 {
	switch {
	case op == graph.OpSelect:
		if args[0][k] != 0 {
			return args[1][k]
		}
		return args[2][k]
	case op == graph.OpToF32 || op == graph.OpToF64:
		return args[0][k]
	case t.IsFloat() && ops64[op] == nil:
		var bits [2]uint64
		for i, a := range args {
			bits[i] = math.Float64bits(a[k])
		}
		w, _ := eval.Scalar(op, graph.F64, bits[:len(args)]...)
		if op.ResultType(graph.F64) == graph.F64 {
			return math.Float64frombits(w)
		}
		return float64(int32(w))
	case t.IsFloat() && len(args) == 1:
		return ops64[op](args[0][k], 0)
	case t.IsFloat():
		return ops64[op](args[0][k], args[1][k])
	}
	var words [3]uint64
	for i, a := range args {
		words[i] = uint64(uint32(int32(a[k])))
	}
	w, _ := eval.Scalar(op, t, words[:len(args)]...)
	return float64(int32(w))
}

func toFloat64(t graph.DType, words []uint32, out []float64) {
	for i := range out {
		switch w := t.At(words, i); t {
		case graph.F64:
			out[i] = math.Float64frombits(w)
		case graph.F32:
			out[i] = float64(math.Float32frombits(uint32(w)))
		default:
			out[i] = float64(int32(w))
		}
	}
}
