// Package graphtest makes random graphs for tests that compare one way of
// computing a graph with another: the optimiser with the oracle,
// generated code with either.
package graphtest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Config says what Random makes. The zero value means the defaults.
type Config struct {
	Ops    int           // ops applied; default 40
	Size   int           // greatest length of an axis; default 9. Arrays have up to Size*Size elements
	Arrays bool          // also arrays and the ops on them
	Loops  bool          // also static loops
	States bool          // also states, whose next values are any values of the graph that fit
	DTypes []graph.DType // types of every node; default all
	Only   []graph.Op    // ops applied; default all that Arrays and DTypes allow
	Fast   float64       // part of the ops that are marked by SetFast, if they can be
	Smooth bool          // for differences: inputs are between 0.1 and 2 in size, and no stop, which hides its slope
}

// Random returns a graph and the values to compare: all that nothing uses, and
// some others. Inputs start with random values, many of them special (zeros of
// both signs, subnormals, infinities, NaN, the extreme integers). Operands of
// unlike types and shapes occur, where promotion and broadcasting bring them
// together. Equal seeds give equal graphs.
func Random(rng *rand.Rand, cfg Config) (*graph.Graph, []graph.Value) {
	if cfg.Ops == 0 {
		cfg.Ops = 40
	}
	if cfg.Size == 0 {
		cfg.Size = 9
	}
	if len(cfg.DTypes) == 0 {
		cfg.DTypes = []graph.DType{graph.Bool, graph.I32, graph.F32, graph.F64}
	}
	if len(cfg.Only) == 0 {
		cfg.Only = allOps(cfg.Arrays, cfg.Smooth)
		if cfg.Loops {
			// Twice, since one in sixty would be few.
			cfg.Only = append(cfg.Only, graph.OpScan, graph.OpScan)
		}
	}
	m := &maker{rng: rng, cfg: cfg, g: graph.New(), outer: map[graph.ID]bool{}}
	for range 2 {
		for _, t := range cfg.DTypes {
			m.leaf(t)
		}
	}
	// An op that does not suit the operands drawn for it is drawn again; the
	// bound is for configurations that allow hardly anything.
	for tries, done := 0, 0; done < cfg.Ops && tries < 100*cfg.Ops; tries++ {
		m.g.SetPos(uint32(done + 1))
		if cfg.Fast > 0 {
			m.g.SetFast(rng.Float64() < cfg.Fast)
		}
		if v, ok := m.apply(cfg.Only[rng.IntN(len(cfg.Only))]); ok {
			m.values = append(m.values, v)
			done++
		}
	}
	m.g.SetFast(false)
	m.completeStates()
	return m.g, m.outputs()
}

// completeStates gives every state a next value: something that was computed,
// another state, an input, a constant or itself.
func (m *maker) completeStates() {
	for _, s := range m.states {
		var fit []graph.Value
		for _, v := range m.values {
			if v.DType() == s.DType() && v.Shape().Equal(s.Shape()) {
				fit = append(fit, v)
			}
		}
		if err := m.g.SetNext(s, fit[m.rng.IntN(len(fit))]); err != nil {
			panic(err) // the state itself fits at least
		}
	}
}

func allOps(arrays, smooth bool) []graph.Op {
	var list []graph.Op
	for op := range graph.NumOps {
		if smooth && op == graph.OpStop || op == graph.OpScan {
			continue
		}
		if info := op.Info(); info.Elementwise || arrays && info.Sig != graph.SigSource {
			list = append(list, op)
		}
	}
	return list
}

type maker struct {
	rng    *rand.Rand
	cfg    Config
	g      *graph.Graph
	values []graph.Value
	states []graph.Value
	depth  int               // of loops around
	outer  map[graph.ID]bool // refused: outside the configured types or sizes
}

// leaf adds an input or, one time in three, a constant; where asked for, a state
// half of the time.
func (m *maker) leaf(t graph.DType) graph.Value {
	shape := graph.Shape{}
	if m.cfg.Arrays && m.rng.IntN(2) == 0 {
		for range 1 + m.rng.IntN(2) {
			shape = append(shape, 1+m.rng.IntN(m.cfg.Size))
		}
	}
	words := make([]uint32, shape.Elements()*t.Words())
	for i := range shape.Elements() {
		t.Put(words, i, m.bits(t))
	}
	var v graph.Value
	var err error
	if m.cfg.States && m.rng.IntN(2) == 0 {
		v, err = m.g.State("", t, shape, words)
		m.states = append(m.states, v)
	} else if m.rng.IntN(3) == 0 {
		v, err = m.g.Const(graph.Tensor{DType: t, Shape: shape, Bits: words})
	} else {
		v, err = m.g.Input("", t, shape, words)
	}
	if err != nil {
		panic(err) // the shape is within every bound
	}
	m.values = append(m.values, v)
	return v
}

