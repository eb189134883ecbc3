package vm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/compiler/script/python/bytecode"
)

// callSite calls a value with arguments as they lie on the stack.
func (t *Thread) callSite(f *frame, site *bytecode.CallSite, fn Value, vs []Value) (Value, error) {
	pos := vs
	var kw []Keyword
	if n := len(site.Kw); n > 0 {
		pos = vs[: len(vs)-n : len(vs)-n]
		kw = make([]Keyword, n)
		for i, name := range site.Kw {
			kw[i] = Keyword{name, vs[len(pos)+i]}
		}
	}
	switch fn := fn.(type) {
	case *Function:
		return t.callFunction(fn, pos, kw)
	case *Method: // from LoadMethod: the receiver is the first value
		if len(pos) > 0 {
			return t.callMethod(fn, pos[0], Args{pos[1:], kw, site, f.prog.Source})
		}
	}
	return t.CallArgs(fn, Args{pos, kw, site, f.prog.Source})
}

func (t *Thread) callMethod(m *Method, self Value, a Args) (Value, error) {
	if !IsInstance(self, m.Class) {
		return nil, TypeErrorf("descriptor '%s' for '%s' objects doesn't apply to a '%s' object", m.Name, m.Class.Name, TypeName(self))
	}
	if m.Class == ObjectClass && ownMethods[m.Name] {
		return m.Fn(t, self, a)
	}
	return m.Fn(t, Unwrap(self), a)
}

// ownMethods of object work on the instance, not on the builtin value inside it.
var ownMethods = map[string]bool{"__init__": true, "__setattr__": true, "__delattr__": true}

// Call calls any callable with positional arguments.
func (t *Thread) Call(fn Value, args ...Value) (Value, error) {
	if f, ok := fn.(*Function); ok {
		return t.callFunction(f, args, nil)
	}
	return t.CallArgs(fn, Args{Pos: args})
}

// CallArgs calls any callable.
func (t *Thread) CallArgs(fn Value, a Args) (Value, error) {
	switch fn := fn.(type) {
	case *Function:
		return t.callFunction(fn, a.Pos, a.Kw)
	case *Builtin:
		return fn.Fn(t, a)
	}
	if err := t.enter(); err != nil {
		return nil, err
	}
	defer t.leave()
	switch fn := fn.(type) {
	case *BoundMethod:
		if m, ok := fn.Func.(*Method); ok {
			return t.callMethod(m, fn.Self, a)
		}
		return t.CallArgs(fn.Func, a.shift(fn.Self))
	case *Class:
		if fn.meta != nil {
			if call := fn.meta.defines("__call__"); call != nil {
				return t.CallArgs(call, a.shift(fn))
			}
		}
		return t.instantiate(fn, a)
	case *Method:
		if len(a.Pos) == 0 {
			return nil, TypeErrorf("unbound method %s.%s() needs an argument", fn.Class.Name, fn.Name)
		}
		return t.callMethod(fn, a.Pos[0], Args{Pos: a.Pos[1:], Kw: a.Kw})
	case *Instance:
		if call := fn.class.defines("__call__"); call != nil {
			return t.CallArgs(call, a.shift(fn))
		}
		if c, ok := fn.native.(Callable); ok {
			return c.Call(t, a)
		}
	case *wrapped:
		return t.CallArgs(fn.fn, a)
	case Callable:
		return fn.Call(t, a)
	}
	return nil, TypeErrorf("'%s' object is not callable", TypeName(fn))
}

// shift puts a value before the positional arguments.
func (a Args) shift(self Value) Args {
	pos := make([]Value, 0, len(a.Pos)+1)
	return Args{Pos: append(append(pos, self), a.Pos...), Kw: a.Kw}
}

// Text returns the source text of the i-th positional argument, or "" where
// the call does not show it: with * or **, or made from Go.
func (a Args) Text(i int) string {
	if a.site == nil || i < 0 || i >= len(a.Pos) || i >= len(a.site.Spans)-len(a.site.Kw) {
		return ""
	}
	s := a.site.Spans[i]
	return a.src.Text[s.Start:s.End]
}

// KwText returns the source text of a keyword argument, or "".
func (a Args) KwText(name string) string {
	if a.site == nil || len(a.site.Spans) == 0 {
		return ""
	}
	for i, n := range a.site.Kw {
		if n == name {
			s := a.site.Spans[a.site.NumPos+i]
			return a.src.Text[s.Start:s.End]
		}
	}
	return ""
}

