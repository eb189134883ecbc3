package copapy

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/manual"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Options say where programs run and what becomes known of them.
type Options struct {
	// Open returns the device that scripts run on; it is called when the first
	// program is compiled. Nil: a script may trace but not compile.
	Open func(ctx context.Context) (device.Device, error)
	// Compiled is told of every program that a script compiles. May be nil.
	Compiled func(*Stats)
	// Warn is told what a script should know although it goes on. May be nil.
	Warn func(text string)
	// Read returns a file of at most limit bytes in the folder of the script. Nil:
	// a script reads none.
	Read func(name string, limit int64) ([]byte, error)
	// Compiler holds the options of the compiler; architecture and features are
	// those of the device.
	Compiler compiler.Options
}

// module is the state of `copapy` in one script.
type module struct {
	*Tracer
	quaternions *Class

	opt    Options
	thread *vm.Thread
	device device.Device
	mark   time.Time // when tracing began, or the last compilation ended

	nextAt    map[graph.ID]vm.Pos // by state: where its next value was assigned
	partNames map[string]bool     // given by nameParts
	bindings  bindings
	programs  loadedPrograms
	jitCalls  int

	targetClass, jitClass, fastClass, vmapClass *vm.Class
}

// Modules returns the makers of `copapy` and its submodules, for vm.Options. They
// are for one script: what they make shares one graph.
func Modules(opt Options) map[string]vm.ModuleFunc {
	var main, filters, linalg *vm.Module
	once := func(t *vm.Thread) {
		if main != nil {
			return
		}
		m := newModule(opt, t)
		functions := Functions(m.rows())
		main = m.mainModule(functions)
		filters = submodule("filters", functions, "argsort", "convolve", "mean", "median", "sort")
		linalg = submodule("linalg", functions, "cholesky", "det", "inv", "matrix_power", "norm", "qr", "solve")
		main.Set("filters", filters)
		main.Set("linalg", linalg)
		main.SetDocs(manual.DocString)
		filters.SetDocs(func(name string) string { return manual.DocString(cmp.Or(name, "filters")) })
		linalg.SetDocs(func(name string) string { return manual.DocString(cmp.Or(name, "linalg")) })
	}
	return map[string]vm.ModuleFunc{
		"copapy":         func(t *vm.Thread) (*vm.Module, error) { once(t); return main, nil },
		"copapy.filters": func(t *vm.Thread) (*vm.Module, error) { once(t); return filters, nil },
		"copapy.linalg":  func(t *vm.Thread) (*vm.Module, error) { once(t); return linalg, nil },
	}
}

func newModule(opt Options, t *vm.Thread) *module {
	m := &module{Tracer: newTracer(), opt: opt, thread: t, mark: time.Now(), nextAt: map[graph.ID]vm.Pos{}, partNames: map[string]bool{}}
	m.makeClasses()
	return m
}

// constants are names of numbers, and of None as the index that makes a new axis.
var constants = map[string]vm.Value{"pi": math.Pi, "e": math.E, "inf": math.Inf(1), "nan": math.NaN(), "newaxis": vm.None}

// rows is the table of what scripts can call in the module and as a method of arrays.
func (m *module) rows() []Row {
	return slices.Concat(m.ownRows(), m.Rows(), linalgRows(m.Tracer), orderRows(m.Tracer))
}

// ownRows are programs, their states and loops, and derivatives.
func (m *module) ownRows() []Row {
	return []Row{
		{Name: "state", Params: "initial dtype? name?", Call: m.lockedState},
		{Name: "load", Params: "path", Call: m.loadFunc},
		{Name: "fori", Params: "n body carry", Call: m.foriFunc},
		{Name: "scan", Params: "n body carry xs?", Call: m.scanFunc},
		{Name: "jit", Params: "func", Call: m.jitFunc},
		{Name: "vmap", Params: "func in_axes? out_axes?", Call: m.vmapFunc},
		{Name: "fast", Params: "func?", Call: m.fastFunc},
		{Name: "grad", Params: "y x", Free: m.gradFunc},
		{Name: "value_and_grad", Params: "y x", Call: m.valueAndGradFunc},
		{Name: "jacobian", Params: "y x", Call: m.jacobianFunc},
		{Name: "hessian", Params: "y x", Call: m.hessianFunc},
		{Name: "jvp", Params: "y x v", Call: m.jvpFunc},
		{Name: "vjp", Params: "y x v", Call: m.vjpFunc},
	}
}

