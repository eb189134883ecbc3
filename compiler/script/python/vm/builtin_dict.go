package vm

import "slices"

// dictView is what keys(), values() and items() return.
type dictView struct {
	dict *Dict
	kind *viewKind
}

type viewKind struct {
	class *Class
	iter  string
	item  func(e entry) Value
}

var (
	keysView   = &viewKind{newNative("dict_keys", nil), "dict_keyiterator", entryKey}
	valuesView = &viewKind{newNative("dict_values", nil), "dict_valueiterator", entryValue}
	itemsView  = &viewKind{newNative("dict_items", nil), "dict_itemiterator", entryItem}
)

// PyClass makes dictView a Python type.
func (d *dictView) PyClass() *Class { return d.kind.class }

// Len is the number of entries.
func (d *dictView) Len(*Thread) (int, error) { return d.dict.Len(), nil }

// Iter iterates in order of insertion.
func (d *dictView) Iter(*Thread) (Iterator, error) {
	return newDictIter(d.dict, d.kind.iter, "dictionary", d.kind.item), nil
}

// Contains looks keys up, and compares the others.
func (d *dictView) Contains(t *Thread, x Value) (bool, error) {
	switch d.kind {
	case keysView:
		return t.Contains(d.dict, x)
	case itemsView:
		pair, ok := x.(*Tuple)
		if !ok || len(pair.Elems) != 2 {
			return false, nil
		}
		v, err := d.dict.Get(t, pair.Elems[0])
		if v == nil || err != nil {
			return false, err
		}
		return t.Equal(v, pair.Elems[1])
	}
	for _, v := range d.dict.All() {
		if eq, err := t.Equal(v, x); eq || err != nil {
			return eq, err
		}
	}
	return false, nil
}

// Repr is dict_keys([...]).
func (d *dictView) Repr(t *Thread) (string, error) {
	elems, err := t.Collect(d)
	if err != nil {
		return "", err
	}
	s, err := t.Repr(NewList(elems))
	return d.kind.class.Name + "(" + s + ")", err
}

// Binary gives views of keys and items the operators of sets.
func (d *dictView) Binary(t *Thread, op BinaryOp, other Value, reflected bool) (Value, error) {
	if d.kind == valuesView || op != OpBitAnd && op != OpBitOr && op != OpSub && op != OpBitXor {
		return NotImplemented, nil
	}
	x, err := t.toSet(d)
	if err != nil {
		return nil, err
	}
	y, err := t.toSet(other)
	if err != nil {
		return nil, err
	}
	if reflected {
		x, y = y, x
	}
	return t.setBinary(op, x, y)
}

// Compare compares views of keys and items like sets.
func (d *dictView) Compare(t *Thread, op CompareOp, other Value) (Value, error) {
	if _, isSet := other.(*Set); d.kind != valuesView && !isSet {
		if o, ok := other.(*dictView); !ok || o.kind == valuesView {
			return NotImplemented, nil
		}
	} else if d.kind == valuesView {
		return NotImplemented, nil
	}
	x, err := t.toSet(d)
	if err != nil {
		return nil, err
	}
	y, err := t.toSet(other)
	if err != nil {
		return nil, err
	}
	return t.setCompare(op, x, y)
}

