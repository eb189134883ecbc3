package vm

import (
	"github.com/copaflash/copaflash/compiler/script/python/bytecode"
	"github.com/copaflash/copaflash/compiler/script/python/syntax"
)

// annotations are those of a class or function. They are evaluated when somebody asks for
// them, so that they may name what exists for type checkers only; what cannot be evaluated
// stands as its text.
type annotations struct {
	list    []bytecode.Annotation
	globals *Namespace
	names   *Namespace // of the class; nil for functions
	dict    *Dict      // once evaluated
}

func (t *Thread) evalAnnotations(a *annotations) (*Dict, error) {
	if a.dict != nil {
		return a.dict, nil
	}
	d := NewDict()
	for _, e := range a.list {
		v, err := t.evalText(e.Text, a.globals, a.names)
		if err != nil {
			if _, limit := err.(*LimitError); limit || isException(err, MemoryError) {
				return nil, err
			}
			v = e.Text
		}
		d.setString(e.Name, v)
	}
	a.dict = d
	return d, nil
}

// evalText evaluates an expression of the script's own text.
func (t *Thread) evalText(text string, globals, names *Namespace) (Value, error) {
	src, err := syntax.NewSource("annotation", []byte("("+text+"\n)"))
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(src)
	if err != nil {
		return nil, err
	}
	code, err := bytecode.CompileExpr(tree)
	if err != nil {
		return nil, err
	}
	if names != nil { // names of the class come first
		all := newNamespace()
		for _, from := range []*Namespace{globals, names} {
			for _, n := range from.names() {
				all.set(n, from.get(n))
			}
		}
		globals = all
	}
	return t.run(t.newFrame(newProgram(code, uint32(len(t.sources))), globals))
}

func (t *Thread) classAnnotations(c *Class) (Value, error) {
	if c.annotations == nil {
		return NewDict(), nil
	}
	return t.evalAnnotations(c.annotations)
}

func (t *Thread) functionAnnotations(f *Function) (Value, error) {
	return t.evalAnnotations(&annotations{list: f.prog.Annotations, globals: f.globals})
}
