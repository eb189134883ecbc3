package vm

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// noOpModules are modules whose names stand for nothing, with those they have; nil means any.
var noOpModules = map[string][]string{
	"__future__":      {"annotations", "division", "print_function"},
	"typing":          nil,
	"collections.abc": nil,
}

// insteadOfModules tells what to write instead of modules that scripts for CPython use.
var insteadOfModules = map[string]string{
	"numpy":       "copapy has NumPy's names: import copapy as cp, then cp.array, cp.sin, cp.linalg.solve, ...",
	"scipy":       "compute coefficients beforehand and write them into the script; cp.linalg and cp.filters have what runs on the target",
	"matplotlib":  "print the numbers, and draw them in another program",
	"cmath":       "compute with two numbers, the real and the imaginary part",
	"random":      "each run of a script gives the same: make numbers by s = (s * 1664525 + 1013904223) % 2 ** 32",
	"time":        "a script takes no time of the target: copaflash prints the time of runs; count ticks with cp.state",
	"enum":        "name numbers: IDLE, RUN, FAULT = range(3)",
	"dataclasses": "write a class with __init__, or a dict",
	"functools":   "write a loop, or a function with default arguments",
	"itertools":   "write loops, or a comprehension with several for",
	"copy":        "x[:] copies a list, dict(d) a dict; arrays and traced values do not change",
	"struct":      "work on ints with &, |, << and >>",
	"sys":         "a script sees nothing of the system: set its variables by tg.write_value, or copaflash write",
	"os":          "a script reads no files: write the numbers as lists into a module beside it and import that",
	"csv":         "a script reads no files: write the numbers as lists into a module beside it and import that",
	"json":        "a script reads no files: write the numbers as lists into a module beside it and import that",
}

func (t *Thread) importModule(name string) (*Module, error) {
	if m := t.modules[name]; m != nil {
		return m, nil
	}
	var parent *Module
	last := strings.LastIndexByte(name, '.')
	if _, nothing := noOpModules[name]; last > 0 && name[0] != '.' && !nothing {
		var err error
		if parent, err = t.importModule(name[:last]); err != nil {
			return nil, err
		}
	}
	m, err := t.findModule(name)
	if err != nil {
		return nil, err
	}
	t.modules[name] = m
	if parent != nil {
		parent.globals.set(name[last+1:], m)
	}
	return m, nil
}

func (t *Thread) findModule(name string) (*Module, error) {
	if make := t.opts.Modules[name]; make != nil {
		return make(t)
	}
	for n := range noOpModules {
		if n == name || strings.HasPrefix(n, name+".") {
			return NewModule(name), nil
		}
	}
	if t.opts.Load != nil {
		file, text, err := t.opts.Load(strings.TrimLeft(name, "."))
		if err == nil {
			return t.exec(name, file, text)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, Raise(ImportError, "cannot read module '%s': %s", name, err)
		}
	}
	err := Raise(ModuleNotFoundError, "No module named '%s'", name)
	if hint := insteadOfModules[name]; hint != "" {
		return nil, WithHint(err, hint)
	}
	var names []string
	for n := range t.opts.Modules {
		names = append(names, n)
	}
	if s := similar(name, names); s != "" {
		return nil, WithHint(err, "did you mean '"+s+"'?")
	}
	slices.Sort(names)
	return nil, WithHint(err, "available are "+strings.Join(append(names, "typing"), ", ")+" and the Python files beside the script")
}

func importFrom(t *Thread, f *frame, arg int) error {
	m, name := f.stack[f.sp-1].(*Module), f.prog.Names[arg]
	v := m.globals.get(name)
	if v == nil {
		if names, ok := noOpModules[m.Name]; ok {
			if names != nil && !slices.Contains(names, name) {
				return Raise(SyntaxError, "future feature %s is not defined", name)
			}
			v = noOp
		}
	}
	if v == nil {
		err := Raise(ImportError, "cannot import name '%s' from '%s'", name, m.Name)
		if hint := instead(m.absent, name); hint != "" {
			return WithHint(err, hint)
		}
		if s := similar(name, m.globals.names()); s != "" {
			err = WithHint(err, "did you mean '"+s+"'?")
		}
		return err
	}
	f.push(v)
	return nil
}

func importStar(_ *Thread, f *frame, _ int) error {
	m := f.pop().(*Module)
	names := m.globals.names()
	if all := m.globals.get("__all__"); all != nil {
		names = nil
		var elems []Value
		switch all := all.(type) {
		case *List:
			elems = all.Elems
		case *Tuple:
			elems = all.Elems
		}
		for _, v := range elems {
			s, ok := v.(string)
			if !ok || m.globals.get(s) == nil {
				return Raise(AttributeError, "module '%s' has no attribute that __all__ names", m.Name)
			}
			names = append(names, s)
		}
	}
	for _, name := range names {
		if name[0] != '_' {
			f.globals.set(name, m.globals.get(name))
		}
	}
	return nil
}

// noOp stands for names of typing: it can be called, subscripted and combined
// with |, and gives itself; called with a single function or class, as a
// decorator is, it gives that.
type noOpType struct{ _ byte }

var (
	noOp      = &noOpType{}
	noOpClass = newNative("typing", nil)
)

// PyClass makes noOpType a Python type.
func (*noOpType) PyClass() *Class { return noOpClass }

// Index ignores type parameters.
func (n *noOpType) Index(*Thread, Value) (Value, error) { return n, nil }

// Binary ignores unions.
func (n *noOpType) Binary(*Thread, BinaryOp, Value, bool) (Value, error) { return n, nil }

// Attr finds every name of the module typing.
func (n *noOpType) Attr(*Thread, string) (Value, error) { return n, nil }

// Call returns what a decorator decorates, and the value of cast(T, value).
func (n *noOpType) Call(_ *Thread, a Args) (Value, error) {
	if len(a.Pos) == 2 {
		return a.Pos[1], nil
	}
	if len(a.Pos) == 1 {
		switch v := a.Pos[0].(type) {
		case *Function, *Class:
			return v, nil
		}
	}
	return n, nil
}
