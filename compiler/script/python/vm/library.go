package vm

import (
	"github.com/copaflash/copaflash/compiler/script/python/bytecode"
	"github.com/copaflash/copaflash/compiler/script/python/syntax"
)

// Library runs a module in Python syntax that comes with the interpreter. It may import
// modules whose names begin with an underscore, which scripts may not.
func (t *Thread) Library(name, text string) (*Module, error) {
	src, err := syntax.NewSource("<"+name+">", []byte(text))
	if err != nil {
		return nil, err
	}
	t.libraries[name] = true
	return t.execSource(name, src, true)
}

// Define runs text, of a library module, with variables, to which it adds what it defines.
func (t *Thread) Define(name, text string, vars *Dict) error {
	src, err := syntax.NewSource("<"+name+">", []byte(text))
	if err != nil {
		return err
	}
	src.Library = true
	if err := t.Charge(int64(len(text)) * 20); err != nil {
		return err
	}
	tree, err := syntax.Parse(src)
	if err != nil {
		return err
	}
	code, err := bytecode.Compile(tree)
	if err != nil {
		return err
	}
	globals := newNamespace()
	for k, v := range vars.All() {
		if s, ok := k.(string); ok {
			globals.set(s, v)
		}
	}
	// Positions in it are never shown, so it needs no number of its own.
	if _, err := t.run(t.newFrame(newProgram(code, 0), globals)); err != nil {
		return err
	}
	for _, n := range globals.names() {
		vars.setString(n, globals.get(n))
	}
	return nil
}

// inLibrary reports whether the innermost code that runs is of a library module.
func (t *Thread) inLibrary() bool { return t.frame != nil && t.frame.prog.Source.Library }

// fileName is __file__ of a source.
func (t *Thread) fileName(name string) string {
	if t.opts.FileName == nil {
		return name
	}
	return t.opts.FileName(name)
}

// CallerModule is the name of the module of the script whose code runs.
func (t *Thread) CallerModule() string {
	for f := t.frame; f != nil; f = f.back {
		if f.prog.Source.Library {
			continue
		}
		if s, ok := f.globals.get("__name__").(string); ok {
			return s
		}
	}
	return "__main__"
}

// EachAttr calls f for the attributes of an object of the script, in the order of
// assignment, until it returns false.
func (i *Instance) EachAttr(f func(name string, v Value) bool) {
	for n, name := range i.attrs.names {
		if !f(name, i.attrs.values[n]) {
			return
		}
	}
}

// NoOp stands for a name of typing: see noOpType.
var NoOp Value = noOp

// Nest bounds the recursion of host code that calls itself by way of the thread, as Repr of
// containers does; every Nest that succeeds needs an Unnest.
func (t *Thread) Nest() error { return t.enter() }

// Unnest ends what Nest began.
func (t *Thread) Unnest() { t.leave() }

// ImportModule imports a module by its full name.
func (t *Thread) ImportModule(name string) (*Module, error) { return t.importAbsolute(name) }

// CallMethod calls a method by its name.
func (t *Thread) CallMethod(v Value, name string, args ...Value) (Value, error) {
	fn, err := t.Attr(v, name)
	if err != nil {
		return nil, err
	}
	return t.Call(fn, args...)
}

// Sorted returns values in order, as sorted() does.
func (t *Thread) Sorted(vs []Value) ([]Value, error) {
	v, err := t.Call(t.builtins["sorted"], NewList(vs))
	if err != nil {
		return nil, err
	}
	return v.(*List).Elems, nil
}
