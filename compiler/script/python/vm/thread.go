package vm

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/copaflash/copaflash/compiler/script/python/bytecode"
	"github.com/copaflash/copaflash/compiler/script/python/syntax"
)

// Limits bound what a script may use. Zero means the default.
type Limits struct {
	// Steps is the number of instructions, with the work of builtins counted in.
	Steps int64
	// Memory is the number of bytes of live data.
	Memory int64
	// Recursion is the depth of calls.
	Recursion int
	// IntBits is the size of an int.
	IntBits int
}

// DefaultLimits are wide for programs and stop runaway ones within minutes.
func DefaultLimits() Limits {
	return Limits{Steps: 20_000_000_000, Memory: 1 << 30, Recursion: 1000, IntBits: 1 << 23}
}

// Loader finds a module written in Python syntax. It returns the text and a
// name for messages, or an error wrapping fs.ErrNotExist if there is no such
// module. Names come without the leading dots of relative imports.
type Loader func(module string) (file string, text []byte, err error)

// Options say what a script can reach.
type Options struct {
	Stdout   io.Writer             // print; nil discards
	Modules  map[string]ModuleFunc // host modules
	Library  map[string]ModuleFunc // Python's own modules, which files of the script come before
	Builtins map[string]Value      // added to, or in place of, the builtin functions
	Load     Loader                // nil: no modules but host modules
	FileName func(string) string   // what __file__ is for a source of that name; nil: the same
	Context  context.Context       // nil: never cancelled
	Limits   Limits
	Advice   []Advice // what to do about errors of the host's own; comes before that of Python
}

// Thread is one run of a script: its modules, limits and state.
type Thread struct {
	opts      Options
	frame     *frame // innermost
	depth     int
	fuel      int // steps until the next look at limits and context
	grant     int // steps of fuel given at the last look
	steps     int64
	looks     int // at the limits
	memory    memory
	texts     texts
	builtins  map[string]Value
	modules   map[string]*Module
	libraries map[string]bool            // those of modules that are of the library
	binding   func(name string, v Value) // told of assignments to names; nil: nobody
	sources   []*syntax.Source
	main      *Module  // the script itself
	frames    []*frame // released ones, for reuse
	bound     []Value  // arguments of functions written in Go, see Borrow
	exit      []func(context.Context) error
}

// fuelChunk is how many steps pass between looks at limits and context.
const fuelChunk = 4096

// NewThread makes a thread.
func NewThread(o Options) *Thread {
	d := DefaultLimits()
	if o.Limits.Steps <= 0 {
		o.Limits.Steps = d.Steps
	}
	if o.Limits.Memory <= 0 {
		o.Limits.Memory = d.Memory
	}
	if o.Limits.Recursion <= 0 {
		o.Limits.Recursion = d.Recursion
	}
	if o.Limits.IntBits <= 0 {
		o.Limits.IntBits = d.IntBits
	}
	if o.Context == nil {
		o.Context = context.Background()
	}
	if o.Stdout == nil {
		o.Stdout = io.Discard
	}
	t := &Thread{opts: o, modules: map[string]*Module{}, libraries: map[string]bool{}, builtins: builtinNames}
	if len(o.Builtins) > 0 {
		t.builtins = map[string]Value{}
		for _, m := range []map[string]Value{builtinNames, o.Builtins} {
			for name, v := range m {
				t.builtins[name] = v
			}
		}
	}
	t.memory = newMemory(o.Limits.Memory)
	return t
}

// Context returns the context of the run.
func (t *Thread) Context() context.Context { return t.opts.Context }

// Stdout returns where print writes.
func (t *Thread) Stdout() io.Writer { return t.opts.Stdout }

// Run compiles and executes a script as the module __main__. The error is a
// *Error, also for faults inside the interpreter itself.
func (t *Thread) Run(file string, text []byte) (mod *Module, err error) {
	defer func() {
		if r := recover(); r != nil {
			mod, err = nil, t.report(t.internal(r))
		}
	}()
	mod, err = t.exec("__main__", file, text, false)
	if endsWell(err) {
		mod, err = t.main, nil
	}
	for _, f := range t.exit {
		if failed := f(t.Context()); err == nil && failed != nil {
			err = Abort(failed)
		}
	}
	if err != nil {
		return nil, t.report(err)
	}
	return mod, nil
}

// endsWell reports whether err is sys.exit() of a script that has succeeded.
func endsWell(err error) bool {
	if !isException(err, SystemExit) {
		return false
	}
	args := dataOf(err.(*raised).exc).args.Elems
	return len(args) == 0 || args[0] == None || args[0] == int64(0)
}

// AtExit has f called when Run has come to its end, however it did.
func (t *Thread) AtExit(f func(context.Context) error) { t.exit = append(t.exit, f) }

