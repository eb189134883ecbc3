package jit

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Struct is a function from the fields of a struct to those of another one.
type Struct[In, Out any] struct{ f *function }

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
	return &Struct[In, Out]{&function{dev: d, in: in, out: out, trace: trace, programs: map[string]*program{}}}, nil
}

// fields pairs the fields of a struct of Go values with those of its traced form.
func fields(t, traced reflect.Type) ([]param, error) {
	if t.Kind() != reflect.Struct || traced.Kind() != reflect.Struct {
		return nil, fmt.Errorf("jit: %s and %s must be structs", t, traced)
	}
	if t.NumField() != traced.NumField() || t.NumField() == 0 {
		return nil, fmt.Errorf("jit: %s has %d fields and %s %d: they need the same ones", t, t.NumField(), traced, traced.NumField())
	}
	var names []string
	var types []reflect.Type
	for i := range t.NumField() {
		field, v := t.Field(i), traced.Field(i)
		switch {
		case field.Name != v.Name:
			return nil, fmt.Errorf("jit: field %d is %s in %s and %s in %s", i, field.Name, t, v.Name, traced)
		case v.Type != reflect.TypeFor[graph.Value]():
			return nil, fmt.Errorf("jit: %s.%s must be a graph.Value", traced, v.Name)
		case !field.IsExported():
			return nil, fmt.Errorf("jit: the field %s of %s and %s must be exported", field.Name, t, traced)
		}
		names, types = append(names, field.Name), append(types, field.Type)
	}
	return params(names, types)
}

// Call runs the function on its device.
func (f *Struct[In, Out]) Call(ctx context.Context, x In) (Out, error) {
	var y Out
	err := f.f.call(ctx, fieldValues(reflect.ValueOf(x)), fieldValues(reflect.ValueOf(&y).Elem()))
	return y, err
}

func fieldValues(v reflect.Value) []reflect.Value {
	out := make([]reflect.Value, v.NumField())
	for i := range out {
		out[i] = v.Field(i)
	}
	return out
}

// Close gives the function's place on the device to others; a call takes one again.
func (f *Struct[In, Out]) Close() { f.f.release() }
