package vm

import (
	"math"
	"slices"
)

// append doubles the room of a list that is full, where Go's append would make a long one
// longer by a quarter: long lists are copied once on average, not four times.
// push appends to a list. A list that moves to a larger place is charged with all of that
// beforehand, since the old one is still there while it is copied.
func (t *Thread) push(l *List, vs ...Value) error {
	size, n := len(l.Elems), len(vs)
	bytes := int64(n) * boxedBytes
	if size+n > cap(l.Elems) {
		room := size + max(n, size/2, 4)
		if err := t.Charge(bytes + int64(room)*(valueBytes-boxedBytes)); err != nil {
			return err
		}
		l.Elems = append(make([]Value, 0, room), l.Elems...)
	} else if err := t.Charge(bytes); err != nil {
		return err
	}
	l.Elems = append(l.Elems, vs...)
	return nil
}

// sequenceTable is what lists and tuples have.
var sequenceTable = []Row{
	Def("index", sequenceIndex, "value", "start?", "stop?", "/"),
	Def("count", sequenceCount, "value", "/"),
}

var listTable = []Row{
	Def("__init__", listInit, "iterable?", "/"),
	DefArgs("append", listAppend),
	Def("extend", listExtend, "iterable", "/"),
	Def("insert", listInsert, "index", "object", "/"),
	Def("pop", listPop, "index?", "/"),
	Def("remove", listRemove, "value", "/"),
	Def("clear", listClear),
	Def("copy", listCopy),
	Def("reverse", listReverse),
	Def("sort", listSort, "*", "key?", "reverse?"),
}

var listSignature = NewSignature("list", "iterable?", "/")

func newList(t *Thread, _ *Class, a Args) (Value, error) {
	vs, err := listSignature.Bind(a)
	if err != nil || vs[0] == nil {
		return NewList(nil), err
	}
	elems, err := t.Collect(vs[0])
	return NewList(elems), err
}

var tupleSignature = NewSignature("tuple", "iterable?", "/")

func newTuple(t *Thread, _ *Class, a Args) (Value, error) {
	vs, err := tupleSignature.Bind(a)
	if err != nil || vs[0] == nil {
		return NewTuple(), err
	}
	if tuple, ok := vs[0].(*Tuple); ok {
		return tuple, nil
	}
	elems, err := t.Collect(vs[0])
	return NewTuple(elems...), err
}

func listInit(t *Thread, l *List, vs []Value) (Value, error) {
	l.Elems = nil
	if vs[0] == nil {
		return None, nil
	}
	return None, t.extend(l, vs[0])
}

func listAppend(t *Thread, l *List, a Args) (Value, error) {
	if len(a.Pos) != 1 || len(a.Kw) > 0 {
		return nil, TypeErrorf("list.append() takes exactly one argument (%d given)", len(a.Pos)+len(a.Kw))
	}
	return None, t.push(l, a.Pos[0])
}

func listExtend(t *Thread, l *List, vs []Value) (Value, error) {
	return None, t.extend(l, vs[0])
}

func listInsert(t *Thread, l *List, vs []Value) (Value, error) {
	i, ok, err := t.indexOf(vs[0])
	if err != nil || !ok {
		return nil, orErr(err, TypeErrorf("'%s' object cannot be interpreted as an integer", TypeName(vs[0])))
	}
	n := int64(len(l.Elems))
	if i < 0 {
		i = max(i+n, 0)
	}
	if err := t.push(l, vs[1]); err != nil {
		return nil, err
	}
	at := min(i, n)
	copy(l.Elems[at+1:], l.Elems[at:n])
	l.Elems[at] = vs[1]
	return None, t.Tick(int(n-at) / 16)
}

func listPop(t *Thread, l *List, vs []Value) (Value, error) {
	if len(l.Elems) == 0 {
		return nil, Raise(IndexError, "pop from empty list")
	}
	i := len(l.Elems) - 1
	if vs[0] != nil {
		at, ok, err := t.indexOf(vs[0])
		if err != nil || !ok {
			return nil, orErr(err, TypeErrorf("'%s' object cannot be interpreted as an integer", TypeName(vs[0])))
		}
		if at < 0 {
			at += int64(len(l.Elems))
		}
		if at < 0 || at >= int64(len(l.Elems)) {
			return nil, Raise(IndexError, "pop index out of range")
		}
		i = int(at)
	}
	v := l.Elems[i]
	if err := t.Tick((len(l.Elems) - i) / 16); err != nil {
		return nil, err
	}
	l.Elems = slices.Delete(l.Elems, i, i+1)
	return v, nil
}

