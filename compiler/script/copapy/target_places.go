package copapy

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// element is an element of a node that has its numbers somewhere: in the data block, or on the host.
type element struct {
	node graph.ID
	at   int // row by row
}

// moves are the ops whose elements are elements of their operand: they give the index of
// element i there.
var moves = map[graph.Op]func(g *graph.Graph, id graph.ID, i int) int{
	graph.OpStop:    func(_ *graph.Graph, _ graph.ID, i int) int { return i },
	graph.OpReshape: func(_ *graph.Graph, _ graph.ID, i int) int { return i },
	graph.OpIndex: func(g *graph.Graph, id graph.ID, i int) int {
		return int(g.Node(id).Attr)*g.Elements(id) + i
	},
	graph.OpSlice: func(g *graph.Graph, id graph.ID, i int) int {
		start, step := g.Node(id).SliceRange()
		row := max(g.ShapeOf(id)[1:].Elements(), 1)
		return (start+i/row*step)*row + i%row
	},
	graph.OpTranspose: func(g *graph.Graph, id graph.ID, i int) int {
		s := g.ShapeOf(id)
		return i%s[1]*s[0] + i/s[1]
	},
	graph.OpBroadcast: func(g *graph.Graph, id graph.ID, i int) int {
		from, to := g.ShapeOf(g.Args(id)[0]), g.ShapeOf(id)
		at, stride := 0, 1
		for axis := len(to) - 1; axis >= len(to)-len(from); axis-- {
			if n := from[axis-len(to)+len(from)]; n > 1 {
				at += i % to[axis] * stride
				stride *= n
			}
			i /= to[axis]
		}
		return at
	},
}

// locate follows an element of a value to the node that has it, as far as that only
// selects and moves elements.
func (m *module) locate(e element, has func(graph.ID) bool) (element, bool) {
	for !has(e.node) {
		op := m.Graph.Node(e.node).Op
		switch move := moves[op]; {
		case move != nil:
			e = element{m.Graph.Args(e.node)[0], move(m.Graph, e.node, e.at)}
		case op == graph.OpStack:
			e = element{m.Graph.Args(e.node)[e.at], 0}
		case op == graph.OpConcat:
			for _, part := range m.Graph.Args(e.node) {
				if n := m.Graph.Elements(part); e.at >= n {
					e.at -= n
					continue
				}
				e.node = part
				break
			}
		default:
			return e, false
		}
	}
	return e, true
}

// locateAll finds all elements of a value.
func (m *module) locateAll(v graph.Value, has func(graph.ID) bool) ([]element, bool) {
	list := make([]element, m.Graph.Elements(v.ID()))
	for i := range list {
		var ok bool
		if list[i], ok = m.locate(element{v.ID(), i}, has); !ok {
			return nil, false
		}
	}
	return list, true
}

// hasNumbers tells nodes whose numbers need no run of another program: outputs,
// variables and constants.
func (x *target) hasNumbers(id graph.ID) bool {
	return x.symbol(id) != nil || x.m.isKnown(id)
}

// isReadable tells whether the elements of a value are in memory.
func (x *target) isReadable(v graph.Value) bool {
	_, ok := x.m.locateAll(v, x.hasNumbers)
	return ok
}

// isVariable tells what the host may write.
func (m *module) isVariable(id graph.ID) bool {
	op := m.Graph.Node(id).Op
	return op == graph.OpInput || op == graph.OpState
}

// isKnown tells nodes whose numbers are known without a run.
func (m *module) isKnown(id graph.ID) bool { return m.isVariable(id) || m.Graph.IsConst(id) }

// parts finds what is to be read for elements: of each array all of it, or where it is
// large and few elements are wanted, these.
func (x *target) parts(elems []element) func(element) (s device.Span, at uint32, ok bool) {
	wanted := map[graph.ID]int{}
	for _, e := range elems {
		wanted[e.node]++
	}
	return func(e element) (device.Span, uint32, bool) {
		sym := x.symbol(e.node)
		if sym == nil {
			return device.Span{}, 0, false
		}
		size := uint32(sym.DType.Size())
		at := uint32(e.at) * size
		if sym.Size() <= aheadLimit || wanted[e.node]*4 >= sym.Len() {
			return device.SpanOf(sym), at, true
		}
		return device.Span{Offset: sym.Offset + at, Length: size}, 0, true
	}
}

