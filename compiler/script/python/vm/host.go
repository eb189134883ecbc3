package vm

import (
	"github.com/copaflash/copaflash/compiler/script/python/bytecode"
	"github.com/copaflash/copaflash/compiler/script/python/syntax"
)

// Value is any Python value; the package documentation lists the Go types.
type Value = any

// Object is implemented by every host type whose values scripts can hold.
type Object interface {
	// PyClass returns the Python class; type(x) and isinstance use it.
	PyClass() *Class
}

// Operand is a host value that takes part in binary operations.
type Operand interface {
	// Binary computes `self op other`, or `other op self` when reflected is
	// set. It returns NotImplemented to let the other operand try; if both
	// decline, the script gets Python's TypeError. In-place operators (+=)
	// arrive as the plain operation, but for an InplaceOperand.
	Binary(t *Thread, op BinaryOp, other Value, reflected bool) (Value, error)
}

// InplaceOperand is a host value with in-place operators of its own.
type InplaceOperand interface {
	Operand
	// Inplace computes `self op= other`, unless self is an element of an
	// IndexSetter, which is assigned what Binary gives. It returns
	// NotImplemented for the plain operation.
	Inplace(t *Thread, op BinaryOp, other Value) (Value, error)
}

// UnaryOperand is a host value with unary operations and conversions.
type UnaryOperand interface {
	// Unary returns NotImplemented for an operation it does not have.
	Unary(t *Thread, op UnaryOp) (Value, error)
}

// Comparer is a host value with its own comparisons. Without it == and !=
// compare identity and the others are errors.
type Comparer interface {
	// Compare computes `self op other`. For `other op self` with a foreign
	// left operand it is called with the mirrored op. The result may be any
	// value (a traced bool); NotImplemented declines.
	Compare(t *Thread, op CompareOp, other Value) (Value, error)
}

// Truther is a host value with a truth value of its own. A traced value
// returns an error here, so that if, while, and, or, not and bool() report it
// at their position.
type Truther interface {
	Truth(t *Thread) (bool, error)
}

// Selector is a host value that can be the condition of a conditional
// expression without being known: `a if c else b` evaluates both sides and
// calls Select. In a chained comparison (x < y < z) a result that is a
// Selector is combined with the next one by BitAnd instead of being tested.
type Selector interface {
	Select(t *Thread, ifTrue, ifFalse Value) (Value, error)
}

// Attributed is a host value with computed attributes.
type Attributed interface {
	// Attr returns nil, nil when there is no such attribute; the class of the
	// value is searched next.
	Attr(t *Thread, name string) (Value, error)
}

// AttributeSetter is a host value whose attributes can be assigned.
type AttributeSetter interface {
	// SetAttr returns ok false when there is no such attribute to set. A nil
	// value asks for deletion.
	SetAttr(t *Thread, name string, value Value) (ok bool, err error)
}

// Indexer is a host value with x[key]; key may be a *Slice or a *Tuple.
type Indexer interface {
	Index(t *Thread, key Value) (Value, error)
}

// IndexSetter is a host value with x[key] = value; a nil value asks for deletion.
type IndexSetter interface {
	SetIndex(t *Thread, key, value Value) error
}

// Sizer is a host value with len(x). It also gives the truth of values that
// are not Truthers.
type Sizer interface {
	Len(t *Thread) (int, error)
}

// Iterable is a host value that can be iterated and unpacked.
type Iterable interface {
	Iter(t *Thread) (Iterator, error)
}

// Iterator yields values. Every Iterator is itself a Python value.
type Iterator interface {
	// Next returns nil, nil at the end.
	Next(t *Thread) (Value, error)
}

// Container is a host value with its own `x in self`; without it the values
// of an Iterable are compared one by one.
type Container interface {
	Contains(t *Thread, x Value) (bool, error)
}

// Callable is a host value that can be called.
type Callable interface {
	Call(t *Thread, a Args) (Value, error)
}

// Bindable is a host value that, found in a class, is called with the instance first, as
// a function of the script is.
type Bindable interface {
	Callable
	Bindable()
}

// Formatter is a host value with format specs in f-strings and format().
type Formatter interface {
	Format(t *Thread, spec string) (string, error)
}

// Reprer is a host value with its own repr. The default is <name object>.
type Reprer interface {
	Repr(t *Thread) (string, error)
}

// Stringer is a host value whose str differs from its repr.
type Stringer interface {
	Str(t *Thread) (string, error)
}

// CalledAttributed is a host value with attributes that are numbers, and may be called
// all the same: what x.name() calls, or nil.
type CalledAttributed interface {
	CalledAttr(name string, v Value) Value
}

// Keyed is a host value that is a key of dicts and a member of sets by what Key gives,
// which Go can compare, and not by hash and ==.
type Keyed interface {
	Key() any
}

// Hasher is a host value that is hashed by content, or that refuses to be
// hashed by returning an error. Values that are no Hashers are hashed and, in
// dicts and sets, compared by identity.
type Hasher interface {
	Hash(t *Thread) (uint64, error)
}

// GoFunc is a function written in Go that scripts can call.
type GoFunc func(t *Thread, a Args) (Value, error)

// GoMethod is a GoFunc with a receiver. For an instance of a script class
// derived from a host class self is the host value inside it.
type GoMethod func(t *Thread, self Value, a Args) (Value, error)

// ModuleFunc makes a host module for one thread; it runs at the first import.
type ModuleFunc func(t *Thread) (*Module, error)

// Keyword is one keyword argument.
type Keyword struct {
	Name  string
	Value Value
}

// Args are the arguments of a call. The slices belong to the caller and are
// valid until the function returns: copy what is kept.
type Args struct {
	Pos []Value
	Kw  []Keyword

	site *bytecode.CallSite // the call in the script, nil when called from Go
	src  *syntax.Source     // where it stands
}
