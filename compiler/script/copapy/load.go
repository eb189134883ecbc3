package copapy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/big"
	"path"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/datafile"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// maxData bounds a file of numbers, in bytes.
const maxData = 256 << 20

// formatsOfFiles are what cp.load decodes, by the end of the name.
var formatsOfFiles = map[string]func(m *module, t *vm.Thread, file []byte) (vm.Value, error){
	".npy":  (*module).loadNpy,
	".npz":  (*module).loadNpz,
	".csv":  (*module).loadCsv,
	".json": (*module).loadJSON,
}

// loadFunc is cp.load(path): the numbers of a file in the script's folder.
func (m *module) loadFunc(t *vm.Thread, _ string, args []vm.Value) (vm.Value, error) {
	name, ok := args[0].(string)
	if !ok {
		return nil, vm.WithHint(vm.TypeErrorf("load: the path must be a str, not '%s'", vm.TypeName(args[0])), "write cp.load('weights.npy')")
	}
	decode := formatsOfFiles[strings.ToLower(path.Ext(name))]
	if decode == nil {
		return nil, vm.WithHint(vm.ValueErrorf("load: %s: files of numbers end in .npy, .npz, .csv or .json", name), "save it as one of these: np.save('x.npy', x)")
	}
	if m.opt.Read == nil {
		return nil, vm.Raise(vm.RuntimeError, "load: this script has no folder to read from")
	}
	file, err := m.opt.Read(name, maxData)
	if err != nil {
		return nil, vm.WithHint(vm.Raise(vm.OSError, "load: %v", err), "give a regular file in the folder of the script, by its path from there")
	}
	if err := t.Charge(8 * int64(len(file))); err != nil {
		return nil, err
	}
	v, err := decode(m, t, file)
	var raised *loadError
	if errors.As(err, &raised) {
		return nil, vm.WithHint(vm.ValueErrorf("load: %s: %v", name, raised.err), "arrays of floats, ints and bools are read as np.save and np.savez write them, tables with commas, and JSON")
	}
	return v, err
}

// loadError is a file that is not as it should be.
type loadError struct{ err error }

func (e *loadError) Error() string { return e.err.Error() }

// loaded is an array of a file.
func (m *module) loaded(t *vm.Thread, a *datafile.Array) (vm.Value, error) {
	n := len(a.Floats) + len(a.Ints) + len(a.Bools)
	if err := t.Charge(32 * int64(n)); err != nil {
		return nil, err
	}
	elems := make([]vm.Value, 0, n)
	for _, x := range a.Floats {
		elems = append(elems, x)
	}
	for _, x := range a.Ints {
		elems = append(elems, x)
	}
	for _, x := range a.Bools {
		elems = append(elems, x)
	}
	return m.PlainTensor(graph.Shape(a.Shape), elems), nil
}

func (m *module) loadNpy(t *vm.Thread, file []byte) (vm.Value, error) {
	a, err := datafile.Npy(file)
	if err != nil {
		return nil, &loadError{err}
	}
	return m.loaded(t, a)
}

// loadNpz gives a dict of the arrays by their names.
func (m *module) loadNpz(t *vm.Thread, file []byte) (vm.Value, error) {
	names, arrays, err := datafile.Npz(file, maxData)
	if err != nil {
		return nil, &loadError{err}
	}
	return m.byName(t, names, arrays)
}

func (m *module) byName(t *vm.Thread, names []string, arrays []*datafile.Array) (vm.Value, error) {
	d := vm.NewDict()
	for i, name := range names {
		x, err := m.loaded(t, arrays[i])
		if err != nil {
			return nil, err
		}
		if err := d.Set(t, name, x); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// loadCsv gives a dict of the columns by the names in the first row; without names a matrix,
// or a vector of one column.
func (m *module) loadCsv(t *vm.Thread, file []byte) (vm.Value, error) {
	names, columns, err := datafile.Csv(file)
	if err != nil {
		return nil, &loadError{err}
	}
	if names != nil {
		return m.byName(t, names, columns)
	}
	rows := make([]*array.Tensor, len(columns))
	for i, c := range columns {
		x, err := m.loaded(t, c)
		if err != nil {
			return nil, err
		}
		rows[i] = x.(*array.Tensor)
	}
	if len(rows) == 1 {
		return rows[0], nil
	}
	list := make([]vm.Value, len(rows))
	for i, r := range rows {
		list[i] = r
	}
	r, err := m.Stack(t, "stack", []vm.Value{vm.NewList(list), int64(1)})
	if err != nil || !array.IsFloat(r) {
		return r, err
	}
	return t.Unary(vm.OpToFloat, r)
}

// loadJSON gives objects as dicts and lists of numbers, nested to one shape, as arrays.
func (m *module) loadJSON(t *vm.Thread, file []byte) (vm.Value, error) {
	d := json.NewDecoder(bytes.NewReader(file))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, &loadError{err}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, &loadError{errors.New("there is more after the value")}
	}
	return m.fromJSON(t, v, 0)
}

func (m *module) fromJSON(t *vm.Thread, v any, depth int) (vm.Value, error) {
	if err := t.Tick(1); err != nil {
		return nil, err
	}
	if depth > array.MaxNesting {
		return nil, &loadError{errors.New("values are nested too deep")}
	}
	switch v := v.(type) {
	case nil:
		return vm.None, nil
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i, nil
		}
		if i, ok := new(big.Int).SetString(v.String(), 10); ok && len(v) < 1000 {
			return i, nil
		}
		f, err := v.Float64()
		if err != nil {
			return nil, &loadError{err}
		}
		return f, nil
	case []any:
		elems := make([]vm.Value, len(v))
		for i, e := range v {
			var err error
			if elems[i], err = m.fromJSON(t, e, depth+1); err != nil {
				return nil, err
			}
		}
		return m.arrayOrList(t, elems)
	case map[string]any:
		return m.dictOf(t, v, depth)
	}
	return v, nil
}

// arrayOrList is an array of numbers or of arrays of one shape, else a list.
func (m *module) arrayOrList(t *vm.Thread, elems []vm.Value) (vm.Value, error) {
	list := vm.NewList(elems)
	for i, e := range elems {
		x, isArray := e.(*array.Tensor)
		if !isArray && !array.IsNumber(e) || !array.ShapeOf(e).Equal(array.ShapeOf(elems[0])) || isArray && len(x.Shape()) >= graph.MaxRank {
			return list, nil
		}
		if _, first := elems[0].(*array.Tensor); i > 0 && first != isArray {
			return list, nil
		}
	}
	if len(elems) == 0 {
		return list, nil
	}
	return m.NestedTensor(t, "load", list)
}

// dictOf is an object, with its keys in alphabetical order.
func (m *module) dictOf(t *vm.Thread, object map[string]any, depth int) (vm.Value, error) {
	d := vm.NewDict()
	for _, key := range slices.Sorted(maps.Keys(object)) {
		x, err := m.fromJSON(t, object[key], depth+1)
		if err != nil {
			return nil, err
		}
		if err := d.Set(t, key, x); err != nil {
			return nil, err
		}
	}
	return d, nil
}
