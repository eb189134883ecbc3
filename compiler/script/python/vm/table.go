package vm

import "slices"

// Row is what a class has under a name: a row of the table of a class that is written in
// Go. Def, DefArgs, DefProperty and DefValue make rows; Class.Define takes a table.
type Row struct {
	name     string
	method   GoMethod // one of these
	property *goProperty
	value    Value
}

// Def is a method of values of Go type T, with bound arguments: params is as NewSignature has
// it. The slice of arguments is valid until fn returns, which may change it.
func Def[T any](name string, fn func(t *Thread, self T, vs []Value) (Value, error), params ...string) Row {
	s := NewSignature(name, params...)
	return Row{name: name, method: func(t *Thread, self Value, a Args) (Value, error) {
		vs, err := t.Borrow(s, nil, &a)
		if err != nil {
			return nil, err
		}
		v, err := fn(t, self.(T), vs)
		t.GiveBack(vs)
		return v, err
	}}
}

// DefArgs is a method of values of Go type T that binds its arguments itself.
func DefArgs[T any](name string, fn func(t *Thread, self T, a Args) (Value, error)) Row {
	return Row{name: name, method: func(t *Thread, self Value, a Args) (Value, error) { return fn(t, self.(T), a) }}
}

// DefProperty is a computed attribute of values of Go type T; set may be nil.
func DefProperty[T any](name string, get func(self T) Value, set func(t *Thread, self T, v Value) error) Row {
	p := &goProperty{name: name, get: func(_ *Thread, self Value, _ Args) (Value, error) { return get(self.(T)), nil }}
	if set != nil {
		p.set = func(t *Thread, self Value, a Args) (Value, error) { return None, set(t, self.(T), a.Pos[0]) }
	}
	return Row{name: name, property: p}
}

// DefValue is an attribute of the class itself.
func DefValue(name string, v Value) Row { return Row{name: name, value: v} }

// DefFunc is a function with bound arguments: params is as NewSignature has it. The slice of
// arguments is valid until fn returns, which may change it.
func DefFunc(name string, fn func(t *Thread, vs []Value) (Value, error), params ...string) *Builtin {
	s := NewSignature(name, params...)
	return NewBuiltin(name, func(t *Thread, a Args) (Value, error) {
		vs, err := t.Borrow(s, nil, &a)
		if err != nil {
			return nil, err
		}
		v, err := fn(t, vs)
		t.GiveBack(vs)
		return v, err
	})
}

// Define gives a class what its tables have. A name twice is a mistake in the tables.
func (c *Class) Define(tables ...[]Row) {
	for _, table := range tables {
		c.dict.order = slices.Grow(c.dict.order, len(table))
		methods, cells := make([]Method, len(table)), make([]cell, len(table)) // at once: this is done at every start
		for i, r := range table {
			switch {
			case r.method != nil:
				methods[i] = Method{Name: r.name, Class: c, Fn: r.method}
				cells[i].v = &methods[i]
			case r.property != nil:
				cells[i].v = r.property
			default:
				cells[i].v = r.value
			}
			c.dict.add(c.Name, r.name, &cells[i])
		}
	}
}

// Define gives a module the functions of a table. A name twice is a mistake in the table.
func (m *Module) Define(table ...*Builtin) {
	for _, f := range table {
		m.globals.add(m.Name, f.Name, &cell{f})
	}
}

// add is set of a name that is not there yet, in the namespace of a class or module.
func (n *Namespace) add(of, name string, c *cell) {
	if n.cells[name] != nil {
		panic(of + "." + name + " is defined twice")
	}
	n.cells[name] = c
	n.order = append(n.order, name)
}

// classTable is a class of package vm, how a value of it is made, nil where scripts make
// none or as its base does, and what it has.
type classTable struct {
	class  *Class
	new    func(t *Thread, cls *Class, a Args) (Value, error)
	tables [][]Row
}

// builtinClasses have names that scripts see without an import, as the exceptions have.
var builtinClasses = []classTable{
	{ObjectClass, newObject, [][]Row{objectTable}},
	{TypeClass, newType, [][]Row{typeTable}},
	{IntClass, newInt, [][]Row{intTable}},
	{BoolClass, newBool, nil},
	{FloatClass, newFloat, [][]Row{floatTable}},
	{StrClass, newStr, [][]Row{strTable, strCaseTable, strTestTable, strSearchTable, strSplitTable, strPadTable}},
	{BytesClass, newBytes, [][]Row{bytesTable}},
	{TupleClass, newTuple, [][]Row{sequenceTable}},
	{ListClass, newList, [][]Row{sequenceTable, listTable}},
	{DictClass, newDict, [][]Row{dictTable}},
	{SetClass, newSet, [][]Row{setTable, setChangeTable}},
	{FrozenSetClass, newFrozenSet, [][]Row{setTable}},
	{RangeClass, newRange, [][]Row{rangeTable}},
	{SliceClass, newSlice, [][]Row{sliceTable}},
	{propertyClass, newProperty, [][]Row{propertyTable}},
	{staticClass, newStaticMethod, nil},
	{classMethod, newClassMethod, nil},
	{superClass, newSuper, nil},
}

var otherClasses = []classTable{
	{generatorClass, nil, [][]Row{generatorTable}},
	{BaseException, newBaseException, [][]Row{exceptionTable}},
	{StopIteration, nil, [][]Row{stopIterationTable}},
}

// builtinFunctions are what scripts see without an import.
var builtinFunctions = [][]*Builtin{objectFunctions, textFunctions, iteratorFunctions, numberFunctions, absentFunctions}

// builtinNames are all names that scripts see without an import.
var builtinNames = map[string]Value{
	"Ellipsis": Ellipsis, "NotImplemented": NotImplemented, "EnvironmentError": OSError, "IOError": OSError,
}

func nameBuiltin(name string, v Value) {
	if builtinNames[name] != nil {
		panic("builtins." + name + " is defined twice")
	}
	builtinNames[name] = v
}

func init() {
	for _, list := range [][]classTable{builtinClasses, otherClasses} {
		for _, c := range list {
			c.class.new = c.new
			c.class.Define(c.tables...)
		}
	}
	for _, c := range builtinClasses {
		nameBuiltin(c.class.Name, c.class)
	}
	for n, c := range exceptionClasses {
		nameBuiltin(n, c)
	}
	for _, list := range builtinFunctions {
		for _, f := range list {
			nameBuiltin(f.Name, f)
		}
	}
}
