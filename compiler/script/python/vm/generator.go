package vm

import (
	bc "github.com/copaflash/copaflash/compiler/script/python/bytecode"
)

var generatorTable = []Row{
	Def("__iter__", generatorIter),
	Def("__next__", generatorNext),
	Def("send", generatorSend, "arg", "/"),
	Def("throw", generatorThrow, "typ", "val?", "tb?", "/"),
	Def("close", generatorClose),
}

// Generator is a suspended function of the script.
type Generator struct {
	frame   *frame // nil when finished
	name    string
	started bool
	running bool
	result  Value // of return, until it is fetched
}

// PyClass makes Generator a Python type.
func (*Generator) PyClass() *Class { return generatorClass }

// Next runs the generator up to its next yield.
func (g *Generator) Next(t *Thread) (Value, error) { return g.resume(t, None, nil) }

// resume continues with a value sent or an error thrown at the yield. It
// returns nil at the end, with the returned value in g.result.
func (g *Generator) resume(t *Thread, sent Value, thrown error) (Value, error) {
	if g.running {
		return nil, ValueErrorf("generator already executing")
	}
	f := g.frame
	if f == nil {
		g.result = None
		return nil, thrown
	}
	if thrown != nil && !g.started {
		g.frame = nil
		return nil, thrown
	}
	g.running = true
	var v Value
	var err error
	switch {
	case thrown != nil:
		v, err = g.throwInto(t, f, thrown)
	case g.started:
		f.push(sent)
		v, err = t.run(f)
	case sent != None:
		g.running = false
		return nil, TypeErrorf("can't send non-None value to a just-started generator")
	default:
		g.started = true
		v, err = t.run(f)
	}
	g.running = false
	switch {
	case err != nil:
		g.frame = nil
		if isException(err, StopIteration) {
			exc := err.(*raised).exc
			err = Raise(RuntimeError, "generator raised StopIteration")
			d := dataOf(err.(*raised).exc)
			d.cause, d.context, d.suppress = exc, exc, true
		}
		return nil, err
	case f.yielded:
		return v, nil
	}
	g.frame, g.result = nil, v
	return nil, nil
}

// throwInto raises err at the yield, or in the generator that it delegates to.
func (g *Generator) throwInto(t *Thread, f *frame, err error) (Value, error) {
	if f.prog.Instrs[f.pc].Op() == bc.YieldFrom {
		if sub, ok := f.stack[f.sp-1].(*Generator); ok {
			v, subErr := sub.resume(t, nil, err)
			if v != nil {
				f.yielded = true
				return v, nil
			}
			if subErr == nil {
				f.stack[f.sp-1] = sub.result
				f.pc++
				return t.run(f)
			}
			err = subErr
		}
	} else if f.pc > 0 {
		f.pc-- // the yield itself, for its position and handlers
	}
	return t.throw(f, err)
}

// delegate is one step of yield from: a value to yield, or nil and the result.
func (t *Thread) delegate(it, sent Value) (v, result Value, err error) {
	switch it := it.(type) {
	case *Generator:
		v, err = it.resume(t, sent, nil)
		return v, it.result, err
	case Iterator:
		if sent != None {
			return nil, nil, Raise(AttributeError, "'%s' object has no attribute 'send'", TypeName(it))
		}
		v, err = it.Next(t)
		return v, None, err
	}
	return nil, nil, TypeErrorf("'%s' object is not iterable", TypeName(it))
}

// stopIteration ends next() and send().
func stopIteration(result Value) error {
	if result == nil || result == None {
		return &raised{newException(StopIteration)}
	}
	return &raised{newException(StopIteration, result)}
}

// step is what a call gives that resumed the generator: its end raises StopIteration.
func (g *Generator) step(v Value, err error) (Value, error) {
	if v == nil && err == nil {
		err = stopIteration(g.result)
	}
	return v, err
}

func generatorIter(_ *Thread, g *Generator, _ []Value) (Value, error) {
	return g, nil
}

func generatorNext(t *Thread, g *Generator, _ []Value) (Value, error) {
	v, err := g.resume(t, None, nil)
	return g.step(v, err)
}

func generatorSend(t *Thread, g *Generator, vs []Value) (Value, error) {
	v, err := g.resume(t, vs[0], nil)
	return g.step(v, err)
}

func generatorThrow(t *Thread, g *Generator, vs []Value) (Value, error) {
	exc, err := t.exceptionOf(vs[0], "exceptions")
	if err != nil {
		return nil, err
	}
	v, err := g.resume(t, nil, &raised{exc})
	return g.step(v, err)
}

func generatorClose(t *Thread, g *Generator, _ []Value) (Value, error) {
	v, err := g.resume(t, nil, &raised{newException(GeneratorExit)})
	switch {
	case v != nil:
		return nil, Raise(RuntimeError, "generator ignored GeneratorExit")
	case err != nil && !isException(err, GeneratorExit) && !isException(err, StopIteration):
		return nil, err
	}
	return None, nil
}
