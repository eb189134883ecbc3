package copapy

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/copapy/filters"
	"github.com/copaflash/copaflash/compiler/script/copapy/linalg"
	"github.com/copaflash/copaflash/compiler/script/copapy/manual"
	"github.com/copaflash/copaflash/compiler/script/copapy/quaternion"
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
	// Bind binds variables of the programs of tg.compile, whatever the script binds them to. May be nil.
	Bind *bind.Set
	// Plant compiles the program of a script or graph file that a variable is bound to. Nil: scripts
	// bind to none.
	Plant func(file string) (*compiler.Program, error)
}

// module is the state of `copapy` in one script.
type module struct {
	*array.Tracer
	quaternions *quaternion.Class
	table       []array.Row // what scripts call in the module and as a method of arrays

	opt    Options
	thread *vm.Thread
	device device.Device
	mark   time.Time // when tracing began, or the last compilation ended

	nextAt    map[graph.ID]vm.Pos      // by state: where its next value was assigned
	partNames map[string]bool          // given by nameParts
	taken     map[graph.ID]graph.Value // by what a traced index took: the array it is from
	bindings  bindings
	programs  loadedPrograms
	jitCalls  int
	roles     roles
	tasks     []*task // of programs, in the order in which they run

	targetClass, jitClass, fastClass, vmapClass *vm.Class
	taskClass                                   *vm.Class
	timingClass, executionClass                 *vm.Class
	statusClass, spreadClass                    *vm.Class
	recordClass, streamClass                    *vm.Class
	captureClass, swapClass                     *vm.Class
}

// submodules have some of the functions under the same names too.
var submodules = map[string][]string{
	"filters": {"argsort", "convolve", "mean", "median", "sort"},
	"linalg":  {"cholesky", "det", "inv", "matrix_power", "norm", "qr", "solve"},
}

// Modules returns the makers of `copapy` and its submodules, for vm.Options. They
// are for one script: what they make shares one graph.
func Modules(opt Options) map[string]vm.ModuleFunc {
	var made map[string]*vm.Module
	makers := map[string]vm.ModuleFunc{}
	for _, name := range append(slices.Collect(maps.Keys(submodules)), "") {
		makers[fullName(name)] = func(t *vm.Thread) (*vm.Module, error) {
			if made == nil {
				made = newModule(opt, t).modules()
			}
			return made[name], nil
		}
	}
	return makers
}

// fullName is the name of a submodule, or of the module itself, in import statements.
func fullName(name string) string { return strings.TrimSuffix("copapy."+name, ".") }

func newModule(opt Options, t *vm.Thread) *module {
	m := &module{opt: opt, thread: t, mark: time.Now(), nextAt: map[graph.ID]vm.Pos{}, partNames: map[string]bool{}, taken: map[graph.ID]graph.Value{}}
	m.makeClasses()
	m.programs.stopped = func() {
		m.warn("the loop ends with the script; tg.stop() ends it before, and copaflash start runs a program on a board for good")
	}
	return m
}

// constants are names of numbers, and of None as the index that makes a new axis.
var constants = map[string]vm.Value{"pi": math.Pi, "e": math.E, "inf": math.Inf(1), "nan": math.NaN(), "newaxis": vm.None}

// rows is the table of what scripts can call in the module and as a method of arrays.
func (m *module) rows() []array.Row {
	return slices.Concat(m.ownRows(), m.roleRows(), m.Rows(), linalg.Rows(m.Tracer), filters.Rows(m.Tracer))
}

// ownRows are programs, their states and loops, and derivatives.
func (m *module) ownRows() []array.Row {
	return []array.Row{
		{Name: "Target", Params: "arch? optimization? fast? limit?", Call: m.newTarget, Is: array.Constructor},
		{Name: "state", Params: "initial dtype? name?", Call: m.lockedState},
		{Name: "task", Params: "rate? name?", Call: m.taskFunc},
		{Name: "load", Params: "path", Call: m.loadFunc},
		{Name: "fori", Params: "n body carry", Call: m.foriFunc},
		{Name: "scan", Params: "n body carry xs?", Call: m.scanFunc},
		{Name: "jit", Params: "func", Call: m.jitFunc},
		{Name: "vmap", Params: "func in_axes? out_axes?", Call: m.vmapFunc},
		{Name: "fast", Params: "func?", Call: m.fastFunc},
		{Name: "sweep", Params: "program grid get? runs?", Call: m.sweepFunc},
		{Name: "grad", Params: "y x", Free: m.gradFunc},
		{Name: "value_and_grad", Params: "y x", Call: m.valueAndGradFunc},
		{Name: "jacobian", Params: "y x", Call: m.jacobianFunc},
		{Name: "hessian", Params: "y x", Call: m.hessianFunc},
		{Name: "jvp", Params: "y x v", Call: m.jvpFunc},
		{Name: "vjp", Params: "y x v", Call: m.vjpFunc},
	}
}

