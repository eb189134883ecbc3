package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// MaxNesting is how deep lists and tuples may be nested in arguments and results.
const MaxNesting = 100

// CheckNesting refuses lists that are nested too deep, a list within itself above
// all, before functions follow them. Every element counts as a step of the script.
func CheckNesting(t *vm.Thread, vs []vm.Value) error { return nestedWithin(t, vs, MaxNesting) }

func nestedWithin(t *vm.Thread, vs []vm.Value, depth int) error {
	for _, v := range vs {
		if !mayNest(v) {
			continue
		}
		elems, _, ok := Sequence(v)
		if !ok {
			continue
		}
		if depth == 0 {
			return vm.ValueErrorf("lists are nested more than %d deep, or one is within itself", MaxNesting)
		}
		if err := t.Tick(len(elems)); err != nil {
			return err
		}
		if err := nestedWithin(t, elems, depth-1); err != nil {
			return err
		}
	}
	return nil
}

// check refuses arguments that are nested too deep, and puts numbers in the place of tensors without axes.
func check(t *vm.Thread, a *vm.Args) error {
	if len(a.Kw) == 0 && !slices.ContainsFunc(a.Pos, mayNest) {
		return nil
	}
	if err := CheckNesting(t, a.Pos); err != nil {
		return err
	}
	for _, k := range a.Kw {
		if err := CheckNesting(t, []vm.Value{k.Value}); err != nil {
			return err
		}
	}
	*a = Numbered(*a)
	return nil
}

// mayNest tells all but numbers and traced scalars.
func mayNest(v vm.Value) bool {
	switch v.(type) {
	case float64, int64, bool, *Value:
		return false
	}
	return true
}

// Compound is what is made of parts as lists are.
type Compound interface {
	Parts() []vm.Value
	WithParts(parts []vm.Value) vm.Value // one like it
}

// Sequence returns the parts of a list, tuple or compound; Rebuild makes a value
// like it of other parts.
func Sequence(v vm.Value) (elems []vm.Value, like vm.Value, ok bool) {
	switch v := v.(type) {
	case *vm.List:
		return v.Elems, v, true
	case *vm.Tuple:
		return v.Elems, v, true
	case Compound:
		return v.Parts(), v, true
	}
	return nil, nil, false
}

// Rebuild makes a value like another one of other parts.
func Rebuild(elems []vm.Value, like vm.Value) vm.Value {
	switch like := like.(type) {
	case *vm.List:
		return vm.NewList(elems)
	case Compound:
		return like.WithParts(elems)
	}
	return vm.NewTuple(elems...)
}

// HasElements tells tensors, lists and tuples.
func HasElements(x vm.Value) bool {
	_, isTensor := x.(*Tensor)
	_, _, isSequence := Sequence(x)
	return isTensor || isSequence
}
