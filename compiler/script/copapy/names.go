package copapy

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/vm"
)

// nameParts names the variables and states that only objects and lists of the script
// hold, such as pid.integral, so that a host can reach them. A name is given once.
func (m *module) nameParts(t *vm.Thread) {
	global := map[graph.ID]bool{} // these have their names from the outputs
	t.EachGlobal(func(_ string, v vm.Value) {
		if node := tracedNode(v); node.Valid() {
			global[node.ID()] = true
		}
	})
	t.EachPart(func(name string, v vm.Value) {
		node := tracedNode(v)
		if !node.Valid() || global[node.ID()] || m.partNames[name] {
			return
		}
		var given *string
		switch node.Op() {
		case graph.OpInput:
			given = &m.g.InputInfo(node.ID()).Name
		case graph.OpState:
			given = &m.g.StateInfo(node.ID()).Name
		default:
			return
		}
		if *given == "" {
			*given, m.partNames[name] = name, true
		}
	})
}

// tracedNode is the node of a traced value or array, and invalid for anything else.
func tracedNode(v vm.Value) graph.Value {
	switch v := v.(type) {
	case *Value:
		return v.v
	case *Tensor:
		v.settle()
		return v.array
	}
	return graph.Value{}
}
