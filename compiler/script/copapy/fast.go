package copapy

import "github.com/copaflash/copaflash/compiler/script/python/vm"

// fastBlock is cp.fast(): the context of a with statement in which traced nodes
// are marked by graph.SetFast.
type fastBlock struct {
	m     *module
	outer []bool // what was in force where it was entered, innermost last
}

func (b *fastBlock) PyClass() *vm.Class { return b.m.fastClass }

func (m *module) makeFastClass() {
	m.fastClass = vm.NewClass("fast", nil, nil)
	m.fastClass.SetMethod("__enter__", func(_ *vm.Thread, self vm.Value, _ vm.Args) (vm.Value, error) {
		b := self.(*fastBlock)
		b.outer = append(b.outer, m.Graph.Fast())
		m.Graph.SetFast(true)
		return b, nil
	})
	m.fastClass.SetMethod("__exit__", func(_ *vm.Thread, self vm.Value, _ vm.Args) (vm.Value, error) {
		b := self.(*fastBlock)
		if n := len(b.outer) - 1; n >= 0 {
			m.Graph.SetFast(b.outer[n])
			b.outer = b.outer[:n]
		}
		return false, nil
	})
}

// fastFunc is cp.fast(), for a with statement, and cp.fast(f), also as a decorator:
// a function that calls f in such a statement.
func (m *module) fastFunc(_ *vm.Thread, _ string, args []vm.Value) (vm.Value, error) {
	f := args[0]
	if f == nil {
		return &fastBlock{m: m}, nil
	}
	if !vm.IsCallable(f) {
		return nil, vm.WithHint(vm.TypeErrorf("fast: must be given a function, not '%s'", vm.TypeName(f)),
			"put @cp.fast in the line before def, or compute under: with cp.fast():")
	}
	return &fastCall{m: m, f: f}, nil
}

// fastCall is a function under @cp.fast.
type fastCall struct {
	m *module
	f vm.Value
}

func (c *fastCall) PyClass() *vm.Class { return c.m.fastClass }

// Call calls the function in fast arithmetic.
func (c *fastCall) Call(t *vm.Thread, a vm.Args) (vm.Value, error) {
	outer := c.m.Graph.Fast()
	c.m.Graph.SetFast(true)
	defer c.m.Graph.SetFast(outer)
	return t.CallArgs(c.f, a)
}

// Bindable makes it a method where it is defined in a class.
func (c *fastCall) Bindable() {}

// Attr gives name and doc string of the function, so that help() shows it.
func (c *fastCall) Attr(t *vm.Thread, name string) (vm.Value, error) {
	return wrappedAttr(t, c.f, name)
}

// wrappedAttr is an attribute of what stands for a function under a decorator; nil: none is known.
func wrappedAttr(t *vm.Thread, f vm.Value, name string) (vm.Value, error) {
	switch name {
	case "__name__", "__qualname__", "__doc__":
		return t.Attr(f, name)
	case "__wrapped__":
		return f, nil
	}
	return nil, nil
}