func missingArgs(fn, kind string, names []string) error {
	for i := range names {
		names[i] = "'" + names[i] + "'"
	}
	list := names[0]
	plural := ""
	if n := len(names); n > 1 {
		plural = "s"
		list = strings.Join(names[:n-1], ", ") + " and " + names[n-1]
		if n > 2 {
			list = strings.Join(names[:n-1], ", ") + ", and " + names[n-1]
		}
	}
	return TypeErrorf("%s() missing %d required %s argument%s: %s", fn, len(names), kind, plural, list)
}

func tooManyArgs(fn string, need, most, given int) error {
	takes := fmt.Sprint(most)
	if need < most {
		takes = fmt.Sprintf("from %d to %d", need, most)
	}
	plural := "s"
	if most == 1 && need == most {
		plural = ""
	}
	was := "were"
	if given == 1 {
		was = "was"
	}
	return TypeErrorf("%s() takes %s positional argument%s but %d %s given", fn, takes, plural, given, was)
}

func tooMany(fn *Function, given int) error {
	p := fn.prog
	return tooManyArgs(p.QualName, p.NumPos-len(fn.defaults), p.NumPos, given)
}

// instantiate makes an instance of a class by its __new__ and __init__. Without a __new__
// of its own, the constructor of the builtin or host class that it derives from takes its place.
func (t *Thread) instantiate(cls *Class, a Args) (Value, error) {
	if cls.native {
		for _, c := range cls.mro {
			if c.new != nil {
				return c.new(t, cls, a)
			}
		}
		return nil, TypeErrorf("cannot create '%s' instances", cls.Name)
	}
	if cls.IsSubclass(TypeClass) && len(a.Pos) == 1 && len(a.Kw) == 0 {
		return ClassOf(a.Pos[0]), nil
	}
	var obj Value
	var err error
	if n := cls.defines("__new__"); n != nil {
		if w, ok := n.(*wrapped); ok {
			n = w.fn
		}
		if obj, err = t.CallArgs(n, a.shift(cls)); err != nil || !IsInstance(obj, cls) {
			return obj, err
		}
	} else if obj, err = t.allocate(cls, a); err != nil {
		return nil, err
	}
	init := ClassOf(obj).defines("__init__")
	if init == nil {
		if cls.solid() == ObjectClass && cls.defines("__new__") == nil && (len(a.Pos) > 0 || len(a.Kw) > 0) {
			return nil, TypeErrorf("%s() takes no arguments", cls.Name)
		}
		return obj, nil
	}
	v, err := t.CallArgs(init, a.shift(obj))
	if err != nil {
		return nil, err
	}
	if v != None {
		return nil, TypeErrorf("__init__() should return None, not '%s'", TypeName(v))
	}
	return obj, nil
}

// allocate is object.__new__ for classes of the script: the arguments go to the
// constructor of the builtin class inside.
func (t *Thread) allocate(cls *Class, a Args) (Value, error) {
	if cls.IsSubclass(TypeClass) {
		return t.newClass(cls, a)
	}
	if err := t.Charge(instanceBytes); err != nil {
		return nil, err
	}
	if missing, ok := cls.lookup("__abstractmethods__").(*Set); ok && missing.Len() > 0 {
		return nil, abstractError(cls, missing)
	}
	obj := &Instance{class: cls}
	switch base := cls.solid(); {
	case base.IsSubclass(BaseException):
		obj.native = &excData{owner: obj, args: NewTuple(append([]Value(nil), a.Pos...)...)}
	case base != ObjectClass:
		if base.emptyNew() && cls.defines("__init__") != nil {
			a = Args{}
		}
		v, err := t.instantiate(base, a)
		if err != nil {
			return nil, err
		}
		obj.native = v
	}
	return obj, nil
}

func abstractError(cls *Class, missing *Set) error {
	var names []string
	for _, v := range missing.Elems() {
		if s, ok := v.(string); ok {
			names = append(names, s)
		}
	}
	slices.Sort(names)
	plural := ""
	if len(names) > 1 {
		plural = "s"
	}
	return TypeErrorf("Can't instantiate abstract class %s with abstract method%s %s", cls.Name, plural, strings.Join(names, ", "))
}

// emptyNew reports whether values are first made empty and filled by
// __init__, as the mutable containers are.
func (c *Class) emptyNew() bool { return c == ListClass || c == DictClass || c == SetClass }

// instanceBytes is what an object is charged with.
const instanceBytes = 96

// IsCallable reports whether a value can be called.
func IsCallable(v Value) bool {
	switch v := v.(type) {
	case *Function, *Builtin, *BoundMethod, *Method, *Class, *wrapped:
		return true
	case *Instance:
		return v.class.defines("__call__") != nil
	}
	_, ok := v.(Callable)
	return ok
}
