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
