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
	// Quick rows are called often, and keep nothing of the slice of arguments after the call.
	Quick bool
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
	s := vm.NewSignature(r.Name, strings.Fields(r.Params)...)
	return func(t *vm.Thread, a vm.Args) (vm.Value, error) { return r.called(t, nil, s, a) }
}

// method is the row called as a method.
func (r *Row) method() vm.GoMethod {
	s := vm.NewSignature(r.Name, strings.Fields(r.Params)[1:]...)
	return func(t *vm.Thread, self vm.Value, a vm.Args) (vm.Value, error) { return r.called(t, self, s, a) }
}

// called calls the handler; self is nil for a function.
func (r *Row) called(t *vm.Thread, self vm.Value, params *vm.Signature, a vm.Args) (vm.Value, error) {
	if err := check(t, &a); err != nil {
		return nil, err
	}
	var result vm.Value
	var err error
	if r.Free != nil {
		if self != nil {
			a.Pos = slices.Insert(slices.Clone(a.Pos), 0, self)
		}
		result, err = r.Free(t, a)
	} else {
		if len(a.Kw) > 0 {
			a = Renamed(r.Name, a)
		}
		result, err = r.bound(t, self, params, &a)
	}
	if x, ok := result.(*Tensor); ok && err == nil && (x == self || isArgument(x, a)) && !r.shares() {
		return x.Copied(), nil // so that assigning to the one does not change the other
	}
	return result, err
}

// bound calls the handler with an argument for each parameter.
func (r *Row) bound(t *vm.Thread, self vm.Value, params *vm.Signature, a *vm.Args) (vm.Value, error) {
	if r.Quick {
		args, err := t.Borrow(params, self, a)
		if err != nil {
			return nil, err
		}
		result, err := r.Call(t, r.Name, args)
		t.GiveBack(args)
		return result, err
	}
	args, err := params.BindMethod(self, *a)
	if err != nil {
		return nil, err
	}
	return r.Call(t, r.Name, args)
}

// shares tells whether the result may be an argument itself, or part of it.
func (r *Row) shares() bool {
	_, isView := viewing[r.Name]
	return isView || r.Name == "asarray"
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

// Functions are the functions of a module, by name.
func Functions(rows []Row) map[string]vm.GoFunc { return callables(Function, rows, (*Row).function) }

// Methods are the methods of a class, by name.
func Methods(rows []Row) map[string]vm.GoMethod { return callables(Method, rows, (*Row).method) }

// Makers are the functions of a class that make objects, by name.
func Makers(rows []Row) map[string]vm.GoFunc { return callables(Maker, rows, (*Row).function) }

func callables[F any](kind Kind, rows []Row, of func(*Row) F) map[string]F {
	out := map[string]F{}
	for name, r := range Table(kind, rows) {
		out[name] = of(r)
	}
	return out
}
