package bytecode

import "github.com/copaflash/copaflash/compiler/script/python/syntax"

// body generates a module, function or class body.
func (g *gen) body(list []syntax.Stmt) {
	if len(list) > 0 {
		if e, ok := list[0].(*syntax.ExprStmt); ok {
			if c, ok := e.X.(*syntax.Const); ok {
				g.Doc, _ = c.Value.(string)
			}
		}
	}
	g.stmts(list)
	g.loadConst(syntax.NoneLit{})
	g.emit(Return, 0)
}

func (g *gen) stmts(list []syntax.Stmt) {
	for _, s := range list {
		g.at = s.At()
		g.stmt(s)
	}
}

func (g *gen) stmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.ExprStmt:
		if _, ok := s.X.(*syntax.Const); ok {
			return
		}
		g.expr(s.X)
		g.emit(Pop, 0)
	case *syntax.Assign:
		g.expr(s.X)
		for i, t := range s.Targets {
			if i < len(s.Targets)-1 {
				g.emit(Dup, 0)
			}
			g.assign(t)
		}
	case *syntax.AugAssign:
		g.augAssign(s)
	case *syntax.AnnAssign:
		if n, ok := s.Target.(*syntax.Name); ok && g.Kind != Function {
			g.Annotations = append(g.Annotations, Annotation{mangle(g.class, n.ID), s.Annotation})
		}
		if s.X != nil {
			g.expr(s.X)
			g.assign(s.Target)
		}
	case *syntax.If:
		g.ifStmt(s)
	case *syntax.While:
		g.while(s)
	case *syntax.For:
		g.forStmt(s)
	case *syntax.FuncDef:
		g.funcDef(s)
	case *syntax.ClassDef:
		g.classDef(s)
	case *syntax.Return:
		g.returnStmt(s)
	case *syntax.Break:
		g.loopExit(s.Pos, true)
	case *syntax.Continue:
		g.loopExit(s.Pos, false)
	case *syntax.Import:
		g.importStmt(s)
	case *syntax.FromImport:
		g.fromImport(s)
	case *syntax.Raise:
		n := 0
		for _, x := range []syntax.Expr{s.X, s.Cause} {
			if x != nil {
				g.expr(x)
				n++
			}
		}
		g.at = s.Pos
		g.emit(Raise, n)
	case *syntax.Try:
		g.try(s)
	case *syntax.With:
		g.with(s, s.Items)
	case *syntax.Match:
		g.match(s)
	case *syntax.Assert:
		g.assert(s)
	case *syntax.Del:
		for _, t := range s.Targets {
			g.delete(t)
		}
	}
}

func (g *gen) ifStmt(s *syntax.If) {
	end := g.newLabel()
	for i, c := range s.Clauses {
		next := g.newLabel()
		g.condJump(c.Cond, false, next)
		g.stmts(c.Body)
		if i < len(s.Clauses)-1 || s.Else != nil {
			g.jump(Jump, end)
		}
		g.place(next)
	}
	g.stmts(s.Else)
	g.place(end)
}

func (g *gen) while(s *syntax.While) {
	b := g.push(&block{kind: loopBlock, start: g.newLabel(), end: g.newLabel()}, s.Pos)
	otherwise := g.newLabel()
	g.place(b.start)
	g.condJump(s.Cond, false, otherwise)
	g.stmts(s.Body)
	g.jump(Jump, b.start)
	g.pop()
	g.place(otherwise)
	g.stmts(s.Else)
	g.place(b.end)
}

func (g *gen) forStmt(s *syntax.For) {
	g.expr(s.Iter)
	g.at = s.Iter.At()
	g.emit(GetIter, 0)
	b := g.push(&block{kind: loopBlock, depth: 1, start: g.newLabel(), end: g.newLabel()}, s.Pos)
	otherwise := g.newLabel()
	g.place(b.start)
	g.at = s.Iter.At()
	g.jump(ForIter, otherwise)
	g.assign(s.Target)
	g.stmts(s.Body)
	g.jump(Jump, b.start)
	g.pop()
	g.place(otherwise)
	g.stmts(s.Else)
	g.place(b.end)
}

func (g *gen) assert(s *syntax.Assert) {
	ok := g.newLabel()
	g.condJump(s.X, true, ok)
	n := 0
	if s.Msg != nil {
		g.expr(s.Msg)
		n = 1
	}
	g.at = s.Pos
	g.emit(AssertFail, n)
	g.place(ok)
}

