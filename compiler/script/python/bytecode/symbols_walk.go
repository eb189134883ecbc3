package bytecode

import "github.com/copaflash/copaflash/compiler/script/python/syntax"

func (s *symbols) stmts(list []syntax.Stmt) {
	for _, st := range list {
		s.stmt(st)
	}
}

func (s *symbols) stmt(st syntax.Stmt) {
	switch st := st.(type) {
	case *syntax.ExprStmt:
		s.expr(st.X)
	case *syntax.Assign:
		s.expr(st.X)
		for _, t := range st.Targets {
			s.target(t)
		}
	case *syntax.AugAssign:
		s.expr(st.X)
		s.expr(st.Target)
		s.target(st.Target)
	case *syntax.AnnAssign:
		s.expr(st.X)
		s.target(st.Target)
	case *syntax.If:
		for _, c := range st.Clauses {
			s.expr(c.Cond)
			s.stmts(c.Body)
		}
		s.stmts(st.Else)
	case *syntax.While:
		s.expr(st.Cond)
		s.stmts(st.Body)
		s.stmts(st.Else)
	case *syntax.For:
		s.expr(st.Iter)
		s.target(st.Target)
		s.stmts(st.Body)
		s.stmts(st.Else)
	case *syntax.FuncDef:
		s.exprs(st.Decorators)
		s.bind(st.Name, st.Pos)
		s.function(st, &st.Params, func() { s.stmts(st.Body) })
	case *syntax.ClassDef:
		s.classDef(st)
	case *syntax.Return:
		s.expr(st.X)
	case *syntax.Import:
		for _, a := range st.Names {
			s.bind(importedName(a), a.Pos)
		}
	case *syntax.FromImport:
		for _, a := range st.Names {
			s.bind(importedName(a), a.Pos)
		}
	case *syntax.Declare:
		s.declare(st)
	case *syntax.Raise:
		s.expr(st.X)
		s.expr(st.Cause)
	case *syntax.Try:
		s.stmts(st.Body)
		for _, h := range st.Handlers {
			s.expr(h.Type)
			if h.Name != "" {
				s.bind(h.Name, h.Pos)
			}
			s.stmts(h.Body)
		}
		s.stmts(st.Else)
		s.stmts(st.Finally)
	case *syntax.With:
		for _, it := range st.Items {
			s.expr(it.X)
			if it.Target != nil {
				s.target(it.Target)
			}
		}
		s.stmts(st.Body)
	case *syntax.Match:
		s.expr(st.X)
		for _, c := range st.Cases {
			s.pattern(c.Pattern)
			s.expr(c.Guard)
			s.stmts(c.Body)
		}
	case *syntax.Assert:
		s.expr(st.X)
		s.expr(st.Msg)
	case *syntax.Del:
		for _, t := range st.Targets {
			s.target(t)
		}
	}
}

func (s *symbols) pattern(p *syntax.Pattern) {
	s.expr(p.X)
	s.exprs(p.Keys)
	for _, sub := range p.Subs {
		s.pattern(sub)
	}
	if p.Name != "" {
		s.bind(p.Name, p.Pos)
	}
}

// importedName is the variable that an import binds: a for `import a.b`.
func importedName(a syntax.Alias) string {
	if a.As != "" {
		return a.As
	}
	for i := range a.Name {
		if a.Name[i] == '.' {
			return a.Name[:i]
		}
	}
	return a.Name
}

func (s *symbols) classDef(st *syntax.ClassDef) {
	s.exprs(st.Decorators)
	for _, a := range st.Args {
		s.expr(a.X)
	}
	s.bind(st.Name, st.Pos)
	outer := s.class
	s.open(st, Class)
	s.class = st.Name
	s.stmts(st.Body)
	s.class = outer
	s.close()
}

// function opens the scope of a def or lambda; defaults belong outside.
func (s *symbols) function(node any, ps *syntax.Params, body func()) {
	for _, list := range [][]syntax.Param{ps.Pos, ps.KwOnly} {
		for _, p := range list {
			s.expr(p.Default)
		}
	}
	s.open(node, Function)
	for _, name := range paramNames(ps) {
		s.bind(name, syntax.Pos{})
	}
	body()
	s.close()
}

