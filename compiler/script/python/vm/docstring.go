package vm

import "strings"

// SetDocs gives the module its doc string, text(""), and its functions and classes, with
// what those have, theirs: `__doc__` of f, C and C.m is text("f"), text("C") and
// text("C.m"), asked for when a script reads it. An empty text is None.
func (m *Module) SetDocs(text func(name string) string) {
	m.doc = func() string { return text("") }
	of := func(name string) func() string { return func() string { return text(name) } }
	for _, name := range m.globals.names() {
		switch v := m.globals.get(name).(type) {
		case *Builtin:
			v.doc = of(name)
		case *Class:
			v.docs = of(name)
			for _, attr := range v.dict.names() {
				doc := of(name + "." + attr)
				switch d := v.dict.get(attr).(type) {
				case *Builtin:
					d.doc = doc
				case *Method:
					d.doc = doc
				case *goProperty:
					d.doc = doc
				}
			}
		}
	}
}

// docValue is a doc string of the host as scripts see it.
func docValue(doc func() string) Value {
	if doc != nil {
		if s := doc(); s != "" {
			return s
		}
	}
	return None
}

// builtinHelp is help(x): the doc string of x, or of its class where x has none.
func builtinHelp(t *Thread, vs []Value) (Value, error) {
	if vs[0] == nil {
		return printFunc(t, Args{Pos: []Value{"help(x) shows what x is: a function, a class or a module, such as help(max)"}})
	}
	text, err := t.docOf(vs[0])
	if err != nil {
		return nil, err
	}
	return printFunc(t, Args{Pos: []Value{strings.TrimSpace(text)}})
}

func (t *Thread) docOf(v Value) (string, error) {
	doc, err := t.lookupAttr(v, "__doc__")
	if err != nil {
		return "", err
	}
	if text, ok := doc.(string); ok {
		return text, nil
	}
	name, err := t.lookupAttr(v, "__name__")
	if err != nil {
		return "", err
	}
	if name, ok := name.(string); ok {
		return name + " has no doc string", nil
	}
	c := ClassOf(v)
	if doc, err = t.classAttr(c, "__doc__"); err != nil {
		return "", err
	}
	text, _ := doc.(string)
	return "a value of type " + c.Name + "\n\n" + text, nil
}
