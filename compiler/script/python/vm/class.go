package vm

import (
	"math/big"
	"slices"
)

// Class is a Python class.
type Class struct {
	Name  string
	Base  *Class   // the first base; nil for object only
	bases []*Class // all of them
	mro   []*Class // method resolution order, the class itself first
	meta  *Class   // metaclass; nil is type
	dict  *Namespace
	// annotations are evaluated when somebody asks for them.
	annotations *annotations
	// new makes an instance; inherited. Nil at object means not callable.
	new    func(t *Thread, cls *Class, a Args) (Value, error)
	native bool   // values are Go values, not Instances
	module string // where it was defined, "" for builtins
	final  bool   // cannot be derived from
	doc    Value
	docs   func() string // of a host class instead of doc; nil without doc strings
	absent func(name string) string
}

// NewClass makes a class whose values are host values. ctor makes one; with
// a nil ctor scripts can only name the class, in isinstance for example.
func NewClass(name string, base *Class, ctor GoFunc) *Class {
	c := newNative(name, base)
	c.final = ctor == nil
	c.new = func(t *Thread, cls *Class, a Args) (Value, error) {
		if ctor == nil {
			return nil, TypeErrorf("cannot create '%s' instances", name)
		}
		return ctor(t, a)
	}
	return c
}

func newNative(name string, base *Class) *Class {
	if base == nil {
		base = ObjectClass
	}
	c := &Class{Name: name, Base: base, bases: []*Class{base}, dict: newNamespace(), native: true}
	c.mro = append([]*Class{c}, base.mro...)
	return c
}

// newFinal is newNative of a class that cannot be derived from.
func newFinal(name string, base *Class) *Class {
	c := newNative(name, base)
	c.final = true
	return c
}

// SetMethod defines a method.
func (c *Class) SetMethod(name string, fn GoMethod) {
	c.dict.set(name, &Method{Name: name, Class: c, Fn: fn})
}

// SetAbsent has what to write instead of an attribute that values of the class have
// not: hint(name), or "" where that is nothing special.
func (c *Class) SetAbsent(hint func(name string) string) { c.absent = hint }

// SetProperty defines a computed attribute; set may be nil.
func (c *Class) SetProperty(name string, get, set GoMethod) {
	c.dict.set(name, &goProperty{name: name, get: get, set: set})
}

// Set defines a class attribute.
func (c *Class) Set(name string, v Value) { c.dict.set(name, v) }

// goProperty is a property written in Go.
type goProperty struct {
	name     string
	get, set GoMethod
	doc      func() string // nil without doc strings
}

// lookup finds a name in the class or its bases; nil if there is none.
func (c *Class) lookup(name string) Value {
	for _, k := range c.mro {
		if v := k.dict.get(name); v != nil {
			return v
		}
	}
	return nil
}

// defines is lookup without what every object and the builtin types have.
func (c *Class) defines(name string) Value {
	for _, k := range c.mro {
		if k.native || k == ObjectClass {
			continue
		}
		if v := k.dict.get(name); v != nil {
			return v
		}
	}
	return nil
}

// lookupAfter is lookup in what follows after in the method resolution order, for super().
func (c *Class) lookupAfter(after *Class, name string) Value {
	if i := slices.Index(c.mro, after); i >= 0 {
		for _, k := range c.mro[i+1:] {
			if v := k.dict.get(name); v != nil {
				return v
			}
		}
	}
	return nil
}

// solid is the builtin class whose value instances hold: object where it is none.
func (c *Class) solid() *Class {
	for _, k := range c.mro {
		if k.native {
			return k
		}
	}
	return ObjectClass
}

// metaMethod is a method that the metaclass defines, or nil.
func (c *Class) metaMethod(name string) Value {
	if c.meta == nil {
		return nil
	}
	return c.meta.defines(name)
}

// IsSubclass reports whether c is base or derived from it.
func (c *Class) IsSubclass(base *Class) bool {
	return c == base || slices.Contains(c.mro, base)
}

// Instance is an object of a class written in the script, or an exception.
type Instance struct {
	class  *Class
	attrs  attrs
	native Value // the value inside an instance of a class derived from a builtin or host class
}

// Unwrap returns the builtin or host value inside an instance of a class
// derived from its class, and any other value as it is.
func Unwrap(v Value) Value {
	if i, ok := v.(*Instance); ok && i.native != nil {
		return i.native
	}
	return v
}

// The classes of the builtin types. What they have is in the table builtinClasses.
var (
	ObjectClass    = newObjectClass()
	TypeClass      = newNative("type", nil)
	noneClass      = newFinal("NoneType", nil)
	ellipsisClass  = newFinal("ellipsis", nil)
	notImplClass   = newFinal("NotImplementedType", nil)
	IntClass       = newNative("int", nil)
	BoolClass      = newFinal("bool", IntClass)
	FloatClass     = newNative("float", nil)
	StrClass       = newNative("str", nil)
	BytesClass     = newNative("bytes", nil)
	TupleClass     = newNative("tuple", nil)
	ListClass      = newNative("list", nil)
	DictClass      = newNative("dict", nil)
	SetClass       = newNative("set", nil)
	FrozenSetClass = newNative("frozenset", nil)
	RangeClass     = newFinal("range", nil)
	SliceClass     = newFinal("slice", nil)
	functionClass  = newFinal("function", nil)
	builtinClass   = newFinal("builtin_function_or_method", nil)
	methodClass    = newFinal("method", nil)
	methodDescr    = newFinal("method_descriptor", nil)
	moduleClass    = newFinal("module", nil)
	generatorClass = newFinal("generator", nil)
	propertyClass  = newNative("property", nil)
	staticClass    = newNative("staticmethod", nil)
	classMethod    = newNative("classmethod", nil)
	superClass     = newFinal("super", nil)
)

func newObjectClass() *Class {
	c := &Class{Name: "object", dict: newNamespace()}
	c.mro = []*Class{c}
	return c
}

// ClassOf returns the class of any value.
func ClassOf(v Value) *Class {
	switch v := v.(type) {
	case *Instance:
		return v.class
	case int64, *big.Int:
		return IntClass
	case float64:
		return FloatClass
	case bool:
		return BoolClass
	case string:
		return StrClass
	case *NoneType:
		return noneClass
	case *List:
		return ListClass
	case *Tuple:
		return TupleClass
	case *Dict:
		return DictClass
	case *Set:
		if v.Frozen {
			return FrozenSetClass
		}
		return SetClass
	case Object:
		return v.PyClass()
	case *Function:
		return functionClass
	case *Builtin:
		return builtinClass
	case *BoundMethod:
		if _, ok := v.Func.(*Method); ok {
			return builtinClass
		}
		return methodClass
	case *Method, *goProperty:
		return methodDescr
	case *Class:
		if v.meta != nil {
			return v.meta
		}
		return TypeClass
	case *Module:
		return moduleClass
	case *Range:
		return RangeClass
	case *Slice:
		return SliceClass
	case Bytes:
		return BytesClass
	case *EllipsisType:
		return ellipsisClass
	case *NotImplementedType:
		return notImplClass
	case Iterator:
		return iteratorClass("iterator")
	}
	return ObjectClass
}

// TypeName returns the name of the class of v, for error messages.
func TypeName(v Value) string { return ClassOf(v).Name }

// IsInstance reports whether v is an instance of the class or of one derived from it.
func IsInstance(v Value, c *Class) bool { return ClassOf(v).IsSubclass(c) }
