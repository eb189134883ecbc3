package vm

// setTable has what frozen sets have as well.
var setTable = []Row{
	DefArgs("union", setUnion),
	DefArgs("intersection", setIntersection),
	DefArgs("difference", setDifference),
	DefArgs("symmetric_difference", setSymmetricDifference),
	Def("copy", setCopy),
	Def("issubset", setIssubset, "other", "/"),
	Def("issuperset", setIssuperset, "other", "/"),
	Def("isdisjoint", setIsdisjoint, "other", "/"),
}

var setChangeTable = []Row{
	DefArgs("__init__", setInit),
	Def("add", setAdd, "elem", "/"),
	Def("discard", setDiscard, "elem", "/"),
	Def("remove", setRemove, "elem", "/"),
	Def("clear", setClear),
	Def("pop", setPop),
	DefArgs("update", setUpdate),
	DefArgs("intersection_update", setIntersectionUpdate),
	DefArgs("difference_update", setDifferenceUpdate),
	DefArgs("symmetric_difference_update", setSymmetricDifferenceUpdate),
}

var (
	setSignature       = NewSignature("set", "iterable?", "/")
	frozenSetSignature = NewSignature("frozenset", "iterable?", "/")
)

func newSet(t *Thread, _ *Class, a Args) (Value, error) { return t.makeSet(setSignature, &Set{}, a) }

func newFrozenSet(t *Thread, _ *Class, a Args) (Value, error) {
	return t.makeSet(frozenSetSignature, &Set{Frozen: true}, a)
}

func (t *Thread) makeSet(params *Signature, s *Set, a Args) (Value, error) {
	vs, err := params.Bind(a)
	if err != nil {
		return nil, err
	}
	if vs[0] != nil {
		err = t.setUpdate(s, vs[0])
	}
	return s, err
}

func setUnion(t *Thread, s *Set, a Args) (Value, error) { return t.setChain(OpBitOr, s, a) }

func setIntersection(t *Thread, s *Set, a Args) (Value, error) { return t.setChain(OpBitAnd, s, a) }

func setDifference(t *Thread, s *Set, a Args) (Value, error) { return t.setChain(OpSub, s, a) }

func setSymmetricDifference(t *Thread, s *Set, a Args) (Value, error) {
	return t.setChain(OpBitXor, s, a)
}

// setChain is s op a op b ... as a new set.
func (t *Thread) setChain(op BinaryOp, s *Set, a Args) (Value, error) {
	if len(a.Pos) == 0 {
		return setCopy(t, s, nil)
	}
	var r Value = s
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
}

func setCopy(t *Thread, s *Set, _ []Value) (Value, error) {
	r := &Set{Frozen: s.Frozen}
	return r, t.setUpdate(r, s)
}

func setIssubset(t *Thread, s *Set, vs []Value) (Value, error) {
	other, err := t.toSet(vs[0])
	if err != nil {
		return nil, err
	}
	return wrapBool(t.subset(s, other))
}

func setIssuperset(t *Thread, s *Set, vs []Value) (Value, error) {
	other, err := t.toSet(vs[0])
	if err != nil {
		return nil, err
	}
	return wrapBool(t.subset(other, s))
}

func setIsdisjoint(t *Thread, s *Set, vs []Value) (Value, error) {
	other, err := t.toSet(vs[0])
	if err != nil {
		return nil, err
	}
	r, err := t.setBinary(OpBitAnd, s, other)
	if err != nil {
		return nil, err
	}
	return r.(*Set).Len() == 0, nil
}

func setInit(t *Thread, s *Set, a Args) (Value, error) {
	s.dict.Clear()
	if len(a.Pos) > 0 {
		return None, t.setUpdate(s, a.Pos[0])
	}
	return None, nil
}

func setAdd(t *Thread, s *Set, vs []Value) (Value, error) { return None, s.Add(t, vs[0]) }

func setDiscard(t *Thread, s *Set, vs []Value) (Value, error) {
	_, err := s.dict.Delete(t, vs[0])
	return None, err
}

func setRemove(t *Thread, s *Set, vs []Value) (Value, error) {
	old, err := s.dict.Delete(t, vs[0])
	if err == nil && old == nil {
		err = &raised{newException(KeyError, vs[0])}
	}
	return None, err
}

func setClear(_ *Thread, s *Set, _ []Value) (Value, error) {
	s.dict.Clear()
	return None, nil
}

func setPop(t *Thread, s *Set, _ []Value) (Value, error) {
	for k := range s.dict.All() {
		_, err := s.dict.Delete(t, k)
		return k, err
	}
	return nil, &raised{newException(KeyError, "pop from an empty set")}
}

func setUpdate(t *Thread, s *Set, a Args) (Value, error) { return t.setChange(OpBitOr, s, a) }

func setIntersectionUpdate(t *Thread, s *Set, a Args) (Value, error) {
	return t.setChange(OpBitAnd, s, a)
}

func setDifferenceUpdate(t *Thread, s *Set, a Args) (Value, error) { return t.setChange(OpSub, s, a) }

func setSymmetricDifferenceUpdate(t *Thread, s *Set, a Args) (Value, error) {
	return t.setChange(OpBitXor, s, a)
}

// setChange makes s what s op a op b ... is, one after the other.
func (t *Thread) setChange(op BinaryOp, s *Set, a Args) (Value, error) {
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
}
