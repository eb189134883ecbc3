package vm

import (
	"github.com/copaflash/copaflash/compiler/script/python/bytecode"
)

func makeFunction(t *Thread, f *frame, arg int) error {
	p := f.prog.children[arg]
	fn := &Function{prog: p, globals: f.globals, name: p.Name, doc: None}
	if p.Doc != "" {
		fn.doc = p.Doc
	}
	if n := len(p.KwDefaults); n > 0 {
		fn.kwonly = make([]Value, p.NumKwOnly)
		for i, v := range f.popN(n) {
			fn.kwonly[p.KwDefaults[i]] = v
		}
	}
	if p.NumDefaults > 0 {
		fn.defaults = f.popN(p.NumDefaults)
	}
	if len(p.Captures) > 0 {
		fn.captured = make([]*cell, len(p.Captures))
		for i, c := range p.Captures {
			fn.captured[i] = f.cells[c]
		}
	}
	f.push(fn)
	return t.Charge(functionBytes + int64(len(fn.captured)+len(fn.defaults))*16)
}

// functionBytes is what a function is charged with.
const functionBytes = 240

// exceptionOf makes an exception of what follows raise: a class or an instance.
func (t *Thread) exceptionOf(v Value, what string) (*Instance, error) {
	if c, ok := v.(*Class); ok && c.IsSubclass(BaseException) {
		x, err := t.Call(c)
		if err != nil {
			return nil, err
		}
		v = x
	}
	if exc, ok := v.(*Instance); ok && exc.class.IsSubclass(BaseException) {
		return exc, nil
	}
	return nil, TypeErrorf("%s must derive from BaseException", what)
}

func raiseStmt(t *Thread, f *frame, n int) error {
	if n == 0 {
		for o := f; o != nil; o = o.back {
			if exc, ok := o.handled.(*Instance); ok {
				return &raised{exc}
			}
		}
		return Raise(RuntimeError, "No active exception to reraise")
	}
	var cause *Instance
	if n == 2 {
		if v := f.pop(); v != None {
			var err error
			if cause, err = t.exceptionOf(v, "exception causes"); err != nil {
				return err
			}
		}
	}
	exc, err := t.exceptionOf(f.pop(), "exceptions")
	if err != nil {
		return err
	}
	if n == 2 {
		d := dataOf(exc)
		d.cause, d.suppress = cause, true
	}
	return &raised{exc}
}

func matchExc(t *Thread, f *frame, _ int) error {
	ok, err := matchesClass(f.stack[f.sp-2].(*Instance), f.stack[f.sp-1])
	if err == nil {
		f.stack[f.sp-1] = ok
	}
	return err
}

func matchesClass(exc *Instance, v Value) (bool, error) {
	classes := []Value{v}
	if tuple, ok := v.(*Tuple); ok {
		classes = tuple.Elems
	}
	for _, v := range classes {
		c, ok := v.(*Class)
		if !ok || !c.IsSubclass(BaseException) {
			return false, TypeErrorf("catching classes that do not inherit from BaseException is not allowed")
		}
		if exc.class.IsSubclass(c) {
			return true, nil
		}
	}
	return false, nil
}

func withEnter(t *Thread, f *frame, _ int) error {
	m := f.stack[f.sp-1]
	enter, err := t.special(m, "__enter__")
	if err != nil {
		return err
	}
	exit, err := t.special(m, "__exit__")
	if err != nil {
		return err
	}
	if enter == nil || exit == nil {
		return TypeErrorf("'%s' object does not support the context manager protocol", TypeName(m))
	}
	v, err := t.Call(enter)
	if err != nil {
		return err
	}
	f.stack[f.sp-1] = exit
	f.push(v)
	return nil
}

func withExit(t *Thread, f *frame, keep int) error {
	top := f.popN(keep)
	_, err := t.Call(f.pop(), None, None, None)
	f.pushAll(top)
	return err
}