// submodule has some of the functions under these names too.
func submodule(name string, functions map[string]vm.GoFunc, names ...string) *vm.Module {
	mod := vm.NewModule("copapy." + name)
	for _, f := range names {
		mod.Func(f, functions[f])
	}
	mod.SetAbsent(absent(name + "."))
	return mod
}

func (m *module) mainModule(functions map[string]vm.GoFunc) *vm.Module {
	mod := vm.NewModule("copapy")
	mod.Set("value", m.valueClass)
	mod.Set("tensor", m.tensorClass)
	mod.Set("vector", m.vectorClass)
	mod.Set("matrix", m.matrixClass)
	m.quaternions.Set(mod)
	mod.Set("Target", m.targetClass)
	for c, d := range m.dtypes {
		mod.Set(d.String(), c)
	}
	for name, v := range constants {
		mod.Set(name, v)
	}
	m.setAncestorNames(mod)
	mod.SetAbsent(absent(""))
	for name, f := range functions {
		if mod.Get(name) != nil {
			panic("copapy: two definitions of " + name)
		}
		mod.Func(name, f)
	}
	return mod
}

// warn tells the user what the script should not do.
func (m *module) warn(format string, args ...any) {
	if m.opt.Warn != nil {
		m.opt.Warn(fmt.Sprintf(format, args...))
	}
}

func (m *module) makeClasses() {
	m.makeArrayClasses(m.newValue)
	m.tensorClass.SetAbsent(absent("tensor."))
	m.quaternions = NewClass(m.Tracer)
	m.nextProperty(m.valueClass)
	m.nextProperty(m.tensorClass)
	m.makeFastClass()
	m.vmapClass = vm.NewClass("vmap", nil, nil)
	m.jitClass = vm.NewClass("jit", nil, nil)
	m.targetClass = vm.NewClass("Target", nil, m.newTarget)
	for name, f := range Methods(targetRows) {
		m.targetClass.SetMethod(name, f)
	}
}

// newValue is cp.value(x, dtype=cp.f64): a variable of the program, a number or an array.
func (m *module) newValue(t *vm.Thread, a vm.Args) (vm.Value, error) {
	var x vm.Value
	like := noFloat
	if len(a.Pos) == 1 && len(a.Kw) == 0 {
		x = a.Pos[0] // the usual call, without the cost of Bind
	} else {
		args, err := renamed("value", a).Bind("value", "value", "dtype?", "name?")
		if err != nil {
			return nil, err
		}
		if !isNone(args[2]) {
			return m.named(t, "value", args[2], func() (vm.Value, error) { return m.newValue(t, vm.Args{Pos: args[:2]}) })
		}
		x = args[0]
		args[1] = m.dtypeNamed(args[1])
		class, isClass := args[1].(*vm.Class)
		switch {
		case isNone(args[1]):
		case isClass && conversions[class] != nil:
			x, err = m.typed(t, "value", x, class)
		default:
			like, err = m.dtype("value", args[1])
		}
		if err != nil {
			return nil, err
		}
	}
	x = plainNumber(x)
	if v, ok := x.(*Value); ok {
		if k, isKnown := m.known(x); isKnown && k.DType() == graph.F64 && like == noFloat {
			m.at(t)
			return m.unnamed(m.wrap(m.g.InputWord("", graph.F64, m.g.Node(k.ID()).Word())))
		}
		if like == noFloat || v.v.DType() == like {
			return v, nil
		}
		return m.cast(t, "value", x, like)
	}
	if hasElements(x) {
		return m.newArray(t, x, like)
	}
	if !isNumber(x) {
		return nil, vm.TypeErrorf("value: must be a number or an array of numbers, not '%s'", vm.TypeName(x))
	}
	d, w, err := number(x, like)
	if err != nil {
		return nil, err
	}
	m.at(t)
	return m.unnamed(m.wrap(m.g.InputWord("", d, w)))
}

// newArray is an array as one variable. A traced one is itself.
func (m *module) newArray(t *vm.Thread, x vm.Value, like graph.DType) (vm.Value, error) {
	m.at(t)
	init, isKnown := m.known(x)
	switch {
	case isKnown && init.DType() == graph.F64 && like == noFloat:
	case isTraced(x) && like == noFloat:
		return x, nil
	case isTraced(x):
		return m.cast(t, "value", x, like)
	default:
		var err error
		if init, err = m.initialArray(t, "value", x, like); err != nil {
			return nil, err
		}
	}
	return m.unnamed(m.wrap(m.g.Input("", init.DType(), init.Shape(), m.g.ConstBits(init.ID()))))
}
