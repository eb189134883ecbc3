package jit

import (
	"context"
	"errors"
	"reflect"
	"unsafe"

	"github.com/copaflash/copaflash/compiler/graph"
)

// names of the arguments on the target.
var names = [maxArguments]string{"a", "b", "c", "d"}

// newFunction makes a function of separate arguments and one result.
func newFunction[R any](d *Device, trace func(args []graph.Value) graph.Value, args ...reflect.Type) (*function, error) {
	if d == nil {
		return nil, errors.New("jit: no device: open one with jit.Open")
	}
	f := &function{dev: d, trace: func(args []graph.Value) []graph.Value { return []graph.Value{trace(args)} }}
	for i, t := range args {
		p, err := newParam(names[i], t, i, 0)
		if err != nil {
			return nil, err
		}
		f.in, f.strides[i] = append(f.in, p), t.Size()
	}
	result, err := newParam("result", reflect.TypeFor[R](), 0, 0)
	f.out, f.stride = []param{result}, reflect.TypeFor[R]().Size()
	return f, err
}

// Func1 is a function of one argument.
type Func1[A, R any] struct{ *function }

// New1 makes a function of one argument. It fails for types that the target does not have.
func New1[A, R any](d *Device, f func(a graph.Value) graph.Value) (*Func1[A, R], error) {
	fn, err := newFunction[R](d, func(v []graph.Value) graph.Value { return f(v[0]) }, reflect.TypeFor[A]())
	if err != nil {
		return nil, err
	}
	return &Func1[A, R]{fn}, nil
}

// Call runs the function on its device.
func (f *Func1[A, R]) Call(ctx context.Context, a A) (r R, err error) {
	err = f.CallInto(ctx, &r, a)
	return r, err
}

// CallInto is Call with memory for the result: slices in to that are not nil are filled, and must have the
// lengths of the result.
func (f *Func1[A, R]) CallInto(ctx context.Context, to *R, a A) error {
	return f.call(ctx, &pointers{unsafe.Pointer(&a)}, unsafe.Pointer(to))
}

// Map runs the function for each of the arguments, on all processors; see Parallel. Each call
// begins with the states of the start.
func (f *Func1[A, R]) Map(ctx context.Context, to []R, a []A) error {
	return f.mapped(ctx, pointers{pointer(a)}, pointer(to), len(to), len(a))
}

// MapSeries is Map for series of calls: states go on from step to step of one.
func (f *Func1[A, R]) MapSeries(ctx context.Context, to [][]R, a [][]A) error {
	return f.mappedSeries(ctx, pointers{pointer(a)}, pointer(to), len(to), len(a))
}

// Func2 is a function of two arguments.
type Func2[A, B, R any] struct{ *function }

// New2 makes a function of two arguments. It fails for types that the target does not have.
func New2[A, B, R any](d *Device, f func(a, b graph.Value) graph.Value) (*Func2[A, B, R], error) {
	fn, err := newFunction[R](d, func(v []graph.Value) graph.Value { return f(v[0], v[1]) }, reflect.TypeFor[A](), reflect.TypeFor[B]())
	if err != nil {
		return nil, err
	}
	return &Func2[A, B, R]{fn}, nil
}

// Call runs the function on its device.
func (f *Func2[A, B, R]) Call(ctx context.Context, a A, b B) (r R, err error) {
	err = f.CallInto(ctx, &r, a, b)
	return r, err
}

// CallInto is Call with memory for the result: slices in to that are not nil are filled, and must have the
// lengths of the result.
func (f *Func2[A, B, R]) CallInto(ctx context.Context, to *R, a A, b B) error {
	return f.call(ctx, &pointers{unsafe.Pointer(&a), unsafe.Pointer(&b)}, unsafe.Pointer(to))
}

// Map runs the function for each of the arguments at one index, on all processors; see Parallel. Each call
// begins with the states of the start.
func (f *Func2[A, B, R]) Map(ctx context.Context, to []R, a []A, b []B) error {
	return f.mapped(ctx, pointers{pointer(a), pointer(b)}, pointer(to), len(to), len(a), len(b))
}