func withExitExc(t *Thread, f *frame, _ int) error {
	exc := f.stack[f.sp-1].(*Instance)
	v, err := t.Call(f.stack[f.sp-3], exc.class, exc, None)
	swallow := false
	if err == nil {
		swallow, err = t.Truth(v)
	}
	f.pop()
	prev := f.pop()
	f.pop()
	if r, ok := err.(*raised); ok && dataOf(r.exc).context == nil {
		t.setContext(r.exc, f)
	}
	f.handled = prev
	if err == nil && !swallow {
		err = &raised{exc}
	}
	return err
}

// callFunction runs a function of the script.
func (t *Thread) callFunction(fn *Function, pos []Value, kw []Keyword) (Value, error) {
	p := fn.prog
	f := t.newFrame(p, fn.globals)
	if len(kw) == 0 && len(pos) == p.NumPos && p.NumKwOnly == 0 && !p.HasStar && !p.HasStarStar {
		copy(f.locals, pos)
	} else if err := t.bindParams(fn, f.locals, pos, kw); err != nil {
		return nil, withSignature(err, fn.name, fn.parameters())
	}
	if len(p.Cells) > 0 || len(fn.captured) > 0 {
		f.bindCells(fn.captured)
	}
	if p.Generator {
		return &Generator{frame: f, name: fn.name}, t.Charge(int64(len(f.words)) * 16)
	}
	v, err := t.run(f)
	t.release(f)
	return v, err
}

// bindParams spreads arguments over parameters.
func (t *Thread) bindParams(fn *Function, locals []Value, pos []Value, kw []Keyword) error {
	p := fn.prog
	given := min(len(pos), p.NumPos)
	copy(locals, pos[:given])
	star := p.NumPos + p.NumKwOnly
	if p.HasStar {
		extra := append([]Value(nil), pos[given:]...)
		if err := t.Charge(int64(len(extra)) * valueBytes); err != nil {
			return err
		}
		locals[star] = &Tuple{extra}
	}
	var rest *Dict
	if p.HasStarStar {
		rest = NewDict()
		locals[p.NumParams()-1] = rest
	}
	for _, k := range kw {
		i := paramIndex(p.Code, k.Name)
		switch {
		case i >= 0 && locals[i] != nil:
			return TypeErrorf("%s() got multiple values for argument '%s'", p.QualName, k.Name)
		case i >= 0:
			locals[i] = k.Value
		case rest != nil:
			rest.setString(k.Name, k.Value)
		default:
			if !p.HasStar && len(pos) > p.NumPos {
				return tooMany(fn, len(pos))
			}
			for _, name := range p.Locals[:p.NumPosOnly] {
				if name == k.Name {
					return TypeErrorf("%s() got some positional-only arguments passed as keyword arguments: '%s'", p.QualName, k.Name)
				}
			}
			err := TypeErrorf("%s() got an unexpected keyword argument '%s'", p.QualName, k.Name)
			if s := Similar(k.Name, p.Locals[p.NumPosOnly:p.NumPos+p.NumKwOnly]); s != "" {
				err = WithHint(err, "did you mean '"+s+"'?")
			}
			return err
		}
	}
	if !p.HasStar && len(pos) > p.NumPos {
		return tooMany(fn, len(pos))
	}
	first := p.NumPos - len(fn.defaults)
	var missing []string
	for i := given; i < p.NumPos; i++ {
		if locals[i] != nil {
			continue
		}
		if i >= first {
			locals[i] = fn.defaults[i-first]
		} else {
			missing = append(missing, p.Locals[i])
		}
	}
	if missing != nil {
		return missingArgs(p.QualName, "positional", missing)
	}
	for i := range p.NumKwOnly {
		if at := p.NumPos + i; locals[at] == nil {
			if fn.kwonly != nil && fn.kwonly[i] != nil {
				locals[at] = fn.kwonly[i]
			} else {
				missing = append(missing, p.Locals[at])
			}
		}
	}
	if missing != nil {
		return missingArgs(p.QualName, "keyword-only", missing)
	}
	return nil
}

// paramIndex finds a parameter that can be given by keyword.
func paramIndex(c *bytecode.Code, name string) int {
	for i := c.NumPosOnly; i < c.NumPos+c.NumKwOnly; i++ {
		if c.Locals[i] == name {
			return i
		}
	}
	return -1
}