// OnBinding has f called for each value that is assigned to a name, in functions and
// outside of them; nil ends that.
func (t *Thread) OnBinding(f func(name string, v Value)) { t.binding = f }

// EachGlobal calls f for the global variables of the main script, in the
// order of their first assignment.
func (t *Thread) EachGlobal(f func(name string, v Value)) {
	if t.main == nil {
		return
	}
	for _, name := range t.main.globals.names() {
		f(name, t.main.globals.get(name))
	}
}

func (t *Thread) internal(r any) error {
	e := &LimitError{Limit: "internal", Msg: fmt.Sprint(r), hint: "this is a fault of the interpreter: please report it with the script"}
	for f := t.frame; f != nil; f = f.back {
		e.trace = append(e.trace, f.entry())
	}
	t.frame, t.depth = nil, 0
	return e
}

// exec runs a source text as a module.
func (t *Thread) exec(name, file string, text []byte, library bool) (*Module, error) {
	src, err := syntax.NewSource(file, text)
	if err != nil {
		return nil, err
	}
	return t.execSource(name, src, library)
}

func (t *Thread) execSource(name string, src *syntax.Source, library bool) (*Module, error) {
	src.Library = library
	if err := t.Charge(int64(len(src.Text)) * 20); err != nil { // tokens, tree and code
		return nil, err
	}
	tree, err := syntax.Parse(src)
	if err != nil {
		return nil, err
	}
	code, err := bytecode.Compile(tree)
	if err != nil {
		return nil, err
	}
	mod := NewModule(name)
	mod.Set("__name__", name)
	mod.folder = strings.HasSuffix(src.Name, "__init__.py")
	pkg := name
	if !mod.folder {
		pkg = name[:max(strings.LastIndexByte(name, '.'), 0)]
	}
	mod.Set("__package__", pkg)
	if !library {
		mod.Set("__file__", t.fileName(src.Name))
	}
	mod.Set("__doc__", None)
	if code.Doc != "" {
		mod.Set("__doc__", code.Doc)
	}
	if name == "__main__" {
		t.main = mod
	} else {
		t.modules[name] = mod // so that circular imports end
	}
	if len(t.sources) >= maxFiles {
		return nil, Raise(ImportError, "more than %d source files", maxFiles)
	}
	t.sources = append(t.sources, src)
	if len(code.Annotations) > 0 {
		mod.annotations = &annotations{list: code.Annotations, globals: mod.globals}
	}
	p := newProgram(code, uint32(len(t.sources)-1))
	if _, err := t.run(t.newFrame(p, mod.globals)); err != nil {
		delete(t.modules, name)
		return nil, err
	}
	return mod, nil
}

// Pos is a position in a script: file and line. The zero Pos is no position.
type Pos uint32

const (
	lineBits = 22
	maxLine  = 1<<lineBits - 1
	maxFiles = 1 << (32 - lineBits)
)

// Pos returns the position of the instruction being executed.
func (t *Thread) Pos() Pos {
	f := t.frame
	for f != nil && f.prog.Source.Library {
		f = f.back
	}
	if f == nil {
		return 0
	}
	return Pos(f.prog.file<<lineBits | min(f.prog.Code.Pos[f.pc].Line, maxLine))
}

// Position returns what a Pos of this thread stands for; line 0 is none.
func (t *Thread) Position(p Pos) (file string, line int) {
	line = int(p & maxLine)
	if i := int(p >> lineBits); line > 0 && i < len(t.sources) {
		return t.sources[i].Name, line
	}
	return "", 0
}

// refuel accounts for the steps used and looks at limits and context.
func (t *Thread) refuel() error {
	t.steps += int64(t.grant - t.fuel)
	t.grant, t.fuel = fuelChunk, fuelChunk
	if t.steps > t.opts.Limits.Steps {
		return &LimitError{Limit: "steps", Msg: fmt.Sprintf("the script took more than %d steps", t.opts.Limits.Steps),
			hint: "look for an endless loop; a script has that many steps for tracing"}
	}
	if t.looks++; t.looks%looksPerHeap == 0 {
		if err := t.lookAtHeap(0); err != nil {
			return err
		}
	}
	if err := t.opts.Context.Err(); err != nil {
		return &LimitError{Limit: "cancelled", Msg: err.Error(), cause: err}
	}
	return nil
}

// Tick accounts for n steps of work done in Go.
func (t *Thread) Tick(n int) error {
	t.fuel -= n
	if t.fuel < 0 {
		return t.refuel()
	}
	return nil
}

// enter bounds recursion; every enter that succeeds needs a leave.
func (t *Thread) enter() error {
	if t.depth >= t.opts.Limits.Recursion {
		return Raise(RecursionError, "maximum recursion depth exceeded")
	}
	t.depth++
	return nil
}

func (t *Thread) leave() { t.depth-- }
