package pylib

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

var dequeTable = []vm.Row{
	dequeDef("append", dequeAppend, "x", "/"),
	dequeDef("appendleft", dequeAppendleft, "x", "/"),
	dequeDef("extend", dequeExtend, "xs", "/"),
	dequeDef("extendleft", dequeExtendleft, "xs", "/"),
	dequeDef("pop", dequePop),
	dequeDef("popleft", dequePopleft),
	dequeDef("clear", dequeClear),
	dequeDef("copy", dequeCopy),
	dequeDef("__copy__", dequeCopy),
	dequeDef("__deepcopy__", dequeDeepcopy, "memo"),
	dequeDef("reverse", dequeReverse),
	dequeDef("__reversed__", dequeReversed),
	dequeDef("rotate", dequeRotate, "n?", "/"),
	dequeDef("count", dequeCount, "x", "/"),
	dequeDef("index", dequeIndex, "x", "start?", "stop?", "/"),
	dequeDef("insert", dequeInsert, "i", "x", "/"),
	dequeDef("remove", dequeRemove, "x", "/"),
	dequeDef("__iadd__", dequeIadd, "xs"),
	vm.DefProperty("maxlen", dequeMaxlen, nil),
}

func dequeAppend(t *vm.Thread, d *deque, vs []vm.Value) (vm.Value, error) {
	return vm.None, d.push(t, vs[0], false)
}

func dequeAppendleft(t *vm.Thread, d *deque, vs []vm.Value) (vm.Value, error) {
	return vm.None, d.push(t, vs[0], true)
}

func dequeExtend(t *vm.Thread, d *deque, vs []vm.Value) (vm.Value, error) {
	return vm.None, d.extend(t, vs[0], false)
}

func dequeExtendleft(t *vm.Thread, d *deque, vs []vm.Value) (vm.Value, error) {
	return vm.None, d.extend(t, vs[0], true)
}

func dequePop(_ *vm.Thread, d *deque, _ []vm.Value) (vm.Value, error) {
	return d.take(false)
}

func dequePopleft(_ *vm.Thread, d *deque, _ []vm.Value) (vm.Value, error) {
	return d.take(true)
}

func dequeClear(_ *vm.Thread, d *deque, _ []vm.Value) (vm.Value, error) {
	d.set(nil)
	return vm.None, nil
}

func dequeCopy(_ *vm.Thread, d *deque, _ []vm.Value) (vm.Value, error) {
	return d.copy(), nil
}

func dequeDeepcopy(t *vm.Thread, d *deque, vs []vm.Value) (vm.Value, error) {
	mod, err := t.ImportModule("copy")
	if err != nil {
		return nil, err
	}
	v, err := t.Call(mod.Get("deepcopy"), vm.NewList(d.elems()), vs[0])
	if err != nil {
		return nil, err
	}
	c := &deque{class: d.class, maxlen: d.maxlen}
	return c, c.extend(t, v, false)
}

func dequeReverse(_ *vm.Thread, d *deque, _ []vm.Value) (vm.Value, error) {
	elems := d.elems()
	slices.Reverse(elems)
	d.set(elems)
	return vm.None, nil
}

func dequeReversed(_ *vm.Thread, d *deque, _ []vm.Value) (vm.Value, error) {
	return &dequeIter{d: d, i: d.n - 1, change: d.change, step: -1}, nil
}

func dequeRotate(_ *vm.Thread, d *deque, vs []vm.Value) (vm.Value, error) {
	n := int64(1)
	if vs[0] != nil {
		var ok bool
		if n, ok = vm.AsInt(vs[0]); !ok {
			return nil, vm.TypeErrorf("'%s' object cannot be interpreted as an integer", vm.TypeName(vs[0]))
		}
	}
	if d.n > 0 {
		elems := d.elems()
		k := int((n%int64(d.n) + int64(d.n)) % int64(d.n))
		d.set(append(slices.Clone(elems[d.n-k:]), elems[:d.n-k]...))
	}
	return vm.None, nil
}

func dequeCount(t *vm.Thread, d *deque, vs []vm.Value) (vm.Value, error) {
	n := int64(0)
	for _, e := range d.elems() {
		eq, err := t.Equal(e, vs[0])
		if err != nil {
			return nil, err
		}
		if eq {
			n++
		}
	}
	return n, nil
}

func dequeIndex(t *vm.Thread, d *deque, vs []vm.Value) (vm.Value, error) {
	return t.CallMethod(vm.NewList(d.elems()), "index", slices.DeleteFunc(vs, func(v vm.Value) bool { return v == nil })...)
}

func dequeInsert(t *vm.Thread, d *deque, vs []vm.Value) (vm.Value, error) {
	if d.n == d.maxlen {
		return nil, vm.Raise(vm.IndexError, "deque already at its maximum size")
	}
	list := vm.NewList(d.elems())
	if _, err := t.CallMethod(list, "insert", vs...); err != nil {
		return nil, err
	}
	d.set(list.Elems)
	return vm.None, nil
}

func dequeRemove(t *vm.Thread, d *deque, vs []vm.Value) (vm.Value, error) {
	for i, e := range d.elems() {
		eq, err := t.Equal(e, vs[0])
		if err != nil {
			return nil, err
		}
		if eq {
			d.set(slices.Delete(d.elems(), i, i+1))
			return vm.None, nil
		}
	}
	return nil, vm.ValueErrorf("deque.remove(x): x not in deque")
}

func dequeIadd(t *vm.Thread, d *deque, vs []vm.Value) (vm.Value, error) {
	return d, d.extend(t, vs[0], false)
}

func (d *deque) take(left bool) (vm.Value, error) {
	if d.n == 0 {
		return nil, vm.Raise(vm.IndexError, "pop from an empty deque")
	}
	return d.pop(left), nil
}

// dequeDef is a method with bound arguments, which takes time.
func dequeDef(name string, fn func(t *vm.Thread, d *deque, vs []vm.Value) (vm.Value, error), params ...string) vm.Row {
	return vm.Def(name, func(t *vm.Thread, d *deque, vs []vm.Value) (vm.Value, error) {
		if err := t.Tick(1); err != nil {
			return nil, err
		}
		return fn(t, d, vs)
	}, params...)
}

func dequeMaxlen(d *deque) vm.Value {
	if d.maxlen >= 0 {
		return int64(d.maxlen)
	}
	return vm.None
}
