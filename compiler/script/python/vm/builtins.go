package vm

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// builtinNames are the names that scripts see without an import.
var builtinNames = map[string]Value{"Ellipsis": Ellipsis, "NotImplemented": NotImplemented, "__name__": "__main__"}

// insteadOfBuiltins is what to write instead of builtin functions that are not there.
var insteadOfBuiltins = map[string]string{
	"input":      "take values from sys.argv, which has what follows -- on the command line, or from a file with open()",
	"eval":       "a dict of functions chooses by name; json.loads and float() read values",
	"exec":       "write a function, or a module beside the script",
	"compile":    "write a function, or a module beside the script",
	"__import__": "write an import statement",
	"breakpoint": "print what is to be seen",
	"complex":    "compute with two numbers, the real and the imaginary part",
	"bytearray":  "a list of ints can be changed; bytes(list) makes bytes of it",
	"memoryview": "slice the bytes",
	"locals":     "keep what belongs together in a dict",
}

// builtin defines a function with bound arguments.
func builtin(name string, params []string, fn func(t *Thread, vs []Value) (Value, error)) {
	builtinNames[name] = NewBuiltin(name, func(t *Thread, a Args) (Value, error) {
		vs, err := a.Bind(name, params...)
		if err != nil {
			return nil, err
		}
		return fn(t, vs)
	})
}

func init() {
	delete(builtinNames, "__name__")
	for name, c := range exceptionClasses {
		builtinNames[name] = c
	}
	builtinNames["EnvironmentError"], builtinNames["IOError"] = OSError, OSError
	for _, c := range []*Class{ObjectClass, TypeClass, IntClass, BoolClass, FloatClass, StrClass, BytesClass, TupleClass, ListClass,
		DictClass, SetClass, FrozenSetClass, RangeClass, SliceClass, propertyClass, staticClass, classMethod, superClass} {
		builtinNames[c.Name] = c
	}
	for _, name := range []string{"input", "eval", "exec", "compile", "__import__", "breakpoint", "complex", "bytearray", "memoryview", "locals"} {
		builtinNames[name] = NewBuiltin(name, func(*Thread, Args) (Value, error) {
			return nil, WithHint(Raise(RuntimeError, "%s is not available in scripts", name), insteadOfBuiltins[name])
		})
	}
	builtinNames["open"] = NewBuiltin("open", func(*Thread, Args) (Value, error) {
		return nil, Raise(RuntimeError, "open is not available here")
	})
	for _, name := range []string{"exit", "quit"} {
		builtinNames[name] = NewBuiltin(name, func(_ *Thread, a Args) (Value, error) {
			return nil, &raised{newException(SystemExit, slices.Clone(a.Pos)...)}
		})
	}
	builtinObjects()
	builtinText()
	builtinIterators()
	builtinNumbers()
	builtinHelp()
}