// paramNames lists parameters in the order of the locals.
func paramNames(ps *syntax.Params) []string {
	var names []string
	for _, p := range ps.Pos {
		names = append(names, p.Name)
	}
	for _, p := range ps.KwOnly {
		names = append(names, p.Name)
	}
	if ps.Star != nil {
		names = append(names, ps.Star.Name)
	}
	if ps.StarStar != nil {
		names = append(names, ps.StarStar.Name)
	}
	return names
}

func (s *symbols) target(x syntax.Expr) {
	switch x := x.(type) {
	case *syntax.Name:
		s.bind(x.ID, x.Pos)
	case *syntax.Starred:
		s.target(x.X)
	case *syntax.Tuple:
		for _, e := range x.Elems {
			s.target(e)
		}
	case *syntax.List:
		for _, e := range x.Elems {
			s.target(e)
		}
	default:
		s.expr(x)
	}
}

func (s *symbols) exprs(list []syntax.Expr) {
	for _, x := range list {
		s.expr(x)
	}
}

func (s *symbols) expr(x syntax.Expr) {
	switch x := x.(type) {
	case nil, *syntax.Const:
	case *syntax.Name:
		s.use(x.ID, x.Pos)
		if x.ID == "super" && s.cur.kind == Function {
			s.use("__class__", x.Pos)
		}
	case *syntax.FString:
		s.exprs(x.Parts)
	case *syntax.Field:
		s.expr(x.X)
		if x.Spec != nil {
			s.expr(x.Spec)
		}
	case *syntax.Unary:
		s.expr(x.X)
	case *syntax.Not:
		s.expr(x.X)
	case *syntax.Binary:
		s.expr(x.X)
		s.expr(x.Y)
	case *syntax.Logic:
		s.exprs(x.Xs)
	case *syntax.Compare:
		s.expr(x.X)
		s.exprs(x.Ys)
	case *syntax.Cond:
		s.expr(x.If)
		s.expr(x.Then)
		s.expr(x.Else)
	case *syntax.Lambda:
		s.function(x, &x.Params, func() { s.expr(x.Body) })
	case *syntax.Tuple:
		s.exprs(x.Elems)
	case *syntax.List:
		s.exprs(x.Elems)
	case *syntax.Set:
		s.exprs(x.Elems)
	case *syntax.Dict:
		s.exprs(x.Keys)
		s.exprs(x.Values)
	case *syntax.Comp:
		s.comprehension(x)
	case *syntax.Attribute:
		s.expr(x.X)
	case *syntax.Subscript:
		s.expr(x.X)
		s.expr(x.Index)
	case *syntax.Slice:
		s.expr(x.Start)
		s.expr(x.Stop)
		s.expr(x.Step)
	case *syntax.Call:
		s.expr(x.Fun)
		for _, a := range x.Args {
			s.expr(a.X)
		}
	case *syntax.Starred:
		s.expr(x.X)
	case *syntax.Walrus:
		s.expr(x.X)
		s.walrus(x.Target.ID, x.Pos)
	case *syntax.Yield:
		s.yield(x.Pos, x.X)
	case *syntax.YieldFrom:
		s.yield(x.Pos, x.X)
	}
}

func (s *symbols) yield(at syntax.Pos, x syntax.Expr) {
	if s.cur.kind != Function {
		fail(s.src, at, "'yield' outside function")
	}
	if s.cur.comp {
		fail(s.src, at, "'yield' inside a comprehension")
	}
	s.cur.generator = true
	s.expr(x)
}

// comprehension opens its scope; the first iterable is evaluated outside.
func (s *symbols) comprehension(x *syntax.Comp) {
	s.expr(x.Fors[0].Iter)
	sc := s.open(x, Function)
	sc.comp = true
	sc.generator = x.Kind == syntax.Generator
	s.bindIn(sc, iterParam, syntax.Pos{})
	for i, f := range x.Fors {
		if i > 0 {
			s.expr(f.Iter)
		}
		s.target(f.Target)
		s.exprs(f.Ifs)
	}
	s.expr(x.Key)
	s.expr(x.Elem)
	s.close()
}

// iterParam is the parameter of a comprehension's code: its first iterator.
const iterParam = ".0"
