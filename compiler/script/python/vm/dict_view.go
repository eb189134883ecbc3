package vm

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
