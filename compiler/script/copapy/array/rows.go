package array

import (
	"slices"
	"strings"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Row is one thing that scripts can call: a function of a module, a method of a class,
// both, or a class.
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
	// Quick rows are called often, take no keywords of the ancestor, return none of their
	// arguments, and keep nothing of the slice of arguments after the call.
	Quick bool
	part  *part // nil: the result shares no elements with the arguments
}

// Kind says where a row is found. Functions are found in the module alone.
type Kind uint8

const (
	Function Kind = iota
	Method        // of the class alone
	Both
	Maker       // of the class itself: a function that makes an object
	Constructor // the class: calling it makes an object
)

// Handler computes a call of the function fn. There is an argument for each parameter,
// nil where it is left out.
type Handler func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error)

// function is the row called as a function.
func (m *Tracer) function(r *Row) vm.GoFunc {
	var s *vm.Signature
	return func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		if s == nil { // not for each row at the start of a script
			s = vm.NewSignature(r.Name, strings.Fields(r.Params)...)
		}
		return m.called(r, t, nil, s, a)
	}
}

// method is the row called as a method.
func (m *Tracer) method(r *Row) vm.GoMethod {
	var s *vm.Signature
	return func(t *vm.Thread, self vm.Value, a vm.Args) (vm.Value, error) {
		if s == nil {
			s = vm.NewSignature(r.Name, strings.Fields(r.Params)[1:]...)
		}
		return m.called(r, t, self, s, a)
	}
}

// called calls the handler; self is nil for a function.
func (m *Tracer) called(r *Row, t *vm.Thread, self vm.Value, s *vm.Signature, a vm.Args) (vm.Value, error) {
	if err := check(t, &a); err != nil {
		return nil, err
	}
	if r.Quick {
		return r.quick(t, self, s, &a)
	}
	given := a
	if r.Free != nil {
		if self != nil {
			a.Pos = slices.Insert(slices.Clone(a.Pos), 0, self)
		}
	} else {
		if len(a.Kw) > 0 {
			a = Renamed(r.Name, a)
		}
		args, err := s.BindMethod(self, a)
		if err != nil {
			return nil, err
		}
		a = vm.Args{Pos: args}
	}
	if r.part != nil {
		return m.partOf(r, t, a)
	}
	result, err := r.handle(t, a)
	if x, ok := result.(*Tensor); ok && err == nil && (x == self || isArgument(x, given)) {
		return x.Copied(), nil // so that assigning to the one does not change the other
	}
	return result, err
}

// quick calls the handler with arguments in borrowed memory. Its result is none of them.
func (r *Row) quick(t *vm.Thread, self vm.Value, s *vm.Signature, a *vm.Args) (vm.Value, error) {
	args, err := t.Borrow(s, self, a)
	if err != nil {
		return nil, err
	}
	result, err := r.Call(t, r.Name, args)
	t.GiveBack(args)
	return result, err
}

// handle calls the handler with what it takes: bound arguments, or those of the call.
func (r *Row) handle(t *vm.Thread, a vm.Args) (vm.Value, error) {
	if r.Free != nil {
		return r.Free(t, a)
	}
	return r.Call(t, r.Name, a.Pos)
}

// Table are the rows of one kind and those of both kinds, by name. A name that two of them have
// is a mistake here: one of the two would never be called.
func Table(kind Kind, rows []Row) map[string]*Row {
	table := map[string]*Row{}
	for i := range rows {
		r := &rows[i]
		if r.Is != kind && (r.Is != Both || kind > Method) {
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
func (m *Tracer) Functions(rows []Row) map[string]vm.GoFunc {
	return callables(Function, rows, m.function)
}

// Methods are the methods of a class, by name.
func (m *Tracer) Methods(rows []Row) map[string]vm.GoMethod {
	return callables(Method, rows, m.method)
}

// Makers are the functions of a class that make objects, by name.
func (m *Tracer) Makers(rows []Row) map[string]vm.GoFunc { return callables(Maker, rows, m.function) }

// NewClass makes the class of this name: its constructor is one of the rows.
func (m *Tracer) NewClass(name string, base *vm.Class, rows []Row) *vm.Class {
	return vm.NewClass(name, base, m.function(Table(Constructor, rows)[name]))
}

func callables[F any](kind Kind, rows []Row, of func(*Row) F) map[string]F {
	table := Table(kind, rows)
	out := make(map[string]F, len(table))
	for name, r := range table {
		out[name] = of(r)
	}
	return out
}
