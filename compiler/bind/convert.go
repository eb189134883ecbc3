package bind

import (
	"fmt"
	"math"

	"github.com/copaflash/copaflash/boards/conversion"
	"github.com/copaflash/copaflash/compiler/graph"
)

// convert is a list of steps as operations, with the bits of conversion.Eval. States of steps are named after what.
func (p *pins) convert(steps []conversion.Step, v graph.Value, what string, task int) (graph.Value, error) {
	for i, s := range steps {
		if !s.HasState() {
			v = step(s, v)
			continue
		}
		state := p.w.Graph.StateTensor(fmt.Sprintf("%s.%s%d", what, s.Kind, i+1), graph.ScalarI32(0))
		next := v
		if s.Kind == conversion.Sum {
			v = v.Add(state)
			next = v
		} else {
			v = v.Sub(state)
		}
		p.w.After(func() error { return p.w.SetNext(state, next, task) })
	}
	return v, p.w.Graph.Err()
}

// step is a step without a state.
func step(s conversion.Step, v graph.Value) graph.Value {
	g := v.Graph()
	whole := func(x float64) graph.Value { return g.I32(int32(uint32(int64(x)))) }
	f32 := func(x float64) graph.Value { return g.F32(float32(x)) }
	switch s.Kind {
	case conversion.Mask:
		return v.And(whole(s.A))
	case conversion.Flip:
		return v.Xor(whole(s.A))
	case conversion.Shift:
		switch n := int32(math.Abs(s.A)); {
		case n == 0:
			return v
		case s.A > 0:
			return v.Shl(g.I32(n))
		default: // with zeros from the left
			return v.Shr(g.I32(n)).And(g.I32(int32(uint32(math.MaxUint32) >> n)))
		}
	case conversion.Signed:
		rest := g.I32(32 - int32(s.A))
		return v.Shl(rest).Shr(rest)
	case conversion.Limit:
		return v.Max(whole(s.A)).Min(whole(s.B))
	case conversion.Truth:
		return v.ToBool()
	case conversion.Select:
		return v.Select(whole(s.A), whole(s.B))
	case conversion.Float:
		return v.ToF32()
	case conversion.Scale:
		return v.Mul(f32(s.A))
	case conversion.Offset:
		return v.Add(f32(s.A))
	case conversion.Clamp:
		return v.Max(f32(s.A)).Min(f32(s.B))
	case conversion.Round:
		return v.Round().ToI32()
	}
	panic("no such step: " + string(s.Kind)) // chips.Expand checks them
}
