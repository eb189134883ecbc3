package jit

import (
	"context"
	"errors"
	"reflect"

	"github.com/copaflash/copaflash/compiler/graph"
)

// names of the arguments on the target.
var names = []string{"a", "b", "c", "d"}

// newFunction makes a function of separate arguments and one result.
func newFunction[R any](d *Device, trace func(args []graph.Value) graph.Value, args ...reflect.Type) (*function, error) {
	if d == nil {
		return nil, errors.New("jit: no device: open one with jit.Open")
	}
	in, err := params(names, args)
	if err != nil {
		return nil, err
	}
	out, err := params([]string{"result"}, []reflect.Type{reflect.TypeFor[R]()})
	if err != nil {
		return nil, err
	}
	return &function{dev: d, in: in, out: out, programs: map[string]*program{},
		trace: func(args []graph.Value) []graph.Value { return []graph.Value{trace(args)} }}, nil
}

// call1 calls a function with one result.
func call1[R any](ctx context.Context, f *function, args ...any) (R, error) {
	var r R
	values := make([]reflect.Value, len(args))
	for i, a := range args {
		values[i] = reflect.ValueOf(a)
	}
	err := f.call(ctx, values, []reflect.Value{reflect.ValueOf(&r).Elem()})
	return r, err
}

// Func1 is a function of one argument.
type Func1[A, R any] struct{ f *function }

// New1 makes a function of one argument. It fails for types that the target does not have.
func New1[A, R any](d *Device, f func(a graph.Value) graph.Value) (*Func1[A, R], error) {
	fn, err := newFunction[R](d, func(v []graph.Value) graph.Value { return f(v[0]) }, reflect.TypeFor[A]())
	if err != nil {
		return nil, err
	}
	return &Func1[A, R]{fn}, nil
}

// Call runs the function on its device.
func (f *Func1[A, R]) Call(ctx context.Context, a A) (R, error) { return call1[R](ctx, f.f, a) }

// Close gives the function's place on the device to others; a call takes one again.
func (f *Func1[A, R]) Close() { f.f.release() }

// Func2 is a function of two arguments.
type Func2[A, B, R any] struct{ f *function }

// New2 makes a function of two arguments. It fails for types that the target does not have.
func New2[A, B, R any](d *Device, f func(a, b graph.Value) graph.Value) (*Func2[A, B, R], error) {
	fn, err := newFunction[R](d, func(v []graph.Value) graph.Value { return f(v[0], v[1]) },
		reflect.TypeFor[A](), reflect.TypeFor[B]())
	if err != nil {
		return nil, err
	}
	return &Func2[A, B, R]{fn}, nil
}

// Call runs the function on its device.
func (f *Func2[A, B, R]) Call(ctx context.Context, a A, b B) (R, error) {
	return call1[R](ctx, f.f, a, b)
}

// Close gives the function's place on the device to others; a call takes one again.
func (f *Func2[A, B, R]) Close() { f.f.release() }

// Func3 is a function of three arguments.
type Func3[A, B, C, R any] struct{ f *function }

// New3 makes a function of three arguments. It fails for types that the target does not have.
func New3[A, B, C, R any](d *Device, f func(a, b, c graph.Value) graph.Value) (*Func3[A, B, C, R], error) {
	fn, err := newFunction[R](d, func(v []graph.Value) graph.Value { return f(v[0], v[1], v[2]) },
		reflect.TypeFor[A](), reflect.TypeFor[B](), reflect.TypeFor[C]())
	if err != nil {
		return nil, err
	}
	return &Func3[A, B, C, R]{fn}, nil
}

// Call runs the function on its device.
func (f *Func3[A, B, C, R]) Call(ctx context.Context, a A, b B, c C) (R, error) {
	return call1[R](ctx, f.f, a, b, c)
}

// Close gives the function's place on the device to others; a call takes one again.
func (f *Func3[A, B, C, R]) Close() { f.f.release() }

// Func4 is a function of four arguments.
type Func4[A, B, C, D, R any] struct{ f *function }

// New4 makes a function of four arguments. It fails for types that the target does not have.
func New4[A, B, C, D, R any](dev *Device, f func(a, b, c, d graph.Value) graph.Value) (*Func4[A, B, C, D, R], error) {
	fn, err := newFunction[R](dev, func(v []graph.Value) graph.Value { return f(v[0], v[1], v[2], v[3]) },
		reflect.TypeFor[A](), reflect.TypeFor[B](), reflect.TypeFor[C](), reflect.TypeFor[D]())
	if err != nil {
		return nil, err
	}
	return &Func4[A, B, C, D, R]{fn}, nil
}

// Call runs the function on its device.
func (f *Func4[A, B, C, D, R]) Call(ctx context.Context, a A, b B, c C, d D) (R, error) {
	return call1[R](ctx, f.f, a, b, c, d)
}

// Close gives the function's place on the device to others; a call takes one again.
func (f *Func4[A, B, C, D, R]) Close() { f.f.release() }
