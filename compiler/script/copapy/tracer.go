package copapy

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
	g      *graph.Graph
	values []Value // those that the next traced scalars are taken from

	mixed  bool                      // the last refusal of the graph was f32 beside f64
	bodies []int                     // numbers of the bodies of static loops that are being traced, the innermost last
	scopes int                       // how many bodies were traced
	late   error                     // what went wrong where no error could be given
	taken  map[graph.ID]graph.Value  // by what a traced index took: the array it is from
	dtypes map[*vm.Class]graph.DType // cp.f32 and cp.f64

	valueClass, tensorClass, vectorClass, matrixClass, maskedClass *vm.Class
}

// at tags the nodes built from now on with the line that is being executed.
func (m *Tracer) at(t *vm.Thread) { m.g.SetPos(uint32(t.Pos())) }

// traceError turns a refusal of the graph into the Python exception for it.
func (m *Tracer) traceError(err error) error {
	var refused *graph.Error
	if errors.As(err, &refused) {
		m.mixed = refused.Mixed()
		return vm.TypeErrorf("%s", refused.Error())
	}
	if errors.Is(err, autodiff.ErrRepeats) {
		return vm.WithHint(vm.ValueErrorf("%s", err), "differentiate by the value that was repeated")
	}
	return err
}

func newTracer() *Tracer {
	return &Tracer{g: graph.New(), taken: map[graph.ID]graph.Value{}}
}

// makeArrayClasses makes the classes of traced values and arrays; newValue is what calling
// that of values does.
func (m *Tracer) makeArrayClasses(newValue vm.GoFunc) {
	m.valueClass = vm.NewClass("value", nil, newValue)
	m.valueClass.SetProperty("shape", func(*vm.Thread, vm.Value, vm.Args) (vm.Value, error) { return vm.NewTuple(), nil }, nil)
	m.valueClass.SetProperty("ndim", func(*vm.Thread, vm.Value, vm.Args) (vm.Value, error) { return int64(0), nil }, nil)
	m.valueClass.SetProperty("dtype", func(_ *vm.Thread, self vm.Value, _ vm.Args) (vm.Value, error) {
		return pyType(self.(*Value).v.DType()), nil
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
