package vm

import "unicode/utf8"

// lazyIter is an iterator written as a Go function that returns nil at the end.
type lazyIter struct {
	name string
	next func(t *Thread) (Value, error)
}

// PyClass makes lazyIter a Python type.
func (l *lazyIter) PyClass() *Class { return iteratorClass(l.name) }

// Next bounds the nesting of iterators over iterators.
func (l *lazyIter) Next(t *Thread) (Value, error) {
	if err := t.enter(); err != nil {
		return nil, err
	}
	v, err := l.next(t)
	t.leave()
	return v, err
}

// iteratorClasses are the classes of builtin iterators.
var iteratorClasses = newIteratorClasses("iterator", "map", "filter", "zip", "enumerate", "reversed", "list_iterator", "tuple_iterator",
	"str_iterator", "dict_keyiterator", "dict_valueiterator", "dict_itemiterator", "set_iterator", "range_iterator", "callable_iterator")

func newIteratorClasses(names ...string) map[string]*Class {
	classes := make(map[string]*Class, len(names))
	for _, name := range names {
		classes[name] = newFinal(name, nil)
	}
	return classes
}

func iteratorClass(name string) *Class { return iteratorClasses[name] }

type rangeIter struct{ next, step, left int64 }

// PyClass makes rangeIter a Python type.
func (*rangeIter) PyClass() *Class { return iteratorClass("range_iterator") }

// Next returns the next int.
func (r *rangeIter) Next(*Thread) (Value, error) {
	if r.left <= 0 {
		return nil, nil
	}
	v := box(r.next)
	r.next += r.step
	r.left--
	return v, nil
}

// listIter sees elements that are added while it runs.
type listIter struct {
	list *List
	i    int
}

// PyClass makes listIter a Python type.
func (*listIter) PyClass() *Class { return iteratorClass("list_iterator") }

// Next returns the next element.
func (l *listIter) Next(*Thread) (Value, error) {
	if l.list == nil || l.i >= len(l.list.Elems) {
		l.list = nil
		return nil, nil
	}
	l.i++
	return l.list.Elems[l.i-1], nil
}

type sliceIter struct {
	elems []Value
	name  string
}

// PyClass makes sliceIter a Python type.
func (s *sliceIter) PyClass() *Class { return iteratorClass(s.name) }

// Next returns the next element.
func (s *sliceIter) Next(*Thread) (Value, error) {
	if len(s.elems) == 0 {
		return nil, nil
	}
	v := s.elems[0]
	s.elems = s.elems[1:]
	return v, nil
}

type strIter struct{ rest string }

// PyClass makes strIter a Python type.
func (*strIter) PyClass() *Class { return iteratorClass("str_iterator") }

// Next returns the next character.
func (s *strIter) Next(*Thread) (Value, error) {
	if s.rest == "" {
		return nil, nil
	}
	_, n := utf8.DecodeRuneInString(s.rest)
	v := s.rest[:n]
	s.rest = s.rest[n:]
	return v, nil
}

// dictIter walks over the entries of a dict and fails if keys are added or
// removed meanwhile.
type dictIter struct {
	dict *Dict
	i    int
	id   int
	name string
	item func(e entry) Value
	kind string // "dictionary" or "Set"
}

func newDictIter(d *Dict, name, kind string, item func(e entry) Value) *dictIter {
	return &dictIter{dict: d, id: d.iterID, name: name, kind: kind, item: item}
}

func entryKey(e entry) Value   { return e.key }
func entryValue(e entry) Value { return e.value }
func entryItem(e entry) Value  { return NewTuple(e.key, e.value) }

// PyClass makes dictIter a Python type.
func (d *dictIter) PyClass() *Class { return iteratorClass(d.name) }

// Next returns the next key, value or item.
func (d *dictIter) Next(*Thread) (Value, error) {
	if d.dict == nil {
		return nil, nil
	}
	for d.i < len(d.dict.entries) || d.id != d.dict.iterID {
		if d.id != d.dict.iterID {
			d.dict = nil
			return nil, Raise(RuntimeError, "%s changed size during iteration", d.kind)
		}
		e := d.dict.entries[d.i]
		d.i++
		if e.key != nil {
			return d.item(e), nil
		}
	}
	d.dict = nil
	return nil, nil
}

// instanceIter is an object with a __next__ method.
type instanceIter struct{ obj *Instance }

// PyClass makes instanceIter a Python type.
func (i *instanceIter) PyClass() *Class { return i.obj.class }

// Next calls __next__ and takes StopIteration as the end.
func (i *instanceIter) Next(t *Thread) (Value, error) {
	m := i.obj.class.defines("__next__")
	if m == nil {
		return nil, TypeErrorf("'%s' object is not an iterator", i.obj.class.Name)
	}
	v, err := t.Call(m, i.obj)
	if isException(err, StopIteration) {
		return nil, nil
	}
	return v, err
}

