package vm

import "math/big"

// numberFunctions compute, and reduce iterables to one value.
var numberFunctions = []*Builtin{
	DefFunc("abs", builtinAbs, "x", "/"),
	DefFunc("round", builtinRound, "number", "ndigits?"),
	DefFunc("divmod", builtinDivmod, "x", "y", "/"),
	DefFunc("pow", builtinPow, "base", "exp", "mod?"),
	DefFunc("sum", builtinSum, "iterable", "/", "start?"),
	DefFunc("any", builtinAny, "iterable", "/"),
	DefFunc("all", builtinAll, "iterable", "/"),
	NewBuiltin("min", builtinMin),
	NewBuiltin("max", builtinMax),
}

func builtinAbs(t *Thread, vs []Value) (Value, error) {
	return t.Unary(OpAbs, vs[0])
}

func builtinRound(t *Thread, vs []Value) (Value, error) {
	if vs[1] == nil || vs[1] == None {
		return t.Unary(OpRound, vs[0])
	}
	n, err := wantInt(vs[1])
	if err != nil {
		return nil, err
	}
	return t.round2(vs[0], n)
}

func builtinDivmod(t *Thread, vs []Value) (Value, error) {
	x, xok := Unwrap(vs[0]).(float64)
	y, yok := Unwrap(vs[1]).(float64)
	if xok && yok && y != 0 {
		q, r := floatDivmod(x, y)
		return NewTuple(q, r), nil
	}
	for i, name := range []string{"__divmod__", "__rdivmod__"} {
		if o, ok := vs[i].(*Instance); ok {
			if m := o.class.defines(name); m != nil {
				if v, err := t.Call(m, o, vs[1-i]); v != NotImplemented || err != nil {
					return v, err
				}
			}
		}
	}
	q, err := t.Binary(OpFloorDiv, vs[0], vs[1])
	if err != nil {
		if isException(err, TypeError) {
			return nil, TypeErrorf("unsupported operand type(s) for divmod(): '%s' and '%s'", TypeName(vs[0]), TypeName(vs[1]))
		}
		return nil, err
	}
	r, err := t.Binary(OpMod, vs[0], vs[1])
	return NewTuple(q, r), err
}

func builtinPow(t *Thread, vs []Value) (Value, error) {
	if vs[2] == nil || vs[2] == None {
		return t.Binary(OpPow, vs[0], vs[1])
	}
	return t.powMod(toBig(Unwrap(vs[0])), toBig(Unwrap(vs[1])), toBig(Unwrap(vs[2])))
}

func (t *Thread) powMod(base, exp, mod *big.Int) (Value, error) {
	if base == nil || exp == nil || mod == nil {
		return nil, TypeErrorf("pow() 3rd argument not allowed unless all arguments are integers")
	}
	if mod.Sign() == 0 {
		return nil, ValueErrorf("pow() 3rd argument cannot be 0")
	}
	n := mod.BitLen() + base.BitLen()
	if err := t.Tick((n/64 + 1) * (n/64 + 1) * (exp.BitLen()/64 + 1) / 16); err != nil {
		return nil, err
	}
	r := new(big.Int).Exp(base, exp, new(big.Int).Abs(mod))
	if r == nil {
		return nil, ValueErrorf("base is not invertible for the given modulus")
	}
	if exp.Sign() < 0 && new(big.Int).GCD(nil, nil, new(big.Int).Abs(base), new(big.Int).Abs(mod)).Cmp(big.NewInt(1)) != 0 {
		return nil, ValueErrorf("base is not invertible for the given modulus")
	}
	if r.Sign() != 0 && mod.Sign() < 0 {
		r.Add(r, mod)
	}
	return NewBig(r), nil
}

func builtinSum(t *Thread, vs []Value) (Value, error) {
	total := vs[1]
	if total == nil {
		total = box(0)
	}
	if _, ok := total.(string); ok {
		return nil, TypeErrorf("sum() can't sum strings [use ''.join(seq) instead]")
	}
	err := t.each(vs[0], func(x Value) (err error) {
		total, err = t.Binary(OpAdd, total, x)
		return err
	})
	return total, err
}

func builtinAny(t *Thread, vs []Value) (Value, error) { return t.quantify(vs[0], true) }

func builtinAll(t *Thread, vs []Value) (Value, error) { return t.quantify(vs[0], false) }

// quantify looks for a value whose truth is stop: the result is stop if there is one.
func (t *Thread) quantify(iterable Value, stop bool) (Value, error) {
	it, err := t.Iter(iterable)
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
}

func builtinMin(t *Thread, a Args) (Value, error) { return t.extreme("min", OpLt, a) }

func builtinMax(t *Thread, a Args) (Value, error) { return t.extreme("max", OpGt, a) }

// extreme is the first value of which no other is better.
func (t *Thread) extreme(name string, better CompareOp, a Args) (Value, error) {
	var key, def Value
	for _, k := range a.Kw {
		switch k.Name {
		case "key":
			key = k.Value
		case "default":
			def = k.Value
		default:
			return nil, TypeErrorf("%s() got an unexpected keyword argument '%s'", name, k.Name)
		}
	}
	var source Value = NewTuple(a.Pos...)
	switch {
	case len(a.Pos) == 0:
		return nil, TypeErrorf("%s expected at least 1 argument, got 0", name)
	case len(a.Pos) == 1:
		source = a.Pos[0]
	case def != nil:
		return nil, TypeErrorf("Cannot specify a default for %s() with multiple positional arguments", name)
	}
	var best, bestKey Value
	err := t.each(source, func(x Value) error {
		k := x
		if key != nil && key != None {
			var err error
			if k, err = t.Call(key, x); err != nil {
				return err
			}
		}
		if best == nil {
			best, bestKey = x, k
			return nil
		}
		v, err := t.Compare(better, k, bestKey)
		if err != nil {
			return err
		}
		truth, err := t.Truth(v)
		if truth {
			best, bestKey = x, k
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if best == nil {
		if def == nil {
			return nil, ValueErrorf("%s() arg is an empty sequence", name)
		}
		return def, nil
	}
	return best, nil
}
