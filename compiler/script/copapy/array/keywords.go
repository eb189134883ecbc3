package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// ancestorKeywords are its names of parameters where others are used here.
var ancestorKeywords = map[string]map[string]string{
	"flatten": {"t": "x"},
	"trace":   {"t": "x"},
	"mean":    {"input_vector": "x"},
	"value":   {"source": "value"},
}

// Renamed has the keywords of the ancestor under the names that they have here.
func Renamed(name string, a vm.Args) vm.Args {
	names := ancestorKeywords[name]
	if names == nil || len(a.Kw) == 0 {
		return a
	}
	a.Kw = slices.Clone(a.Kw)
	for i, k := range a.Kw {
		if to, ok := names[k.Name]; ok {
			a.Kw[i].Name = to
		}
	}
	return a
}

// InOrder binds two arguments whose names the ancestor has the other way round, such as
// atan2(x, y) for what is atan2(y, x) here. Each may be meant where neither is given
// by position; where the first one is, both names stand for the second.
func InOrder(fn, p, q string, a vm.Args) ([]vm.Value, error) {
	if len(a.Pos) == 0 && len(a.Kw) > 0 {
		return nil, vm.WithHint(vm.TypeErrorf("%s() takes its first argument by position: '%s' and '%s' are swapped compared with the Python ancestor", fn, p, q),
			"write "+fn+"("+p+", "+q+")")
	}
	if len(a.Pos) == 1 && len(a.Kw) == 1 && a.Kw[0].Name == p {
		a.Kw = slices.Clone(a.Kw)
		a.Kw[0].Name = q
	}
	return a.Bind(fn, p, q)
}
