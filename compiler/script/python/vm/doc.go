// Package vm runs scripts in Python syntax: it holds the Python values, the
// instruction loop, the builtin types and functions, the exceptions and the
// limits. It knows nothing of graphs or targets; what a script computes with
// beyond plain Python comes from host modules written against the interfaces
// of this package.
//
// # Running a script
//
//	t := vm.NewThread(vm.Options{
//		Stdout:  os.Stdout,
//		Modules: copapy.Modules(opt),
//		Load:    loader,             // relative imports; nil: there are none
//		Context: ctx,
//		Limits:  vm.DefaultLimits(),
//	})
//	mod, err := t.Run("main.py", source)   // err is a *vm.Error
//
// A Thread runs one script at a time and is not safe for concurrent use.
//
// # Values
//
// A Python value is a Go value of one of these types; Go nil is never a value.
//
//	None       *NoneType   (the variable None)
//	bool       bool
//	int        int64, or *big.Int when it does not fit into an int64
//	float      float64
//	str        string      (UTF-8; indexed by code point as in Python)
//	bytes      Bytes
//	tuple      *Tuple
//	list       *List
//	dict       *Dict       (keeps the insertion order)
//	set        *Set        (also frozenset, see Set.Frozen)
//	range      *Range
//	slice      *Slice
//	class      *Class
//	instance   *Instance   (of a class written in the script, and exceptions)
//	function   *Function (script), *Builtin (Go), *BoundMethod
//	module     *Module
//	iterator   anything that is an Iterator
//	host value any Go type that implements Object
//
// # Host values
//
// A Go type becomes a Python type by implementing Object and those of the
// optional interfaces (Operand, UnaryOperand, Comparer, Truther, Selector,
// Attributed, AttributeSetter, Indexer, IndexSetter, Sizer, Iterable,
// Callable, Formatter, Reprer, Stringer, Hasher, Container) whose operation it
// supports. Absent ones give Python's usual TypeError. Only pointer types
// should be used: `is` and the default hash compare identity.
//
// Methods and attributes common to all values of a type are in tables, a row
// each, made by Def, DefArgs, DefProperty and DefValue and put into its Class
// with Class.Define; what is computed is put there with Class.SetMethod,
// Class.SetProperty and Class.Set. dir and getattr see them, and a script may
// subclass the Class if it has a constructor.
//
// # Functions
//
// A GoFunc gets positional and keyword arguments as Args; Args.Bind spreads
// them over parameter names with Python's error messages. Args.Text gives the
// source text of an argument expression where the call stands in the script.
// Thread.Call calls back any Python callable.
//
// # Errors
//
// An operation fails by returning an error. TypeErrorf, ValueErrorf and
// Raise make Python exceptions, which the script can catch; WithHint adds
// advice that is shown below the message. Any other Go error is turned into a
// RuntimeError with its text. Errors of the limits (LimitError) cannot be
// caught by the script.
//
// # Position
//
// Thread.Pos gives file and line of the instruction that is being executed
// as one uint32. It costs two loads, so every graph node can be tagged with it.
//
// # The calls a host module needs
//
//	NewModule(name) *Module; (*Module).Set(name, v); (*Module).Func(name, GoFunc)
//	NewBuiltin(name, GoFunc) *Builtin
//	NewClass(name, base *Class, ctor GoFunc) *Class   // base nil: object; ctor nil: not callable
//	(*Class).Define(tables ...[]Row), (*Module).Define(...*Builtin)   // a name twice panics
//	Def(name, func(t, self T, vs []Value), "x", "y?") Row, DefFunc(name, func(t, vs), "x") *Builtin
//	(*Class).SetMethod(name, GoMethod), SetProperty(name, get, set GoMethod), Set(name, v)
//	NewTuple(vs...) *Tuple, NewList(vs) *List, NewDict() *Dict, NewBig(*big.Int) Value
//	(Args).Bind(fn, "x", "lo?", "hi?") ([]Value, error)   // nil where optional and absent
//	NewSignature(fn, "x", "y?").Bind(a)                   // the same, for what is called often
//	(Args).Text(i) string, (Args).KwText(name) string     // "" where there is no such text
//	TypeErrorf, ValueErrorf, Raise(class, format, ...), WithHint(err, hint)
//	TypeName(v), IsInstance(v, class), Unwrap(v)          // host value inside an Instance
//	AsInt(v) (int64, bool), AsFloat(v) (float64, bool)    // numbers incl. bool and big ints
//	(*Slice).Indices(t, n) (start, step, count int, err error)
//	(*Range).At(i), (*Range).Len()
//	t.Call(fn, args...), t.CallArgs(fn, Args)
//	t.Binary, t.Unary, t.Compare, t.Truth, t.Equal, t.Iter, t.Collect, t.Len
//	t.Attr, t.SetAttr, t.Index, t.SetIndex, t.Repr, t.Str, t.Format
//	t.Pos() Pos, t.Position(Pos) (file string, line int)
//	t.Charge(bytes) error, t.Tick(steps) error            // account for memory and work done in Go
//	t.Context(), t.Stdout(), t.EachGlobal(func(name, v))
//	List.Elems, Tuple.Elems []Value; Dict.Get, Set, SetString, All, Len
package vm
