package vm

import "github.com/copaflash/copaflash/compiler/script/python/syntax"

// chainNext handles the first comparisons of a < b < c. w is acc, a, b; it
// leaves acc, b, or reports the result of the whole chain.
func (t *Thread) chainNext(w []Value, kind syntax.RelationKind, op CompareOp) (done bool, result Value, err error) {
	var r Value
	switch kind {
	case syntax.Is, syntax.IsNot:
		r = identical(w[1], w[2]) == (kind == syntax.Is)
	case syntax.In, syntax.NotIn:
		ok, err := t.Contains(w[2], w[1])
		if err != nil {
			return false, nil, err
		}
		r = ok == (kind == syntax.In)
	default:
		if r, err = t.Compare(op, w[1], w[2]); err != nil {
			return false, nil, err
		}
	}
	if _, ok := r.(Selector); ok {
		w[0], err = t.chainJoin(w[0], r)
	} else {
		truth, err := t.Truth(r)
		if err != nil || !truth {
			return !truth, r, err
		}
	}
	w[1] = w[2]
	return false, nil, err
}

// chainJoin combines what traced comparisons gave so far with the next result.
func (t *Thread) chainJoin(acc, r Value) (Value, error) {
	if acc == condTrue {
		return r, nil
	}
	if _, ok := r.(Selector); !ok {
		truth, err := t.Truth(r)
		if err != nil || !truth {
			return r, err
		}
		return acc, nil
	}
	return t.Binary(OpBitAnd, acc, r)
}
