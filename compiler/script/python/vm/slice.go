package vm

import (
	"slices"
	"unicode/utf8"
)

// Indices resolves a slice for a sequence of n elements: the count elements
// start, start+step, ... With count 0 start is a valid place to insert at.
func (s *Slice) Indices(t *Thread, n int) (start, step, count int, err error) {
	a, b, st, err := s.resolve(t, int64(n))
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
func (s *Slice) resolve(t *Thread, n int64) (start, stop, step int64, err error) {
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
	st = max(min(st, n+1), -n-1) // larger steps take one element all the same
	lo, hi := int64(0), n
	first, last := lo, hi
	if st < 0 {
		lo, hi = -1, n-1
		first, last = hi, lo
	}
	clamp := func(v Value, def int64) (int64, error) {
		if v == None {
			return def, nil
		}
		i, err := part(v, def)
		if i < 0 {
			i = max(i, -1<<62) + n
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

func (t *Thread) indexString(v string, key Value) (Value, error) {
	ascii := isASCII(v)
	if s, ok := key.(*Slice); ok {
		if ascii {
			start, step, n, err := s.Indices(t, len(v))
			if err != nil || step == 1 {
				return v[start : start+n], err
			}
			if err := t.Charge(int64(n)); err != nil {
				return nil, err
			}
			b := make([]byte, n)
			for i := range b {
				b[i] = v[start+i*step]
			}
			return string(b), nil
		}
		if err := t.Charge(int64(len(v)) * 8); err != nil { // as runes: the text, and what is taken
			return nil, err
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
		return string(r), nil
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
