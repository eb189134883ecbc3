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

// element converts a subscript to a place in a sequence of n elements.
func (t *Thread) element(k Value, n int, what string) (int, error) {
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
		i += int64(n)
	}
	if i < 0 || i >= int64(n) {
		return 0, Raise(IndexError, "%s index out of range", what)
	}
	return int(i), nil
}

// Index is v[key].
func (t *Thread) Index(v, key Value) (Value, error) {
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
			a, b, step, err := s.resolve(t, int(v.count))
			if err != nil {
				return nil, err
			}
			return NewRange(v.Start+a*v.Step, v.Start+b*v.Step, step*v.Step), nil
		}
		i, err := t.element(key, int(v.count), "range object")
		if err != nil {
			return nil, err
		}
		return box(v.At(int64(i))), nil
	case Bytes:
		if s, ok := key.(*Slice); ok {
			start, step, n, err := s.Indices(t, len(v))
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
		if v.native {
			return v, nil
		}
		if m, ok := v.lookup("__class_getitem__").(*wrapped); ok {
			return t.Call(m.fn, v, key)
		}
		return nil, TypeErrorf("type '%s' is not subscriptable", v.Name)
	}
	return nil, TypeErrorf("'%s' object is not subscriptable", TypeName(v))
}

func (t *Thread) indexString(v string, key Value) (Value, error) {
	ascii := isASCII(v)
	if s, ok := key.(*Slice); ok {
		if ascii {
			start, step, n, err := s.Indices(t, len(v))
			if err != nil || step == 1 {
				return v[start : start+n], err
			}
			b := make([]byte, n)
			for i := range b {
				b[i] = v[start+i*step]
			}
			return string(b), t.Charge(int64(n))
		}
		runes := []rune(v)
		start, step, n, err := s.Indices(t, len(runes))
		if err != nil {
			return nil, err
		}
		r := make([]rune, n)
		for i := range r {
			r[i] = runes[start+i*step]
		}
		return string(r), t.Charge(int64(n) * 5)
	}
	n := len(v)
	if !ascii {
		n = utf8.RuneCountInString(v)
	}
	i, err := t.element(key, n, "string")
	if err != nil {
		return nil, err
	}
	if ascii {
		return v[i : i+1], nil
	}
	if err := t.Tick(i / 16); err != nil {
		return nil, err
	}
	for _, r := range v {
		if i == 0 {
			return string(r), nil
		}
		i--
	}
	return "", nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Indices resolves a slice for a sequence of n elements: the count elements
// start, start+step, ... With count 0 start is a valid place to insert at.
func (s *Slice) Indices(t *Thread, n int) (start, step, count int, err error) {
	a, b, st, err := s.resolve(t, n)
	if err != nil {
		return 0, 1, 0, err
	}
	if st > 0 && a < b {
		count = int((b-a-1)/st) + 1
	} else if st < 0 && a > b {
		count = int((a-b-1)/-st) + 1
	}
	return int(max(a, 0)), int(st), count, nil
}

// resolve clamps the parts of a slice to a sequence of n elements. Going
// backwards, -1 stands for the place before the first element.
func (s *Slice) resolve(t *Thread, n int) (start, stop, step int64, err error) {
	part := func(v Value, def int64) (int64, error) {
		if v == None {
			return def, nil
		}
		i, ok, err := t.indexOf(v)
		if !ok && err == nil {
			err = TypeErrorf("slice indices must be integers or None or have an __index__ method")
		}
		return i, err
	}
	st, err := part(s.Step, 1)
	if err != nil {
		return 0, 0, 1, err
	}
	if st == 0 {
		return 0, 0, 1, ValueErrorf("slice step cannot be zero")
	}
	st = max(min(st, int64(n)+1), -int64(n)-1) // larger steps take one element all the same
	lo, hi := int64(0), int64(n)
	first, last := lo, hi
	if st < 0 {
		lo, hi = -1, int64(n)-1
		first, last = hi, lo
	}
	clamp := func(v Value, def int64) (int64, error) {
		if v == None {
			return def, nil
		}
		i, err := part(v, def)
		if i < 0 {
			i = max(i, -1<<62) + int64(n)
		}
		return min(max(i, lo), hi), err
	}
	if start, err = clamp(s.Start, first); err != nil {
		return 0, 0, 1, err
	}
	stop, err = clamp(s.Stop, last)
	return start, stop, st, err
}

func (t *Thread) sliceElems(elems []Value, s *Slice) ([]Value, error) {
	start, step, n, err := s.Indices(t, len(elems))
	if err != nil {
		return nil, err
	}
	if err := t.Charge(int64(n) * valueBytes); err != nil {
		return nil, err
	}
	r := make([]Value, n)
	if step == 1 {
		copy(r, elems[start:])
		return r, nil
	}
	for i := range r {
		r[i] = elems[start+i*step]
	}
	return r, nil
}

// SetIndex is v[key] = x.
func (t *Thread) SetIndex(v, key, x Value) error {
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

func (t *Thread) setSlice(l *List, s *Slice, x Value) error {
	elems, err := t.Collect(x)
	if err != nil {
		if isException(err, TypeError) {
			return TypeErrorf("can only assign an iterable")
		}
		return err
	}
	start, step, n, err := s.Indices(t, len(l.Elems))
	if err != nil {
		return err
	}
	if s.Step == None || step == 1 {
		l.Elems = slices.Replace(l.Elems, start, start+n, elems...)
		return nil
	}
	if len(elems) != n {
		return ValueErrorf("attempt to assign sequence of size %d to extended slice of size %d", len(elems), n)
	}
	for i, e := range elems {
		l.Elems[start+i*step] = e
	}
	return nil
}

// DelIndex is del v[key].
func (t *Thread) DelIndex(v, key Value) error {
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