func listRemove(t *Thread, l *List, vs []Value) (Value, error) {
	i, err := t.find(l.Elems, vs[0], 0, len(l.Elems))
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= len(l.Elems) { // the comparison may have changed the list
		return nil, ValueErrorf("list.remove(x): x not in list")
	}
	l.Elems = slices.Delete(l.Elems, i, i+1)
	return None, nil
}

func listClear(_ *Thread, l *List, _ []Value) (Value, error) {
	l.Elems = nil
	return None, nil
}

func listCopy(t *Thread, l *List, _ []Value) (Value, error) {
	elems, err := t.Collect(l)
	return NewList(elems), err
}

func listReverse(_ *Thread, l *List, _ []Value) (Value, error) {
	slices.Reverse(l.Elems)
	return None, nil
}

func listSort(t *Thread, l *List, vs []Value) (Value, error) {
	elems := l.Elems
	l.Elems = nil
	sorted, err := t.sort(elems, vs[0], vs[1])
	if len(l.Elems) > 0 && err == nil {
		err = ValueErrorf("list modified during sort")
	}
	l.Elems = sorted
	return None, err
}

func sequenceIndex(t *Thread, self Value, vs []Value) (Value, error) {
	elems := elemsOf(self)
	bounds := [2]int64{0, math.MaxInt64}
	for i, v := range vs[1:] {
		if v != nil {
			var err error
			if bounds[i], _, err = t.indexOf(v); err != nil {
				return nil, err
			}
		}
	}
	lo, hi := clampRange(bounds[0], bounds[1], len(elems))
	i, err := t.find(elems, vs[0], lo, hi)
	if err != nil {
		return nil, err
	}
	if i < 0 {
		if _, isTuple := self.(*Tuple); isTuple {
			return nil, ValueErrorf("tuple.index(x): x not in tuple")
		}
		s, err := t.Repr(vs[0])
		if err != nil {
			return nil, err
		}
		return nil, ValueErrorf("%s is not in list", s)
	}
	return box(int64(i)), nil
}

func sequenceCount(t *Thread, self Value, vs []Value) (Value, error) {
	n := int64(0)
	err := t.each(self, func(x Value) error {
		eq, err := t.Equal(x, vs[0])
		if eq {
			n++
		}
		return err
	})
	return box(n), err
}

func orErr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

func elemsOf(v Value) []Value {
	if l, ok := v.(*List); ok {
		return l.Elems
	}
	return v.(*Tuple).Elems
}

// clampRange resolves start and stop as slices do.
func clampRange(lo, hi int64, n int) (int, int) {
	fix := func(i int64) int64 {
		if i < 0 {
			i = max(i, -1<<62) + int64(n)
		}
		return min(max(i, 0), int64(n))
	}
	return int(fix(lo)), int(fix(hi))
}

// find returns the first place of a value in elems[lo:hi], or -1.
func (t *Thread) find(elems []Value, v Value, lo, hi int) (int, error) {
	for i := lo; i < hi && i < len(elems); i++ {
		if err := t.Tick(1); err != nil {
			return -1, err
		}
		if eq, err := t.Equal(elems[i], v); err != nil || eq {
			return i, err
		}
	}
	return -1, nil
}

// sort returns elems in order, stable; key and reverse may be nil.
func (t *Thread) sort(elems []Value, key, reverse Value) ([]Value, error) {
	down := false
	if reverse != nil {
		var err error
		if down, err = t.Truth(reverse); err != nil {
			return elems, err
		}
	}
	type item struct{ key, value Value }
	if err := t.Charge(int64(len(elems)) * 2 * valueBytes); err != nil {
		return elems, err
	}
	items := make([]item, len(elems))
	for i, v := range elems {
		items[i] = item{v, v}
		if key != nil && key != None {
			k, err := t.Call(key, v)
			if err != nil {
				return elems, err
			}
			items[i].key = k
		}
	}
	if down {
		slices.Reverse(items)
	}
	var failed error
	less := func(a, b Value) bool {
		if failed == nil {
			failed = t.Tick(1)
		}
		if failed != nil {
			return false
		}
		v, err := t.Compare(OpLt, a, b)
		if err != nil {
			failed = err
			return false
		}
		truth, err := t.Truth(v)
		if err != nil {
			failed = err
		}
		return truth
	}
	slices.SortStableFunc(items, func(a, b item) int {
		switch {
		case less(a.key, b.key):
			return -1
		case less(b.key, a.key):
			return 1
		}
		return 0
	})
	if failed != nil {
		return elems, failed
	}
	if down {
		slices.Reverse(items)
	}
	sorted := make([]Value, len(items))
	for i, it := range items {
		sorted[i] = it.value
	}
	return sorted, nil
}
