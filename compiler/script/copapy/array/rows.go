package array

import (
	"slices"
	"strings"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Row is one thing that scripts can call: a function of a module, a method of a class,
// or both.
type Row struct {
	Name string
	// Params are the names of the parameters, as vm.Args.Bind takes them: those with a
	// question mark may be left out. The first one of a method is its object.
	Params string
	Call   Handler
	// Free is there instead of Call where the arguments are not bound by name. Params then
	// says for people what is taken.
	Free vm.GoFunc
	Is   Kind
}

// Kind says where a row is found. Functions are found in the module alone.
type Kind uint8

const (
	Function Kind = iota
	Method        // of the class alone
	Both
	Maker // of the class itself: a function that makes an object
)

// Handler computes a call of the function fn. There is an argument for each parameter,
// nil where it is left out.
type Handler func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error)

// function is the row called as a function.
func (r *Row) function() vm.GoFunc {
	return bounded(r.handled(strings.Fields(r.Params), 0))
}

// method is the row called as a method.
func (r *Row) method() vm.GoMethod {
	f := r.handled(strings.Fields(r.Params)[1:], 1)
	return func(t *vm.Thread, self vm.Value, a vm.Args) (vm.Value, error) {
		return bounded(func(t *vm.Thread, a vm.Args) (vm.Value, error) {
			a.Pos = slices.Insert(slices.Clone(a.Pos), 0, self)
			return f(t, a)
		})(t, a)
	}
}

// handled calls the handler. The first arguments of a method, its object, are bound already.
func (r *Row) handled(params []string, bound int) vm.GoFunc {
	f := r.Free
	if f == nil {
		f = func(t *vm.Thread, a vm.Args) (vm.Value, error) {
			first := a.Pos[:bound]
			a.Pos = a.Pos[bound:]
			args, err := Renamed(r.Name, a).Bind(r.Name, params...)
			if err != nil {
				return nil, err
			}
			return r.Call(t, r.Name, slices.Concat(first, args))
		}
	}
	if _, shares := viewing[r.Name]; shares || r.Name == "asarray" {
		return f
	}
	return copying(f)
}

// Table are the rows of one kind and those of both kinds, by name. A name that two of them have
// is a mistake here: one of the two would never be called.
func Table(kind Kind, rows []Row) map[string]*Row {
	table := map[string]*Row{}
	for i := range rows {
		r := &rows[i]
		if r.Is != kind && (r.Is != Both || kind == Maker) {
			continue
		}
		if table[r.Name] != nil {
			panic("copapy: two definitions of " + r.Name)
		}
		table[r.Name] = r
	}
	return table
}

// Functions, Methods and Makers are what the rows of that kind compute, by name.
func Functions(rows []Row) map[string]vm.GoFunc { return callables(Function, rows, (*Row).function) }
func Methods(rows []Row) map[string]vm.GoMethod { return callables(Method, rows, (*Row).method) }
func Makers(rows []Row) map[string]vm.GoFunc    { return callables(Maker, rows, (*Row).function) }

func callables[F any](kind Kind, rows []Row, of func(*Row) F) map[string]F {
	out := map[string]F{}
	for name, r := range Table(kind, rows) {
		out[name] = of(r)
	}
	return out
}
