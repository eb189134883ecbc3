package array

import (
	"errors"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Tracer is where the values of one script are traced: all of them are handles on nodes of
// its graph.
type Tracer struct {
	Graph   *graph.Graph
	Mixed   bool     // the last refusal of the graph was f32 beside f64
	Lookups []Lookup // what traced indices took, and of which arrays

	ValueClass, TensorClass               *vm.Class
	vectorClass, matrixClass, maskedClass *vm.Class
	dtypes                                map[*vm.Class]graph.DType // cp.f32 and cp.f64

	newValue vm.GoFunc

	values []Value // those that the next traced scalars are taken from
	bodies []int   // numbers of the bodies of static loops that are being traced, the innermost last
	scopes int     // how many bodies were traced
	late   error   // what went wrong where no error could be given
}

// At tags the nodes built from now on with the line that is being executed.
func (m *Tracer) At(t *vm.Thread) { m.Graph.SetPos(uint32(t.Pos())) }

// TraceError turns a refusal of the graph into the Python exception for it.
func (m *Tracer) TraceError(err error) error {
	if err == nil {
		return nil // before errors.As has refused escape: this is asked for each node
	}
	var refused *graph.Error
	if errors.As(err, &refused) {
		m.Mixed = refused.Mixed()
		return vm.TypeErrorf("%s", refused.Error())
	}
	return err
}

// NewTracer begins with an empty graph. Calling the class of traced scalars is newValue.
func NewTracer(newValue vm.GoFunc) *Tracer {
	m := &Tracer{Graph: graph.New(), newValue: newValue}
	m.ValueClass = m.NewClass("value", nil, m.ClassRows())
	m.ValueClass.SetProperty("shape", func(*vm.Thread, vm.Value, vm.Args) (vm.Value, error) { return vm.NewTuple(), nil }, nil)
	m.ValueClass.SetProperty("ndim", func(*vm.Thread, vm.Value, vm.Args) (vm.Value, error) { return int64(0), nil }, nil)
	m.ValueClass.SetProperty("dtype", func(_ *vm.Thread, self vm.Value, _ vm.Args) (vm.Value, error) {
		return PyType(self.(*Value).Node.DType()), nil
	}, nil)
	m.maskedClass = vm.NewClass("masked elements", nil, nil)
	m.makeTypeClasses()
	m.makeTensorClasses()
	return m
}

// SetMethods gives arrays the methods among rows.
func (m *Tracer) SetMethods(rows []Row) {
	for name, f := range m.Methods(rows) {
		m.TensorClass.SetMethod(name, onAnyTensor(name, f))
	}
}

// ClassRows are the classes of traced values and arrays.
func (m *Tracer) ClassRows() []Row {
	return []Row{
		{Name: "value", Params: "value dtype? name?", Free: m.newValue, Is: Constructor, part: &part{itself: true}},
		{Name: "tensor", Params: "values shape? dtype?", Call: m.newTensor, Is: Constructor},
		{Name: "vector", Params: "values dtype?", Call: m.newVector, Is: Constructor},
		{Name: "matrix", Params: "values dtype?", Call: m.newMatrix, Is: Constructor},
		{Name: graph.F32.String(), Params: "x", Call: m.castFunc(graph.F32), Is: Constructor},
		{Name: graph.F64.String(), Params: "x", Call: m.castFunc(graph.F64), Is: Constructor},
	}
}

// SetClasses gives a module the classes of traced values and arrays.
func (m *Tracer) SetClasses(mod *vm.Module) {
	mod.Set("value", m.ValueClass)
	mod.Set("tensor", m.TensorClass)
	mod.Set("vector", m.vectorClass)
	mod.Set("matrix", m.matrixClass)
	for c, d := range m.dtypes {
		mod.Set(d.String(), c)
	}
}

// Rows is the table of functions of numbers and arrays, and of the methods of arrays.
func (m *Tracer) Rows() []Row {
	return slices.Concat(m.numberRows(), m.scalarRows(), m.computedRows(), m.exactRows(), m.operatorRows(),
		m.madeRows(), m.joinRows(), m.arrayRows(), m.nanRows(), m.gatherRows(), m.methodRows(), m.geometryRows())
}
