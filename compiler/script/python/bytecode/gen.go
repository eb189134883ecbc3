package bytecode

import (
	"fmt"
	"math/big"

	"github.com/copaflash/copaflash/compiler/script/python/syntax"
)

// Bounds as in CPython, and on the size of one code object.
const (
	maxBlocks = 20        // statically nested loops, try and with statements
	maxInstrs = MaxArg    // jump targets must fit an argument
	maxUnpack = 1<<12 - 1 // targets on either side of a starred one
)

// gen generates the code of one scope.
type gen struct {
	*Code
	syms   *symbols
	scope  *scope
	at     syntax.Pos
	blocks []*block
	consts map[any]int
	names  names
	locals names
	class  string // innermost class, for private names
	qual   string // qualified name of what is being defined, with a final dot
	labels []int  // target of each label, -1 while unknown
}

// label stands for a jump target until the code is finished.
type label int

// Compile compiles a parsed file. The error is always a *syntax.Error.
func Compile(f *syntax.File) (*Code, error) { return generate(f, func(g *gen) { g.body(f.Body) }) }

func generate(f *syntax.File, body func(g *gen)) (code *Code, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case bailout:
			code, err = nil, r.err
		default:
			panic(r)
		}
	}()
	syms := analyse(f)
	g := newGen(syms, syms.scopes[f], &Code{Name: "<module>", QualName: "<module>", Source: f.Source, Kind: Module})
	body(g)
	return g.finish(), nil
}

// CompileExpr compiles a file that is one expression to code that returns its value.
func CompileExpr(f *syntax.File) (code *Code, err error) {
	if len(f.Body) != 1 {
		return nil, fmt.Errorf("not an expression")
	}
	s, ok := f.Body[0].(*syntax.ExprStmt)
	if !ok {
		return nil, fmt.Errorf("not an expression")
	}
	f.Body = []syntax.Stmt{&syntax.Return{Pos: s.Pos, X: s.X}}
	return generate(f, func(g *gen) {
		g.expr(s.X)
		g.emit(Return, 0)
	})
}

func newGen(syms *symbols, sc *scope, code *Code) *gen {
	g := &gen{Code: code, syms: syms, scope: sc, at: code.At, consts: map[any]int{}}
	g.Generator = sc.generator
	g.Cells, g.Free = sc.cells.list, sc.free.list
	return g
}

// child starts the code of a scope inside this one.
func (g *gen) child(node any, name string, kind Kind, at syntax.Pos) *gen {
	c := newGen(g.syms, g.syms.scopes[node], &Code{Name: name, QualName: g.qual + name, Source: g.Source, Kind: kind, At: at})
	c.class = g.class
	c.qual = c.QualName + "."
	if kind == Function {
		c.qual = c.QualName + ".<locals>."
	}
	for _, f := range c.Free {
		i, ok := g.scope.cell(f)
		if !ok {
			panic("free variable without cell: " + f)
		}
		c.Captures = append(c.Captures, i)
	}
	return c
}

func (g *gen) fail(at syntax.Pos, format string, args ...any) {
	fail(g.Source, at, format, args...)
}

func (g *gen) emit(op Op, arg int) int {
	if arg < 0 || arg > MaxArg || len(g.Instrs) >= maxInstrs {
		g.fail(g.at, "program too large")
	}
	g.Instrs = append(g.Instrs, Instr(op)|Instr(arg)<<8)
	g.Pos = append(g.Pos, g.at)
	return len(g.Instrs) - 1
}

func (g *gen) newLabel() label {
	g.labels = append(g.labels, -1)
	return label(len(g.labels) - 1)
}

// place makes l the address of the next instruction.
func (g *gen) place(l label) { g.labels[l] = len(g.Instrs) }

// jump emits a jump whose argument is patched by finish.
func (g *gen) jump(op Op, l label) { g.emit(op, int(l)) }

func (g *gen) constant(v any) int {
	var key any = v
	switch v := v.(type) {
	case float64:
		key = [2]any{"f", formatKey(v)}
	case *big.Int:
		key = [2]any{"b", v.String()}
	}
	i, ok := g.consts[key]
	if !ok {
		i = len(g.Consts)
		g.consts[key] = i
		g.Consts = append(g.Consts, v)
	}
	return i
}

func (g *gen) loadConst(v any) { g.emit(LoadConst, g.constant(v)) }

func (g *gen) name(n string) int { return g.names.add(n) }

// access is an operation on a variable.
type access uint8

const (
	load access = iota
	store
	del
)

// variable emits a load, store or deletion of a name.
func (g *gen) variable(a access, name string) {
	name = mangle(g.class, name)
	sym := g.scope.symbols[name]
	own := sym != nil && sym.bound && !sym.global && !sym.nonlocal
	switch {
	case g.scope.kind == Class && own:
		g.emit(LoadName+Op(a), g.name(name))
	case sym != nil && sym.global || g.scope.kind == Module:
		g.emit(LoadGlobal+Op(a), g.name(name))
	default:
		if i, ok := g.scope.cell(name); ok {
			g.emit(LoadCell+Op(a), i)
		} else if own {
			g.emit(LoadLocal+Op(a), g.locals.add(name))
		} else {
			g.emit(LoadGlobal+Op(a), g.name(name))
		}
	}
}

// finish resolves labels and computes what the machine needs to know.
func (g *gen) finish() *Code {
	target := func(l int) int {
		if g.labels[l] < 0 {
			panic("label never placed")
		}
		return g.labels[l]
	}
	for pc, in := range g.Instrs {
		if effects[in.Op()].jumps {
			g.Instrs[pc] = Instr(in.Op()) | Instr(target(in.Arg()))<<8
		}
	}
	for _, exits := range g.Exits {
		for i, l := range exits {
			exits[i] = target(l)
		}
	}
	kept := g.Handlers[:0]
	for _, h := range g.Handlers {
		h.Target = target(h.Target)
		if h.Start < h.End {
			kept = append(kept, h)
		}
	}
	g.Handlers = kept
	g.Names, g.Locals = g.names.list, g.locals.list
	g.MaxStack = maxStack(g.Code)
	return g.Code
}
