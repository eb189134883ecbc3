package copapy

import (
	"errors"
	"math"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// binding is what the variables of a target's programs are bound to.
type binding struct {
	set     *bind.Set
	rate    float64 // ticks per second, where no task says it; 0: not said
	changed bool    // since the program was compiled
}

// pyBind is tg.bind(speed="sim:sine,freq=2Hz"), or tg.bind({"pid.speed": ...}): inputs of the programs to come get
// their values from there. None ends a binding.
func (x *target) pyBind(_ *vm.Thread, a vm.Args) (vm.Value, error) {
	if x.closed {
		return nil, isClosed()
	}
	if x.binding.set == nil {
		x.binding.set = &bind.Set{ReadFile: x.m.opt.Read, Plant: x.m.opt.Plant}
	}
	for _, p := range a.Pos {
		d, ok := p.(*vm.Dict)
		if !ok {
			return nil, vm.WithHint(vm.TypeErrorf("bind: takes names with channels, or a dict, not '%s'", vm.TypeName(p)), "as in tg.bind(speed='sim:sine,freq=2Hz') or tg.bind({'pid.speed': 'sim:loop=u'})")
		}
		for k, v := range d.All() {
			name, ok := k.(string)
			if !ok {
				return nil, vm.TypeErrorf("bind: a name is a str, not '%s'", vm.TypeName(k))
			}
			if err := x.bind(name, v); err != nil {
				return nil, err
			}
		}
	}
	for _, k := range a.Kw {
		if k.Name == "rate" {
			hz, ok := vm.AsFloat(k.Value)
			if !ok || !array.IsNumber(k.Value) || !(hz > 0 && !math.IsInf(hz, 0)) {
				return nil, vm.WithHint(vm.ValueErrorf("bind: the rate must be a number of ticks per second"), "an input that is called rate is bound with a dict: tg.bind({'rate': 'sim:sine'})")
			}
			x.binding.rate = hz
			continue
		}
		if err := x.bind(k.Name, k.Value); err != nil {
			return nil, err
		}
	}
	x.binding.changed = x.prog != nil
	return vm.None, nil
}

// bind binds a variable.
func (x *target) bind(name string, v vm.Value) error {
	if array.IsNone(v) {
		x.binding.set.Drop(name)
		return nil
	}
	text, ok := v.(string)
	if !ok {
		return vm.TypeErrorf("bind: the channel of %q is a str, not '%s'", name, vm.TypeName(v))
	}
	if err := bind.Check(text); err != nil {
		return bindError(err)
	}
	x.binding.set.Put(bind.Binding{Variable: name, Channel: text})
	return nil
}

// bindError is an error of bindings as the script sees it.
func bindError(err error) error {
	raised := vm.ValueErrorf("bind: %v", err)
	if known := (*bind.Error)(nil); errors.As(err, &known) {
		return vm.WithHint(raised, known.Hint())
	}
	return raised
}

// bindTo adds the bindings to the options of a program.
func (x *target) bindTo(opt *compiler.Options) {
	if x.jit {
		return
	}
	if opt.Rate == 0 {
		opt.Rate = x.binding.rate
	}
	if set := x.m.opt.Bind.Over(x.binding.set); !set.Empty() {
		opt.Bind = set
	}
}

// isBound tells inputs that are fed by channels.
func (x *target) isBound(id graph.ID) bool {
	_, ok := x.prog.Bound(id)
	return ok
}

// runnable refuses to run a program that is not bound as the script has said since.
func (x *target) runnable() error {
	if err := x.ready(); err != nil || !x.binding.changed {
		return err
	}
	return vm.WithHint(vm.Raise(vm.RuntimeError, "the bindings of this target have changed since its program was compiled"),
		"call tg.bind(...) before tg.compile(...), or compile again")
}