// assign stores the value on top of the stack.
func (g *gen) assign(t syntax.Expr) {
	switch t := t.(type) {
	case *syntax.Name:
		g.at = t.Pos
		g.variable(store, t.ID)
	case *syntax.Attribute:
		g.expr(t.X)
		g.at = t.Pos
		g.emit(StoreAttr, g.name(mangle(g.class, t.Name)))
	case *syntax.Subscript:
		g.expr(t.X)
		g.expr(t.Index)
		g.at = t.Pos
		g.emit(StoreIndex, 0)
	case *syntax.Tuple:
		g.unpack(t.Pos, t.Elems)
	case *syntax.List:
		g.unpack(t.Pos, t.Elems)
	}
}

func (g *gen) unpack(at syntax.Pos, elems []syntax.Expr) {
	g.at = at
	star := -1
	for i, e := range elems {
		if _, ok := e.(*syntax.Starred); ok {
			star = i
		}
	}
	if star < 0 {
		g.emit(Unpack, len(elems))
	} else {
		after := len(elems) - star - 1
		if star > maxUnpack || after > maxUnpack {
			g.fail(at, "too many expressions in star-unpacking assignment")
		}
		g.emit(UnpackStar, star|after<<12)
	}
	for _, e := range elems {
		if s, ok := e.(*syntax.Starred); ok {
			e = s.X
		}
		g.assign(e)
	}
}

func (g *gen) augAssign(s *syntax.AugAssign) {
	inplace := func(of int) {
		g.expr(s.X)
		g.at = s.Pos
		g.emit(InplaceOp, int(s.Op)|of)
	}
	switch t := s.Target.(type) {
	case *syntax.Name:
		g.at = t.Pos
		g.variable(load, t.ID)
		inplace(0)
		g.variable(store, t.ID)
	case *syntax.Attribute:
		g.expr(t.X)
		g.emit(Dup, 0)
		g.at = t.Pos
		g.emit(LoadAttr, g.name(mangle(g.class, t.Name)))
		inplace(0)
		g.emit(Rot2, 0)
		g.at = t.Pos
		g.emit(StoreAttr, g.name(mangle(g.class, t.Name)))
	case *syntax.Subscript:
		g.expr(t.X)
		g.expr(t.Index)
		g.emit(Dup2, 0)
		g.at = t.Pos
		g.emit(LoadIndex, 0)
		inplace(InplaceElement)
		g.emit(Rot3, 0)
		g.at = t.Pos
		g.emit(StoreIndex, 0)
	}
}

func (g *gen) delete(t syntax.Expr) {
	switch t := t.(type) {
	case *syntax.Name:
		g.at = t.Pos
		g.variable(del, t.ID)
	case *syntax.Attribute:
		g.expr(t.X)
		g.at = t.Pos
		g.emit(DelAttr, g.name(mangle(g.class, t.Name)))
	case *syntax.Subscript:
		g.expr(t.X)
		g.expr(t.Index)
		g.at = t.Pos
		g.emit(DelIndex, 0)
	case *syntax.Tuple:
		for _, e := range t.Elems {
			g.delete(e)
		}
	case *syntax.List:
		for _, e := range t.Elems {
			g.delete(e)
		}
	}
}

func (g *gen) importStmt(s *syntax.Import) {
	for _, a := range s.Names {
		g.at = a.Pos
		g.emit(Import, g.name(a.Name))
		if name := importedName(a); a.As == "" && name != a.Name {
			// import a.b: both are imported, and a is what gets a name
			g.emit(Pop, 0)
			g.emit(Import, g.name(name))
		}
		g.variable(store, importedName(a))
	}
}

func (g *gen) fromImport(s *syntax.FromImport) {
	g.emit(Import, g.name(s.Module))
	if len(s.Names) == 0 {
		if g.Kind != Module {
			g.fail(s.Pos, "import * only allowed at module level")
		}
		g.emit(ImportStar, 0)
		return
	}
	for _, a := range s.Names {
		g.at = a.Pos
		g.emit(ImportFrom, g.name(a.Name))
		g.variable(store, importedName(a))
	}
	g.emit(Pop, 0)
}
