package vm

import "slices"

// SetAttr assigns an attribute.
func (t *Thread) SetAttr(v Value, name string, x Value) error { return t.storeAttr(v, name, x) }

// DelAttr deletes an attribute.
func (t *Thread) DelAttr(v Value, name string) error { return t.storeAttr(v, name, nil) }

// storeAttr sets an attribute, or deletes it if x is nil.
func (t *Thread) storeAttr(v Value, name string, x Value) error {
	switch o := v.(type) {
	case *Instance:
		return t.storeInstance(o, name, x)
	case *Class:
		if o.meta != nil {
			hook, args := "__setattr__", []Value{o, name, x}
			if x == nil {
				hook, args = "__delattr__", args[:2]
			}
			if h := o.meta.defines(hook); h != nil {
				_, err := t.Call(h, args...)
				return err
			}
		}
		return t.storeClass(o, name, x)
	case *Module:
		if x == nil && o.globals.get(name) == nil {
			return t.noAttr(v, name)
		}
		o.globals.set(name, x)
		return nil
	case *Function:
		return o.store(t, name, x)
	case AttributeSetter:
		if ok, err := o.SetAttr(t, name, x); ok || err != nil {
			return err
		}
	}
	if p, ok := ClassOf(v).lookup(name).(*goProperty); ok {
		return p.store(t, v, x)
	}
	if r, err := t.lookupAttr(v, name); err == nil && r != nil {
		return Raise(AttributeError, "'%s' object attribute '%s' is read-only", TypeName(v), name)
	}
	return t.noAttr(v, name)
}

// storeClass is type.__setattr__ and type.__delattr__.
func (t *Thread) storeClass(o *Class, name string, x Value) error {
	switch {
	case o.module == "":
		return TypeErrorf("cannot set '%s' attribute of immutable type '%s'", name, o.Name)
	case x == nil && o.dict.get(name) == nil:
		return t.noAttr(o, name)
	case name == "__name__":
		if s, ok := x.(string); ok {
			o.Name = s
			return nil
		}
	case name == "__module__":
		if s, ok := x.(string); ok && s != "" {
			o.module = s
			return nil
		}
	case name == "__qualname__":
		return nil
	case name == "__doc__" && x != nil:
		o.doc = x
		return nil
	}
	o.dict.set(name, x)
	return nil
}

func (p *goProperty) store(t *Thread, self, x Value) error {
	if p.set == nil || x == nil {
		return Raise(AttributeError, "attribute '%s' of '%s' objects is not writable", p.name, TypeName(self))
	}
	_, err := p.set(t, Unwrap(self), Args{Pos: []Value{x}})
	return err
}

func (f *Function) store(t *Thread, name string, x Value) error {
	switch {
	case x == nil:
		if !f.attrs.remove(name) {
			return t.noAttr(f, name)
		}
	case name == "__name__":
		s, ok := x.(string)
		if !ok {
			return TypeErrorf("__name__ must be set to a string object")
		}
		f.name = s
	case name == "__doc__":
		f.doc = x
	default:
		f.attrs.set(name, x)
	}
	return nil
}

func (t *Thread) storeInstance(o *Instance, name string, x Value) error {
	hook, args := "__setattr__", []Value{o, name, x}
	if x == nil {
		hook, args = "__delattr__", args[:2]
	}
	if h := o.class.defines(hook); h != nil {
		_, err := t.Call(h, args...)
		return err
	}
	return t.storeOwn(o, name, x)
}

// storeOwn is object.__setattr__ and object.__delattr__.
func (t *Thread) storeOwn(o *Instance, name string, x Value) error {
	switch d := o.class.lookup(name).(type) {
	case *property:
		fn, word := d.set, "setter"
		args := []Value{o, x}
		if x == nil {
			fn, word, args = d.del, "deleter", args[:1]
		}
		if fn == None {
			return Raise(AttributeError, "property '%s' of '%s' object has no %s", name, o.class.Name, word)
		}
		_, err := t.Call(fn, args...)
		return err
	case *goProperty:
		return d.store(t, o, x)
	case *Instance:
		if set := d.class.defines("__set__"); set != nil && x != nil {
			_, err := t.Call(set, d, o, x)
			return err
		}
		if del := d.class.defines("__delete__"); del != nil && x == nil {
			_, err := t.Call(del, d, o)
			return err
		}
	}
	if x == nil {
		if !o.attrs.remove(name) {
			return t.noAttr(o, name)
		}
		return nil
	}
	if c, ok := x.(*Class); ok && name == "__class__" {
		return TypeErrorf("__class__ assignment is not supported (to '%s')", c.Name)
	}
	if o.attrs.get(name) == nil {
		if slots, ok := o.class.defines("__slots__").(*Tuple); ok && !o.class.hasSlot(slots, name) {
			return t.noAttr(o, name)
		}
		if err := t.Charge(valueBytes + 16); err != nil {
			return err
		}
	}
	o.attrs.set(name, x)
	return nil
}

// hasSlot reports whether instances may have an attribute, given the slots of the
// nearest class that has them: those of all bases count, and a class without gives a dict.
func (c *Class) hasSlot(slots *Tuple, name string) bool {
	if slices.Contains(slots.Elems, Value(name)) {
		return true
	}
	for _, k := range c.mro {
		if k.native || k == ObjectClass {
			continue
		}
		s, ok := k.dict.get("__slots__").(*Tuple)
		if !ok || slices.Contains(s.Elems, Value(name)) {
			return true
		}
	}
	return false
}
