package copapy

import "github.com/copaflash/copaflash/compiler/script/vm"

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
		b.outer = append(b.outer, m.g.Fast())
		m.g.SetFast(true)
		return b, nil
	})
	m.fastClass.SetMethod("__exit__", func(_ *vm.Thread, self vm.Value, _ vm.Args) (vm.Value, error) {
		b := self.(*fastBlock)
		if n := len(b.outer) - 1; n >= 0 {
			m.g.SetFast(b.outer[n])
			b.outer = b.outer[:n]
		}
		return false, nil
	})
}

// fastFunc is cp.fast(), for a with statement, and cp.fast(f), also as a decorator:
// a function that calls f in such a statement.
func (m *module) fastFunc(_ *vm.Thread, a vm.Args) (vm.Value, error) {
	args, err := a.Bind("fast", "func?")
	if err != nil {
		return nil, err
	}
	f := args[0]
	if f == nil {
		return &fastBlock{m: m}, nil
	}
	if !vm.IsCallable(f) {
		return nil, vm.WithHint(vm.TypeErrorf("fast: must be given a function, not '%s'", vm.TypeName(f)),
			"put @cp.fast in the line before def, or compute under: with cp.fast():")
	}
	return vm.NewBuiltin("fast", func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		outer := m.g.Fast()
		m.g.SetFast(true)
		defer m.g.SetFast(outer)
		return t.CallArgs(f, a)
	}), nil
}
