package copapy

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// bindings find the names that the script gives its variables and states first, so that
// those made in functions and those whose name has got another value have one, too.
type bindings struct {
	inputs, states []firstName // by number
	names          []string    // that were found
	pending        int         // how many have no name yet
	watched        bool        // assignments are: some name is pending
	wait           int32       // number of the present wait for names
	effort         int         // assignments and parts that may still be looked at
}

// firstName is what a variable or state was bound to first. A script may make many, so it has no pointers.
type firstName struct {
	name int32 // 1 + index in names; 0: nothing
	node graph.ID
	wait int32 // 1 + number of the wait in which it was made, 0 once that has ended for it
}

// of is the entry of a node, nil for one that is no variable or state, or is older than bindings are watched.
func (b *bindings) of(n *graph.Node) *firstName {
	list := b.inputs
	switch n.Op {
	case graph.OpInput:
	case graph.OpState:
		list = b.states
	default:
		return nil
	}
	if n.Attr >= uint64(len(list)) {
		return nil
	}
	return &list[n.Attr]
}

// expect begins to wait for the name of a variable or state.
func (b *bindings) expect(id graph.ID, n *graph.Node) {
	list := &b.inputs
	if n.Op == graph.OpState {
		list = &b.states
	}
	if missing := int(n.Attr) + 1 - len(*list); missing > 0 {
		if len(*list)+missing > cap(*list) {
			*list = slices.Grow(*list, max(missing, len(*list))) // by doubling, where append would grow by a quarter
		}
		*list = (*list)[:n.Attr+1]
	}
	(*list)[n.Attr] = firstName{node: id, wait: 1 + b.wait}
	b.pending++
}

// settle ends the wait for a name, if there is one.
func (b *bindings) settle(n *graph.Node, name string) {
	if f := b.of(n); f != nil && f.wait == 1+b.wait {
		f.wait, f.name = 0, b.numberOf(name)
		b.pending--
	}
}

// repeated is how many of the latest names are compared with a new one: the variables of a loop get the
// same few names again and again.
const repeated = 4

// numberOf is what firstName.name is for a name.
func (b *bindings) numberOf(name string) int32 {
	if name == "" {
		return 0
	}
	n := len(b.names)
	for i := n - 1; i >= 0 && i >= n-repeated; i-- {
		if b.names[i] == name {
			return int32(i) + 1
		}
	}
	b.names = append(b.names, name)
	return int32(n) + 1
}

// giveUp ends the wait for all names that are missing.
func (b *bindings) giveUp() {
	b.wait++
	b.pending = 0
}

// The effort for each variable, and for all at once: looking for names does not make a
// script slow that gives its variables none.
const (
	effortForOne  = 1000
	effortForAll  = 200_000
	partsOfObject = 256
)

// unnamed begins to look for the name of a new variable or state.
func (m *module) unnamed(v vm.Value, err error) (vm.Value, error) {
	node := array.TracedNode(v)
	if err != nil || !node.Valid() || !m.isVariable(node.ID()) {
		return v, err
	}
	b := &m.bindings
	b.expect(node.ID(), m.Graph.Node(node.ID()))
	b.effort = min(b.effort+effortForOne, effortForAll)
	if !b.watched {
		b.watched = true
		m.thread.OnBinding(m.bound)
	}
	return v, nil
}

// bound is told of an assignment.
func (m *module) bound(name string, v vm.Value) {
	b := &m.bindings
	b.effort--
	take := func(name string, v vm.Value) {
		if node := array.TracedNode(v); node.Valid() {
			b.settle(m.Graph.Node(node.ID()), name)
		}
	}
	switch v.(type) {
	case *array.Value, *array.Tensor:
		take(name, v)
	case *vm.List, *vm.Tuple, *vm.Dict, *vm.Instance, *vm.Class:
		b.effort -= vm.EachPartOf(name, v, partsOfObject, take)
	}
	if b.pending == 0 || b.effort <= 0 {
		b.giveUp()
		b.watched = false
		m.thread.OnBinding(nil)
	}
}

