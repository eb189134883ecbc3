package vm

import "slices"

// objectFunctions are about values of any type.
var objectFunctions = []*Builtin{
	DefFunc("len", builtinLen, "obj", "/"),
	DefFunc("repr", builtinRepr, "obj", "/"),
	DefFunc("ascii", builtinASCII, "obj", "/"),
	DefFunc("hash", builtinHash, "obj", "/"),
	DefFunc("id", builtinID, "obj", "/"),
	DefFunc("callable", builtinCallable, "obj", "/"),
	DefFunc("isinstance", builtinIsinstance, "obj", "class_or_tuple", "/"),
	DefFunc("issubclass", builtinIssubclass, "cls", "class_or_tuple", "/"),
	DefFunc("getattr", builtinGetattr, "object", "name", "default?", "/"),
	DefFunc("hasattr", builtinHasattr, "object", "name", "/"),
	DefFunc("setattr", builtinSetattr, "object", "name", "value", "/"),
	DefFunc("delattr", builtinDelattr, "object", "name", "/"),
	DefFunc("vars", builtinVars, "object?", "/"),
	DefFunc("globals", builtinGlobals),
	DefFunc("dir", builtinDir, "object?", "/"),
	DefFunc("help", builtinHelp, "object?", "/"),
	NewBuiltin("exit", builtinExit),
	NewBuiltin("quit", builtinExit),
}

// absentFunctions are what CPython has and scripts have not, and what to write instead.
var absentFunctions = []*Builtin{
	absentFunc("input", "take values from sys.argv, which has what follows -- on the command line, or from a file with open()"),
	absentFunc("eval", "a dict of functions chooses by name; json.loads and float() read values"),
	absentFunc("exec", "write a function, or a module beside the script"),
	absentFunc("compile", "write a function, or a module beside the script"),
	absentFunc("__import__", "write an import statement"),
	absentFunc("breakpoint", "print what is to be seen"),
	absentFunc("complex", "compute with two numbers, the real and the imaginary part"),
	absentFunc("bytearray", "a list of ints can be changed; bytes(list) makes bytes of it"),
	absentFunc("memoryview", "slice the bytes"),
	absentFunc("locals", "keep what belongs together in a dict"),
	NewBuiltin("open", noOpen), // unless Options.Builtins has one
}

func absentFunc(name, instead string) *Builtin {
	return NewBuiltin(name, func(*Thread, Args) (Value, error) {
		return nil, WithHint(Raise(RuntimeError, "%s is not available in scripts", name), instead)
	})
}

func noOpen(*Thread, Args) (Value, error) {
	return nil, Raise(RuntimeError, "open is not available here")
}

func builtinExit(_ *Thread, a Args) (Value, error) {
	return nil, &raised{newException(SystemExit, slices.Clone(a.Pos)...)}
}

func builtinLen(t *Thread, vs []Value) (Value, error) {
	n, err := t.Len(vs[0])
	return box(int64(n)), err
}

func builtinRepr(t *Thread, vs []Value) (Value, error) {
	return wrapString(t.Repr(vs[0]))
}

func builtinASCII(t *Thread, vs []Value) (Value, error) {
	s, err := t.Repr(vs[0])
	return asciiOnly(s), err
}

func builtinHash(t *Thread, vs []Value) (Value, error) {
	h, err := t.Hash(vs[0])
	return box(int64(h)), err
}

func builtinID(_ *Thread, vs []Value) (Value, error) {
	return box(int64(identityHash(vs[0]))), nil
}

func builtinCallable(_ *Thread, vs []Value) (Value, error) {
	return IsCallable(vs[0]), nil
}

func builtinIsinstance(t *Thread, vs []Value) (Value, error) {
	return t.anyClass("isinstance", vs[1], vs[0], false)
}

func builtinIssubclass(t *Thread, vs []Value) (Value, error) {
	if _, ok := vs[0].(*Class); !ok {
		return nil, TypeErrorf("issubclass() arg 1 must be a class")
	}
	return t.anyClass("issubclass", vs[1], vs[0], true)
}

