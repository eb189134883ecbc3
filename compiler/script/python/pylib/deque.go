package pylib

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// deque is collections.deque: a ring of values.
type deque struct {
	class  *vm.Class
	ring   []vm.Value
	first  int
	n      int
	maxlen int // -1: none
	change int // counts what iterators must not see
}

// What an element is charged with: its place in a ring, and what a number takes elsewhere.
const (
	slotBytes    = 16
	boxedBytes   = 8
	elementBytes = slotBytes + 2*boxedBytes
)

func (d *deque) PyClass() *vm.Class { return d.class }

// Sequence lets sequence patterns match deques.
func (d *deque) Sequence() {}

func (d *deque) at(i int) *vm.Value { return &d.ring[(d.first+i)%len(d.ring)] }

func (d *deque) elems() []vm.Value {
	list := make([]vm.Value, d.n)
	for i := range list {
		list[i] = *d.at(i)
	}
	return list
}

func (d *deque) set(elems []vm.Value) {
	d.ring, d.first, d.n = elems, 0, len(elems)
	d.change++
}

// grow makes room for one more; the old ring is still there while it is copied.
func (d *deque) grow(t *vm.Thread) error {
	if d.n < len(d.ring) {
		return nil
	}
	room := max(8, d.n+d.n/2)
	if err := t.Charge(int64(room) * slotBytes); err != nil {
		return err
	}
	ring := make([]vm.Value, room)
	for i := range d.n {
		ring[i] = *d.at(i)
	}
	d.ring, d.first = ring, 0
	return nil
}

func (d *deque) push(t *vm.Thread, v vm.Value, left bool) error {
	if d.maxlen == 0 {
		return nil
	}
	d.change++
	if d.n == d.maxlen {
		d.pop(!left)
	}
	if err := t.Charge(boxedBytes); err != nil {
		return err
	}
	if err := d.grow(t); err != nil {
		return err
	}
	if left {
		d.first = (d.first + len(d.ring) - 1) % len(d.ring)
		d.n++
		*d.at(0) = v
	} else {
		d.n++
		*d.at(d.n - 1) = v
	}
	return nil
}

func (d *deque) pop(left bool) vm.Value {
	d.change++
	i := d.n - 1
	if left {
		i = 0
	}
	p := d.at(i)
	v := *p
	*p = nil
	if left {
		d.first = (d.first + 1) % len(d.ring)
	}
	d.n--
	return v
}

func (d *deque) extend(t *vm.Thread, v vm.Value, left bool) error {
	if other, ok := vm.Unwrap(v).(*deque); ok && other == d {
		v = vm.NewList(d.elems())
	}
	it, err := t.Iter(v)
	if err != nil {
		return err
	}
	for {
		x, err := it.Next(t)
		if x == nil || err != nil {
			return err
		}
		if err := t.Tick(1); err != nil {
			return err
		}
		if err := d.push(t, x, left); err != nil {
			return err
		}
	}
}

func (d *deque) Len(*vm.Thread) (int, error) { return d.n, nil }

func (d *deque) index(t *vm.Thread, key vm.Value) (int, error) {
	i, ok := vm.AsInt(key)
	if !ok {
		return 0, vm.TypeErrorf("sequence index must be integer, not '%s'", vm.TypeName(key))
	}
	if i < 0 {
		i += int64(d.n)
	}
	if i < 0 || i >= int64(d.n) {
		return 0, vm.Raise(vm.IndexError, "deque index out of range")
	}
	return int(i), nil
}

func (d *deque) Index(t *vm.Thread, key vm.Value) (vm.Value, error) {
	i, err := d.index(t, key)
	if err != nil {
		return nil, err
	}
	return *d.at(i), nil
}

func (d *deque) SetIndex(t *vm.Thread, key, v vm.Value) error {
	i, err := d.index(t, key)
	if err != nil {
		return err
	}
	if v == nil {
		d.set(slices.Delete(d.elems(), i, i+1))
		return nil
	}
	*d.at(i) = v
	return nil
}

func (d *deque) Repr(t *vm.Thread) (string, error) {
	if err := t.Nest(); err != nil {
		return "", err
	}
	defer t.Unnest()
	s, err := t.Repr(vm.NewList(d.elems()))
	if err != nil {
		return "", err
	}
	if d.maxlen >= 0 {
		m, err := t.Repr(int64(d.maxlen))
		return "deque(" + s + ", maxlen=" + m + ")", err
	}
	return "deque(" + s + ")", nil
}

func (d *deque) Compare(t *vm.Thread, op vm.CompareOp, other vm.Value) (vm.Value, error) {
	o, ok := vm.Unwrap(other).(*deque)
	if !ok {
		return vm.NotImplemented, nil
	}
	return t.Compare(op, vm.NewList(d.elems()), vm.NewList(o.elems()))
}

func (d *deque) Hash(*vm.Thread) (uint64, error) {
	return 0, vm.TypeErrorf("unhashable type: 'collections.deque'")
}

func (d *deque) Binary(t *vm.Thread, op vm.BinaryOp, other vm.Value, reflected bool) (vm.Value, error) {
	switch o := vm.Unwrap(other).(type) {
	case *deque:
		if op == vm.OpAdd && !reflected {
			c := d.copy()
			return c, c.extend(t, o, false)
		}
	case int64:
		if op == vm.OpMul {
			v, err := t.Binary(vm.OpMul, vm.NewList(d.elems()), o)
			if err != nil {
				return nil, err
			}
			c := &deque{class: d.class, maxlen: d.maxlen}
			return c, c.extend(t, v, false)
		}
	}
	return vm.NotImplemented, nil
}

func (d *deque) copy() *deque {
	c := &deque{class: d.class, maxlen: d.maxlen}
	c.set(d.elems())
	return c
}

func (d *deque) Iter(*vm.Thread) (vm.Iterator, error) {
	return &dequeIter{d: d, change: d.change, step: 1}, nil
}

type dequeIter struct {
	d         *deque
	i, change int
	step      int
}

func (it *dequeIter) Next(*vm.Thread) (vm.Value, error) {
	if it.change != it.d.change {
		return nil, vm.Raise(vm.RuntimeError, "deque mutated during iteration")
	}
	if it.i < 0 || it.i >= it.d.n {
		return nil, nil
	}
	it.i += it.step
	return *it.d.at(it.i - it.step), nil
}

func (h *host) collections(*vm.Thread) (*vm.Module, error) {
	m := vm.NewModule("_collections")
	var class *vm.Class
	class = vm.NewClass("deque", nil, func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		vs, err := a.Bind("deque", "iterable?", "maxlen?")
		if err != nil {
			return nil, err
		}
		d := &deque{class: class, maxlen: -1}
		if vs[1] != nil && vs[1] != vm.None {
			n, ok := vm.AsInt(vs[1])
			if !ok {
				return nil, vm.TypeErrorf("an integer is required")
			}
			if n < 0 {
				return nil, vm.ValueErrorf("maxlen must be non-negative")
			}
			d.maxlen = int(n)
		}
		if vs[0] == nil {
			return d, nil
		}
		return d, d.extend(t, vs[0], false)
	})
	class.Define(dequeTable)
	m.Set("deque", class)
	return m, nil
}