// Iter returns an iterator over v.
func (t *Thread) Iter(v Value) (Iterator, error) {
	switch v := v.(type) {
	case *List:
		return &listIter{list: v}, nil
	case *Tuple:
		return &sliceIter{v.Elems, "tuple_iterator"}, nil
	case *Range:
		return &rangeIter{v.Start, v.Step, v.count}, nil
	case string:
		return &strIter{v}, nil
	case *Dict:
		return newDictIter(v, "dict_keyiterator", "dictionary", entryKey), nil
	case *Set:
		return newDictIter(&v.dict, "set_iterator", "Set", entryKey), nil
	case Bytes:
		i := 0
		return &lazyIter{"iterator", func(*Thread) (Value, error) {
			if i >= len(v) {
				return nil, nil
			}
			i++
			return box(int64(v[i-1])), nil
		}}, nil
	case *Instance:
		return t.instanceIter(v)
	case Iterator:
		return v, nil
	case Iterable:
		return v.Iter(t)
	case *Class:
		if m := v.metaMethod("__iter__"); m != nil {
			r, err := t.Call(m, v)
			if err != nil {
				return nil, err
			}
			return t.Iter(r)
		}
	}
	return nil, TypeErrorf("'%s' object is not iterable", TypeName(v))
}

func (t *Thread) instanceIter(v *Instance) (Iterator, error) {
	if m := v.class.defines("__iter__"); m != nil && m != None {
		r, err := t.Call(m, v)
		if err != nil {
			return nil, err
		}
		switch r := r.(type) {
		case *Instance:
			if r.class.defines("__next__") != nil {
				return &instanceIter{r}, nil
			}
		case Iterator:
			return r, nil
		}
		return nil, TypeErrorf("iter() returned non-iterator of type '%s'", TypeName(r))
	}
	if m := v.class.defines("__getitem__"); m != nil {
		i := int64(0)
		return &lazyIter{"iterator", func(t *Thread) (Value, error) {
			i++
			x, err := t.Call(m, v, box(i-1))
			if isException(err, IndexError) || isException(err, StopIteration) {
				return nil, nil
			}
			return x, err
		}}, nil
	}
	if v.native != nil {
		if _, exc := v.native.(*excData); !exc {
			return t.Iter(v.native)
		}
	}
	return nil, TypeErrorf("'%s' object is not iterable", v.class.Name)
}

// each calls f with every element of v and accounts for the steps.
func (t *Thread) each(v Value, f func(x Value) error) error {
	it, err := t.Iter(v)
	if err != nil {
		return err
	}
	for {
		x, err := it.Next(t)
		if err != nil || x == nil {
			return err
		}
		if err := t.Tick(1); err != nil {
			return err
		}
		if err := f(x); err != nil {
			return err
		}
	}
}

// Collect returns the elements of an iterable in a slice of the caller's.
func (t *Thread) Collect(v Value) ([]Value, error) {
	var elems []Value
	switch v := v.(type) {
	case *List:
		elems = v.Elems
	case *Tuple:
		elems = v.Elems
	default:
		l := &List{}
		err := t.extend(l, v)
		return l.Elems, err
	}
	if err := t.Charge(int64(len(elems)) * valueBytes); err != nil {
		return nil, err
	}
	return append(make([]Value, 0, len(elems)), elems...), nil
}

// extend appends the elements of v to a list.
func (t *Thread) extend(l *List, v Value) error {
	switch v := v.(type) {
	case *List:
		return t.push(l, v.Elems...)
	case *Tuple:
		return t.push(l, v.Elems...)
	}
	if n := sizeHint(v); n > t.opts.Limits.Memory/valueBytes {
		return t.outOfMemory()
	}
	return t.each(v, func(x Value) error {
		return t.push(l, x)
	})
}

// sizeHint is how many elements a value that is iterated is known to have, at least.
func sizeHint(v Value) int64 {
	switch v := v.(type) {
	case *Range:
		return v.count
	case *Dict:
		return int64(v.live)
	case *Set:
		return int64(v.Len())
	case Bytes:
		return int64(len(v))
	}
	return 0
}

// Contains is `x in container`.
func (t *Thread) Contains(container, x Value) (bool, error) {
	switch c := container.(type) {
	case *Dict:
		i, _, _, err := c.find(t, x)
		return i >= 0, err
	case *Set:
		return c.Has(t, x)
	case string:
		s, ok := x.(string)
		if !ok {
			return false, TypeErrorf("'in <string>' requires string as left operand, not %s", TypeName(x))
		}
		return contains(c, s), nil
	case Bytes:
		return bytesContain(c, x)
	case *Range:
		if i, ok := AsInt(x); ok {
			return c.index(i) >= 0, nil
		}
	case *Instance:
		if m := c.class.defines("__contains__"); m != nil {
			v, err := t.Call(m, c, x)
			if err != nil {
				return false, err
			}
			return t.Truth(v)
		}
		if c.native != nil && c.class.defines("__iter__") == nil {
			return t.Contains(c.native, x)
		}
	case Container:
		return c.Contains(t, x)
	case *Class:
		if m := c.metaMethod("__contains__"); m != nil {
			v, err := t.Call(m, c, x)
			if err != nil {
				return false, err
			}
			return t.Truth(v)
		}
	}
	it, err := t.Iter(container)
	if err != nil {
		if isException(err, TypeError) {
			return false, TypeErrorf("argument of type '%s' is not iterable", TypeName(container))
		}
		return false, err
	}
	for {
		v, err := it.Next(t)
		if err != nil || v == nil {
			return false, err
		}
		if err := t.Tick(1); err != nil {
			return false, err
		}
		if eq, err := t.Equal(v, x); err != nil || eq {
			return eq, err
		}
	}
}

// index returns the place of v in the range, or -1.
func (r *Range) index(v int64) int64 {
	if r.count == 0 {
		return -1
	}
	d := v - r.Start
	if d%r.Step != 0 || d/r.Step < 0 || d/r.Step >= r.count {
		return -1
	}
	return d / r.Step
}
