package vm

import (
	"fmt"
	"math/big"

	"github.com/copaflash/copaflash/compiler/script/python/bytecode"
	"github.com/copaflash/copaflash/compiler/script/python/syntax"
)

// NoneType is the type of None; Ellipsis and NotImplemented are singletons likewise.
type (
	NoneType           struct{ _ byte }
	EllipsisType       struct{ _ byte }
	NotImplementedType struct{ _ byte }
)

// None, Ellipsis and NotImplemented are the only values of their types.
var (
	None           Value = &NoneType{}
	Ellipsis       Value = &EllipsisType{}
	NotImplemented Value = &NotImplementedType{}
)

// Bytes is a bytes value.
type Bytes = syntax.Bytes

// Tuple is an immutable sequence.
type Tuple struct{ Elems []Value }

// NewTuple makes a tuple that owns the slice.
func NewTuple(elems ...Value) *Tuple { return &Tuple{elems} }

// List is a mutable sequence.
type List struct{ Elems []Value }

// NewList makes a list that owns the slice.
func NewList(elems []Value) *List { return &List{elems} }

// Slice is a:b:c as a subscript; absent parts are None.
type Slice struct{ Start, Stop, Step Value }

// Range is an arithmetic progression of ints. Bounds beyond int64 are not supported.
type Range struct {
	Start, Stop, Step int64
	count             int64
}

// NewRange makes a range; step must not be 0.
func NewRange(start, stop, step int64) *Range {
	r := &Range{Start: start, Stop: stop, Step: step}
	switch {
	case step > 0 && start < stop:
		r.count = int64((uint64(stop)-uint64(start)-1)/uint64(step)) + 1
	case step < 0 && start > stop:
		r.count = int64((uint64(start)-uint64(stop)-1)/(-uint64(step))) + 1
	}
	return r
}

// Len returns the number of values.
func (r *Range) Len() int64 { return r.count }

// At returns the i-th value, 0 <= i < Len().
func (r *Range) At(i int64) int64 { return r.Start + i*r.Step }

// Function is a function written in the script.
type Function struct {
	prog     *program
	globals  *Namespace
	defaults []Value
	kwonly   []Value // by index of the keyword-only parameter, nil without default
	captured []*cell
	attrs    attrs
	name     string
	doc      Value
}

// Builtin is a function written in Go.
type Builtin struct {
	Name string
	Fn   GoFunc
	doc  func() string // nil without doc strings
}

// NewBuiltin makes a function from Go code.
func NewBuiltin(name string, fn GoFunc) *Builtin { return &Builtin{Name: name, Fn: fn} }

// Method is a GoMethod in a class: looked up on a value it gives a BoundMethod.
type Method struct {
	Name  string
	Class *Class
	Fn    GoMethod
	doc   func() string // nil without doc strings
}

// BoundMethod is a function together with its first argument.
type BoundMethod struct {
	Self Value
	Func Value
}

// Module is a module object.
type Module struct {
	Name    string
	doc     func() string // nil without doc strings
	absent  func(name string) string
	globals *Namespace

	annotations *annotations // nil without
	folder      bool         // a package: other modules lie below it
}

// NewModule makes an empty module.
func NewModule(name string) *Module { return &Module{Name: name, globals: newNamespace()} }

// Set defines a name of the module.
func (m *Module) Set(name string, v Value) { m.globals.set(name, v) }

// Func defines a function of the module.
func (m *Module) Func(name string, fn GoFunc) { m.Set(name, NewBuiltin(name, fn)) }

// SetAbsent has what to write instead of a name that the module has not: hint(name),
// or "" where that is nothing special.
func (m *Module) SetAbsent(hint func(name string) string) { m.absent = hint }

// Get returns the value of a name, or nil.
func (m *Module) Get(name string) Value { return m.globals.get(name) }

// Names returns the defined names in the order of definition.
func (m *Module) Names() []string { return m.globals.names() }

// cell is a variable that can be shared; its value is nil while unbound.
type cell struct{ v Value }

// Namespace is the ordered set of variables of a module or class.
type Namespace struct {
	cells  map[string]*cell
	order  []string
	rebind Value // of a class body: called before a name gets another value; nil: nothing is
}

func newNamespace() *Namespace { return &Namespace{cells: map[string]*cell{}} }

