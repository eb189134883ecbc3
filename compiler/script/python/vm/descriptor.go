package vm

import (
	"slices"
	"strings"
)

// property is the value that property(...) makes.
type property struct{ get, set, del, doc Value }

// PyClass makes property a Python type.
func (*property) PyClass() *Class { return propertyClass }

// wrapped is a staticmethod or classmethod.
type wrapped struct {
	fn    Value
	class bool
}

// PyClass makes wrapped a Python type.
func (w *wrapped) PyClass() *Class {
	if w.class {
		return classMethod
	}
	return staticClass
}

// Attr has the function, and its attributes.
func (w *wrapped) Attr(t *Thread, name string) (Value, error) {
	if name == "__func__" || name == "__wrapped__" {
		return w.fn, nil
	}
	return t.lookupAttr(w.fn, name)
}

// superProxy is what super() returns: attributes come from the bases.
type superProxy struct {
	from  *Class // the class in whose method it stands: what follows it is looked at
	self  Value  // nil in a class method
	class *Class
}

// PyClass makes superProxy a Python type.
func (*superProxy) PyClass() *Class { return superClass }

func init() {
	propertyClass.new = func(_ *Thread, _ *Class, a Args) (Value, error) {
		vs, err := a.Bind("property", "fget?", "fset?", "fdel?", "doc?")
		if err != nil {
			return nil, err
		}
		for i := range vs {
			if vs[i] == nil {
				vs[i] = None
			}
		}
		return &property{vs[0], vs[1], vs[2], vs[3]}, nil
	}
	accessor := func(name string, replace func(p *property, fn Value)) {
		propertyClass.SetMethod(name, func(_ *Thread, self Value, a Args) (Value, error) {
			vs, err := a.Bind(name, "fn")
			if err != nil {
				return nil, err
			}
			p := *self.(*property)
			replace(&p, vs[0])
			return &p, nil
		})
	}
	accessor("getter", func(p *property, fn Value) { p.get = fn })
	accessor("setter", func(p *property, fn Value) { p.set = fn })
	accessor("deleter", func(p *property, fn Value) { p.del = fn })
	propertyClass.SetProperty("fget", func(_ *Thread, self Value, _ Args) (Value, error) { return self.(*property).get, nil }, nil)

	for name, c := range map[string]*Class{"staticmethod": staticClass, "classmethod": classMethod} {
		c.new = func(_ *Thread, _ *Class, a Args) (Value, error) {
			vs, err := a.Bind(name, "function")
			if err != nil {
				return nil, err
			}
			return &wrapped{vs[0], c == classMethod}, nil
		}
	}
	superClass.new = newSuper

	ObjectClass.new = func(_ *Thread, cls *Class, a Args) (Value, error) {
		if len(a.Pos)+len(a.Kw) > 0 {
			return nil, TypeErrorf("object() takes no arguments")
		}
		return &Instance{class: cls}, nil
	}
	ObjectClass.Set("__new__", NewBuiltin("__new__", func(t *Thread, a Args) (Value, error) {
		if len(a.Pos) == 0 {
			return nil, TypeErrorf("object.__new__(): not enough arguments")
		}
		cls, ok := a.Pos[0].(*Class)
		if !ok {
			return nil, TypeErrorf("object.__new__(X): X is not a type object (%s)", TypeName(a.Pos[0]))
		}
		if cls.native {
			return t.instantiate(cls, Args{Pos: a.Pos[1:], Kw: a.Kw})
		}
		return t.allocate(cls, Args{Pos: a.Pos[1:], Kw: a.Kw})
	}))
	ObjectClass.Set("__init_subclass__", &wrapped{NewBuiltin("__init_subclass__", func(_ *Thread, a Args) (Value, error) {
		if len(a.Kw) > 0 && len(a.Pos) == 1 {
			return nil, TypeErrorf("%s.__init_subclass__() takes no keyword arguments", a.Pos[0].(*Class).Name)
		}
		return None, nil
	}), true})
	ObjectClass.SetMethod("__init__", func(_ *Thread, self Value, a Args) (Value, error) {
		if i, ok := self.(*Instance); ok && (i.native != nil || i.class.defines("__new__") != nil) {
			return None, nil
		}
		if _, class := self.(*Class); class {
			return None, nil
		}
		if len(a.Pos)+len(a.Kw) > 0 {
			return nil, TypeErrorf("object.__init__() takes exactly one argument (the instance to initialize)")
		}
		return None, nil
	})
	ObjectClass.SetMethod("__repr__", func(t *Thread, self Value, _ Args) (Value, error) {
		if i, ok := self.(*Instance); ok {
			return i.defaultRepr(), nil
		}
		s, err := t.Repr(self)
		return s, err
	})
	ObjectClass.SetMethod("__str__", func(t *Thread, self Value, _ Args) (Value, error) {
		s, err := t.Repr(self)
		return s, err
	})
	ObjectClass.SetMethod("__eq__", func(_ *Thread, self Value, a Args) (Value, error) {
		if len(a.Pos) == 1 && identical(self, a.Pos[0]) {
			return true, nil
		}
		return NotImplemented, nil
	})
	ObjectClass.SetMethod("__hash__", func(t *Thread, self Value, _ Args) (Value, error) {
		return box(int64(identityHash(self) >> 4)), nil
	})
	ObjectClass.SetMethod("__setattr__", func(t *Thread, self Value, a Args) (Value, error) {
		vs, err := a.Bind("__setattr__", "name", "value")
		if err != nil {
			return nil, err
		}
		name, isName := vs[0].(string)
		switch o := self.(type) {
		case *Instance:
			if isName {
				return None, t.storeOwn(o, name, vs[1])
			}
		case *Class:
			if isName {
				return None, t.storeClass(o, name, vs[1])
			}
		}
		return nil, TypeErrorf("can't apply __setattr__ to '%s' object", TypeName(self))
	})
	ObjectClass.SetMethod("__delattr__", func(t *Thread, self Value, a Args) (Value, error) {
		vs, err := a.Bind("__delattr__", "name")
		if err != nil {
			return nil, err
		}
		o, ok := self.(*Instance)
		name, isName := vs[0].(string)
		if !ok || !isName {
			return nil, TypeErrorf("can't apply __delattr__ to '%s' object", TypeName(self))
		}
		return None, t.storeOwn(o, name, nil)
	})
	ObjectClass.SetMethod("__format__", func(t *Thread, self Value, a Args) (Value, error) {
		vs, err := a.Bind("__format__", "format_spec", "/")
		if err != nil {
			return nil, err
		}
		spec, ok := vs[0].(string)
		if !ok {
			return nil, TypeErrorf("__format__() argument must be str, not %s", TypeName(vs[0]))
		}
		if _, plain := self.(*Instance); plain && spec != "" {
			return nil, TypeErrorf("unsupported format string passed to %s.__format__", TypeName(self))
		} else if plain {
			return wrapString(t.Str(self))
		}
		s, err := t.Format(self, spec)
		return s, err
	})
}

