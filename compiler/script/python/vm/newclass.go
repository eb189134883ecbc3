package vm

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/script/python/bytecode"
)

// makeClass runs the body of a class statement and makes the class, by its metaclass
// if it has one.
func makeClass(t *Thread, f *frame, arg int) error {
	p := f.prog.children[arg]
	kw := f.stack[f.sp-1].(*Dict)
	bases := f.stack[f.sp-2].(*List).Elems
	classes, err := t.baseClasses(bases)
	if err != nil {
		return err
	}
	meta, err := metaclass(kw, classes)
	if err != nil {
		return err
	}
	body := t.newFrame(p, f.globals)
	body.names = newNamespace()
	if meta != nil {
		body.names.rebind = meta.lookup("_rebind_")
	}
	captured := make([]*cell, len(p.Captures))
	for i, c := range p.Captures {
		captured[i] = f.cells[c]
	}
	body.bindCells(captured)
	if _, err := t.run(body); err != nil {
		return err
	}
	d := classDef{name: p.Name, bases: classes, names: body.names, meta: meta, doc: None, module: "__main__"}
	if s, ok := f.globals.get("__name__").(string); ok {
		d.module = s
	}
	if p.Doc != "" {
		d.doc = p.Doc
	}
	if len(p.Annotations) > 0 {
		d.annotations = &annotations{list: p.Annotations, globals: f.globals, names: body.names}
	}
	var cell *cell // of __class__
	if len(p.Cells) > 0 {
		cell = body.cells[0]
	}
	var cls Value
	if meta == nil {
		cls, err = t.buildClass(&d, keywords(kw))
	} else {
		ns := body.names.dict()
		ns.setString("__classdef__", &d)
		cls, err = t.CallArgs(meta, Args{Pos: []Value{p.Name, NewTuple(slices.DeleteFunc(slices.Clone(bases), isNoOp)...), ns}, Kw: keywords(kw)})
	}
	if err != nil {
		return err
	}
	if cell != nil {
		cell.v = cls
	}
	f.truncate(f.sp - 2)
	f.push(cls)
	return nil
}

func isNoOp(v Value) bool {
	_, nothing := v.(*noOpType)
	return nothing
}

// classDef is a class about to be made.
type classDef struct {
	name, module string
	bases        []*Class
	names        *Namespace
	meta         *Class // nil: type
	doc          Value
	annotations  *annotations
}

// keywords returns the keyword arguments of a class statement but metaclass.
func keywords(kw *Dict) (list []Keyword) {
	for k, v := range kw.All() {
		if s, ok := k.(string); ok && s != "metaclass" {
			list = append(list, Keyword{s, v})
		}
	}
	return list
}

// baseClasses checks what stands in the brackets of a class statement.
func (t *Thread) baseClasses(bases []Value) ([]*Class, error) {
	var classes []*Class
	for _, b := range bases {
		c, ok := b.(*Class)
		if _, nothing := b.(*noOpType); nothing {
			continue // a name of typing
		}
		if !ok {
			return nil, TypeErrorf("a base class must be a class, not '%s'", TypeName(b))
		}
		if c.final {
			return nil, TypeErrorf("type '%s' is not an acceptable base type", c.Name)
		}
		if slices.Contains(classes, c) {
			return nil, TypeErrorf("duplicate base class %s", c.Name)
		}
		classes = append(classes, c)
	}
	if classes == nil {
		classes = []*Class{ObjectClass}
	}
	return classes, nil
}

// metaclass is the most derived one of those given and inherited; nil is type.
func metaclass(kw *Dict, bases []*Class) (*Class, error) {
	var meta *Class
	for k, v := range kw.All() {
		if k == "metaclass" {
			c, ok := v.(*Class)
			if !ok || !c.IsSubclass(TypeClass) {
				return nil, TypeErrorf("metaclass must derive from type, not '%s'", TypeName(v))
			}
			if c != TypeClass {
				meta = c
			}
		}
	}
	for _, b := range bases {
		switch m := b.meta; {
		case m == nil || meta != nil && meta.IsSubclass(m):
		case meta == nil || m.IsSubclass(meta):
			meta = m
		default:
			return nil, TypeErrorf("metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the metaclasses of all its bases")
		}
	}
	return meta, nil
}

// newClass is type.__new__(meta, name, bases, namespace, **keywords).
func (t *Thread) newClass(meta *Class, a Args) (Value, error) {
	if len(a.Pos) != 3 {
		return nil, TypeErrorf("type.__new__() takes exactly 3 arguments (%d given)", len(a.Pos))
	}
	name, ok := a.Pos[0].(string)
	bases, isTuple := a.Pos[1].(*Tuple)
	ns, isDict := Unwrap(a.Pos[2]).(*Dict)
	if !ok || !isTuple || !isDict {
		return nil, TypeErrorf("type.__new__() takes a str, a tuple and a dict")
	}
	classes, err := t.baseClasses(bases.Elems)
	if err != nil {
		return nil, err
	}
	d := classDef{doc: None, module: "__main__"}
	if s, ok := t.globals().get("__name__").(string); ok {
		d.module = s
	}
	d.name, d.bases, d.names = name, classes, newNamespace()
	for k, v := range ns.All() {
		s, ok := k.(string)
		if !ok {
			return nil, TypeErrorf("names in the dict of a class must be str, not '%s'", TypeName(k))
		}
		if given, ok := v.(*classDef); ok { // from a class statement
			d.module, d.doc, d.annotations = given.module, given.doc, given.annotations
			continue
		}
		d.names.set(s, v)
	}
	for name, set := range map[string]func(s string){"__module__": func(s string) { d.module = s }, "__doc__": func(s string) { d.doc = s }} {
		if s, ok := d.names.get(name).(string); ok {
			set(s)
		}
	}
	if c := d.names.cells["__doc__"]; c != nil {
		c.v = nil
	}
	if d.meta = meta; meta == TypeClass {
		if d.meta, err = metaclass(NewDict(), classes); err != nil {
			return nil, err
		}
	}
	return t.buildClass(&d, a.Kw)
}

