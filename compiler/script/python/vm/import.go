package vm

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// noOpModules are modules whose names stand for nothing, with those they have; nil means any.
var noOpModules = map[string][]string{
	"__future__": {"annotations", "division", "print_function", "absolute_import", "generator_stop", "unicode_literals"},
}

// insteadOfModules tells what to write instead of modules that scripts for CPython use.
var insteadOfModules = map[string]string{
	"numpy":      "copapy has NumPy's names: import copapy as cp, then cp.array, cp.sin, cp.linalg.solve, ...",
	"scipy":      "compute coefficients beforehand and write them into the script; cp.linalg and cp.filters have what runs on the target",
	"matplotlib": "print the numbers, and draw them in another program",
	"cmath":      "compute with two numbers, the real and the imaginary part",
	"pandas":     "read columns with csv.DictReader, or arrays with cp.load",
	"struct":     "work on ints with &, |, << and >>",
	"secrets":    "random.SystemRandom is not there: random without a seed differs in each run",
	"decimal":    "compute with ints in units of the last digit, or with floats",
	"fractions":  "compute with ints: numerator and denominator",
	"array":      "write a list, or cp.vector for an array",
	"logging":    "print what is to be seen; a program on the target reports by its outputs",
	"argparse":   "sys.argv has what follows -- on the command line",
	"datetime":   "time.time() is the time in seconds, time.perf_counter() measures durations",
	"threading":  "a script runs from top to bottom in one thread; what runs at the same time runs on the target",
	"asyncio":    "a script runs from top to bottom: call functions plainly, tg.run() waits for the result",
	"subprocess": "a script starts no other programs",
	"socket":     "a script has no network: put data into a file beside it, and read that with open()",
	"serial":     "copaflash talks to the board: cp.Target() with --port",
	"pickle":     "json.dump and json.load keep numbers, texts, lists and dicts",
	"pytest":     "use assert",
	"unittest":   "use assert",
	"shutil":     "open() reads and writes files",
	"glob":       "os.listdir('.') lists the script's folder",
	"tempfile":   "scripts write files only below the folder that --out names",
	"inspect":    "help(f) shows a function, dir(x) the attributes of a value",
	"torch":      "copapy has arrays and gradients: cp.vector, cp.grad",
	"jax":        "copapy has arrays and gradients: cp.vector, cp.grad",
	"sympy":      "copapy derives what was computed: cp.grad, cp.jacobian",
}

// absoluteName resolves a name that begins with dots, by the package of the module that
// imports. The script's own folder is the package "".
func (t *Thread) absoluteName(name string) (string, error) {
	rest := strings.TrimLeft(name, ".")
	up := len(name) - len(rest)
	if up == 0 {
		return name, nil
	}
	pkg, _ := t.globals().get("__package__").(string)
	for range up - 1 {
		if pkg == "" {
			return "", WithHint(Raise(ImportError, "attempted relative import beyond top-level package"),
				"the folder of the script is the outermost package: remove a dot")
		}
		pkg = pkg[:max(strings.LastIndexByte(pkg, '.'), 0)]
	}
	if pkg != "" && rest != "" {
		pkg += "."
	}
	return pkg + rest, nil
}

// importModule imports what an import statement names.
func (t *Thread) importModule(name string) (*Module, error) {
	name, err := t.absoluteName(name)
	if err != nil {
		return nil, err
	}
	return t.importAbsolute(name)
}

func (t *Thread) importAbsolute(name string) (*Module, error) {
	if m := t.modules[name]; m != nil && (t.libraries[name] || !t.inLibrary()) {
		return m, nil
	}
	if name == "" { // from . import a: the script's folder
		m := NewModule("")
		m.folder = true
		return m, nil
	}
	var parent *Module
	last := strings.LastIndexByte(name, '.')
	if last > 0 {
		var err error
		if parent, err = t.importAbsolute(name[:last]); err != nil {
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

// findModule makes a module: the host's own come first, then files of the script's
// folder, then the library, whose modules see only each other.
func (t *Thread) findModule(name string) (*Module, error) {
	if make := t.opts.Modules[name]; make != nil {
		return make(t)
	}
	if _, ok := noOpModules[name]; ok {
		return NewModule(name), nil
	}
	if t.opts.Load != nil && !t.inLibrary() {
		file, text, err := t.opts.Load(name)
		if err == nil {
			return t.exec(name, file, text, false)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, Raise(ImportError, "cannot read module '%s': %s", name, err)
		}
	}
	if make := t.opts.Library[name]; make != nil && (name[0] != '_' || t.inLibrary()) {
		t.libraries[name] = true
		return make(t)
	}
	err := Raise(ModuleNotFoundError, "No module named '%s'", name)
	if hint := insteadOfModules[name]; hint != "" {
		return nil, WithHint(err, hint)
	}
	var names []string
	for _, all := range []map[string]ModuleFunc{t.opts.Modules, t.opts.Library} {
		for n := range all {
			if n[0] != '_' {
				names = append(names, n)
			}
		}
	}
	if s := Similar(name, names); s != "" {
		return nil, WithHint(err, "did you mean '"+s+"'?")
	}
	slices.Sort(names)
	return nil, WithHint(err, "available are "+strings.Join(names, ", ")+" and the Python files beside the script")
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
	if v == nil && m.folder {
		sub := name
		if m.Name != "" {
			sub = m.Name + "." + name
		}
		if t.modules[sub] == nil && !t.canLoad(sub) {
			return t.noImport(m, name)
		}
		found, err := t.importAbsolute(sub)
		if err != nil {
			return err
		}
		v = found
	}
	if v == nil {
		return t.noImport(m, name)
	}
	f.push(v)
	return nil
}

// canLoad reports whether the script's folder has a module of that name.
func (t *Thread) canLoad(name string) bool {
	if t.opts.Load == nil {
		return false
	}
	_, _, err := t.opts.Load(name)
	return !errors.Is(err, fs.ErrNotExist)
}

func (t *Thread) noImport(m *Module, name string) error {
	err := Raise(ImportError, "cannot import name '%s' from '%s'", name, m.Name)
	if hint := instead(m.absent, name); hint != "" {
		return WithHint(err, hint)
	}
	if s := Similar(name, m.globals.names()); s != "" {
		return WithHint(err, "did you mean '"+s+"'?")
	}
	return err
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
