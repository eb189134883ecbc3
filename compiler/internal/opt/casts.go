package opt

import "github.com/copaflash/copaflash/compiler/graph"

// Casts of casts, where the first one lost nothing that the second would show.
var casts = map[graph.Op]rule{
	graph.OpToF32: func(o *pass, n node) (graph.ID, bool) {
		if y, ok := o.operand(n.args[0], graph.OpToI32); ok && o.to.Node(y).DType == graph.Bool {
			return o.make(n, graph.OpToF32, graph.F32, y)
		}
		return none()
	},
	graph.OpToF64: func(o *pass, n node) (graph.ID, bool) {
		if y, ok := o.operand(n.args[0], graph.OpToI32); ok && o.to.Node(y).DType == graph.Bool {
			return o.make(n, graph.OpToF64, graph.F64, y)
		}
		return none()
	},
	graph.OpToI32: func(o *pass, n node) (graph.ID, bool) {
		for _, op := range []graph.Op{graph.OpToF32, graph.OpToF64} {
			if y, ok := o.operand(n.args[0], op); ok && o.to.Node(y).DType == graph.Bool {
				return o.make(n, graph.OpToI32, graph.I32, y)
			}
		}
		if y, ok := o.operand(n.args[0], graph.OpTrunc); ok {
			return o.make(n, graph.OpToI32, graph.I32, y)
		}
		return none()
	},
	graph.OpToBool: func(o *pass, n node) (graph.ID, bool) {
		for _, op := range []graph.Op{graph.OpToI32, graph.OpToF32, graph.OpToF64} {
			y, ok := o.operand(n.args[0], op)
			if !ok {
				continue
			}
			switch o.to.Node(y).DType {
			case graph.Bool:
				return keep(y)
			case graph.I32:
				return o.make(n, graph.OpToBool, graph.Bool, y)
			}
		}
		return none()
	},
}
