package pylib

import (
	"io"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// sys is what module sys cannot do in Python.
func (h *host) sys(t *vm.Thread) (*vm.Module, error) {
	m := vm.NewModule("_sys")
	argv := make([]vm.Value, len(h.Args))
	for i, a := range h.Args {
		argv[i] = a
	}
	m.Set("argv", vm.NewList(argv))
	stderr := h.Stderr
	if stderr == nil {
		stderr = io.Discard
	}
	m.Define(writer("out", t.Stdout()), writer("err", stderr))
	return m, nil
}

// writer is a function that writes a text.
func writer(name string, w io.Writer) *vm.Builtin {
	return vm.DefFunc(name, func(_ *vm.Thread, vs []vm.Value) (vm.Value, error) {
		s, ok := vm.Unwrap(vs[0]).(string)
		if !ok {
			return nil, vm.TypeErrorf("write() argument must be str, not %s", vm.TypeName(vs[0]))
		}
		if _, err := io.WriteString(w, s); err != nil {
			return nil, vm.Raise(vm.OSError, "cannot write output: %s", err)
		}
		return int64(len([]rune(s))), nil
	}, "s", "/")
}