func (n *Namespace) cell(name string) *cell {
	c := n.cells[name]
	if c == nil {
		c = &cell{}
		n.cells[name] = c
		n.order = append(n.order, name)
	}
	return c
}

func (n *Namespace) get(name string) Value {
	if c := n.cells[name]; c != nil {
		return c.v
	}
	return nil
}

func (n *Namespace) set(name string, v Value) { n.cell(name).v = v }

func (n *Namespace) names() []string {
	var list []string
	for _, name := range n.order {
		if n.cells[name].v != nil {
			list = append(list, name)
		}
	}
	return list
}

// dict returns the variables as a new dict.
func (n *Namespace) dict() *Dict {
	d := NewDict()
	for _, name := range n.names() {
		d.setString(name, n.get(name))
	}
	return d
}

// attrs are the attributes of one object in the order of assignment.
type attrs struct {
	names  []string
	values []Value
	index  map[string]int // built when there are many
}

const indexedAttrs = 12

func (a *attrs) find(name string) int {
	if a.index != nil {
		if i, ok := a.index[name]; ok {
			return i
		}
		return -1
	}
	for i, n := range a.names {
		if n == name {
			return i
		}
	}
	return -1
}

func (a *attrs) get(name string) Value {
	if i := a.find(name); i >= 0 {
		return a.values[i]
	}
	return nil
}

func (a *attrs) set(name string, v Value) {
	if i := a.find(name); i >= 0 {
		a.values[i] = v
		return
	}
	a.names = append(a.names, name)
	a.values = append(a.values, v)
	if a.index != nil {
		a.index[name] = len(a.names) - 1
	} else if len(a.names) > indexedAttrs {
		a.reindex()
	}
}

func (a *attrs) reindex() {
	a.index = make(map[string]int, len(a.names))
	for i, n := range a.names {
		a.index[n] = i
	}
}

func (a *attrs) remove(name string) bool {
	i := a.find(name)
	if i < 0 {
		return false
	}
	a.names = append(a.names[:i:i], a.names[i+1:]...)
	a.values = append(a.values[:i:i], a.values[i+1:]...)
	if a.index != nil {
		a.reindex()
	}
	return true
}

func (a *attrs) dict() *Dict {
	d := NewDict()
	for i, n := range a.names {
		d.setString(n, a.values[i])
	}
	return d
}

// smallInts are boxed once, since they are what most scripts count with.
var smallInts = func() (table [1280]Value) {
	for i := range table {
		table[i] = int64(i - 256)
	}
	return
}()

// box makes an int value without allocating small ones.
func box(i int64) Value {
	if uint64(i+256) < uint64(len(smallInts)) {
		return smallInts[i+256]
	}
	return i
}

// NewBig makes an int value of a big integer, which it may keep.
func NewBig(b *big.Int) Value {
	if b.IsInt64() {
		return box(b.Int64())
	}
	return b
}

// AsInt returns the value of an int or bool that fits into an int64.
func AsInt(v Value) (int64, bool) {
	switch v := Unwrap(v).(type) {
	case int64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// AsFloat returns the value of a float, int or bool; a big int is rounded.
func AsFloat(v Value) (float64, bool) {
	switch v := Unwrap(v).(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return f, true
	}
	return 0, false
}

// constant makes the value of a literal.
func constant(v any) Value {
	switch v := v.(type) {
	case syntax.NoneLit:
		return None
	case syntax.EllipsisLit:
		return Ellipsis
	case int64:
		return box(v)
	case bool, float64, string, Bytes, *big.Int:
		return v
	}
	panic(fmt.Sprintf("constant of type %T", v))
}

// program is code made ready for one module.
type program struct {
	*bytecode.Code
	file     uint32 // number of the source file, for Pos
	consts   []Value
	children []*program
	globals  []*cell // by index into Names, resolved at first use
	builtins []foundBuiltin
}

// foundBuiltin is what a name stood for while its module had so many others.
type foundBuiltin struct {
	v     Value
	known int
}

func newProgram(code *bytecode.Code, file uint32) *program {
	p := &program{Code: code, file: file, globals: make([]*cell, len(code.Names))}
	for _, c := range code.Consts {
		p.consts = append(p.consts, constant(c))
	}
	for _, c := range code.Children {
		p.children = append(p.children, newProgram(c, file))
	}
	return p
}
