package vm

import "slices"

// Attr returns an attribute; a missing one is an AttributeError.
func (t *Thread) Attr(v Value, name string) (Value, error) {
	r, err := t.lookupAttr(v, name)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, t.noAttr(v, name)
	}
	return r, nil
}

func (t *Thread) noAttr(v Value, name string) error {
	var err error
	class := ClassOf(v)
	switch v := v.(type) {
	case *Class:
		class = v
		err = Raise(AttributeError, "type object '%s' has no attribute '%s'", v.Name, name)
	case *Module:
		err = Raise(AttributeError, "module '%s' has no attribute '%s'", v.Name, name)
		if hint := instead(v.absent, name); hint != "" {
			return WithHint(err, hint)
		}
	default:
		err = Raise(AttributeError, "'%s' object has no attribute '%s'", TypeName(v), name)
	}
	for _, k := range class.mro {
		if hint := instead(k.absent, name); hint != "" {
			return WithHint(err, hint)
		}
	}
	if s := Similar(name, t.attrNames(v)); s != "" {
		err = WithHint(err, "did you mean '"+s+"'?")
	}
	return err
}

// instead is what to write instead of a name that a module or class has not.
func instead(hint func(name string) string, name string) string {
	if hint == nil {
		return ""
	}
	return hint(name)
}

// lookupAttr returns nil if there is no such attribute.
func (t *Thread) lookupAttr(v Value, name string) (Value, error) {
	fn, self, err := t.findAttr(v, name)
	if err != nil || fn == nil || self == nil {
		return fn, err
	}
	return &BoundMethod{self, fn}, nil
}

// loadMethod is Attr for a call: a function found in the class comes unbound
// with its receiver, so that no BoundMethod is made.
func (t *Thread) loadMethod(v Value, name string) (fn, self Value, err error) {
	if fn, self, err = t.findAttr(v, name); fn == nil && err == nil {
		err = t.noAttr(v, name)
	}
	if _, isNumber := fn.(int64); isNumber && self == nil {
		if h, ok := v.(CalledAttributed); ok {
			if called := h.CalledAttr(name, fn); called != nil {
				fn = called
			}
		}
	}
	return fn, self, err
}

// findAttr finds an attribute. If it is a function of the class, self is the
// receiver it has to be bound to, else nil.
func (t *Thread) findAttr(v Value, name string) (fn, self Value, err error) {
	switch v := v.(type) {
	case *Instance:
		return t.instanceAttr(v, name)
	case *Class:
		r, err := t.classAttr(v, name)
		return r, nil, err
	case *Module:
		if r := v.globals.get(name); r != nil {
			return r, nil, nil
		}
		switch name {
		case "__name__":
			return v.Name, nil, nil
		case "__doc__":
			return docValue(v.doc), nil, nil
		case "__dict__":
			return v.globals.dict(), nil, nil
		case "__annotations__":
			if v.annotations == nil {
				return NewDict(), nil, nil
			}
			r, err := t.evalAnnotations(v.annotations)
			return r, nil, err
		}
	case *superProxy:
		if r := v.class.lookupAfter(v.from, name); r != nil {
			return t.bind(r, v.self, v.class)
		}
		if d, ok := v.self.(*Instance); ok && name == "__dict__" {
			return d.attrs.dict(), nil, nil
		}
		return nil, nil, nil
	case *Function:
		if r := v.attr(name); r != nil {
			return r, nil, nil
		}
		if name == "__annotations__" {
			r, err := t.functionAnnotations(v)
			return r, nil, err
		}
	case *Builtin:
		switch name {
		case "__name__", "__qualname__":
			return v.Name, nil, nil
		case "__doc__":
			return docValue(v.doc), nil, nil
		}
	case *Method:
		switch name {
		case "__name__":
			return v.Name, nil, nil
		case "__doc__":
			return docValue(v.doc), nil, nil
		}
	case *goProperty:
		switch name {
		case "__name__":
			return v.name, nil, nil
		case "__doc__":
			return docValue(v.doc), nil, nil
		}
	case *BoundMethod:
		switch name {
		case "__self__":
			return v.Self, nil, nil
		case "__func__":
			return v.Func, nil, nil
		}
		if name != "__class__" {
			return t.findAttr(v.Func, name)
		}
	case Attributed:
		if r, err := v.Attr(t, name); r != nil || err != nil {
			return r, nil, err
		}
	}
	c := ClassOf(v)
	if name == "__class__" {
		return c, nil, nil
	}
	if r := c.lookup(name); r != nil {
		return t.bind(r, v, c)
	}
	return nil, nil, nil
}

