package bytecode

import "github.com/copaflash/copaflash/compiler/script/python/syntax"

// Pattern is a pattern of a match statement. Values, classes and keys are numbered in
// the order in which the code before the instruction Match computes them, captures in the
// order of Names.
type Pattern struct {
	Kind      syntax.PatternKind
	Value     int // of values and classes
	Capture   int // -1: none
	Subs      []*Pattern
	Keys      []int
	Attrs     []string
	NumValues int      // of the whole, in the outermost pattern
	Names     []string // what is captured, in the outermost pattern
}

// match generates a match statement. The subject stays on the stack until a case fits.
func (g *gen) match(s *syntax.Match) {
	g.expr(s.X)
	end := g.newLabel()
	for _, c := range s.Cases {
		unpop, next := g.newLabel(), g.newLabel()
		g.at = c.Pattern.Pos
		root := &Pattern{}
		g.pattern(root, c.Pattern, root)
		g.at = c.Pattern.Pos
		g.Patterns = append(g.Patterns, root)
		g.emit(Match, len(g.Patterns)-1)
		g.jump(JumpIfFalse, unpop)
		g.emit(Unpack, len(root.Names))
		for _, n := range root.Names {
			g.variable(store, n)
		}
		if c.Guard != nil {
			g.condJump(c.Guard, false, next)
		}
		g.emit(Pop, 0)
		g.stmts(c.Body)
		g.jump(Jump, end)
		g.place(unpop)
		g.emit(Pop, 0)
		g.place(next)
	}
	g.emit(Pop, 0)
	g.place(end)
}

// pattern emits the values that a pattern compares with, and numbers them in p.
func (g *gen) pattern(p *Pattern, x *syntax.Pattern, root *Pattern) {
	value := func(e syntax.Expr) int {
		g.expr(e)
		root.NumValues++
		return root.NumValues - 1
	}
	p.Kind, p.Capture, p.Attrs = x.Kind, -1, x.Attrs
	if x.X != nil {
		p.Value = value(x.X)
	}
	for _, k := range x.Keys {
		p.Keys = append(p.Keys, value(k))
	}
	for _, s := range x.Subs {
		sub := &Pattern{}
		g.pattern(sub, s, root)
		p.Subs = append(p.Subs, sub)
	}
	if x.Name != "" {
		p.Capture = root.capture(x.Name)
	}
}

// capture numbers a name; alternatives share theirs.
func (p *Pattern) capture(name string) int {
	for i, n := range p.Names {
		if n == name {
			return i
		}
	}
	p.Names = append(p.Names, name)
	return len(p.Names) - 1
}