func attrName(v Value) (string, error) {
	name, ok := v.(string)
	if !ok {
		return "", TypeErrorf("attribute name must be string, not '%s'", TypeName(v))
	}
	return name, nil
}

func builtinGetattr(t *Thread, vs []Value) (Value, error) {
	name, err := attrName(vs[1])
	if err != nil {
		return nil, err
	}
	v, err := t.lookupAttr(vs[0], name)
	if vs[2] != nil && (err == nil && v == nil || isException(err, AttributeError)) {
		return vs[2], nil
	}
	if err == nil && v == nil {
		err = t.noAttr(vs[0], name)
	}
	return v, err
}

func builtinHasattr(t *Thread, vs []Value) (Value, error) {
	name, err := attrName(vs[1])
	if err != nil {
		return nil, err
	}
	v, err := t.lookupAttr(vs[0], name)
	if isException(err, AttributeError) {
		return false, nil
	}
	return v != nil, err
}

func builtinSetattr(t *Thread, vs []Value) (Value, error) {
	name, err := attrName(vs[1])
	if err != nil {
		return nil, err
	}
	return None, t.SetAttr(vs[0], name, vs[2])
}

func builtinDelattr(t *Thread, vs []Value) (Value, error) {
	name, err := attrName(vs[1])
	if err != nil {
		return nil, err
	}
	return None, t.DelAttr(vs[0], name)
}

func builtinVars(t *Thread, vs []Value) (Value, error) {
	if vs[0] == nil {
		return nil, TypeErrorf("vars() without arguments is not supported")
	}
	v, err := t.lookupAttr(vs[0], "__dict__")
	if err == nil && v == nil {
		err = TypeErrorf("vars() argument must have __dict__ attribute")
	}
	return v, err
}

func builtinGlobals(t *Thread, _ []Value) (Value, error) {
	return t.globals().dict(), nil
}

func builtinDir(t *Thread, vs []Value) (Value, error) {
	names := t.globals().names()
	if vs[0] != nil {
		names = t.attrNames(vs[0])
	}
	slices.Sort(names)
	return t.parts(slices.Compact(names))
}

// globals returns the variables of the module that is running.
func (t *Thread) globals() *Namespace {
	switch {
	case t.frame != nil:
		return t.frame.globals
	case t.main != nil:
		return t.main.globals
	}
	return newNamespace()
}

// wrapBool and wrapInt are wrapString for their types.
func wrapBool(b bool, err error) (Value, error) { return b, err }

func wrapInt(i int, err error) (Value, error) { return box(int64(i)), err }

// wrapString turns a string result into a Value; a nil error keeps it.
func wrapString(s string, err error) (Value, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// anyClass is isinstance(v, spec), or issubclass for sub: spec is a class, a union of
// classes or a tuple of them.
func (t *Thread) anyClass(fn string, spec, v Value, sub bool) (Value, error) {
	if err := t.enter(); err != nil {
		return nil, err
	}
	defer t.leave()
	var parts []Value
	switch s := spec.(type) {
	case *Class:
		if s.meta != nil {
			hook := "__instancecheck__"
			if sub {
				hook = "__subclasscheck__"
			}
			if m := s.meta.defines(hook); m != nil {
				r, err := t.Call(m, s, v)
				if err != nil {
					return nil, err
				}
				truth, err := t.Truth(r)
				return truth, err
			}
		}
		if sub {
			return v.(*Class).IsSubclass(s), nil
		}
		return IsInstance(v, s), nil
	case *Tuple:
		parts = s.Elems
	case *Union:
		parts = s.types
	default:
		return nil, TypeErrorf("%s() arg 2 must be a type, a tuple of types, or a union", fn)
	}
	for _, p := range parts {
		if ok, err := t.anyClass(fn, p, v, sub); err != nil || ok == true {
			return ok, err
		}
	}
	return false, nil
}