// bind applies a class attribute to an instance.
func (t *Thread) bind(r, self Value, class *Class) (Value, Value, error) {
	switch d := r.(type) {
	case *Function, *Method, Bindable:
		if self != nil {
			return r, self, nil
		}
	case *Builtin:
		return r, nil, nil
	case *property:
		if self == nil {
			return r, nil, nil
		}
		if d.get == None {
			return nil, nil, Raise(AttributeError, "property of '%s' object has no getter", class.Name)
		}
		v, err := t.Call(d.get, self)
		return v, nil, err
	case *goProperty:
		if self == nil {
			return r, nil, nil
		}
		v, err := d.get(t, Unwrap(self), Args{})
		return v, nil, err
	case *wrapped:
		if d.class {
			return d.fn, class, nil
		}
		return d.fn, nil, nil
	case *Instance:
		if get := d.class.defines("__get__"); get != nil {
			var obj Value = None
			if self != nil {
				obj = self
			}
			v, err := t.Call(get, d, obj, class)
			return v, nil, err
		}
	}
	return r, nil, nil
}

func (t *Thread) instanceAttr(v *Instance, name string) (fn, self Value, err error) {
	r := v.class.lookup(name)
	switch d := r.(type) {
	case *property, *goProperty:
		return t.bind(r, v, v.class)
	case *Instance:
		if d.class.defines("__set__") != nil {
			return t.bind(r, v, v.class)
		}
	}
	if own := v.attrs.get(name); own != nil {
		return own, nil, nil
	}
	if r != nil {
		return t.bind(r, v, v.class)
	}
	switch name {
	case "__class__":
		return v.class, nil, nil
	case "__dict__":
		return v.attrs.dict(), nil, nil
	}
	if a, ok := v.native.(Attributed); ok {
		if r, err := a.Attr(t, name); r != nil || err != nil {
			return r, nil, err
		}
	}
	if hook := v.class.defines("__getattr__"); hook != nil {
		r, err := t.Call(hook, v, name)
		return r, nil, err
	}
	return nil, nil, nil
}

func (t *Thread) classAttr(c *Class, name string) (Value, error) {
	if r := c.lookup(name); r != nil {
		fn, self, err := t.bind(r, nil, c)
		if err != nil || self == nil {
			return fn, err
		}
		return &BoundMethod{self, fn}, nil
	}
	if c.meta != nil {
		if r := c.meta.lookup(name); r != nil {
			fn, self, err := t.bind(r, c, c.meta)
			if err != nil || self == nil {
				return fn, err
			}
			return &BoundMethod{self, fn}, nil
		}
	}
	switch name {
	case "__name__", "__qualname__":
		return c.Name, nil
	case "__class__":
		return ClassOf(c), nil
	case "__annotations__":
		return t.classAnnotations(c)
	case "__module__":
		if c.module == "" {
			return "builtins", nil
		}
		return c.module, nil
	case "__doc__":
		if c.doc == nil {
			return docValue(c.docs), nil
		}
		return c.doc, nil
	case "__dict__":
		return c.dict.dict(), nil
	case "__base__":
		if c.Base == nil {
			return None, nil
		}
		return c.Base, nil
	case "__bases__":
		return classTuple(c.bases), nil
	case "__mro__":
		return classTuple(c.mro), nil
	case "mro":
		return NewBuiltin("mro", func(*Thread, Args) (Value, error) { return NewList(classTuple(c.mro).Elems), nil }), nil
	case "__subclasses__":
		return NewBuiltin("__subclasses__", func(*Thread, Args) (Value, error) {
			return nil, TypeErrorf("classes do not know those that derive from them")
		}), nil
	}
	if c.meta != nil {
		if hook := c.meta.defines("__getattr__"); hook != nil {
			return t.Call(hook, c, name)
		}
	}
	return nil, nil
}

func (f *Function) attr(name string) Value {
	if v := f.attrs.get(name); v != nil {
		return v
	}
	switch name {
	case "__name__":
		return f.name
	case "__qualname__":
		return f.prog.QualName
	case "__doc__":
		return f.doc
	case "__module__":
		if s := f.globals.get("__name__"); s != nil {
			return s
		}
		return None
	case "__dict__":
		return f.attrs.dict()
	case "__kwdefaults__":
		return None
	case "__defaults__":
		if f.defaults == nil {
			return None
		}
		return NewTuple(slices.Clone(f.defaults)...)
	}
	return nil
}

// special returns a special method bound to v, or nil. As in Python it is
// looked up in the class only.
func (t *Thread) special(v Value, name string) (Value, error) {
	c := ClassOf(v)
	r := c.lookup(name)
	if r == nil {
		if a, ok := Unwrap(v).(Attributed); ok {
			return a.Attr(t, name)
		}
		return nil, nil
	}
	fn, self, err := t.bind(r, v, c)
	if err != nil || self == nil {
		return fn, err
	}
	return &BoundMethod{self, fn}, nil
}

// attrNames lists the attributes of a value, for dir and for hints.
func (t *Thread) attrNames(v Value) []string {
	var names []string
	c := ClassOf(v)
	switch v := v.(type) {
	case *Instance:
		names = append(names, v.attrs.names...)
	case *Class:
		c = v
	case *Module:
		return v.globals.names()
	case *Function:
		names = append(names, v.attrs.names...)
	}
	for _, k := range c.mro {
		names = append(names, k.dict.names()...)
	}
	return names
}

func classTuple(classes []*Class) *Tuple {
	tuple := NewTuple()
	for _, c := range classes {
		tuple.Elems = append(tuple.Elems, c)
	}
	return tuple
}
