package graphtest

import "github.com/copaflash/copaflash/compiler/graph"

// draws builds the ops on arrays, and loops, from suitable operands.
var draws map[graph.Op]func(m *maker) (graph.Value, bool)

// Filled in by init, since the body of a loop draws in turn.
func init() {
	draws = map[graph.Op]func(m *maker) (graph.Value, bool){
		graph.OpStack:     drawStack,
		graph.OpIndex:     drawIndex,
		graph.OpTake:      drawTake,
		graph.OpSlice:     drawSlice,
		graph.OpConcat:    drawConcat,
		graph.OpReshape:   drawReshape,
		graph.OpTranspose: drawTranspose,
		graph.OpBroadcast: drawBroadcast,
		graph.OpSort:      drawSorted(graph.OpSort),
		graph.OpArgsort:   drawSorted(graph.OpArgsort),
		graph.OpSum:       reduced((*graph.Graph).Sum),
		graph.OpAMax:      reduced((*graph.Graph).AMax),
		graph.OpAMin:      reduced((*graph.Graph).AMin),
		graph.OpDot:       drawDot,
		graph.OpMatMul:    drawMatMul,
		graph.OpScan:      drawScan,
	}
}

func drawStack(m *maker) (graph.Value, bool) {
	args := make([]graph.Value, 1+m.rng.IntN(m.cfg.Size))
	for i := range args {
		var ok bool
		if args[i], ok = m.pick(hasAxes(0, 0)); !ok {
			return graph.Value{}, false
		}
	}
	v, err := m.g.Stack(args...)
	return v, err == nil
}

func drawIndex(m *maker) (graph.Value, bool) {
	a, ok := m.pick(hasAxes(1, 3))
	if !ok || a.Shape()[0] == 0 {
		return a, false
	}
	v, err := m.g.Index(a, m.rng.IntN(a.Shape()[0]))
	return v, err == nil
}

// drawTake takes rows by one index, or elements by several. They are small numbers more often
// than not: others take the rows at the ends.
func drawTake(m *maker) (graph.Value, bool) {
	a, ok := m.pick(hasAxes(1, 3))
	if !ok || a.Shape()[0] == 0 {
		return a, false
	}
	rank := 0
	if len(a.Shape()) == 1 {
		rank = 2
	}
	by, ok := m.pick(func(v graph.Value) bool { return !v.DType().IsFloat() && len(v.Shape()) <= rank })
	if !ok {
		return a, false
	}
	if n := a.Shape()[0]; m.rng.IntN(4) != 0 {
		by = by.ToI32().Mod(m.g.I32(int32(2*n + 2))).Sub(m.g.I32(int32(n + 1)))
	}
	v, err := m.g.Apply(graph.OpTake, a, by)
	return v, err == nil
}

func drawSorted(op graph.Op) func(m *maker) (graph.Value, bool) {
	return func(m *maker) (graph.Value, bool) {
		a, ok := m.pick(func(v graph.Value) bool { return op.Takes(v.DType()) && len(v.Shape()) > 0 })
		if !ok {
			return a, false
		}
		v, err := m.g.Apply(op, a)
		return v, err == nil
	}
}

func drawSlice(m *maker) (graph.Value, bool) {
	a, ok := m.pick(hasAxes(1, 3))
	if !ok {
		return a, false
	}
	n := a.Shape()[0]
	start, stop, step := m.rng.IntN(2*n+3)-n-1, m.rng.IntN(2*n+3)-n-1, m.rng.IntN(7)-3
	if step == 0 {
		return a, false
	}
	first, count := graph.SliceBounds(n, &start, &stop, step)
	if count == 0 && m.rng.IntN(8) != 0 {
		return a, false // empty arrays now and then
	}
	v, err := m.g.Slice(a, first, count, step)
	return v, err == nil
}

func drawConcat(m *maker) (graph.Value, bool) {
	a, ok := m.pick(hasAxes(1, 2))
	if !ok {
		return a, false
	}
	args := []graph.Value{a}
	for range 1 + m.rng.IntN(3) {
		b, ok := m.pick(func(v graph.Value) bool {
			return len(v.Shape()) == len(a.Shape()) && v.Shape()[1:].Equal(a.Shape()[1:])
		})
		if !ok {
			return a, false
		}
		args = append(args, b)
	}
	v, err := m.g.Concat(args...)
	return v, err == nil
}

func drawReshape(m *maker) (graph.Value, bool) {
	a, ok := m.pick(anything)
	if !ok {
		return a, false
	}
	n := a.Shape().Elements()
	shapes := []graph.Shape{{n}, {1, n}, {n, 1}}
	for d := 2; d < n; d++ {
		if n%d == 0 {
			shapes = append(shapes, graph.Shape{d, n / d})
		}
	}
	v, err := m.g.Reshape(a, shapes[m.rng.IntN(len(shapes))])
	return v, err == nil
}

func drawTranspose(m *maker) (graph.Value, bool) {
	a, ok := m.pick(hasAxes(2, 2))
	if !ok {
		return a, false
	}
	v, err := m.g.Transpose(a)
	return v, err == nil
}

func drawBroadcast(m *maker) (graph.Value, bool) {
	a, ok := m.pick(hasAxes(0, 2))
	if !ok {
		return a, false
	}
	s := append(graph.Shape{}, a.Shape()...)
	for i := range s {
		if s[i] == 1 {
			s[i] = 1 + m.rng.IntN(m.cfg.Size)
		}
	}
	if len(s) < 2 {
		s = append(graph.Shape{1 + m.rng.IntN(m.cfg.Size)}, s...)
	}
	v, err := m.g.Broadcast(a, s)
	return v, err == nil
}

// reduced draws what a reduction makes of an array, along one axis or all.
func reduced(reduce func(g *graph.Graph, v graph.Value, axis int) (graph.Value, error)) func(m *maker) (graph.Value, bool) {
	return func(m *maker) (graph.Value, bool) {
		a, ok := m.pick(hasAxes(1, 3))
		if !ok {
			return a, false
		}
		axis := graph.AllAxes
		if m.rng.IntN(2) == 0 {
			axis = m.rng.IntN(len(a.Shape()))
		}
		v, err := reduce(m.g, a, axis)
		return v, err == nil
	}
}

func drawDot(m *maker) (graph.Value, bool) {
	a, ok := m.pick(hasAxes(1, 1))
	if !ok {
		return a, false
	}
	b, ok := m.pick(func(v graph.Value) bool { return v.Shape().Equal(a.Shape()) })
	if !ok {
		return a, false
	}
	v, err := m.g.Dot(a, b)
	return v, err == nil
}

func drawMatMul(m *maker) (graph.Value, bool) {
	a, ok := m.pick(hasAxes(1, 2))
	if !ok {
		return a, false
	}
	n := a.Shape()[len(a.Shape())-1]
	b, ok := m.pick(func(v graph.Value) bool {
		s := v.Shape()
		return len(s) <= 2 && len(s)+len(a.Shape()) > 2 && len(s) > 0 && s[0] == n
	})
	if !ok {
		// The transpose always fits.
		b = a.Transpose()
		if len(a.Shape()) == 1 {
			b = a.Reshape(n, 1)
		}
	}
	v, err := m.g.MatMul(a, b)
	return v, err == nil
}
