package jit

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Struct is a function from the fields of a struct to those of another one.
type Struct[In, Out any] struct{ *function }

// NewStruct makes a function of a struct with a struct of results, for many arguments
// or several results. What is traced works on structs of its own, with the same
// fields in the same order, each a graph.Value:
//
//	type Pendulum struct{ Angle, Speed, Torque float32 }
//	type traced struct{ Angle, Speed, Torque graph.Value }
//
//	step, err := jit.NewStruct[Pendulum, Pendulum](dev, func(p traced) traced { ... })
func NewStruct[In, Out, TracedIn, TracedOut any](d *Device, f func(TracedIn) TracedOut) (*Struct[In, Out], error) {
	if d == nil {
		return nil, errors.New("jit: no device: open one with jit.Open")
	}
	in, err := fields(reflect.TypeFor[In](), reflect.TypeFor[TracedIn]())
	if err != nil {
		return nil, err
	}
	out, err := fields(reflect.TypeFor[Out](), reflect.TypeFor[TracedOut]())
	if err != nil {
		return nil, err
	}
	trace := func(args []graph.Value) []graph.Value {
		var x TracedIn
		v := reflect.ValueOf(&x).Elem()
		for i, a := range args {
			v.Field(i).Set(reflect.ValueOf(a))
		}
		y := reflect.ValueOf(f(x))
		results := make([]graph.Value, len(out))
		for i := range results {
			results[i] = y.Field(i).Interface().(graph.Value)
		}
		return results
	}
	return &Struct[In, Out]{&function{dev: d, in: in, out: out, trace: trace,
		strides: [maxArguments]uintptr{reflect.TypeFor[In]().Size()}, stride: reflect.TypeFor[Out]().Size()}}, nil
}

// fields pairs the fields of a struct of Go values with those of its traced form.
func fields(t, traced reflect.Type) (params []param, err error) {
	if t.Kind() != reflect.Struct || traced.Kind() != reflect.Struct {
		return nil, fmt.Errorf("jit: %s and %s must be structs", t, traced)
	}
	if t.NumField() != traced.NumField() || t.NumField() == 0 {
		return nil, fmt.Errorf("jit: %s has %d fields and %s %d: they need the same ones", t, t.NumField(), traced, traced.NumField())
	}
	params = make([]param, t.NumField())
	for i := range params {
		field, v := t.Field(i), traced.Field(i)
		switch {
		case field.Name != v.Name:
			return nil, fmt.Errorf("jit: field %d is %s in %s and %s in %s", i, field.Name, t, v.Name, traced)
		case v.Type != reflect.TypeFor[graph.Value]():
			return nil, fmt.Errorf("jit: %s.%s must be a graph.Value", traced, v.Name)
		case !field.IsExported():
			return nil, fmt.Errorf("jit: the field %s of %s and %s must be exported", field.Name, t, traced)
		}
		if params[i], err = newParam(field.Name, field.Type, 0, field.Offset); err != nil {
			return nil, err
		}
	}
	return params, nil
}

// Call runs the function on its device.
func (f *Struct[In, Out]) Call(ctx context.Context, x In) (y Out, err error) {
	err = f.CallInto(ctx, &y, x)
	return y, err
}

// CallInto is Call with memory for the results: slices in to that are not nil are filled, and must have the
// lengths of the results.
func (f *Struct[In, Out]) CallInto(ctx context.Context, to *Out, x In) error {
	return f.call(ctx, &pointers{unsafe.Pointer(&x)}, unsafe.Pointer(to))
}

// Map runs the function for each of the structs, on all processors; see Parallel. Each call begins with
// the states of the start.
func (f *Struct[In, Out]) Map(ctx context.Context, to []Out, x []In) error {
	return f.mapped(ctx, pointers{pointer(x)}, pointer(to), len(to), len(x))
}

// MapSeries is Map for series of calls: states go on from step to step of one.
func (f *Struct[In, Out]) MapSeries(ctx context.Context, to [][]Out, x [][]In) error {
	return f.mappedSeries(ctx, pointers{pointer(x)}, pointer(to), len(to), len(x))
}