// nameVariables names variables and states, so that a host can reach them: as name= says,
// else as the global variable that holds them was bound first, else by the part of an object or list
// that holds them, as pid.integral, and else by their first name in a function.
func (m *module) nameVariables(t *vm.Thread) {
	give := func(name string, node graph.Value) {
		if given := m.nameOf(node); given != nil && *given == "" && !m.roles.has(name) {
			*given = name
		}
	}
	giveTo := func(name string, v vm.Value) {
		if node := array.TracedNode(v); node.Valid() {
			give(name, node)
		}
	}
	t.EachGlobal(giveTo)
	t.EachPart(giveTo)
	for _, list := range [][]firstName{m.bindings.inputs, m.bindings.states} {
		for i := range list {
			if f := &list[i]; f.name != 0 {
				give(m.bindings.names[f.name-1], m.Graph.Value(f.node))
				f.name = 0
			}
		}
	}
}

// maxName bounds names given as name=, in bytes.
const maxName = 200

// named makes a variable or state and gives it the name that the script has for it.
func (m *module) named(t *vm.Thread, fn string, name vm.Value, make func() (vm.Value, error)) (vm.Value, error) {
	text, err := variableName(fn, name)
	if err != nil {
		return nil, err
	}
	n := m.Graph.NumNodes()
	v, err := make()
	if err != nil {
		return nil, err
	}
	node := array.TracedNode(v)
	if int(node.ID()) < n || !m.isVariable(node.ID()) {
		return nil, vm.WithHint(vm.ValueErrorf("%s: only a new variable gets a name, and this is a traced value already", fn),
			"leave out name=, or make the variable of a number")
	}
	*m.nameOf(node) = text
	return v, nil
}

// variableName is a name that a script gives.
func variableName(fn string, name vm.Value) (string, error) {
	text, ok := name.(string)
	if !ok {
		return "", vm.TypeErrorf("%s takes a str as the argument name, not '%s'", fn, vm.TypeName(name))
	}
	if text == "" || len(text) > maxName || text != strings.TrimSpace(text) || strings.ContainsFunc(text, func(r rune) bool { return r == '=' || !unicode.IsPrint(r) }) {
		return "", vm.WithHint(vm.ValueErrorf("%s: %q is not a name for a variable", fn, text),
			"a name is made of letters, digits and signs that can be printed but =, up to "+strconv.Itoa(maxName)+" of them")
	}
	return text, nil
}

// nameOf is the name of a variable or state, nil for other nodes.
func (m *module) nameOf(node graph.Value) *string {
	switch node.Op() {
	case graph.OpInput:
		return &m.Graph.InputInfo(node.ID()).Name
	case graph.OpState:
		return &m.Graph.StateInfo(node.ID()).Name
	}
	return nil
}

// partNames gives the elements of a list that a script wrote as text their names: those
// written there, as in [a, b], or gains[0] and so on.
func partNames(text string, n int) func(i int) string {
	text = strings.TrimSpace(text)
	if parts := displayed(text); len(parts) == n {
		return func(i int) string { return parts[i] }
	}
	return func(i int) string {
		if text == "" {
			return ""
		}
		return text + "[" + strconv.Itoa(i) + "]"
	}
}

// displayed are the elements of a list or tuple display, nil for other expressions.
func displayed(text string) []string {
	if len(text) < 2 || !strings.ContainsRune("[(", rune(text[0])) {
		return nil
	}
	var parts []string
	depth, from, quote := 0, 1, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.ContainsRune("[({", rune(c)):
			depth++
		case strings.ContainsRune("])}", rune(c)):
			if depth--; depth == 0 && i < len(text)-1 {
				return nil // as in [a, b][0] or (a) + (b)
			}
		case c == ',' && depth == 1:
			parts = append(parts, strings.TrimSpace(text[from:i]))
			from = i + 1
		}
	}
	if last := strings.TrimSpace(text[from : len(text)-1]); last != "" {
		parts = append(parts, last)
	}
	return parts
}
