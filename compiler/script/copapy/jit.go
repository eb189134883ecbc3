package copapy

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// jitted is a function under @cp.jit: traced and compiled at the first call
// with each combination of argument types, then run.
type jitted struct {
	m     *module
	fn    vm.Value
	cache map[string]*specialised
	key   bytes.Buffer // of the call that is looked up
	last  *specialised // called last with numbers alone; nil: none
}

// maxSpecialised bounds the programs of one function; the one that was not called for
// the longest time makes place for another.
const maxSpecialised = 128

// specialised is the program for one combination of argument types.
type specialised struct {
	tg     *target
	inputs []vm.Value
	result vm.Value
	plain  bool   // the result does not depend on traced values
	types  string // of arguments that are all numbers: a letter for each, as signature writes it
}

func (f *jitted) PyClass() *vm.Class { return f.m.jitClass }

// Attr gives name and doc string of the function, so that help() shows it.
func (f *jitted) Attr(t *vm.Thread, name string) (vm.Value, error) {
	return wrappedAttr(t, f.fn, name)
}

// Bindable lets a jit function be a method: its object comes first.
func (f *jitted) Bindable() {}

// jitFunc is the decorator.
func (m *module) jitFunc(_ *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	if !vm.IsCallable(args[0]) {
		return nil, vm.WithHint(vm.TypeErrorf("jit: must be given a function, not '%s'", vm.TypeName(args[0])),
			"put @cp.jit in the line before def, or call cp.jit(f)")
	}
	return &jitted{m: m, fn: args[0], cache: map[string]*specialised{}}, nil
}

// Call runs the function on the target; arguments are numbers, vectors, and
// lists or tuples of them. Where one of them is traced the call is part of what is
// being traced, as of any function.
func (f *jitted) Call(t *vm.Thread, a vm.Args) (vm.Value, error) {
	if len(a.Kw) > 0 {
		return nil, vm.WithHint(vm.TypeErrorf("a jit function takes no keyword arguments"), "pass them by position")
	}
	if f.last != nil && f.last.isFor(a.Pos) {
		return f.run(t, f.last, a.Pos)
	}
	if err := array.CheckNesting(t, a.Pos); err != nil {
		return nil, err
	}
	a = array.Numbered(a)
	if slices.ContainsFunc(a.Pos, containsTraced) {
		return t.Call(f.fn, slices.Clone(a.Pos)...)
	}
	f.key.Reset()
	numbers := true
	for i, x := range a.Pos {
		if o, ok := x.(*vm.Instance); ok && i == 0 {
			if err := f.selfSignature(t, &f.key, o); err != nil {
				return nil, err
			}
			numbers = false
			continue
		}
		if err := signature(&f.key, x); err != nil {
			return nil, err
		}
		numbers = numbers && array.IsNumber(x)
	}
	s := f.cache[string(f.key.Bytes())]
	if s == nil {
		key := f.key.String()
		if err := f.makeRoom(); err != nil {
			return nil, err
		}
		var err error
		if s, err = f.specialise(t, a.Pos); err != nil {
			return nil, err
		}
		if numbers {
			s.types = key
		}
		if p := s.tg.prog; p == nil || !p.HasStates() {
			s.tg.evict = func() { f.forget(key); s.tg.unload() }
		}
		f.cache[key] = s
	}
	if numbers {
		f.last = s
	}
	return f.run(t, s, a.Pos)
}

// isFor tells a program for such numbers.
func (s *specialised) isFor(args []vm.Value) bool {
	if len(args) != len(s.types) || len(args) == 0 {
		return false
	}
	for i, x := range args {
		letter := byte(0)
		switch x.(type) {
		case float64:
			letter = 'f'
		case int64:
			letter = 'i'
		case bool:
			letter = 'b'
		}
		if s.types[i] != letter {
			return false
		}
	}
	return true
}

// run runs the program for arguments like these.
func (f *jitted) run(t *vm.Thread, s *specialised, args []vm.Value) (vm.Value, error) {
	f.m.jitCalls++
	s.tg.called = f.m.jitCalls
	if s.plain {
		return s.tg.numbers(s.result), nil
	}
	for i, x := range args {
		if s.inputs[i] == x {
			continue // the object of a method
		}
		if err := s.tg.write(t, s.inputs[i], x); err != nil {
			return nil, err
		}
	}
	var reads []device.Span // that go with the run
	if s.tg.loaded.direct == nil {
		reads = s.tg.spans(nil, s.result)
	}
	if err := s.tg.run(t, 1, 0, reads); err != nil {
		return nil, err
	}
	return s.tg.read(t, s.result)
}

