package vm

import (
	"slices"

	bc "github.com/copaflash/copaflash/compiler/script/python/bytecode"
)

func unpack(t *Thread, f *frame, n int) error {
	v := f.stack[f.sp-1]
	var elems []Value
	switch v := v.(type) {
	case *Tuple:
		elems = v.Elems
	case *List:
		elems = v.Elems
	default:
		it, err := t.Iter(v)
		if err != nil {
			if isException(err, TypeError) {
				return TypeErrorf("cannot unpack non-iterable %s object", TypeName(v))
			}
			return err
		}
		for len(elems) <= n {
			x, err := it.Next(t)
			if err != nil {
				return err
			}
			if x == nil {
				break
			}
			elems = append(elems, x)
		}
	}
	if len(elems) > n {
		return ValueErrorf("too many values to unpack (expected %d)", n)
	}
	if len(elems) < n {
		return ValueErrorf("not enough values to unpack (expected %d, got %d)", n, len(elems))
	}
	f.pop()
	for i := range elems {
		f.push(elems[n-1-i])
	}
	return nil
}

func unpackStar(t *Thread, f *frame, arg int) error {
	before, after := arg&(1<<12-1), arg>>12
	v := f.stack[f.sp-1]
	elems, err := t.Collect(v)
	if err != nil {
		if isException(err, TypeError) {
			return TypeErrorf("cannot unpack non-iterable %s object", TypeName(v))
		}
		return err
	}
	if len(elems) < before+after {
		return ValueErrorf("not enough values to unpack (expected at least %d, got %d)", before+after, len(elems))
	}
	f.pop()
	end := len(elems) - after
	for i := len(elems) - 1; i >= end; i-- {
		f.push(elems[i])
	}
	f.push(NewList(slices.Clone(elems[before:end])))
	for i := before - 1; i >= 0; i-- {
		f.push(elems[i])
	}
	return nil
}

func dictSet(t *Thread, f *frame, arg int) error {
	depth, keywords := bc.SpreadKeywords(arg)
	v, k := f.pop(), f.pop()
	d := f.stack[f.sp-depth].(*Dict)
	if keywords {
		if old, _ := d.Get(t, k); old != nil {
			return TypeErrorf("got multiple values for keyword argument '%s'", k)
		}
	}
	return d.Set(t, k, v)
}

func updateDict(t *Thread, f *frame, arg int) error {
	depth, keywords := bc.SpreadKeywords(arg)
	v := f.pop()
	d := f.stack[f.sp-depth].(*Dict)
	src, ok := Unwrap(v).(*Dict)
	if !ok {
		if keywords {
			return TypeErrorf("argument after ** must be a mapping, not %s", TypeName(v))
		}
		return TypeErrorf("'%s' object is not a mapping", TypeName(v))
	}
	for k, v := range src.All() {
		if keywords {
			if _, ok := k.(string); !ok {
				return TypeErrorf("keywords must be strings")
			}
			if old, _ := d.Get(t, k); old != nil {
				return TypeErrorf("got multiple values for keyword argument '%s'", k)
			}
		}
		if err := d.Set(t, k, v); err != nil {
			return err
		}
	}
	return nil
}
