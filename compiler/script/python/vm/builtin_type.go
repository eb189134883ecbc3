package vm

// typeTable is what the methods of a metaclass call by super().
var typeTable = []Row{
	DefValue("__new__", NewBuiltin("__new__", typeNew)),
	DefArgs("__call__", typeCall),
	DefArgs("__init__", typeInit),
	Def("__instancecheck__", typeInstancecheck, "instance"),
	Def("__subclasscheck__", typeSubclasscheck, "subclass"),
}

func newType(t *Thread, cls *Class, a Args) (Value, error) {
	if len(a.Pos) == 1 && len(a.Kw) == 0 {
		return ClassOf(a.Pos[0]), nil
	}
	if len(a.Pos) != 3 {
		return nil, TypeErrorf("type() takes 1 or 3 arguments")
	}
	return t.newClass(cls, a)
}

func typeNew(t *Thread, a Args) (Value, error) {
	if len(a.Pos) > 0 {
		if meta, ok := a.Pos[0].(*Class); ok && meta.IsSubclass(TypeClass) {
			return t.newClass(meta, Args{Pos: a.Pos[1:], Kw: a.Kw})
		}
	}
	return nil, TypeErrorf("type.__new__(X): X is not a type object")
}

func typeCall(t *Thread, c *Class, a Args) (Value, error) {
	return t.instantiate(c, a)
}

func typeInit(*Thread, *Class, Args) (Value, error) {
	return None, nil
}

func typeInstancecheck(_ *Thread, c *Class, vs []Value) (Value, error) {
	return IsInstance(vs[0], c), nil
}

func typeSubclasscheck(_ *Thread, c *Class, vs []Value) (Value, error) {
	sub, ok := vs[0].(*Class)
	return ok && sub.IsSubclass(c), nil
}
