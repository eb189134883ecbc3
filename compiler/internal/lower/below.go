package lower

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// A search in a sorted array asks of each x whether it stands before v, where a NaN stands behind
// all numbers: x < v, or v is NaN and x <= infinity. That is one comparison with the largest
// float below v, which is made once.

var below = lir.Of(lir.Below, graph.F32)

// findBelow finds such scalar nodes, x < v or x <= (infinity if v is NaN else NaN), and takes
// away the uses of the comparisons that they are made of.
func (l *lowerer) findBelow() {
	if !l.m.Ops[below].Valid || !l.g.Has(graph.OpOr) {
		return
	}
	for id := range graph.ID(l.g.NumNodes()) {
		n := l.g.Node(id)
		if l.uses[id] == 0 || n.Op != graph.OpOr || n.DType != graph.Bool || n.Shape != graph.Scalar {
			continue
		}
		args := l.g.Args(id)
		for i, a := range args {
			x, v, ok := l.ordered(a, args[1-i])
			if !ok {
				continue
			}
			if l.before == nil {
				l.before = map[graph.ID][2]graph.ID{}
			}
			l.before[id] = [2]graph.ID{x, v}
			l.uses[x]++
			l.uses[v]++
			l.release(a)
			l.release(args[1-i])
			break
		}
	}
}

// ordered reports whether two comparisons are the halves of such a node.
func (l *lowerer) ordered(lt, le graph.ID) (x, v graph.ID, ok bool) {
	if l.g.Node(lt).Op != graph.OpLt || l.g.Node(le).Op != graph.OpLe {
		return 0, 0, false
	}
	x, v = l.g.Args(lt)[0], l.g.Args(lt)[1]
	last := l.g.Args(le)[1]
	if l.g.Node(x).DType != graph.F32 || l.g.Args(le)[0] != x || l.g.Node(last).Op != graph.OpSelect {
		return 0, 0, false
	}
	choice := l.g.Args(last)
	isNaN := l.g.Node(choice[0])
	switch args := l.g.Args(choice[0]); {
	case isNaN.Op == graph.OpIsNaN && args[0] == v:
	case isNaN.Op == graph.OpNe && args[0] == v && args[1] == v:
	default:
		return 0, 0, false
	}
	number := func(id graph.ID) float64 {
		if l.g.Node(id).Op != graph.OpConst {
			return 0
		}
		return float64(math.Float32frombits(uint32(l.g.ConstBits(id)[0])))
	}
	return x, v, math.IsInf(number(choice[1]), 1) && math.IsNaN(number(choice[2]))
}

// standsBefore is whether x stands before v.
func (l *lowerer) standsBefore(x, v lir.Val) lir.Val {
	last, ok := l.belows[v]
	if !ok {
		if last = l.compute(below, v, 0, 0); l.belows == nil {
			l.belows = map[lir.Val]lir.Val{}
		}
		l.belows[v] = last
	}
	return l.apply(graph.OpLe, graph.F32, x, last, 0)
}