var specialFloats = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, 2, 0.5, -0.5, 3, -2.5, 1.5, 10,
	math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 1e-40, 1.1754944e-38, math.MaxFloat32, -math.MaxFloat32,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
	1 << 31, -1 << 31, 2147483520, 1 << 24, 16777217, 1e10, -1e20, 3.1415927, 1.5707964, 0.99999994, 1.0000001,
}

var specialDoubles = []float64{
	math.SmallestNonzeroFloat64, 2.2250738585072014e-308, math.MaxFloat64, -math.MaxFloat64, 1 << 52, 1<<53 + 2, 4503599627370495.5,
	0.1, 1.0000000000000002, 0.9999999999999999, 2147483647.5, -2147483648.5, 1e300, -1e-300, math.Pi,
}

var specialInts = []int32{0, 1, -1, 2, -2, 3, 7, -7, 8, 16, 31, 32, 33, 255, 1 << 24, 1<<24 + 1, math.MaxInt32, math.MinInt32, math.MinInt32 + 1}

func (m *maker) bits(t graph.DType) uint64 {
	special := !m.cfg.Smooth && m.rng.IntN(2) == 0
	switch {
	case t == graph.Bool:
		return uint64(m.rng.IntN(2))
	case t == graph.I32 && special:
		return uint64(uint32(specialInts[m.rng.IntN(len(specialInts))]))
	case t == graph.I32:
		return uint64(uint32(m.rng.IntN(21) - 10))
	case special && m.rng.IntN(4) == 0:
		return m.rng.Uint64() >> (64 - 32*t.Words())
	case special && t == graph.F64 && m.rng.IntN(2) == 0:
		return math.Float64bits(specialDoubles[m.rng.IntN(len(specialDoubles))])
	case special:
		return floatBits(t, float64(specialFloats[m.rng.IntN(len(specialFloats))]))
	}
	x := float64(0.1 + 1.9*m.rng.Float32())
	if t == graph.F64 {
		x += 1e-9 * m.rng.Float64()
	}
	if m.rng.IntN(2) == 0 {
		x = -x
	}
	return floatBits(t, x)
}

func floatBits(t graph.DType, x float64) uint64 {
	if t == graph.F64 {
		return math.Float64bits(x)
	}
	return uint64(math.Float32bits(float32(x)))
}

// pick draws a value that ok accepts; now and then a new leaf is added first so
// that graphs do not end in one constant.
func (m *maker) pick(ok func(v graph.Value) bool) (graph.Value, bool) {
	if m.rng.IntN(8) == 0 {
		m.leaf(m.cfg.DTypes[m.rng.IntN(len(m.cfg.DTypes))])
	}
	for range 24 {
		// Half of the draws from the newest values: that makes long chains.
		lo := 0
		if m.rng.IntN(2) == 0 {
			lo = max(0, len(m.values)-6)
		}
		if v := m.values[lo+m.rng.IntN(len(m.values)-lo)]; ok(v) {
			return v, true
		}
	}
	return graph.Value{}, false
}

func anything(graph.Value) bool { return true }

func hasAxes(lo, hi int) func(graph.Value) bool {
	return func(v graph.Value) bool { return len(v.Shape()) >= lo && len(v.Shape()) <= hi }
}

// apply draws operands for op and builds it. It reports false if they do not
// suit.
func (m *maker) apply(op graph.Op) (graph.Value, bool) {
	v, ok := graph.Value{}, false
	if draw := draws[op]; draw != nil {
		v, ok = draw(m)
	} else {
		v, ok = m.elementwise(op)
	}
	if !ok || m.outside(v) {
		return v, false
	}
	return v, true
}

// outside reports whether v depends on a node beyond the configured types or
// sizes, which a conversion or broadcasting may have made.
func (m *maker) outside(v graph.Value) bool {
	limit := m.cfg.Size * m.cfg.Size
	for id := graph.ID(len(m.outer)); int(id) < m.g.NumNodes(); id++ {
		bad := m.g.Elements(id) > limit || !slices.Contains(m.cfg.DTypes, m.g.Node(id).DType)
		for _, a := range m.g.Args(id) {
			bad = bad || m.outer[a]
		}
		m.outer[id] = bad
	}
	return m.outer[v.ID()]
}

func (m *maker) elementwise(op graph.Op) (graph.Value, bool) {
	args := make([]graph.Value, op.Info().Arity)
	for i := range args {
		var ok bool
		first := args[0]
		args[i], ok = m.pick(func(v graph.Value) bool {
			// Mostly the type of the first operand, any shape: Apply decides.
			return i == 0 || v.DType() == first.DType() || m.rng.IntN(4) == 0
		})
		if !ok {
			return graph.Value{}, false
		}
	}
	if op == graph.OpPow && m.rng.IntN(2) == 0 {
		v, err := m.g.Pow(args[0], m.g.I32(int32(m.rng.IntN(12)-4)))
		return v, err == nil
	}
	v, err := m.g.Apply(op, args...)
	return v, err == nil
}
