package vm

import "slices"

func builtinIterators() {
	RangeClass.new = func(_ *Thread, _ *Class, a Args) (Value, error) {
		if len(a.Pos) < 1 || len(a.Pos) > 3 || len(a.Kw) > 0 {
			return nil, TypeErrorf("range expected 1 to 3 integer arguments, got %d", len(a.Pos)+len(a.Kw))
		}
		n := [3]int64{0, 0, 1}
		for i, v := range a.Pos {
			x, ok := AsInt(v)
			if !ok {
				if toBig(Unwrap(v)) != nil {
					return nil, Raise(OverflowError, "range() of ints beyond 64 bits is not supported")
				}
				return nil, TypeErrorf("'%s' object cannot be interpreted as an integer", TypeName(v))
			}
			n[i] = x
		}
		if len(a.Pos) == 1 {
			n[0], n[1] = 0, n[0]
		}
		if n[2] == 0 {
			return nil, ValueErrorf("range() arg 3 must not be zero")
		}
		r := NewRange(n[0], n[1], n[2])
		if r.count < 0 {
			return nil, Raise(OverflowError, "range() of more than 2**63 values is not supported")
		}
		return r, nil
	}
	for name, get := range map[string]func(r *Range) int64{
		"start": func(r *Range) int64 { return r.Start }, "stop": func(r *Range) int64 { return r.Stop }, "step": func(r *Range) int64 { return r.Step },
	} {
		RangeClass.SetProperty(name, func(_ *Thread, self Value, _ Args) (Value, error) { return box(get(self.(*Range))), nil }, nil)
	}
	RangeClass.SetMethod("index", func(_ *Thread, self Value, a Args) (Value, error) {
		vs, err := a.Bind("index", "value", "/")
		if err != nil {
			return nil, err
		}
		if x, ok := AsInt(vs[0]); ok {
			if i := self.(*Range).index(x); i >= 0 {
				return box(i), nil
			}
		}
		return nil, ValueErrorf("value is not in range")
	})
	RangeClass.SetMethod("count", func(t *Thread, self Value, a Args) (Value, error) {
		vs, err := a.Bind("count", "value", "/")
		if err != nil {
			return nil, err
		}
		in, err := t.Contains(self, vs[0])
		n, _ := AsInt(in)
		return box(n), err
	})
	builtin("iter", []string{"object", "sentinel?", "/"}, func(t *Thread, vs []Value) (Value, error) {
		if vs[1] == nil {
			it, err := t.Iter(vs[0])
			if err != nil {
				return nil, err
			}
			if i, ok := it.(*instanceIter); ok {
				return i.obj, nil
			}
			return it, nil
		}
		return &lazyIter{"callable_iterator", func(t *Thread) (Value, error) {
			v, err := t.Call(vs[0])
			if err != nil {
				return nil, err
			}
			if end, err := t.Equal(v, vs[1]); end || err != nil {
				return nil, err
			}
			return v, nil
		}}, nil
	})
	builtin("next", []string{"iterator", "default?", "/"}, func(t *Thread, vs []Value) (Value, error) {
		var it Iterator
		switch v := vs[0].(type) {
		case *Instance:
			if v.class.defines("__next__") == nil {
				return nil, TypeErrorf("'%s' object is not an iterator", TypeName(v))
			}
			if vs[1] == nil { // StopIteration passes through with its value
				return t.Call(v.class.defines("__next__"), v)
			}
			it = &instanceIter{v}
		case Iterator:
			it = v
		default:
			return nil, TypeErrorf("'%s' object is not an iterator", TypeName(v))
		}
		v, err := it.Next(t)
		switch {
		case v != nil || err != nil:
			return v, err
		case vs[1] != nil:
			return vs[1], nil
		}
		if g, ok := it.(*Generator); ok {
			return nil, stopIteration(g.result)
		}
		return nil, stopIteration(nil)
	})
	builtin("enumerate", []string{"iterable", "start?"}, func(t *Thread, vs []Value) (Value, error) {
		it, err := t.Iter(vs[0])
		if err != nil {
			return nil, err
		}
		n := box(0)
		if vs[1] != nil {
			if toBig(Unwrap(vs[1])) == nil {
				return nil, TypeErrorf("'%s' object cannot be interpreted as an integer", TypeName(vs[1]))
			}
			n = vs[1]
		}
		return &lazyIter{"enumerate", func(t *Thread) (Value, error) {
			v, err := it.Next(t)
			if v == nil || err != nil {
				return nil, err
			}
			i := n
			n, err = t.Binary(OpAdd, n, int64(1))
			return NewTuple(i, v), err
		}}, nil
	})
	builtinNames["zip"] = NewBuiltin("zip", zip)
	builtinNames["map"] = NewBuiltin("map", mapFunc)
	builtin("filter", []string{"function", "iterable", "/"}, func(t *Thread, vs []Value) (Value, error) {
		it, err := t.Iter(vs[1])
		if err != nil {
			return nil, err
		}
		return &lazyIter{"filter", func(t *Thread) (Value, error) {
			for {
				if err := t.Tick(1); err != nil {
					return nil, err
				}
				v, err := it.Next(t)
				if v == nil || err != nil {
					return nil, err
				}
				keep := v
				if vs[0] != None {
					if keep, err = t.Call(vs[0], v); err != nil {
						return nil, err
					}
				}
				if ok, err := t.Truth(keep); ok || err != nil {
					return v, err
				}
			}
		}}, nil
	})
	builtin("reversed", []string{"sequence", "/"}, reversedFunc)
	builtin("sorted", []string{"iterable", "/", "*", "key?", "reverse?"}, func(t *Thread, vs []Value) (Value, error) {
		elems, err := t.Collect(vs[0])
		if err != nil {
			return nil, err
		}
		elems, err = t.sort(elems, vs[1], vs[2])
		return NewList(elems), err
	})
	quantifier := func(name string, stop bool) {
		builtin(name, []string{"iterable", "/"}, func(t *Thread, vs []Value) (Value, error) {
			it, err := t.Iter(vs[0])
			if err != nil {
				return nil, err
			}
			for {
				if err := t.Tick(1); err != nil {
					return nil, err
				}
				v, err := it.Next(t)
				if err != nil {
					return nil, err
				}
				if v == nil {
					return !stop, nil
				}
				truth, err := t.Truth(v)
				if err != nil || truth == stop {
					return stop, err
				}
			}
		})
	}
	quantifier("any", true)
	quantifier("all", false)
}

