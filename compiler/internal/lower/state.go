package lower

import (
	"cmp"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// span is a part of the data block, without its end.
type span struct{ from, to lir.Addr }

// placeStates notes where the states lie.
func (l *lowerer) placeStates() {
	for _, s := range l.f.States {
		if n := l.g.Elements(s.Node); n > 0 {
			l.states = append(l.states, span{s.Addr, s.Addr.Plus(4 * n * l.g.Node(s.Node).DType.Words())})
		}
	}
	l.sortStates()
}

func (l *lowerer) sortStates() {
	slices.SortFunc(l.states, func(a, b span) int { return cmp.Compare(a.from, b.from) })
}

// inStates reports whether a part of the data block overlaps with a state.
func (l *lowerer) inStates(s span) bool {
	i, _ := slices.BinarySearchFunc(l.states, s.from, func(x span, at lir.Addr) int {
		if x.to <= at {
			return -1
		}
		return 1
	})
	return i < len(l.states) && l.states[i].from < s.to
}

// bounds are the words between the lowest and the highest element of a view.
func (v *view) bounds(s graph.Shape) span {
	if s.Elements() == 0 {
		return span{v.at, v.at}
	}
	low, high := 0, v.size
	for i, d := range s {
		if by := v.size * (d - 1) * v.strides[i]; by < 0 {
			low += by
		} else {
			high += by
		}
	}
	return span{v.at.Plus(low), v.at.Plus(high)}
}

// apart is the value x in memory that stays as it is when the states take their
// next values.
func (l *lowerer) apart(x lir.Val) lir.Val {
	home := l.settle(x)
	c := l.f.Values[x].Class
	if !l.inStates(span{home, home.Plus(c.Bytes())}) {
		return x
	}
	if _, ok := l.copied[x]; !ok {
		slot := l.f.Data.SlotFor(c)
		l.store(x, slot)
		l.copied[x] = l.homed(c, slot, l.level[x]+1) // a block does not read what it stores
	}
	return l.copied[x]
}

// update is a state, or a carry of a loop, and its next value.
type update struct {
	next graph.ID
	to   lir.Addr
}

// updateStates gives states their next values.
func (l *lowerer) updateStates(states []graph.ID) error {
	var list []update
	for _, s := range states {
		if next := l.g.StateInfo(s).Next; next != s {
			list = append(list, update{next, l.place(s)})
		}
	}
	return l.updateAll(list)
}

// element is a word, or two, of a state, and the value that it takes.
type element struct {
	val lir.Val
	to  lir.Addr
}

// updateAll gives states their next values, behind everything else. Arrays are copied
// in loops; what of them lies in a state is copied elsewhere first, since states may
// exchange their values.
func (l *lowerer) updateAll(list []update) error {
	type array struct {
		id   graph.ID
		from view
		to   lir.Addr
	}
	var elements []element
	var whole []array
	list = l.putNumbers(list)
	inPlace, list, err := l.changesOf(list)
	if err != nil {
		return err
	}
	for _, u := range list {
		n, size := l.g.Elements(u.next), 4*l.g.Node(u.next).DType.Words()
		switch f := l.form[u.next]; {
		case n == 0:
		case f == memory || f == splat && n > medium:
			v, shape := l.view(u.next), l.g.ShapeOf(u.next)
			if l.inStates(v.bounds(shape)) {
				v = l.copyView(v, shape, l.g.Node(u.next).DType)
			}
			whole = append(whole, array{u.next, v, u.to})
		default:
			for i, x := range l.elements(u.next) {
				if to := u.to.Plus(size * i); l.f.Values[x].Home != to {
					elements = append(elements, element{x, to})
				}
			}
		}
	}
	if len(whole)+len(inPlace) == 0 {
		elements = l.updateInOrder(elements)
	}
	// The rest is stored in a block of its own, which reads no state.
	for i, e := range elements {
		elements[i].val = l.apart(e.val)
	}
	last := int32(len(l.blocks))
	for _, c := range inPlace {
		l.carryOut(c, last)
	}
	for _, a := range whole {
		a.from.loop = last
		l.copyTo(a.from, l.g.ShapeOf(a.id), a.to, l.g.Node(a.id).DType)
	}
	for _, e := range elements {
		l.emit(last, l.storeTo(e.val, e.to))
	}
	return nil
}

// updateInOrder makes updates of the last block of elements, each behind those that
// read the state which it changes. It returns those that go round in a circle.
func (l *lowerer) updateInOrder(elements []element) []element {
	writer := make(map[lir.Addr]int, len(elements)) // by word: 1 + index of the element
	for i, e := range elements {
		for k := range l.f.Values[e.val].Class.Bytes() / 4 {
			writer[e.to.Plus(4*k)] = i + 1
		}
	}
	readers := make([]int, len(elements)) // of the word that the element changes, not yet in order
	for _, e := range elements {
		if w := writer[l.f.Values[e.val].Home]; w != 0 {
			readers[w-1]++
		}
	}
	l.updated = len(l.blocks) - 1
	var order []int
	for i := range elements {
		if readers[i] == 0 {
			order = append(order, i)
		}
	}
	for k := 0; k < len(order); k++ {
		e := elements[order[k]]
		home := l.f.Values[e.val].Home
		if home == lir.NoAddr && l.level[e.val] != int32(l.updated) {
			l.settle(e.val)
		}
		l.updates = append(l.updates, l.storeTo(e.val, e.to))
		if w := writer[home]; w != 0 {
			if readers[w-1]--; readers[w-1] == 0 {
				order = append(order, w-1)
			}
		}
	}
	var circles []element
	for i, e := range elements {
		if readers[i] > 0 {
			circles = append(circles, e)
		}
	}
	return circles
}
