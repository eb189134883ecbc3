package copapy

import "github.com/copaflash/copaflash/compiler/script/python/vm"

// ready fails where there is no program to work with.
func (x *target) ready() error {
	switch {
	case x.closed:
		return isClosed()
	case x.prog == nil:
		return vm.WithHint(vm.Raise(vm.RuntimeError, "there is no program on this target yet"), "call tg.compile(...) first")
	}
	return nil
}

func isClosed() error {
	return vm.WithHint(vm.Raise(vm.RuntimeError, "the target is closed"), "make another one with cp.Target()")
}

// unload releases the program that is loaded.
func (x *target) unload() {
	if x.loaded != nil {
		x.m.programs.remove(x.loaded)
	}
	x.prog, x.loaded, x.index, x.outs, x.places, x.loop = nil, nil, nil, nil, places{}, nil
}

// pyClose is tg.close(): a loop is stopped, what was written is sent, and the place of the program is
// given to others. A program that is on a board stays there.
func (x *target) pyClose(t *vm.Thread, _ []vm.Value) (vm.Value, error) {
	if x.loaded != nil {
		if err := x.loaded.finish(t.Context()); err != nil {
			return nil, vm.Abort(err)
		}
	}
	x.unload()
	x.closed = true
	return vm.None, nil
}

// pyEnter and pyExit make a target the context of a with statement, which closes it.
func (x *target) pyEnter(_ *vm.Thread, _ []vm.Value) (vm.Value, error) {
	if x.closed {
		return nil, isClosed()
	}
	return x, nil
}

func (x *target) pyExit(t *vm.Thread, _ []vm.Value) (vm.Value, error) {
	if _, err := x.pyClose(t, nil); err != nil {
		return nil, err
	}
	return false, nil
}
