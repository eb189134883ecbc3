package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// minGroup is the number of scalars from which a stack of variables and constants
// is laid out as an array, which then costs nothing.
const minGroup = 4

// placeSources gives inputs and states their places: those that are stacked together lie
// together, in the order of the stack, as far as they are in one stack only. Those that have places
// keep them, the others get places noted.
func (l *lowerer) placeSources(memory *Memory) {
	n := graph.ID(l.g.NumNodes())
	for i, place := range memory.places {
		switch id, at := graph.ID(i), place-1; {
		case place == 0 || l.uses[id] == 0:
		case l.g.Node(id).Shape == graph.Scalar:
			l.setHomed(id, at)
		default:
			l.setPlaced(id, at)
		}
	}
	if memory.places == nil {
		memory.places = make([]lir.Addr, n)
	}
	if l.plan.unrolled != nil { // there are arrays
		for id := range n {
			if l.uses[id] > 0 && l.g.Node(id).Op == graph.OpStack && len(l.g.Args(id)) >= minGroup {
				l.placeStack(id)
			}
		}
		var arrays []graph.ID
		for id := range n {
			if l.form[id] == absent && l.uses[id] > 0 && l.isVariable(id) && l.g.Node(id).Shape != graph.Scalar {
				arrays = append(arrays, id)
			}
		}
		// Small ones lie lowest, where short offsets reach their elements.
		words := func(id graph.ID) int { return l.g.ShapeOf(id).Elements() * l.g.Node(id).DType.Words() }
		slices.SortStableFunc(arrays, func(a, b graph.ID) int { return words(a) - words(b) })
		for _, id := range slices.Backward(arrays) { // arrays are placed downwards
			l.setArray(id, l.initial(id))
		}
	}
	l.f.Inputs = make([]lir.Symbol, 0, l.g.NumInputs())
	l.f.Data.Reserve(l.g.NumInputs())
	for id := range n {
		if l.uses[id] == 0 || !l.isVariable(id) {
			continue
		}
		if l.form[id] == absent {
			l.setElement(id, l.firstBits(id))
		}
		s := lir.Symbol{Node: id, Addr: l.place(id)}
		memory.places[id] = 1 + s.Addr
		if l.g.Node(id).Op == graph.OpState {
			l.f.States = append(l.f.States, s)
		} else {
			l.f.Inputs = append(l.f.Inputs, s)
		}
	}
	l.placeStates()
}

// isVariable reports whether a node is an input or a state.
func (l *lowerer) isVariable(id graph.ID) bool {
	op := l.g.Node(id).Op
	return op == graph.OpInput || op == graph.OpState
}

// initial are the first words of an input or state.
func (l *lowerer) initial(id graph.ID) []uint32 {
	if l.g.Node(id).Op == graph.OpState {
		return l.g.StateInfo(id).Init
	}
	return l.g.InputInfo(id).Init
}

// place is where an input or state lies.
func (l *lowerer) place(id graph.ID) lir.Addr {
	if l.form[id] == scalar {
		return l.f.Values[l.ref[id]].Home
	}
	return l.views[l.ref[id]].at
}

// firstBits are those of the first value of a scalar input or state.
func (l *lowerer) firstBits(id graph.ID) uint64 { return l.g.Node(id).DType.At(l.initial(id), 0) }

// setElement places a scalar of known initial bits.
func (l *lowerer) setElement(id graph.ID, bits uint64) {
	l.setHomed(id, l.f.Data.Element(lir.ClassOf(l.g.Node(id).DType), bits))
}

func (l *lowerer) setHomed(id graph.ID, at lir.Addr) {
	l.form[id], l.ref[id] = scalar, int32(l.homed(lir.ClassOf(l.g.Node(id).DType), at, 0))
}

// setArray places an array of known initial words.
func (l *lowerer) setArray(id graph.ID, words []uint32) { l.setPlaced(id, l.f.Data.Array(words)) }

// setPlaced notes the place of an array.
func (l *lowerer) setPlaced(id graph.ID, at lir.Addr) {
	size := 4 * l.g.Node(id).DType.Words()
	l.setView(id, view{at: at, size: size, strides: rowMajor(l.g.ShapeOf(id)), loop: 1})
}

// placeStack lays a stack of constants, inputs and states that have no place yet
// out as an array.
func (l *lowerer) placeStack(id graph.ID) {
	args := l.g.Args(id)
	t := l.g.Node(id).DType
	size := 4 * t.Words()
	words := make([]uint32, len(args)*t.Words())
	variables := false
	for i, a := range args {
		switch l.g.Node(a).Op {
		case graph.OpConst:
			t.Put(words, i, l.g.Node(a).Word())
		case graph.OpInput, graph.OpState:
			if l.form[a] != absent {
				return
			}
			variables = true
			t.Put(words, i, l.firstBits(a))
		default:
			return
		}
	}
	var at lir.Addr
	if len(args) <= medium {
		at = l.f.Data.Group(lir.ClassOf(t), words)
	} else {
		at = l.f.Data.Array(words)
	}
	if variables {
		for i, a := range args {
			// A variable that is stacked twice has its place where it was first.
			if l.isVariable(a) && l.form[a] == absent {
				l.setHomed(a, at.Plus(size*i))
			}
		}
		for i, a := range args {
			if l.isVariable(a) && l.f.Values[l.ref[a]].Home != at.Plus(size*i) {
				return // the repeated one must be copied: the array is not used as a whole
			}
		}
	}
	l.inMemory[id] = l.addView(view{at: at, size: size, strides: []int{1}, loop: 1})
}

func (l *lowerer) constant(id graph.ID) {
	if n := l.g.Node(id); n.Shape == graph.Scalar {
		if l.inBody { // registers for constants are few, and hold them for all types
			l.form[id], l.ref[id] = scalar, int32(l.word(n.Word(), lir.ClassOf(n.DType)))
			return
		}
		l.setElement(id, n.Word())
		l.fix(lir.Val(l.ref[id]))
		return
	}
	l.setArray(id, l.g.ConstBits(id))
}