// MapSeries is Map for series of calls: states go on from step to step of one.
func (f *Func2[A, B, R]) MapSeries(ctx context.Context, to [][]R, a [][]A, b [][]B) error {
	return f.mappedSeries(ctx, pointers{pointer(a), pointer(b)}, pointer(to), len(to), len(a), len(b))
}

// Func3 is a function of three arguments.
type Func3[A, B, C, R any] struct{ *function }

// New3 makes a function of three arguments. It fails for types that the target does not have.
func New3[A, B, C, R any](d *Device, f func(a, b, c graph.Value) graph.Value) (*Func3[A, B, C, R], error) {
	fn, err := newFunction[R](d, func(v []graph.Value) graph.Value { return f(v[0], v[1], v[2]) }, reflect.TypeFor[A](), reflect.TypeFor[B](), reflect.TypeFor[C]())
	if err != nil {
		return nil, err
	}
	return &Func3[A, B, C, R]{fn}, nil
}

// Call runs the function on its device.
func (f *Func3[A, B, C, R]) Call(ctx context.Context, a A, b B, c C) (r R, err error) {
	err = f.CallInto(ctx, &r, a, b, c)
	return r, err
}

// CallInto is Call with memory for the result: slices in to that are not nil are filled, and must have the
// lengths of the result.
func (f *Func3[A, B, C, R]) CallInto(ctx context.Context, to *R, a A, b B, c C) error {
	return f.call(ctx, &pointers{unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&c)}, unsafe.Pointer(to))
}

// Map runs the function for each of the arguments at one index, on all processors; see Parallel. Each call
// begins with the states of the start.
func (f *Func3[A, B, C, R]) Map(ctx context.Context, to []R, a []A, b []B, c []C) error {
	return f.mapped(ctx, pointers{pointer(a), pointer(b), pointer(c)}, pointer(to), len(to), len(a), len(b), len(c))
}

// MapSeries is Map for series of calls: states go on from step to step of one.
func (f *Func3[A, B, C, R]) MapSeries(ctx context.Context, to [][]R, a [][]A, b [][]B, c [][]C) error {
	return f.mappedSeries(ctx, pointers{pointer(a), pointer(b), pointer(c)}, pointer(to), len(to), len(a), len(b), len(c))
}

// Func4 is a function of four arguments.
type Func4[A, B, C, D, R any] struct{ *function }

// New4 makes a function of four arguments. It fails for types that the target does not have.
func New4[A, B, C, D, R any](dev *Device, f func(a, b, c, d graph.Value) graph.Value) (*Func4[A, B, C, D, R], error) {
	fn, err := newFunction[R](dev, func(v []graph.Value) graph.Value { return f(v[0], v[1], v[2], v[3]) }, reflect.TypeFor[A](), reflect.TypeFor[B](), reflect.TypeFor[C](), reflect.TypeFor[D]())
	if err != nil {
		return nil, err
	}
	return &Func4[A, B, C, D, R]{fn}, nil
}

// Call runs the function on its device.
func (f *Func4[A, B, C, D, R]) Call(ctx context.Context, a A, b B, c C, d D) (r R, err error) {
	err = f.CallInto(ctx, &r, a, b, c, d)
	return r, err
}

// CallInto is Call with memory for the result: slices in to that are not nil are filled, and must have the
// lengths of the result.
func (f *Func4[A, B, C, D, R]) CallInto(ctx context.Context, to *R, a A, b B, c C, d D) error {
	return f.call(ctx, &pointers{unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&c), unsafe.Pointer(&d)}, unsafe.Pointer(to))
}

// Map runs the function for each of the arguments at one index, on all processors; see Parallel. Each call
// begins with the states of the start.
func (f *Func4[A, B, C, D, R]) Map(ctx context.Context, to []R, a []A, b []B, c []C, d []D) error {
	return f.mapped(ctx, pointers{pointer(a), pointer(b), pointer(c), pointer(d)}, pointer(to), len(to), len(a), len(b), len(c), len(d))
}

// MapSeries is Map for series of calls: states go on from step to step of one.
func (f *Func4[A, B, C, D, R]) MapSeries(ctx context.Context, to [][]R, a [][]A, b [][]B, c [][]C, d [][]D) error {
	return f.mappedSeries(ctx, pointers{pointer(a), pointer(b), pointer(c), pointer(d)}, pointer(to), len(to), len(a), len(b), len(c), len(d))
}
