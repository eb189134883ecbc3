package vm

var rangeTable = []Row{
	DefProperty("start", rangeStart, nil),
	DefProperty("stop", rangeStop, nil),
	DefProperty("step", rangeStep, nil),
	Def("index", rangeIndex, "value", "/"),
	Def("count", rangeCount, "value", "/"),
}

func newRange(_ *Thread, _ *Class, a Args) (Value, error) {
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

func rangeStart(r *Range) Value { return box(r.Start) }

func rangeStop(r *Range) Value { return box(r.Stop) }

func rangeStep(r *Range) Value { return box(r.Step) }

func rangeIndex(_ *Thread, r *Range, vs []Value) (Value, error) {
	if x, ok := AsInt(vs[0]); ok {
		if i := r.index(x); i >= 0 {
			return box(i), nil
		}
	}
	return nil, ValueErrorf("value is not in range")
}

func rangeCount(t *Thread, r *Range, vs []Value) (Value, error) {
	in, err := t.Contains(r, vs[0])
	n, _ := AsInt(in)
	return box(n), err
}
