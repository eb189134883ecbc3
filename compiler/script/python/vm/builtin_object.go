package vm

// objectTable is what values of all types have.
var objectTable = []Row{
	DefValue("__new__", NewBuiltin("__new__", objectNew)),
	DefValue("__init_subclass__", &wrapped{NewBuiltin("__init_subclass__", objectInitSubclass), true}),
	DefArgs("__init__", objectInit),
	DefArgs("__repr__", objectRepr),
	DefArgs("__str__", objectStr),
	DefArgs("__eq__", objectEq),
	DefArgs("__hash__", objectHash),
	Def("__setattr__", objectSetattr, "name", "value"),
	Def("__delattr__", objectDelattr, "name"),
	Def("__format__", objectFormat, "format_spec", "/"),
}

func newObject(_ *Thread, cls *Class, a Args) (Value, error) {
	if len(a.Pos)+len(a.Kw) > 0 {
		return nil, TypeErrorf("object() takes no arguments")
	}
	return &Instance{class: cls}, nil
}

func objectNew(t *Thread, a Args) (Value, error) {
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
}

func objectInitSubclass(_ *Thread, a Args) (Value, error) {
	if len(a.Kw) > 0 && len(a.Pos) == 1 {
		return nil, TypeErrorf("%s.__init_subclass__() takes no keyword arguments", a.Pos[0].(*Class).Name)
	}
	return None, nil
}

func objectInit(_ *Thread, self Value, a Args) (Value, error) {
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
}

func objectRepr(t *Thread, self Value, _ Args) (Value, error) {
	if i, ok := self.(*Instance); ok {
		return i.defaultRepr(), nil
	}
	s, err := t.Repr(self)
	return s, err
}

func objectStr(t *Thread, self Value, _ Args) (Value, error) {
	s, err := t.Repr(self)
	return s, err
}

func objectEq(_ *Thread, self Value, a Args) (Value, error) {
	if len(a.Pos) == 1 && identical(self, a.Pos[0]) {
		return true, nil
	}
	return NotImplemented, nil
}

func objectHash(t *Thread, self Value, _ Args) (Value, error) {
	return box(int64(identityHash(self) >> 4)), nil
}

func objectSetattr(t *Thread, self Value, vs []Value) (Value, error) {
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
}

func objectDelattr(t *Thread, self Value, vs []Value) (Value, error) {
	o, ok := self.(*Instance)
	name, isName := vs[0].(string)
	if !ok || !isName {
		return nil, TypeErrorf("can't apply __delattr__ to '%s' object", TypeName(self))
	}
	return None, t.storeOwn(o, name, nil)
}

func objectFormat(t *Thread, self Value, vs []Value) (Value, error) {
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
}