// modules are the module, under an empty name, and its submodules.
func (m *module) modules() map[string]*vm.Module {
	mod := vm.NewModule(fullName(""))
	m.SetClasses(mod)
	m.quaternions.Set(mod)
	mod.Set("Target", m.targetClass)
	for name, v := range constants {
		mod.Set(name, v)
	}
	m.setAncestorNames(mod)
	mod.SetAbsent(absent(""))
	functions := m.Functions(m.table)
	functions["log"] = m.logOr(functions["log"])
	for name, f := range functions {
		if mod.Get(name) != nil {
			panic("copapy: two definitions of " + name)
		}
		mod.Func(name, f)
	}
	mod.SetDocs(manual.DocString)
	all := map[string]*vm.Module{"": mod}
	for name, parts := range submodules {
		sub := vm.NewModule(fullName(name))
		for _, part := range parts {
			if functions[part] == nil {
				panic("copapy: no definition of " + name + "." + part)
			}
			sub.Func(part, functions[part])
		}
		sub.SetAbsent(absent(name + "."))
		sub.SetDocs(func(part string) string { return manual.DocString(cmp.Or(part, name)) })
		mod.Set(name, sub)
		all[name] = sub
	}
	return all
}

// warn tells the user what the script should not do.
func (m *module) warn(format string, args ...any) {
	if m.opt.Warn != nil {
		m.opt.Warn(fmt.Sprintf(format, args...))
	}
}

func (m *module) makeClasses() {
	m.Tracer = array.NewTracer(m.newValue)
	m.table = m.rows()
	m.SetMethods(m.table)
	m.TensorClass.SetAbsent(absent("tensor."))
	m.quaternions = quaternion.NewClass(m.Tracer)
	m.nextProperty(m.ValueClass)
	m.nextProperty(m.TensorClass)
	m.makeFastClass()
	m.makeTaskClass()
	m.vmapClass = vm.NewClass("vmap", nil, nil)
	m.jitClass = vm.NewClass("jit", nil, nil)
	m.targetClass = m.NewClass("Target", nil, m.table)
	m.timingClass, m.executionClass = vm.NewClass("Timing", nil, nil), vm.NewClass("Execution", nil, nil)
	m.statusClass, m.spreadClass = vm.NewClass("Status", nil, nil), vm.NewClass("Spread", nil, nil)
	m.recordClass, m.streamClass = vm.NewClass("Record", nil, nil), vm.NewClass("stream", nil, nil)
	m.captureClass, m.swapClass = vm.NewClass("Capture", nil, nil), vm.NewClass("Swap", nil, nil)
	for name, f := range m.Methods(targetRows) {
		m.targetClass.SetMethod(name, f)
	}
}

// newValue is cp.value(x, dtype=cp.f64): a variable of the program, a number or an array.
func (m *module) newValue(t *vm.Thread, a vm.Args) (vm.Value, error) {
	var x vm.Value
	like := array.NoFloat
	if len(a.Pos) == 1 && len(a.Kw) == 0 {
		x = a.Pos[0] // the usual call, without the cost of Bind
	} else {
		args, err := array.Renamed("value", a).Bind("value", "value", "dtype?", "name?")
		if err != nil {
			return nil, err
		}
		if !array.IsNone(args[2]) {
			return m.named(t, "value", args[2], func() (vm.Value, error) { return m.newValue(t, vm.Args{Pos: args[:2]}) })
		}
		if x, like, err = m.OfType(t, "value", args[0], args[1]); err != nil {
			return nil, err
		}
	}
	x = array.PlainNumber(x)
	if v, ok := x.(*array.Value); ok {
		if k, isKnown := m.known(x); isKnown && k.DType() == graph.F64 && like == array.NoFloat {
			m.At(t)
			return m.unnamed(m.Wrap(m.Graph.InputWord("", graph.F64, m.Graph.Node(k.ID()).Word())))
		}
		if like == array.NoFloat || v.Node.DType() == like {
			return v, nil
		}
		return m.Cast(t, "value", x, like)
	}
	if array.HasElements(x) {
		return m.newArray(t, x, like)
	}
	if !array.IsNumber(x) {
		return nil, vm.TypeErrorf("value: must be a number or an array of numbers, not '%s'", vm.TypeName(x))
	}
	d, w, err := array.Number(x, like)
	if err != nil {
		return nil, err
	}
	m.At(t)
	return m.unnamed(m.Wrap(m.Graph.InputWord("", d, w)))
}

// newArray is an array as one variable. A traced one is itself.
func (m *module) newArray(t *vm.Thread, x vm.Value, like graph.DType) (vm.Value, error) {
	m.At(t)
	init, isKnown := m.known(x)
	switch {
	case isKnown && init.DType() == graph.F64 && like == array.NoFloat:
	case array.IsTraced(x) && like == array.NoFloat:
		return x, nil
	case array.IsTraced(x):
		return m.Cast(t, "value", x, like)
	default:
		var err error
		if init, err = m.initialArray(t, "value", x, like); err != nil {
			return nil, err
		}
	}
	return m.unnamed(m.Wrap(m.Graph.Input("", init.DType(), init.Shape(), m.Graph.ConstBits(init.ID()))))
}

// known is the node of a traced value that is a constant.
func (m *module) known(x vm.Value) (graph.Value, bool) {
	var v graph.Value
	switch x := x.(type) {
	case *array.Value:
		v = x.Node
	case *array.Tensor:
		x.Settle()
		v = x.Node
	}
	return v, v.Valid() && m.Graph.IsConst(v.ID())
}