func (t *Thread) iterators(vs []Value, fn string) ([]Iterator, error) {
	its := make([]Iterator, len(vs))
	for i, v := range vs {
		it, err := t.Iter(v)
		if err != nil {
			if fn == "zip" && isException(err, TypeError) {
				return nil, TypeErrorf("zip argument #%s must support iteration", itoa(i+1))
			}
			return nil, err
		}
		its[i] = it
	}
	return its, nil
}

func zip(t *Thread, a Args) (Value, error) {
	strict := false
	for _, k := range a.Kw {
		if k.Name != "strict" {
			return nil, TypeErrorf("zip() got an unexpected keyword argument '%s'", k.Name)
		}
		var err error
		if strict, err = t.Truth(k.Value); err != nil {
			return nil, err
		}
	}
	its, err := t.iterators(a.Pos, "zip")
	if err != nil {
		return nil, err
	}
	return &lazyIter{"zip", func(t *Thread) (Value, error) {
		vs := make([]Value, len(its))
		for i, it := range its {
			v, err := it.Next(t)
			if err != nil {
				return nil, err
			}
			if v != nil {
				vs[i] = v
				continue
			}
			if strict && i > 0 {
				return nil, zipLengths(i, "shorter")
			}
			if strict {
				for j, other := range its[1:] {
					if v, err := other.Next(t); v != nil || err != nil {
						return nil, orErr(err, zipLengths(j+1, "longer"))
					}
				}
			}
			return nil, nil
		}
		if len(vs) == 0 {
			return nil, nil
		}
		return NewTuple(vs...), nil
	}}, nil
}

func zipLengths(i int, word string) error {
	if i == 1 {
		return ValueErrorf("zip() argument 2 is %s than argument 1", word)
	}
	return ValueErrorf("zip() argument %d is %s than arguments 1-%d", i+1, word, i)
}

func mapFunc(t *Thread, a Args) (Value, error) {
	if len(a.Pos) < 2 || len(a.Kw) > 0 {
		return nil, TypeErrorf("map() must have at least two arguments.")
	}
	fn := a.Pos[0]
	its, err := t.iterators(a.Pos[1:], "map")
	if err != nil {
		return nil, err
	}
	return &lazyIter{"map", func(t *Thread) (Value, error) {
		vs := make([]Value, len(its))
		for i, it := range its {
			v, err := it.Next(t)
			if v == nil || err != nil {
				return nil, err
			}
			vs[i] = v
		}
		return t.Call(fn, vs...)
	}}, nil
}

func reversedFunc(t *Thread, vs []Value) (Value, error) {
	switch v := Unwrap(vs[0]).(type) {
	case *Range:
		if v.count == 0 {
			return &rangeIter{}, nil
		}
		return &rangeIter{v.At(v.count - 1), -v.Step, v.count}, nil
	case *Dict, *dictView:
		keys, err := t.Collect(v)
		slices.Reverse(keys)
		return &sliceIter{keys, "reversed"}, err
	case *Set:
		return nil, TypeErrorf("'%s' object is not reversible", TypeName(vs[0]))
	case *List:
		i := len(v.Elems)
		return &lazyIter{"reversed", func(*Thread) (Value, error) {
			if i = min(i, len(v.Elems)); i == 0 {
				return nil, nil
			}
			i--
			return v.Elems[i], nil
		}}, nil
	}
	if m, err := t.special(vs[0], "__reversed__"); m != nil || err != nil {
		if err != nil {
			return nil, err
		}
		return t.Call(m)
	}
	n, err := t.Len(vs[0])
	if err != nil {
		return nil, TypeErrorf("'%s' object is not reversible", TypeName(vs[0]))
	}
	return &lazyIter{"reversed", func(t *Thread) (Value, error) {
		if n == 0 {
			return nil, nil
		}
		n--
		return t.Index(vs[0], box(int64(n)))
	}}, nil
}
