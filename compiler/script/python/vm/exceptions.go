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

// exceptionClasses are the builtin ones, by name.
var exceptionClasses = map[string]*Class{"BaseException": BaseException}

func newExceptionClass(name string, base *Class) *Class {
	c := newNative(name, base)
	exceptionClasses[name] = c
	return c
}

func init() {
	BaseException.new = func(_ *Thread, cls *Class, a Args) (Value, error) {
		return newException(cls, slices.Clone(a.Pos)...), nil
	}
	BaseException.SetProperty("args", func(_ *Thread, self Value, _ Args) (Value, error) {
		return self.(*excData).args, nil
	}, func(t *Thread, self Value, a Args) (Value, error) {
		elems, err := t.Collect(a.Pos[0])
		if err == nil {
			self.(*excData).args = NewTuple(elems...)
		}
		return None, err
	})
	link := func(get func(*excData) *Instance) GoMethod {
		return func(_ *Thread, self Value, _ Args) (Value, error) {
			if e := get(self.(*excData)); e != nil {
				return e, nil
			}
			return None, nil
		}
	}
	BaseException.SetProperty("__cause__", link(func(d *excData) *Instance { return d.cause }), nil)
	BaseException.SetProperty("__context__", link(func(d *excData) *Instance { return d.context }), nil)
	BaseException.SetProperty("__traceback__", func(*Thread, Value, Args) (Value, error) { return None, nil }, nil)
	BaseException.SetMethod("with_traceback", func(_ *Thread, self Value, _ Args) (Value, error) {
		return self.(*excData).owner, nil
	})
	BaseException.SetMethod("__init__", func(_ *Thread, self Value, a Args) (Value, error) {
		self.(*excData).args = NewTuple(slices.Clone(a.Pos)...)
		return None, nil
	})
	BaseException.SetMethod("__str__", func(t *Thread, self Value, _ Args) (Value, error) {
		s, err := t.exceptionStr(self.(*excData).owner)
		return s, err
	})
	BaseException.SetMethod("__repr__", func(t *Thread, self Value, _ Args) (Value, error) {
		s, err := t.exceptionRepr(self.(*excData).owner)
		return s, err
	})
	StopIteration.SetProperty("value", func(_ *Thread, self Value, _ Args) (Value, error) {
		if args := self.(*excData).args.Elems; len(args) > 0 {
			return args[0], nil
		}
		return None, nil
	}, nil)
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
