package vm

// Set is a set or frozenset. It keeps the order of insertion, which Python
// does not promise.
type Set struct {
	dict   Dict
	Frozen bool
}

// NewSet makes an empty set.
func NewSet() *Set { return &Set{} }

// Len returns the number of elements.
func (s *Set) Len() int { return s.dict.live }

// Elems returns the elements.
func (s *Set) Elems() []Value { return s.dict.Keys() }

// Add adds an element.
func (s *Set) Add(t *Thread, v Value) error { return s.dict.Set(t, v, None) }

// Has reports whether v is an element.
func (s *Set) Has(t *Thread, v Value) (bool, error) {
	i, _, _, err := s.dict.find(t, v)
	return i >= 0, err
}

func (t *Thread) setUpdate(s *Set, v Value) error {
	return t.each(v, func(x Value) error { return s.Add(t, x) })
}

// toSet returns v itself if it is a set, else a set of its elements.
func (t *Thread) toSet(v Value) (*Set, error) {
	if s, ok := Unwrap(v).(*Set); ok {
		return s, nil
	}
	s := NewSet()
	return s, t.setUpdate(s, v)
}

// setBinary is | & - ^ of two sets.
func (t *Thread) setBinary(op BinaryOp, x, y *Set) (Value, error) {
	r := &Set{Frozen: x.Frozen}
	keep := func(from, other *Set, wanted bool) error {
		for _, v := range from.Elems() {
			if err := t.Tick(1); err != nil {
				return err
			}
			in, err := other.Has(t, v)
			if err == nil && in == wanted {
				err = r.Add(t, v)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	var err error
	switch op {
	case OpBitAnd:
		err = keep(x, y, true)
	case OpSub:
		err = keep(x, y, false)
	default: // | and ^
		if op == OpBitXor {
			err = keep(x, y, false)
		} else {
			err = t.setUpdate(r, x)
		}
		if err == nil {
			err = keep(y, x, false)
		}
	}
	return r, err
}

func (t *Thread) subset(x, y *Set) (bool, error) {
	for _, v := range x.Elems() {
		if in, err := y.Has(t, v); err != nil || !in {
			return false, err
		}
	}
	return true, nil
}

// setCompare: the orders are inclusion.
func (t *Thread) setCompare(op CompareOp, x, y *Set) (Value, error) {
	if op == OpGt || op == OpGe {
		op, x, y = op.Mirror(), y, x
	}
	in, err := t.subset(x, y)
	if err != nil {
		return nil, err
	}
	switch op {
	case OpEq:
		return in && x.Len() == y.Len(), nil
	case OpNe:
		return !in || x.Len() != y.Len(), nil
	case OpLt:
		return in && x.Len() < y.Len(), nil
	}
	return in, nil
}

func init() {
	makeSet := func(c *Class, frozen bool) {
		c.new = func(t *Thread, _ *Class, a Args) (Value, error) {
			vs, err := a.Bind(c.Name, "iterable?", "/")
			if err != nil {
				return nil, err
			}
			s := &Set{Frozen: frozen}
			if vs[0] != nil {
				err = t.setUpdate(s, vs[0])
			}
			return s, err
		}
		binary := func(name string, op BinaryOp) {
			c.SetMethod(name, func(t *Thread, self Value, a Args) (Value, error) {
				var r Value = self
				if len(a.Pos) == 0 {
					r = &Set{Frozen: frozen}
					return r, t.setUpdate(r.(*Set), self)
				}
				for _, v := range a.Pos {
					other, err := t.toSet(v)
					if err != nil {
						return nil, err
					}
					if r, err = t.setBinary(op, r.(*Set), other); err != nil {
						return nil, err
					}
				}
				return r, nil
			})
		}
		binary("union", OpBitOr)
		binary("intersection", OpBitAnd)
		binary("difference", OpSub)
		binary("symmetric_difference", OpBitXor)
		c.SetMethod("copy", func(t *Thread, self Value, _ Args) (Value, error) {
			r := &Set{Frozen: frozen}
			return r, t.setUpdate(r, self)
		})
		relation := func(name string, test func(t *Thread, x, y *Set) (bool, error)) {
			c.SetMethod(name, func(t *Thread, self Value, a Args) (Value, error) {
				vs, err := a.Bind(name, "other", "/")
				if err != nil {
					return nil, err
				}
				other, err := t.toSet(vs[0])
				if err != nil {
					return nil, err
				}
				ok, err := test(t, self.(*Set), other)
				return ok, err
			})
		}
		relation("issubset", (*Thread).subset)
		relation("issuperset", func(t *Thread, x, y *Set) (bool, error) { return t.subset(y, x) })
		relation("isdisjoint", func(t *Thread, x, y *Set) (bool, error) {
			r, err := t.setBinary(OpBitAnd, x, y)
			if err != nil {
				return false, err
			}
			return r.(*Set).Len() == 0, nil
		})
	}
	makeSet(SetClass, false)
	makeSet(FrozenSetClass, true)

	SetClass.SetMethod("__init__", func(t *Thread, self Value, a Args) (Value, error) {
		s := self.(*Set)
		s.dict.Clear()
		if len(a.Pos) > 0 {
			return None, t.setUpdate(s, a.Pos[0])
		}
		return None, nil
	})
	one := func(name string, do func(t *Thread, s *Set, v Value) error) {
		SetClass.SetMethod(name, func(t *Thread, self Value, a Args) (Value, error) {
			vs, err := a.Bind(name, "elem", "/")
			if err != nil {
				return nil, err
			}
			return None, do(t, self.(*Set), vs[0])
		})
	}
	one("add", func(t *Thread, s *Set, v Value) error { return s.Add(t, v) })
	one("discard", func(t *Thread, s *Set, v Value) error {
		_, err := s.dict.Delete(t, v)
		return err
	})
	one("remove", func(t *Thread, s *Set, v Value) error {
		old, err := s.dict.Delete(t, v)
		if err == nil && old == nil {
			return &raised{newException(KeyError, v)}
		}
		return err
	})
	SetClass.SetMethod("clear", func(_ *Thread, self Value, _ Args) (Value, error) {
		self.(*Set).dict.Clear()
		return None, nil
	})
	SetClass.SetMethod("pop", func(t *Thread, self Value, _ Args) (Value, error) {
		for k := range self.(*Set).dict.All() {
			_, err := self.(*Set).dict.Delete(t, k)
			return k, err
		}
		return nil, &raised{newException(KeyError, "pop from an empty set")}
	})
	update := func(name string, op BinaryOp) {
		SetClass.SetMethod(name, func(t *Thread, self Value, a Args) (Value, error) {
			s := self.(*Set)
			for _, v := range a.Pos {
				other, err := t.toSet(v)
				if err != nil {
					return nil, err
				}
				r, err := t.setBinary(op, s, other)
				if err != nil {
					return nil, err
				}
				s.dict = r.(*Set).dict
			}
			return None, nil
		})
	}
	update("update", OpBitOr)
	update("intersection_update", OpBitAnd)
	update("difference_update", OpSub)
	update("symmetric_difference_update", OpBitXor)
}
