package copapy

import (
	"strconv"
	"strings"
	"unicode"

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
		return v.array
	}
	return graph.Value{}
}

// maxName bounds names given as name=, in bytes.
const maxName = 200

// named makes a variable or state and gives it the name that the script has for it.
func (m *module) named(t *vm.Thread, fn string, name vm.Value, make func() (vm.Value, error)) (vm.Value, error) {
	text, ok := name.(string)
	if !ok {
		return nil, vm.TypeErrorf("%s takes a str as the argument name, not '%s'", fn, vm.TypeName(name))
	}
	if text == "" || len(text) > maxName || text != strings.TrimSpace(text) || strings.ContainsFunc(text, func(r rune) bool { return r == '=' || !unicode.IsPrint(r) }) {
		return nil, vm.WithHint(vm.ValueErrorf("%s: %q is no name for a variable", fn, text),
			"a name is made of letters, digits and signs that can be printed but =, up to "+strconv.Itoa(maxName)+" of them")
	}
	n := m.g.NumNodes()
	v, err := make()
	if err != nil {
		return nil, err
	}
	node := tracedNode(v)
	if int(node.ID()) < n || !m.isVariable(node.ID()) {
		return nil, vm.WithHint(vm.ValueErrorf("%s: only a new variable gets a name, and this is a traced value already", fn),
			"leave out name=, or make the variable of a number")
	}
	*m.nameOf(node) = text
	return v, nil
}

// nameOf is the name of a variable or state, nil for other nodes.
func (m *module) nameOf(node graph.Value) *string {
	switch node.Op() {
	case graph.OpInput:
		return &m.g.InputInfo(node.ID()).Name
	case graph.OpState:
		return &m.g.StateInfo(node.ID()).Name
	}
	return nil
}
