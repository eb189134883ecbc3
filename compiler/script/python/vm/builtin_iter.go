package vm

import "slices"

// iteratorFunctions take or make iterators.
var iteratorFunctions = []*Builtin{
	DefFunc("iter", builtinIter, "object", "sentinel?", "/"),
	DefFunc("next", builtinNext, "iterator", "default?", "/"),
	DefFunc("enumerate", builtinEnumerate, "iterable", "start?"),
	NewBuiltin("zip", zip),
	NewBuiltin("map", mapFunc),
	DefFunc("filter", builtinFilter, "function", "iterable", "/"),
	DefFunc("reversed", reversedFunc, "sequence", "/"),
	DefFunc("sorted", builtinSorted, "iterable", "/", "*", "key?", "reverse?"),
}

func builtinIter(t *Thread, vs []Value) (Value, error) {
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
	fn, sentinel := vs[0], vs[1]
	return &lazyIter{"callable_iterator", func(t *Thread) (Value, error) {
		v, err := t.Call(fn)
		if err != nil {
			return nil, err
		}
		if end, err := t.Equal(v, sentinel); end || err != nil {
			return nil, err
		}
		return v, nil
	}}, nil
}

func builtinNext(t *Thread, vs []Value) (Value, error) {
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
}

func builtinEnumerate(t *Thread, vs []Value) (Value, error) {
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
}

func builtinFilter(t *Thread, vs []Value) (Value, error) {
	it, err := t.Iter(vs[1])
	if err != nil {
		return nil, err
	}
	fn := vs[0]
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
			if fn != None {
				if keep, err = t.Call(fn, v); err != nil {
					return nil, err
				}
			}
			if ok, err := t.Truth(keep); ok || err != nil {
				return v, err
			}
		}
	}}, nil
}

func builtinSorted(t *Thread, vs []Value) (Value, error) {
	elems, err := t.Collect(vs[0])
	if err != nil {
		return nil, err
	}
	elems, err = t.sort(elems, vs[1], vs[2])
	return NewList(elems), err
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
	x := vs[0]
	return &lazyIter{"reversed", func(t *Thread) (Value, error) {
		if n == 0 {
			return nil, nil
		}
		n--
		return t.Index(x, box(int64(n)))
	}}, nil
}
