package vm

import (
	"math"
	"math/big"
	"slices"
	"unicode/utf8"
)

// Len is len(v).
func (t *Thread) Len(v Value) (int, error) {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v), nil
	case Bytes:
		return len(v), nil
	case *List:
		return len(v.Elems), nil
	case *Tuple:
		return len(v.Elems), nil
	case *Dict:
		return v.Len(), nil
	case *Set:
		return v.Len(), nil
	case *Range:
		if int64(int(v.count)) != v.count { // on hosts of 32 bits
			return 0, Raise(OverflowError, "Python int too large to convert to C ssize_t")
		}
		return int(v.count), nil
	case *Instance:
		if m := v.class.defines("__len__"); m != nil {
			r, err := t.Call(m, v)
			if err != nil {
				return 0, err
			}
			n, ok := AsInt(r)
			if !ok {
				return 0, TypeErrorf("'%s' object cannot be interpreted as an integer", TypeName(r))
			}
			if n < 0 {
				return 0, ValueErrorf("__len__() should return >= 0")
			}
			return int(n), nil
		}
		if _, exc := v.native.(*excData); v.native != nil && !exc {
			return t.Len(v.native)
		}
	case Sizer:
		return v.Len(t)
	case *Class:
		if m := v.metaMethod("__len__"); m != nil {
			r, err := t.Call(m, v)
			if err != nil {
				return 0, err
			}
			if n, ok := AsInt(r); ok && n >= 0 {
				return int(n), nil
			}
			return 0, ValueErrorf("__len__() should return >= 0")
		}
	}
	return 0, TypeErrorf("object of type '%s' has no len()", TypeName(v))
}

// indexOf converts a subscript to an int; ok is false for other types.
func (t *Thread) indexOf(k Value) (i int64, ok bool, err error) {
	if i, ok := AsInt(k); ok {
		return i, true, nil
	}
	if b, isBig := Unwrap(k).(*big.Int); isBig {
		if b.Sign() < 0 {
			return math.MinInt64, true, nil
		}
		return math.MaxInt64, true, nil
	}
	if m, ok := k.(*Instance); ok {
		if fn := m.class.defines("__index__"); fn != nil {
			r, err := t.Call(fn, m)
			if err != nil {
				return 0, false, err
			}
			i, ok := AsInt(r)
			return i, ok, nil
		}
	}
	return 0, false, nil
}

// plainKey replaces objects with __index__ in a subscript of a builtin
// sequence by ints. This comes before the length is looked at, since their
// code may change the sequence.
func (t *Thread) plainKey(key Value) (Value, error) {
	switch k := key.(type) {
	case *Instance:
		if i, ok, err := t.indexOf(k); ok || err != nil {
			return box(i), err
		}
	case *Slice:
		plain := &Slice{}
		for _, part := range []struct {
			from Value
			to   *Value
		}{{k.Start, &plain.Start}, {k.Stop, &plain.Stop}, {k.Step, &plain.Step}} {
			v, err := part.from, error(nil)
			if _, ok := v.(*Instance); ok {
				v, err = t.plainKey(v)
			}
			if err != nil {
				return nil, err
			}
			*part.to = v
		}
		return plain, nil
	}
	return key, nil
}

// sequenceKey is plainKey for builtin sequences, and leaves the keys of others alone.
func (t *Thread) sequenceKey(v, key Value) (Value, error) {
	switch key.(type) {
	case *Instance, *Slice:
		switch v.(type) {
		case *List, *Tuple, *Range, string, Bytes:
			return t.plainKey(key)
		}
	}
	return key, nil
}

// element converts a subscript to a place in a sequence of n elements.
func (t *Thread) element(k Value, n int, what string) (int, error) {
	i, err := t.place(k, int64(n), what)
	return int(i), err
}

// place is element for ranges too, which may be longer than memory.
func (t *Thread) place(k Value, n int64, what string) (int64, error) {
	i, ok, err := t.indexOf(k)
	if err != nil {
		return 0, err
	}
	if !ok && what == "string" {
		return 0, TypeErrorf("string indices must be integers, not '%s'", TypeName(k))
	}
	if !ok {
		return 0, TypeErrorf("%s indices must be integers or slices, not %s", what, TypeName(k))
	}
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		return 0, Raise(IndexError, "%s index out of range", what)
	}
	return i, nil
}