// forget drops a program.
func (f *jitted) forget(key string) {
	if f.last == f.cache[key] {
		f.last = nil
	}
	delete(f.cache, key)
}

// makeRoom keeps the number of programs within its bound.
func (f *jitted) makeRoom() error {
	if len(f.cache) < maxSpecialised {
		return nil
	}
	var targets []*target
	for _, s := range f.cache {
		targets = append(targets, s.tg)
	}
	if !evictOldest(targets) {
		return vm.WithHint(vm.Raise(vm.RuntimeError, "a jit function was compiled for %d combinations of arguments, and each program holds states", maxSpecialised),
			"numbers that change are arguments, or cp.value: attributes of a method's object are part of what is compiled")
	}
	return nil
}

// evictOldest drops the program that was not called for the longest time, of those that
// can be compiled again without anything being lost. It reports whether there was one.
func evictOldest(targets []*target) bool {
	var oldest *target
	for _, x := range targets {
		if x.evict != nil && (oldest == nil || x.called < oldest.called) {
			oldest = x
		}
	}
	if oldest == nil {
		return false
	}
	oldest.evict()
	return true
}

// containsTraced tells traced values and sequences that have one.
func containsTraced(x vm.Value) bool {
	elems, _, ok := array.Sequence(x)
	return array.IsTraced(x) || ok && slices.ContainsFunc(elems, containsTraced)
}

// signature writes the types and lengths of an argument.
func signature(b *bytes.Buffer, x vm.Value) error {
	switch x.(type) { // most elements, as below
	case float64:
		b.WriteByte('f')
		return nil
	case int64:
		b.WriteByte('i')
		return nil
	}
	if v, ok := x.(*array.Tensor); ok && !v.Traced() {
		b.WriteString("t" + v.Shape().String())
		return signature(b, vm.NewList(v.Plain))
	}
	if elems, _, ok := array.Sequence(x); ok {
		b.WriteByte(vm.TypeName(x)[0])
		b.WriteString(strconv.Itoa(len(elems)) + "(")
		for _, e := range elems {
			if err := signature(b, e); err != nil {
				return err
			}
		}
		b.WriteByte(')')
		return nil
	}
	if !array.IsNumber(x) {
		return vm.WithHint(vm.TypeErrorf("a jit function cannot take a '%s'", vm.TypeName(x)),
			"arguments are numbers, vectors, and lists or tuples of them")
	}
	b.WriteString(vm.TypeName(x)[:1])
	return nil
}

// specialise traces and compiles the function for arguments like these.
func (f *jitted) specialise(t *vm.Thread, args []vm.Value) (*specialised, error) {
	s := &specialised{tg: &target{m: f.m, jit: true, written: map[graph.ID][]uint32{}}}
	for i, x := range args {
		if o, ok := x.(*vm.Instance); ok && i == 0 && vm.Unwrap(o) == x {
			s.inputs = append(s.inputs, x)
			continue
		}
		v, err := f.m.variable(t, x)
		if err != nil {
			return nil, err
		}
		array.Lock(v, "an argument of a jit function is the caller's: write x = x.copy() first, and return it")
		s.inputs = append(s.inputs, v)
	}
	f.m.roles.jits++
	r, err := t.Call(f.fn, s.inputs...)
	f.m.roles.jits--
	if err != nil {
		return nil, err
	}
	if err := array.CheckNesting(t, []vm.Value{r}); err != nil {
		return nil, err
	}
	s.result = r
	c := collector{names: map[string]int{}, seen: map[graph.ID]bool{}}
	if err := c.add("result", r); err != nil {
		return nil, vm.WithHint(err, "a jit function returns numbers, vectors, and lists or tuples of them")
	}
	if len(c.outs) == 0 {
		s.plain = true
		return s, nil
	}
	return s, s.tg.compile(t, c.outs, nil)
}

// variable makes variables with the types and structure of an argument.
func (m *module) variable(t *vm.Thread, x vm.Value) (vm.Value, error) {
	if v, ok := x.(*array.Tensor); ok {
		lifted, err := v.Lift(t, array.NoFloat)
		if err != nil {
			return nil, err
		}
		in, err := m.Graph.Input("", lifted.DType(), lifted.Shape(), nil)
		return m.Wrap(in, err)
	}
	elems, like, ok := array.Sequence(x)
	if !ok {
		return m.newValue(t, vm.Args{Pos: []vm.Value{x}})
	}
	out := make([]vm.Value, len(elems))
	for i, e := range elems {
		var err error
		if out[i], err = m.variable(t, e); err != nil {
			return nil, err
		}
	}
	return array.Rebuild(out, like), nil
}
