package vm

var propertyTable = []Row{
	Def("getter", propertyGetter, "fn"),
	Def("setter", propertySetter, "fn"),
	Def("deleter", propertyDeleter, "fn"),
	DefProperty("fget", propertyFget, nil),
}

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

func newProperty(_ *Thread, _ *Class, a Args) (Value, error) {
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

func propertyGetter(_ *Thread, p *property, vs []Value) (Value, error) {
	return &property{vs[0], p.set, p.del, p.doc}, nil
}

func propertySetter(_ *Thread, p *property, vs []Value) (Value, error) {
	return &property{p.get, vs[0], p.del, p.doc}, nil
}

func propertyDeleter(_ *Thread, p *property, vs []Value) (Value, error) {
	return &property{p.get, p.set, vs[0], p.doc}, nil
}

func propertyFget(p *property) Value { return p.get }

func newStaticMethod(_ *Thread, _ *Class, a Args) (Value, error) {
	return wrap("staticmethod", false, a)
}

func newClassMethod(_ *Thread, _ *Class, a Args) (Value, error) { return wrap("classmethod", true, a) }

func wrap(name string, class bool, a Args) (Value, error) {
	vs, err := a.Bind(name, "function")
	if err != nil {
		return nil, err
	}
	return &wrapped{vs[0], class}, nil
}

var superSignature = NewSignature("super", "type?", "obj?")

func newSuper(_ *Thread, _ *Class, a Args) (Value, error) {
	vs, err := superSignature.Bind(a)
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
