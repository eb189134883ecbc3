package array

import (
	"errors"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/autodiff"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Tracer is where the values of one script are traced: all of them are handles on nodes of
// its graph.
type Tracer struct {
	Graph  *graph.Graph
	values []Value // those that the next traced scalars are taken from

	Mixed  bool                      // the last refusal of the graph was f32 beside f64
	bodies []int                     // numbers of the bodies of static loops that are being traced, the innermost last
	scopes int                       // how many bodies were traced
	late   error                     // what went wrong where no error could be given
	taken  map[graph.ID]graph.Value  // by what a traced index took: the array it is from
	Dtypes map[*vm.Class]graph.DType // cp.f32 and cp.f64

	ValueClass, TensorClass, VectorClass, MatrixClass, maskedClass *vm.Class
}

// At tags the nodes built from now on with the line that is being executed.
func (m *Tracer) At(t *vm.Thread) { m.Graph.SetPos(uint32(t.Pos())) }

// TraceError turns a refusal of the graph into the Python exception for it.
func (m *Tracer) TraceError(err error) error {
	var refused *graph.Error
	if errors.As(err, &refused) {
		m.Mixed = refused.Mixed()
		return vm.TypeErrorf("%s", refused.Error())
	}
	if errors.Is(err, autodiff.ErrRepeats) {
		return vm.WithHint(vm.ValueErrorf("%s", err), "differentiate by the value that was repeated")
	}
	return err
}

func NewTracer() *Tracer {
	return &Tracer{Graph: graph.New(), taken: map[graph.ID]graph.Value{}}
}

// MakeClasses makes the classes of traced values and arrays; newValue is what calling
// that of values does.
func (m *Tracer) MakeClasses(newValue vm.GoFunc) {
	m.ValueClass = vm.NewClass("value", nil, newValue)
	m.ValueClass.SetProperty("shape", func(*vm.Thread, vm.Value, vm.Args) (vm.Value, error) { return vm.NewTuple(), nil }, nil)
	m.ValueClass.SetProperty("ndim", func(*vm.Thread, vm.Value, vm.Args) (vm.Value, error) { return int64(0), nil }, nil)
	m.ValueClass.SetProperty("dtype", func(_ *vm.Thread, self vm.Value, _ vm.Args) (vm.Value, error) {
		return PyType(self.(*Value).Node.DType()), nil
	}, nil)
	m.maskedClass = vm.NewClass("masked elements", nil, nil)
	m.makeTypeClasses()
	m.makeTensorClasses()
}

// Rows is the table of functions of numbers and arrays, and of the methods of arrays.
func (m *Tracer) Rows() []Row {
	return slices.Concat(m.numberRows(), m.scalarRows(), m.computedRows(), m.exactRows(), m.operatorRows(),
		m.madeRows(), m.joinRows(), m.arrayRows(), m.nanRows(), m.gatherRows(), m.methodRows(), m.geometryRows())
}
