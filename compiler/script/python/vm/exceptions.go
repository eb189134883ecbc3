package vm

import "slices"

// The exception classes.
var (
	BaseException     = newNative("BaseException", nil)
	SystemExit        = newExceptionClass("SystemExit", BaseException)
	KeyboardInterrupt = newExceptionClass("KeyboardInterrupt", BaseException)
	GeneratorExit     = newExceptionClass("GeneratorExit", BaseException)
	Exception         = newExceptionClass("Exception", BaseException)

	ArithmeticError     = newExceptionClass("ArithmeticError", Exception)
	FloatingPointError  = newExceptionClass("FloatingPointError", ArithmeticError)
	OverflowError       = newExceptionClass("OverflowError", ArithmeticError)
	ZeroDivisionError   = newExceptionClass("ZeroDivisionError", ArithmeticError)
	AssertionError      = newExceptionClass("AssertionError", Exception)
	AttributeError      = newExceptionClass("AttributeError", Exception)
	BufferError         = newExceptionClass("BufferError", Exception)
	EOFError            = newExceptionClass("EOFError", Exception)
	ImportError         = newExceptionClass("ImportError", Exception)
	ModuleNotFoundError = newExceptionClass("ModuleNotFoundError", ImportError)
	LookupError         = newExceptionClass("LookupError", Exception)
	IndexError          = newExceptionClass("IndexError", LookupError)
	KeyError            = newExceptionClass("KeyError", LookupError)
	MemoryError         = newExceptionClass("MemoryError", Exception)
	NameError           = newExceptionClass("NameError", Exception)
	UnboundLocalError   = newExceptionClass("UnboundLocalError", NameError)
	OSError             = newExceptionClass("OSError", Exception)
	FileExistsError     = newExceptionClass("FileExistsError", OSError)
	IsADirectoryError   = newExceptionClass("IsADirectoryError", OSError)
	NotADirectoryError  = newExceptionClass("NotADirectoryError", OSError)
	FileNotFoundError   = newExceptionClass("FileNotFoundError", OSError)
	PermissionError     = newExceptionClass("PermissionError", OSError)
	TimeoutError        = newExceptionClass("TimeoutError", OSError)
	ConnectionError     = newExceptionClass("ConnectionError", OSError)
	RuntimeError        = newExceptionClass("RuntimeError", Exception)
	NotImplementedError = newExceptionClass("NotImplementedError", RuntimeError)
	RecursionError      = newExceptionClass("RecursionError", RuntimeError)
	StopIteration       = newExceptionClass("StopIteration", Exception)
	SyntaxError         = newExceptionClass("SyntaxError", Exception)
	IndentationError    = newExceptionClass("IndentationError", SyntaxError)
	TabError            = newExceptionClass("TabError", IndentationError)
	TypeError           = newExceptionClass("TypeError", Exception)
	ValueError          = newExceptionClass("ValueError", Exception)
	UnicodeError        = newExceptionClass("UnicodeError", ValueError)
	UnicodeDecodeError  = newExceptionClass("UnicodeDecodeError", UnicodeError)
	UnicodeEncodeError  = newExceptionClass("UnicodeEncodeError", UnicodeError)
	Warning             = newExceptionClass("Warning", Exception)
	UserWarning         = newExceptionClass("UserWarning", Warning)
	DeprecationWarning  = newExceptionClass("DeprecationWarning", Warning)
	RuntimeWarning      = newExceptionClass("RuntimeWarning", Warning)
)

// exceptionTable is what all exceptions have.
var exceptionTable = []Row{
	DefProperty("args", exceptionArgs, setExceptionArgs),
	DefProperty("__cause__", exceptionCause, nil),
	DefProperty("__context__", exceptionContext, nil),
	DefProperty("__traceback__", exceptionTraceback, nil),
	DefArgs("with_traceback", exceptionWithTraceback),
	DefArgs("__init__", exceptionInit),
	DefArgs("__str__", exceptionStr),
	DefArgs("__repr__", exceptionRepr),
}

var stopIterationTable = []Row{DefProperty("value", stopIterationValue, nil)}

// exceptionClasses are the builtin ones, by name.
var exceptionClasses = map[string]*Class{"BaseException": BaseException}

func newExceptionClass(name string, base *Class) *Class {
	c := newNative(name, base)
	exceptionClasses[name] = c
	return c
}

func newBaseException(_ *Thread, cls *Class, a Args) (Value, error) {
	return newException(cls, slices.Clone(a.Pos)...), nil
}

func exceptionArgs(d *excData) Value { return d.args }

func setExceptionArgs(t *Thread, d *excData, v Value) error {
	elems, err := t.Collect(v)
	if err == nil {
		d.args = NewTuple(elems...)
	}
	return err
}

func exceptionCause(d *excData) Value { return orNone(d.cause) }

func exceptionContext(d *excData) Value { return orNone(d.context) }

func orNone(e *Instance) Value {
	if e == nil {
		return None
	}
	return e
}

func exceptionTraceback(*excData) Value { return None }

func stopIterationValue(d *excData) Value {
	if args := d.args.Elems; len(args) > 0 {
		return args[0]
	}
	return None
}

func exceptionWithTraceback(_ *Thread, d *excData, _ Args) (Value, error) {
	return d.owner, nil
}

func exceptionInit(_ *Thread, d *excData, a Args) (Value, error) {
	d.args = NewTuple(slices.Clone(a.Pos)...)
	return None, nil
}

func exceptionStr(t *Thread, d *excData, _ Args) (Value, error) {
	s, err := t.exceptionStr(d.owner)
	return s, err
}

func exceptionRepr(t *Thread, d *excData, _ Args) (Value, error) {
	s, err := t.exceptionRepr(d.owner)
	return s, err
}

// exceptionText is str(exc) for messages made without a thread.
func exceptionText(exc *Instance) string {
	args := dataOf(exc).args.Elems
	if len(args) == 1 {
		if s, ok := args[0].(string); ok {
			return s
		}
	}
	return ""
}

// exceptionStr is BaseException.__str__.
func (t *Thread) exceptionStr(exc *Instance) (string, error) {
	args := dataOf(exc).args.Elems
	switch {
	case len(args) == 0:
		return "", nil
	case len(args) > 1:
		return t.Repr(NewTuple(args...))
	case exc.class.IsSubclass(KeyError):
		return t.Repr(args[0])
	}
	return t.Str(args[0])
}

// exceptionRepr is BaseException.__repr__.
func (t *Thread) exceptionRepr(exc *Instance) (string, error) {
	args := dataOf(exc).args
	if len(args.Elems) == 1 {
		s, err := t.Repr(args.Elems[0])
		return exc.class.Name + "(" + s + ")", err
	}
	s, err := t.Repr(args)
	return exc.class.Name + s, err
}