func init() {
	DictClass.new = func(t *Thread, _ *Class, a Args) (Value, error) {
		d := NewDict()
		return d, t.dictInit("dict", d, a)
	}
	def := func(name string, params []string, fn func(t *Thread, d *Dict, vs []Value) (Value, error)) {
		DictClass.SetMethod(name, func(t *Thread, self Value, a Args) (Value, error) {
			vs, err := a.Bind(name, params...)
			if err != nil {
				return nil, err
			}
			return fn(t, self.(*Dict), vs)
		})
	}
	DictClass.SetMethod("__init__", func(t *Thread, self Value, a Args) (Value, error) {
		return None, t.dictInit("dict", self.(*Dict), a)
	})
	DictClass.SetMethod("update", func(t *Thread, self Value, a Args) (Value, error) {
		return None, t.dictInit("update", self.(*Dict), a)
	})
	for name, kind := range map[string]*viewKind{"keys": keysView, "values": valuesView, "items": itemsView} {
		def(name, nil, func(_ *Thread, d *Dict, _ []Value) (Value, error) { return &dictView{d, kind}, nil })
	}
	def("get", []string{"key", "default?", "/"}, func(t *Thread, d *Dict, vs []Value) (Value, error) {
		v, err := d.Get(t, vs[0])
		if v != nil || err != nil {
			return v, err
		}
		if vs[1] != nil {
			return vs[1], nil
		}
		return None, nil
	})
	def("setdefault", []string{"key", "default?", "/"}, func(t *Thread, d *Dict, vs []Value) (Value, error) {
		v, err := d.Get(t, vs[0])
		if v != nil || err != nil {
			return v, err
		}
		if vs[1] == nil {
			vs[1] = None
		}
		return vs[1], d.Set(t, vs[0], vs[1])
	})
	def("pop", []string{"key", "default?", "/"}, func(t *Thread, d *Dict, vs []Value) (Value, error) {
		v, err := d.Delete(t, vs[0])
		if v != nil || err != nil {
			return v, err
		}
		if vs[1] != nil {
			return vs[1], nil
		}
		return nil, &raised{newException(KeyError, vs[0])}
	})
	def("popitem", nil, func(t *Thread, d *Dict, _ []Value) (Value, error) {
		for i := len(d.entries) - 1; i >= 0; i-- {
			if e := d.entries[i]; e.key != nil {
				_, err := d.Delete(t, e.key)
				return NewTuple(e.key, e.value), err
			}
		}
		return nil, &raised{newException(KeyError, "popitem(): dictionary is empty")}
	})
	def("clear", nil, func(_ *Thread, d *Dict, _ []Value) (Value, error) {
		d.Clear()
		return None, nil
	})
	def("copy", nil, func(t *Thread, d *Dict, _ []Value) (Value, error) { return t.copyDict(d) })
	DictClass.dict.set("fromkeys", &wrapped{fn: NewBuiltin("fromkeys", func(t *Thread, a Args) (Value, error) {
		vs, err := a.Bind("fromkeys", "cls", "iterable", "value?", "/")
		if err != nil {
			return nil, err
		}
		if vs[2] == nil {
			vs[2] = None
		}
		d := NewDict()
		return d, t.each(vs[1], func(k Value) error { return d.Set(t, k, vs[2]) })
	}), class: true})
}

// dictInit adds what dict(...) and update(...) are given.
func (t *Thread) dictInit(fn string, d *Dict, a Args) error {
	if len(a.Pos) > 1 {
		return TypeErrorf("%s expected at most 1 argument, got %d", fn, len(a.Pos))
	}
	if len(a.Pos) == 1 {
		if err := t.dictFrom(d, a.Pos[0]); err != nil {
			return err
		}
	}
	for _, k := range a.Kw {
		if err := d.Set(t, k.Name, k.Value); err != nil {
			return err
		}
	}
	return nil
}

func (t *Thread) dictFrom(d *Dict, src Value) error {
	if m, ok := Unwrap(src).(*Dict); ok {
		return t.dictMerge(d, m)
	}
	keys, err := t.special(src, "keys")
	if err != nil {
		return err
	}
	if keys != nil {
		list, err := t.Call(keys)
		if err != nil {
			return err
		}
		return t.each(list, func(k Value) error {
			v, err := t.Index(src, k)
			if err != nil {
				return err
			}
			return d.Set(t, k, v)
		})
	}
	i := 0
	return t.each(src, func(x Value) error {
		pair, err := t.Collect(x)
		if err != nil {
			if isException(err, TypeError) {
				return TypeErrorf("cannot convert dictionary update sequence element #%d to a sequence", i)
			}
			return err
		}
		if len(pair) != 2 {
			return ValueErrorf("dictionary update sequence element #%d has length %d; 2 is required", i, len(pair))
		}
		i++
		return d.Set(t, pair[0], pair[1])
	})
}

// sortedKeys returns the names of a dict with string keys in order.
func sortedKeys(d *Dict) []string {
	var names []string
	for k := range d.All() {
		if s, ok := k.(string); ok {
			names = append(names, s)
		}
	}
	slices.Sort(names)
	return names
}
