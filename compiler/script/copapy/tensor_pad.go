package copapy

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/vm"
)

// mirrors are the modes of cp.pad that go on with rows of the array: which of n rows stands
// at place i, which may be below 0 or beyond the last.
var mirrors = map[string]func(i, n int) int{
	"wrap":      modulo,
	"symmetric": func(i, n int) int { return folded(i, n, 2*n) },
	"reflect":   func(i, n int) int { return folded(i, n, max(2*n-2, 1)) },
}

func modulo(i, n int) int { return (i%n + n) % n }

// folded goes forwards and backwards through n rows, in a period of 2*n, which repeats the
// ends, or of 2*n - 2, which does not.
func folded(i, n, period int) int {
	if i = modulo(i, period); i >= n {
		return n - 1 - (i - n) - (2*n-period)/2
	}
	return i
}

// padMirrored is pad with one of these modes.
func (x *Tensor) padMirrored(t *vm.Thread, width vm.Value, mode string) (vm.Value, error) {
	widths, err := x.padWidths(width)
	if err != nil {
		return nil, err
	}
	for axis, w := range widths {
		n := x.shape()[axis]
		if n == 0 && w[0]+w[1] > 0 {
			return nil, vm.ValueErrorf("pad: shape %v has no rows to go on with", x.shape())
		}
		if rows := int64(n) + int64(w[0]) + int64(w[1]); rows*int64(max(x.shape().Elements(), 1)) > graph.MaxElements*int64(max(n, 1)) {
			return nil, vm.ValueErrorf("pad: at most %d elements are supported", graph.MaxElements)
		}
		rows := make([]int, n+w[0]+w[1])
		for i := range rows {
			rows[i] = mirrors[mode](i-w[0], n)
		}
		if err := t.Charge(16 * int64(len(rows))); err != nil {
			return nil, err
		}
		if len(rows) > 0 {
			if x, err = x.along(t, axis, pick{list: rows, count: len(rows)}); err != nil {
				return nil, err
			}
		}
	}
	return x, nil
}

// padRamp is pad with mode='linear_ramp': from the rows at the ends on in equal steps to
// one number, or to one before and one behind. Ints are rounded down.
func (x *Tensor) padRamp(t *vm.Thread, width, ends vm.Value) (vm.Value, error) {
	if x.elementType() == graph.Bool {
		return nil, vm.WithHint(vm.TypeErrorf("pad: there are no steps between bools"), "use mode='edge'")
	}
	if ends == nil {
		ends = int64(0)
	}
	both, _, isPair := sequence(ends)
	if !isPair {
		both = []vm.Value{ends, ends}
	}
	for _, end := range both {
		if _, isScalar := end.(*Value); len(both) != 2 || !isScalar && !isNumber(end) {
			return nil, vm.TypeErrorf("pad: end_values must be a number, or a pair of them")
		}
		if isFloat := floatEnd(end); isFloat && !x.elementType().IsFloat() {
			return nil, vm.WithHint(vm.TypeErrorf("pad: end_values of an array of ints must be ints"), "make the array one of floats: x.astype(float)")
		}
	}
	widths, err := x.padWidths(width)
	if err != nil {
		return nil, err
	}
	for axis, w := range widths {
		n := x.shape()[axis]
		if n == 0 && w[0]+w[1] > 0 {
			return nil, vm.ValueErrorf("pad: shape %v has no edge", x.shape())
		}
		if rows := int64(n) + int64(w[0]) + int64(w[1]); rows*int64(max(x.shape().Elements(), 1)) > graph.MaxElements*int64(max(n, 1)) {
			return nil, vm.ValueErrorf("pad: at most %d elements are supported", graph.MaxElements)
		}
		parts := []*Tensor{nil, x, nil}
		for side, row := range []int{0, n - 1} {
			if w[side] == 0 {
				continue
			}
			edge, err := x.along(t, axis, span(row, row+1))
			if err != nil {
				return nil, err
			}
			if parts[2*side], err = edge.ramp(t, axis, w[side], both[side], side == 1); err != nil {
				return nil, err
			}
		}
		parts = slices.DeleteFunc(parts, func(p *Tensor) bool { return p == nil })
		r, err := x.m.concat(t, "pad", parts, axis)
		if err != nil {
			return nil, err
		}
		x = r.(*Tensor)
	}
	return x, nil
}

func floatEnd(v vm.Value) bool {
	if x, ok := v.(*Value); ok {
		return x.v.DType().IsFloat()
	}
	_, ok := v.(float64)
	return ok
}

// ramp is n rows from a number to what x, one row, has, without it; behind it the other way round.
func (x *Tensor) ramp(t *vm.Thread, axis, n int, end vm.Value, behind bool) (*Tensor, error) {
	if err := t.Charge(16 * int64(n)); err != nil {
		return nil, err
	}
	steps := make([]vm.Value, n)
	for i := range steps {
		steps[i] = int64(i)
		if behind {
			steps[i] = int64(n - 1 - i)
		}
	}
	dims := slices.Repeat(graph.Shape{1}, len(x.shape()))
	dims[axis] = n
	over := vm.OpDiv
	if !x.elementType().IsFloat() {
		over = vm.OpFloorDiv
	}
	var r vm.Value = x
	for _, by := range []struct {
		op vm.BinaryOp
		v  vm.Value
	}{{vm.OpSub, end}, {vm.OpMul, x.m.plainTensor(dims, steps)}, {over, int64(n)}, {vm.OpAdd, end}} {
		var err error
		if r, err = t.Binary(by.op, r, by.v); err != nil {
			return nil, err
		}
	}
	return r.(*Tensor), nil
}
