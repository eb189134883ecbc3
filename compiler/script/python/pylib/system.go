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
	m.Func("out", writer("write", t.Stdout()))
	stderr := h.Stderr
	if stderr == nil {
		stderr = io.Discard
	}
	m.Func("err", writer("write", stderr))
	return m, nil
}

func writer(name string, w io.Writer) vm.GoFunc {
	return func(_ *vm.Thread, a vm.Args) (vm.Value, error) {
		vs, err := a.Bind(name, "s", "/")
		if err != nil {
			return nil, err
		}
		s, ok := vm.Unwrap(vs[0]).(string)
		if !ok {
			return nil, vm.TypeErrorf("write() argument must be str, not %s", vm.TypeName(vs[0]))
		}
		if _, err := io.WriteString(w, s); err != nil {
			return nil, vm.Raise(vm.OSError, "cannot write output: %s", err)
		}
		return int64(len([]rune(s))), nil
	}
}