// nodeSpans appends what is to be read for a value.
func (x *target) nodeSpans(list []device.Span, v graph.Value) []device.Span {
	if sym := x.symbol(v.ID()); sym != nil {
		return append(list, device.SpanOf(sym))
	}
	elems, ok := x.m.locateAll(v, x.hasNumbers)
	if !ok {
		return list
	}
	part := x.parts(elems)
	seen := map[device.Span]bool{}
	for _, e := range elems {
		if s, _, ok := part(e); ok && !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	}
	return list
}

// node has the numbers of a value, for which everything in nodeSpans was read.
func (x *target) node(v graph.Value) []vm.Value {
	d := v.DType()
	if sym := x.symbol(v.ID()); sym != nil {
		return decode(d, sym.Decode(x.loaded.data(device.SpanOf(sym))).Bits)
	}
	if x.m.isKnown(v.ID()) {
		return decode(d, x.known(v.ID()))
	}
	elems, _ := x.m.locateAll(v, x.hasNumbers)
	part := x.parts(elems)
	n := d.Words()
	all := make([]uint32, 0, n*len(elems))
	for _, e := range elems {
		if s, at, ok := part(e); ok {
			all = append(all, graph.Words(x.loaded.data(s)[at:int(at)+d.Size()])...)
		} else {
			all = append(all, x.known(e.node)[n*e.at:n*e.at+n]...)
		}
	}
	return decode(d, all)
}

// known has the numbers of a constant, or of a variable that the program does not depend on.
func (x *target) known(id graph.ID) []uint32 {
	g := x.m.Graph
	switch {
	case g.IsConst(id):
		return g.ConstBits(id)
	case x.written[id] != nil:
		return x.written[id]
	case g.Node(id).Op == graph.OpInput:
		return g.InputInfo(id).Init
	}
	return g.StateInfo(id).Init
}

// writeNode writes numbers to a variable, or to the elements of variables that a
// value is made of.
func (x *target) writeNode(t *vm.Thread, v graph.Value, nums []vm.Value) error {
	elems, ok := x.m.locateAll(v, x.m.isKnown)
	if !ok {
		return vm.WithHint(vm.ValueErrorf("write_value: this is a computed value: each run overwrites it"),
			"write to variables made with cp.value(...) or cp.state(...)")
	}
	if len(elems) != len(nums) {
		return vm.ValueErrorf("write_value: %d numbers for %d elements", len(nums), len(elems))
	}
	d := v.DType()
	data := make([]uint32, len(nums)*d.Words())
	for i, e := range elems {
		if !x.m.isVariable(e.node) {
			return vm.WithHint(vm.ValueErrorf("write_value: element %d is a constant of the program", i),
				"make it a variable: cp.value(number)")
		}
		if x.isBound(e.node) {
			return vm.WithHint(vm.ValueErrorf("write_value: %q is bound to a channel, which gives it its value", x.m.Graph.InputInfo(e.node).Name),
				"leave it out of tg.bind(...) or --bind to write it")
		}
		w, err := x.variableWord(d, nums[i])
		if err != nil {
			return err
		}
		d.Put(data, i, w)
	}
	words := d.Words()
	var beyond error
	eachRun(elems, func(from, n int) {
		if err := x.m.checkLimits(elems[from].node, data[words*from:words*(from+n)]); err != nil && beyond == nil {
			beyond = err
		}
	})
	if beyond != nil {
		return beyond
	}
	eachRun(elems, func(from, n int) { x.writeElements(elems[from], data[words*from:words*(from+n)]) })
	return nil
}

// eachRun calls f for the elements that lie one behind the other: n of them from one on.
func eachRun(elems []element, f func(from, n int)) {
	for from := 0; from < len(elems); {
		to := from + 1
		for to < len(elems) && elems[to] == (element{elems[from].node, elems[from].at + to - from}) {
			to++
		}
		f(from, to-from)
		from = to
	}
}

// writeElements writes words to a variable from one of its elements.
func (x *target) writeElements(first element, data []uint32) {
	n := x.m.Graph.Value(first.node).DType().Words()
	copy(x.writtenTo(first.node)[n*first.at:], data)
	if sym, ok := x.prog.Variable(first.node); ok {
		x.store(sym, first.at, data)
	}
}

// writtenTo is what the script has written to a variable, which has its initial value before.
func (x *target) writtenTo(id graph.ID) []uint32 {
	if x.written[id] == nil {
		x.written[id] = slices.Clone(x.known(id))
	}
	return x.written[id]
}