func builtinObjects() {
	one := []string{"obj", "/"}
	builtin("len", one, func(t *Thread, vs []Value) (Value, error) {
		n, err := t.Len(vs[0])
		return box(int64(n)), err
	})
	builtin("repr", one, func(t *Thread, vs []Value) (Value, error) { return wrapString(t.Repr(vs[0])) })
	builtin("ascii", one, func(t *Thread, vs []Value) (Value, error) {
		s, err := t.Repr(vs[0])
		return asciiOnly(s), err
	})
	builtin("hash", one, func(t *Thread, vs []Value) (Value, error) {
		h, err := t.Hash(vs[0])
		return box(int64(h)), err
	})
	builtin("id", one, func(_ *Thread, vs []Value) (Value, error) { return box(int64(identityHash(vs[0]))), nil })
	builtin("callable", one, func(_ *Thread, vs []Value) (Value, error) {
		return IsCallable(vs[0]), nil
	})
	builtin("isinstance", []string{"obj", "class_or_tuple", "/"}, func(t *Thread, vs []Value) (Value, error) {
		return t.anyClass("isinstance", vs[1], vs[0], false)
	})
	builtin("issubclass", []string{"cls", "class_or_tuple", "/"}, func(t *Thread, vs []Value) (Value, error) {
		if _, ok := vs[0].(*Class); !ok {
			return nil, TypeErrorf("issubclass() arg 1 must be a class")
		}
		return t.anyClass("issubclass", vs[1], vs[0], true)
	})
	builtin("getattr", []string{"object", "name", "default?", "/"}, func(t *Thread, vs []Value) (Value, error) {
		name, ok := vs[1].(string)
		if !ok {
			return nil, TypeErrorf("attribute name must be string, not '%s'", TypeName(vs[1]))
		}
		v, err := t.lookupAttr(vs[0], name)
		if vs[2] != nil && (err == nil && v == nil || isException(err, AttributeError)) {
			return vs[2], nil
		}
		if err == nil && v == nil {
			err = t.noAttr(vs[0], name)
		}
		return v, err
	})
	builtin("hasattr", []string{"object", "name", "/"}, func(t *Thread, vs []Value) (Value, error) {
		name, ok := vs[1].(string)
		if !ok {
			return nil, TypeErrorf("attribute name must be string, not '%s'", TypeName(vs[1]))
		}
		v, err := t.lookupAttr(vs[0], name)
		if isException(err, AttributeError) {
			return false, nil
		}
		return v != nil, err
	})
	builtin("setattr", []string{"object", "name", "value", "/"}, func(t *Thread, vs []Value) (Value, error) {
		name, ok := vs[1].(string)
		if !ok {
			return nil, TypeErrorf("attribute name must be string, not '%s'", TypeName(vs[1]))
		}
		return None, t.SetAttr(vs[0], name, vs[2])
	})
	builtin("delattr", []string{"object", "name", "/"}, func(t *Thread, vs []Value) (Value, error) {
		name, ok := vs[1].(string)
		if !ok {
			return nil, TypeErrorf("attribute name must be string, not '%s'", TypeName(vs[1]))
		}
		return None, t.DelAttr(vs[0], name)
	})
	builtin("vars", []string{"object?", "/"}, func(t *Thread, vs []Value) (Value, error) {
		if vs[0] == nil {
			return nil, TypeErrorf("vars() without arguments is not supported")
		}
		v, err := t.lookupAttr(vs[0], "__dict__")
		if err == nil && v == nil {
			err = TypeErrorf("vars() argument must have __dict__ attribute")
		}
		return v, err
	})
	builtin("globals", nil, func(t *Thread, _ []Value) (Value, error) { return t.globals().dict(), nil })
	builtin("dir", []string{"object?", "/"}, func(t *Thread, vs []Value) (Value, error) {
		names := t.globals().names()
		if vs[0] != nil {
			names = t.attrNames(vs[0])
		}
		slices.Sort(names)
		return t.parts(slices.Compact(names))
	})
	SliceClass.new = func(_ *Thread, _ *Class, a Args) (Value, error) {
		switch len(a.Pos) {
		case 1:
			return &Slice{None, a.Pos[0], None}, nil
		case 2:
			return &Slice{a.Pos[0], a.Pos[1], None}, nil
		case 3:
			return &Slice{a.Pos[0], a.Pos[1], a.Pos[2]}, nil
		}
		return nil, TypeErrorf("slice expected 1 to 3 arguments, got %d", len(a.Pos))
	}
	part := func(name string, get func(s *Slice) Value) {
		SliceClass.SetProperty(name, func(_ *Thread, self Value, _ Args) (Value, error) { return get(self.(*Slice)), nil }, nil)
	}
	part("start", func(s *Slice) Value { return s.Start })
	part("stop", func(s *Slice) Value { return s.Stop })
	part("step", func(s *Slice) Value { return s.Step })
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

func builtinText() {
	builtinNames["print"] = NewBuiltin("print", printFunc)
	builtin("format", []string{"value", "spec?", "/"}, func(t *Thread, vs []Value) (Value, error) {
		spec := ""
		if vs[1] != nil {
			var ok bool
			if spec, ok = vs[1].(string); !ok {
				return nil, TypeErrorf("format() argument 2 must be str, not %s", TypeName(vs[1]))
			}
		}
		return wrapString(t.Format(vs[0], spec))
	})
	builtin("chr", []string{"i", "/"}, func(_ *Thread, vs []Value) (Value, error) {
		i, err := wantInt(vs[0])
		if err != nil {
			return nil, err
		}
		if i < 0 || i > utf8.MaxRune || !utf8.ValidRune(rune(i)) {
			return nil, ValueErrorf("chr() arg not in range(0x110000)")
		}
		return string(rune(i)), nil
	})
	builtin("ord", []string{"c", "/"}, func(_ *Thread, vs []Value) (Value, error) {
		s, ok := vs[0].(string)
		if !ok {
			return nil, TypeErrorf("ord() expected string of length 1, but %s found", TypeName(vs[0]))
		}
		if n := utf8.RuneCountInString(s); n != 1 {
			return nil, TypeErrorf("ord() expected a character, but string of length %d found", n)
		}
		r, _ := utf8.DecodeRuneInString(s)
		return box(int64(r)), nil
	})
	for name, base := range map[string]struct {
		base   int
		prefix string
	}{"hex": {16, "0x"}, "oct": {8, "0o"}, "bin": {2, "0b"}} {
		builtin(name, []string{"number", "/"}, func(_ *Thread, vs []Value) (Value, error) {
			b := toBig(Unwrap(vs[0]))
			if b == nil {
				return nil, TypeErrorf("'%s' object cannot be interpreted as an integer", TypeName(vs[0]))
			}
			text, neg := strings.CutPrefix(b.Text(base.base), "-")
			if neg {
				return "-" + base.prefix + text, nil
			}
			return base.prefix + text, nil
		})
	}
}

func printFunc(t *Thread, a Args) (Value, error) {
	sep, end := " ", "\n"
	var file Value
	for _, k := range a.Kw {
		var into *string
		switch k.Name {
		case "sep":
			into = &sep
		case "end":
			into = &end
		case "flush":
			continue
		case "file":
			if k.Value != None {
				file = k.Value
			}
			continue
		default:
			return nil, TypeErrorf("'%s' is an invalid keyword argument for print()", k.Name)
		}
		if k.Value == None {
			continue
		}
		s, ok := k.Value.(string)
		if !ok {
			return nil, TypeErrorf("%s must be None or a string, not %s", k.Name, TypeName(k.Value))
		}
		*into = s
	}
	var b strings.Builder
	for i, v := range a.Pos {
		if i > 0 {
			b.WriteString(sep)
		}
		s, err := t.Str(v)
		if err != nil {
			return nil, err
		}
		b.WriteString(s)
	}
	b.WriteString(end)
	if err := t.Tick(b.Len() / 8); err != nil {
		return nil, err
	}
	if err := t.Charge(int64(b.Len())); err != nil {
		return nil, err
	}
	if file != nil {
		_, err := t.CallMethod(file, "write", b.String())
		return None, err
	}
	if _, err := io.WriteString(t.opts.Stdout, b.String()); err != nil {
		return nil, Raise(OSError, "cannot write output: %s", err)
	}
	return None, nil
}

// itoa names the argument number n in messages.
func itoa(n int) string { return strconv.Itoa(n) }
