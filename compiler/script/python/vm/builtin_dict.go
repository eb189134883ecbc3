package vm

import "slices"

var dictTable = []Row{
	DefArgs("__init__", dictInit),
	DefArgs("update", dictUpdate),
	Def("keys", dictKeys),
	Def("values", dictValues),
	Def("items", dictItems),
	Def("get", dictGet, "key", "default?", "/"),
	Def("setdefault", dictSetdefault, "key", "default?", "/"),
	Def("pop", dictPop, "key", "default?", "/"),
	Def("popitem", dictPopitem),
	Def("clear", dictClear),
	Def("copy", dictCopy),
	DefValue("fromkeys", &wrapped{fn: DefFunc("fromkeys", dictFromkeys, "cls", "iterable", "value?", "/"), class: true}),
}

func newDict(t *Thread, _ *Class, a Args) (Value, error) {
	d := NewDict()
	return d, t.dictFill("dict", d, a)
}

func dictKeys(_ *Thread, d *Dict, _ []Value) (Value, error) { return &dictView{d, keysView}, nil }

func dictValues(_ *Thread, d *Dict, _ []Value) (Value, error) { return &dictView{d, valuesView}, nil }

func dictItems(_ *Thread, d *Dict, _ []Value) (Value, error) { return &dictView{d, itemsView}, nil }

func dictFromkeys(t *Thread, vs []Value) (Value, error) {
	if vs[2] == nil {
		vs[2] = None
	}
	d := NewDict()
	return d, t.each(vs[1], func(k Value) error { return d.Set(t, k, vs[2]) })
}

func dictInit(t *Thread, d *Dict, a Args) (Value, error) {
	return None, t.dictFill("dict", d, a)
}

func dictUpdate(t *Thread, d *Dict, a Args) (Value, error) {
	return None, t.dictFill("update", d, a)
}

func dictGet(t *Thread, d *Dict, vs []Value) (Value, error) {
	v, err := d.Get(t, vs[0])
	if v != nil || err != nil {
		return v, err
	}
	if vs[1] != nil {
		return vs[1], nil
	}
	return None, nil
}

func dictSetdefault(t *Thread, d *Dict, vs []Value) (Value, error) {
	v, err := d.Get(t, vs[0])
	if v != nil || err != nil {
		return v, err
	}
	if vs[1] == nil {
		vs[1] = None
	}
	return vs[1], d.Set(t, vs[0], vs[1])
}

func dictPop(t *Thread, d *Dict, vs []Value) (Value, error) {
	v, err := d.Delete(t, vs[0])
	if v != nil || err != nil {
		return v, err
	}
	if vs[1] != nil {
		return vs[1], nil
	}
	return nil, &raised{newException(KeyError, vs[0])}
}

func dictPopitem(t *Thread, d *Dict, _ []Value) (Value, error) {
	for i := len(d.entries) - 1; i >= 0; i-- {
		if e := d.entries[i]; e.key != nil {
			_, err := d.Delete(t, e.key)
			return NewTuple(e.key, e.value), err
		}
	}
	return nil, &raised{newException(KeyError, "popitem(): dictionary is empty")}
}

func dictClear(_ *Thread, d *Dict, _ []Value) (Value, error) {
	d.Clear()
	return None, nil
}

func dictCopy(t *Thread, d *Dict, _ []Value) (Value, error) {
	return t.copyDict(d)
}

// dictFill adds what dict(...) and update(...) are given.
func (t *Thread) dictFill(fn string, d *Dict, a Args) error {
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