func newSuper(_ *Thread, _ *Class, a Args) (Value, error) {
	vs, err := a.Bind("super", "type?", "obj?")
	if err != nil {
		return nil, err
	}
	if vs[0] == nil || vs[1] == nil {
		return nil, Raise(RuntimeError, "super(): no arguments")
	}
	cls, ok := vs[0].(*Class)
	if !ok {
		return nil, TypeErrorf("super() argument 1 must be a type, not %s", TypeName(vs[0]))
	}
	if sub, ok := vs[1].(*Class); ok && sub.IsSubclass(cls) {
		return &superProxy{cls, nil, sub}, nil
	}
	if !IsInstance(vs[1], cls) {
		return nil, TypeErrorf("super(type, obj): obj must be an instance or subtype of type")
	}
	return &superProxy{cls, vs[1], ClassOf(vs[1])}, nil
}

// Similar returns the name that is most like a misspelt one, or "".
func Similar(name string, candidates []string) string {
	best, bestCost := "", max(len(name)/3, 1)+1
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		if c == name || len(c) < 2 || c[0] == '_' && name[0] != '_' || len(c) > 40 || len(name) > 40 {
			continue
		}
		// At the same cost a name that was only written on is likelier: sinn is sin.
		cost := editDistance(name, c)
		if cost < len(name) && (cost < bestCost || cost == bestCost && best != "" && strings.HasPrefix(name, c) && !strings.HasPrefix(name, best)) {
			best, bestCost = c, cost
		}
	}
	return best
}

// editDistance counts insertions, deletions, replacements and swaps of neighbours.
func editDistance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