// Index is v[key].
func (t *Thread) Index(v, key Value) (Value, error) {
	key, err := t.sequenceKey(v, key)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case *List:
		if i, ok := key.(int64); ok && i >= 0 && i < int64(len(v.Elems)) {
			return v.Elems[i], nil
		}
		if s, ok := key.(*Slice); ok {
			elems, err := t.sliceElems(v.Elems, s)
			return NewList(elems), err
		}
		i, err := t.element(key, len(v.Elems), "list")
		if err != nil {
			return nil, err
		}
		return v.Elems[i], nil
	case *Tuple:
		if s, ok := key.(*Slice); ok {
			elems, err := t.sliceElems(v.Elems, s)
			return NewTuple(elems...), err
		}
		i, err := t.element(key, len(v.Elems), "tuple")
		if err != nil {
			return nil, err
		}
		return v.Elems[i], nil
	case *Dict:
		x, err := v.Get(t, key)
		if x == nil && err == nil {
			err = &raised{newException(KeyError, key)}
		}
		return x, err
	case string:
		return t.indexString(v, key)
	case *Range:
		if s, ok := key.(*Slice); ok {
			a, b, step, err := s.resolve(t, v.count)
			if err != nil {
				return nil, err
			}
			return NewRange(v.Start+a*v.Step, v.Start+b*v.Step, step*v.Step), nil
		}
		i, err := t.place(key, v.count, "range object")
		if err != nil {
			return nil, err
		}
		return box(v.At(i)), nil
	case Bytes:
		if s, ok := key.(*Slice); ok {
			start, step, n, err := s.Indices(t, len(v))
			if err := t.Charge(int64(n)); err != nil {
				return nil, err
			}
			b := make([]byte, n)
			for i := range b {
				b[i] = v[start+i*step]
			}
			return Bytes(b), err
		}
		i, err := t.element(key, len(v), "index")
		if err != nil {
			return nil, err
		}
		return box(int64(v[i])), nil
	case *Instance:
		if m := v.class.defines("__getitem__"); m != nil {
			return t.Call(m, v, key)
		}
		if d, ok := v.native.(*Dict); ok {
			if miss := v.class.defines("__missing__"); miss != nil {
				if x, err := d.Get(t, key); x != nil || err != nil {
					return x, err
				}
				return t.Call(miss, v, key)
			}
		}
		if _, exc := v.native.(*excData); v.native != nil && !exc {
			return t.Index(v.native, key)
		}
	case Indexer:
		return v.Index(t, key)
	case *Class: // list[int] in an annotation
		if v.meta != nil {
			if m := v.meta.defines("__getitem__"); m != nil {
				return t.Call(m, v, key)
			}
		}
		if m, ok := v.lookup("__class_getitem__").(*wrapped); ok {
			return t.Call(m.fn, v, key)
		}
		if v.native && v.module == "" {
			return v, nil
		}
		return nil, TypeErrorf("type '%s' is not subscriptable", v.Name)
	}
	return nil, TypeErrorf("'%s' object is not subscriptable", TypeName(v))
}

// SetIndex is v[key] = x.
func (t *Thread) SetIndex(v, key, x Value) error {
	key, err := t.sequenceKey(v, key)
	if err != nil {
		return err
	}
	switch v := v.(type) {
	case *List:
		if s, ok := key.(*Slice); ok {
			return t.setSlice(v, s, x)
		}
		i, err := t.element(key, len(v.Elems), "list assignment")
		if err != nil {
			return listIndexError(err, key)
		}
		v.Elems[i] = x
		return nil
	case *Dict:
		return v.Set(t, key, x)
	case *Instance:
		if m := v.class.defines("__setitem__"); m != nil {
			_, err := t.Call(m, v, key, x)
			return err
		}
		if _, exc := v.native.(*excData); v.native != nil && !exc {
			return t.SetIndex(v.native, key, x)
		}
	case IndexSetter:
		return v.SetIndex(t, key, x)
	}
	return TypeErrorf("'%s' object does not support item assignment", TypeName(v))
}

func listIndexError(err error, key Value) error {
	if isException(err, TypeError) {
		return TypeErrorf("list indices must be integers or slices, not %s", TypeName(key))
	}
	return err
}

// DelIndex is del v[key].
func (t *Thread) DelIndex(v, key Value) error {
	key, err := t.sequenceKey(v, key)
	if err != nil {
		return err
	}
	switch v := v.(type) {
	case *List:
		if s, ok := key.(*Slice); ok {
			start, step, n, err := s.Indices(t, len(v.Elems))
			if err != nil {
				return err
			}
			drop := make(map[int]bool, n)
			for i := range n {
				drop[start+i*step] = true
			}
			kept := make([]Value, 0, len(v.Elems)-n)
			for i, e := range v.Elems {
				if !drop[i] {
					kept = append(kept, e)
				}
			}
			v.Elems = kept
			return nil
		}
		i, err := t.element(key, len(v.Elems), "list assignment")
		if err != nil {
			return listIndexError(err, key)
		}
		v.Elems = slices.Delete(v.Elems, i, i+1)
		return nil
	case *Dict:
		old, err := v.Delete(t, key)
		if err == nil && old == nil {
			err = &raised{newException(KeyError, key)}
		}
		return err
	case *Instance:
		if m := v.class.defines("__delitem__"); m != nil {
			_, err := t.Call(m, v, key)
			return err
		}
		if _, exc := v.native.(*excData); v.native != nil && !exc {
			return t.DelIndex(v.native, key)
		}
	case IndexSetter:
		return v.SetIndex(t, key, nil)
	}
	return TypeErrorf("'%s' object doesn't support item deletion", TypeName(v))
}