// implicitWrap are the methods that are static or class methods without a decorator.
var implicitWrap = map[string]bool{"__new__": false, "__init_subclass__": true, "__class_getitem__": true}

// buildClass makes a class from its parts and tells the bases and members.
func (t *Thread) buildClass(d *classDef, kw []Keyword) (Value, error) {
	if d.names.get("__getattribute__") != nil {
		return nil, WithHint(TypeErrorf("class '%s': __getattribute__ is not supported", d.name), "define __getattr__, which is called for what is not there, or a property")
	}
	cls := &Class{Name: d.name, Base: d.bases[0], bases: d.bases, meta: d.meta, dict: d.names, module: d.module, doc: d.doc, annotations: d.annotations}
	var err error
	if cls.mro, err = linearize(cls); err != nil {
		return nil, err
	}
	if err := soleLayout(cls); err != nil {
		return nil, err
	}
	if err := t.Charge(int64(len(cls.dict.order)+8) * 64); err != nil {
		return nil, err
	}
	for name, class := range implicitWrap {
		if fn, ok := cls.dict.get(name).(*Function); ok {
			cls.dict.set(name, &wrapped{fn, class})
		}
	}
	if cls.dict.get("__slots__") != nil {
		if err := t.slots(cls); err != nil {
			return nil, err
		}
	}
	for _, name := range cls.dict.names() {
		if m, ok := cls.dict.get(name).(*Instance); ok {
			if hook := m.class.defines("__set_name__"); hook != nil {
				if _, err := t.Call(hook, m, cls, name); err != nil {
					return nil, err
				}
			}
		}
	}
	hook := cls.lookupAfter(cls, "__init_subclass__")
	if w, ok := hook.(*wrapped); ok {
		if _, err := t.CallArgs(w.fn, Args{Pos: []Value{cls}, Kw: kw}); err != nil {
			return nil, err
		}
	}
	return cls, nil
}

// slots makes a tuple of __slots__.
func (t *Thread) slots(cls *Class) error {
	v := cls.dict.get("__slots__")
	if s, ok := v.(string); ok {
		v = NewTuple(s)
	}
	names, err := t.Collect(v)
	if err != nil {
		return err
	}
	for i, n := range names {
		s, ok := n.(string)
		if !ok {
			return TypeErrorf("__slots__ items must be strings, not '%s'", TypeName(n))
		}
		names[i] = bytecode.Mangle(cls.Name, s)
		if cls.dict.get(s) != nil {
			return ValueErrorf("'%s' in __slots__ conflicts with class variable", s)
		}
	}
	cls.dict.set("__slots__", NewTuple(names...))
	return nil
}

// linearize computes the method resolution order (C3).
func linearize(cls *Class) ([]*Class, error) {
	var lists [][]*Class
	for _, b := range cls.bases {
		lists = append(lists, b.mro)
	}
	lists = append(lists, cls.bases)
	mro := []*Class{cls}
	for {
		lists = slices.DeleteFunc(lists, func(l []*Class) bool { return len(l) == 0 })
		if len(lists) == 0 {
			return mro, nil
		}
		next := nextInOrder(lists)
		if next == nil {
			return nil, TypeErrorf("Cannot create a consistent method resolution\norder (MRO) for bases %s", baseNames(cls.bases))
		}
		mro = append(mro, next)
		for i, l := range lists {
			if l[0] == next {
				lists[i] = l[1:]
			}
		}
	}
}

// nextInOrder is the first head that is in no tail.
func nextInOrder(lists [][]*Class) *Class {
	for _, l := range lists {
		head := l[0]
		if !slices.ContainsFunc(lists, func(o []*Class) bool { return slices.Contains(o[1:], head) }) {
			return head
		}
	}
	return nil
}

func baseNames(bases []*Class) string {
	s := ""
	for i, b := range bases {
		if i > 0 {
			s += ", "
		}
		s += b.Name
	}
	return s
}

// soleLayout fails if a class derives from two builtin classes of which neither derives from the other.
func soleLayout(cls *Class) error {
	solid := cls.solid()
	for _, k := range cls.mro {
		if k.native && !solid.IsSubclass(k) && !(solid.IsSubclass(BaseException) && k.IsSubclass(BaseException)) {
			return TypeErrorf("multiple bases have instance lay-out conflict")
		}
	}
	return nil
}
