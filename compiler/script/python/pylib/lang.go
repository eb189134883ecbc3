package pylib

import (
	"math"
	"math/big"

	"github.com/copaflash/copaflash/compiler/script/python/syntax"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// lang is what library modules need of the interpreter itself.
func (h *host) lang(*vm.Thread) (*vm.Module, error) {
	m := vm.NewModule("_lang")
	m.Set("noop", vm.NoOp)
	m.Define(
		vm.DefFunc("define", define, "name", "text", "vars"),
		vm.DefFunc("caller", caller),
		vm.DefFunc("iskeyword", isKeyword, "s"),
		vm.NewBuiltin("exact_sum", exactMean),
		vm.NewBuiltin("exact_variance", exactVariance),
		vm.NewBuiltin("exact_harmonic", exactHarmonic),
	)
	return m, nil
}

func define(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
	return vm.None, t.Define(vs[0].(string), vs[1].(string), vs[2].(*vm.Dict))
}

func caller(t *vm.Thread, _ []vm.Value) (vm.Value, error) { return t.CallerModule(), nil }

func isKeyword(_ *vm.Thread, vs []vm.Value) (vm.Value, error) {
	s, ok := vs[0].(string)
	return ok && syntax.IsKeyword(s), nil
}

// numbers are plain numbers as fractions, unless one of them is no finite number.
type numbers struct {
	rats   []*big.Rat
	floats bool    // there is one
	odd    float64 // what inf and nan add up to
	isOdd  bool
}

func exactNumbers(what string, v vm.Value) (*numbers, error) {
	list, ok := v.(*vm.List)
	if !ok {
		return nil, vm.TypeErrorf("%s: a list is needed", what)
	}
	n := &numbers{}
	for _, e := range list.Elems {
		r := new(big.Rat)
		switch x := vm.Unwrap(e).(type) {
		case float64:
			n.floats = true
			if math.IsInf(x, 0) || math.IsNaN(x) {
				n.odd, n.isOdd = n.odd+x, true
				continue
			}
			r.SetFloat64(x)
		case int64:
			r.SetInt64(x)
		case *big.Int:
			r.SetInt(x)
		case bool:
			if x {
				r.SetInt64(1)
			}
		case vm.Operand:
			return nil, vm.WithHint(vm.TypeErrorf("can't convert type '%s' to numerator/denominator", vm.TypeName(e)),
				"statistics takes plain numbers: cp.mean, cp.median, cp.std and cp.var take traced ones")
		default:
			return nil, vm.TypeErrorf("can't convert type '%s' to numerator/denominator", vm.TypeName(e))
		}
		n.rats = append(n.rats, r)
	}
	return n, nil
}

func (n *numbers) sum(t *vm.Thread) (*big.Rat, error) {
	s := new(big.Rat)
	for _, r := range n.rats {
		if err := t.Tick(4); err != nil {
			return nil, err
		}
		s.Add(s, r)
	}
	return s, nil
}

// value is an int where all numbers are ints and the result is one, else a float.
func (n *numbers) value(r *big.Rat) vm.Value {
	if !n.floats && r.IsInt() {
		return vm.NewBig(new(big.Int).Set(r.Num()))
	}
	f, _ := r.Float64()
	return f
}

// exactMean is the sum of a list divided by a number, rounded once.
func exactMean(t *vm.Thread, a vm.Args) (vm.Value, error) {
	n, err := exactNumbers("mean", a.Pos[0])
	if err != nil {
		return nil, err
	}
	if n.isOdd {
		return n.odd, nil
	}
	count, _ := vm.AsInt(a.Pos[1])
	s, err := n.sum(t)
	if err != nil {
		return nil, err
	}
	return n.value(s.Quo(s, new(big.Rat).SetInt64(count))), nil
}

// exactVariance is the sum of squares about the mean, or about a given centre, divided by a
// number, or its root, rounded once.
func exactVariance(t *vm.Thread, a vm.Args) (vm.Value, error) {
	n, err := exactNumbers("variance", a.Pos[0])
	if err != nil {
		return nil, err
	}
	if n.isOdd {
		return math.NaN(), nil
	}
	div, _ := vm.AsInt(a.Pos[2])
	centre := new(big.Rat)
	if a.Pos[1] == vm.None {
		s, err := n.sum(t)
		if err != nil {
			return nil, err
		}
		centre.Quo(s, new(big.Rat).SetInt64(int64(len(n.rats))))
	} else {
		c, err := exactNumbers("variance", vm.NewList([]vm.Value{a.Pos[1]}))
		if err != nil || c.isOdd {
			return math.NaN(), err
		}
		centre, n.floats = c.rats[0], n.floats || c.floats
	}
	ss := new(big.Rat)
	for _, r := range n.rats {
		if err := t.Tick(8); err != nil {
			return nil, err
		}
		d := new(big.Rat).Sub(r, centre)
		ss.Add(ss, d.Mul(d, d))
	}
	ss.Quo(ss, new(big.Rat).SetInt64(div))
	if a.Pos[3] == true {
		root := new(big.Float).SetPrec(400).SetRat(ss)
		f, _ := root.Sqrt(root).Float64()
		return f, nil
	}
	return n.value(ss), nil
}

// exactHarmonic is the sum of weights divided by that of weight / number, summed exactly.
func exactHarmonic(t *vm.Thread, a vm.Args) (vm.Value, error) {
	n, err := exactNumbers("harmonic_mean", a.Pos[0])
	if err != nil {
		return nil, err
	}
	w, err := exactNumbers("harmonic_mean", a.Pos[1])
	if err != nil {
		return nil, err
	}
	if n.isOdd || w.isOdd {
		return math.NaN(), nil
	}
	if len(n.rats) != len(w.rats) {
		return nil, vm.ValueErrorf("Number of weights does not match data size")
	}
	top, bottom := new(big.Rat), new(big.Rat)
	for i, r := range n.rats {
		if err := t.Tick(8); err != nil {
			return nil, err
		}
		top.Add(top, w.rats[i])
		q, _ := new(big.Rat).Quo(w.rats[i], r).Float64()
		if math.IsInf(q, 0) {
			return 0.0, nil
		}
		bottom.Add(bottom, new(big.Rat).SetFloat64(q))
	}
	f, _ := top.Quo(top, bottom).Float64()
	return f, nil
}
