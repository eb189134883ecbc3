package bytecode

import "github.com/copaflash/copaflash/compiler/script/python/syntax"

func (g *gen) funcDef(s *syntax.FuncDef) {
	for _, d := range s.Decorators {
		g.expr(d)
	}
	c := g.child(s, s.Name, Function, s.Pos)
	c.annotate(&s.Params, s.Returns)
	g.function(c, &s.Params, func() { c.body(s.Body) })
	g.decorate(s.Decorators)
	g.at = s.Pos
	g.variable(store, s.Name)
}

func (g *gen) lambda(x *syntax.Lambda) {
	c := g.child(x, "<lambda>", Function, x.Pos)
	g.function(c, &x.Params, func() {
		c.expr(x.Body)
		c.emit(Return, 0)
	})
}

// decorate calls the decorators, which lie on the stack below the definition.
func (g *gen) decorate(decorators []syntax.Expr) {
	for i := len(decorators) - 1; i >= 0; i-- {
		g.at = decorators[i].At()
		g.emit(CallFunc, g.callSite(CallSite{NumPos: 1}))
	}
}

// function emits defaults and the function itself, and generates its code.
func (g *gen) function(c *gen, ps *syntax.Params, body func()) {
	for _, p := range ps.Pos {
		if p.Default != nil {
			g.expr(p.Default)
			c.NumDefaults++
		}
	}
	for i, p := range ps.KwOnly {
		if p.Default != nil {
			g.expr(p.Default)
			c.KwDefaults = append(c.KwDefaults, i)
		}
	}
	c.NumPos, c.NumPosOnly, c.NumKwOnly = len(ps.Pos), ps.PosOnly, len(ps.KwOnly)
	c.HasStar, c.HasStarStar = ps.Star != nil, ps.StarStar != nil
	for _, name := range paramNames(ps) {
		c.param(mangle(c.class, name))
	}
	body()
	g.at = c.At
	g.addChild(MakeFunction, c)
}

// annotate keeps the annotations of a function.
func (g *gen) annotate(ps *syntax.Params, returns string) {
	add := func(name, text string) {
		if text != "" {
			g.Annotations = append(g.Annotations, Annotation{name, text})
		}
	}
	all := append([]syntax.Param(nil), ps.Pos...)
	if ps.Star != nil {
		all = append(all, *ps.Star)
	}
	all = append(all, ps.KwOnly...)
	if ps.StarStar != nil {
		all = append(all, *ps.StarStar)
	}
	for _, p := range all {
		add(p.Name, p.Annotation)
	}
	add("return", returns)
}

// param adds the local of a parameter, and says so if closures share it.
func (g *gen) param(name string) {
	local := g.locals.add(name)
	if cell, ok := g.scope.cells.index[name]; ok {
		g.CellParams = append(g.CellParams, CellParam{cell, local})
	}
}

func (g *gen) addChild(op Op, c *gen) {
	g.Children = append(g.Children, c.finish())
	g.emit(op, len(g.Children)-1)
}

func (g *gen) classDef(s *syntax.ClassDef) {
	for _, d := range s.Decorators {
		g.expr(d)
	}
	var bases []syntax.Expr
	for _, a := range s.Args {
		switch {
		case a.Name != "" || a.Star == 2:
		case a.Star == 1:
			bases = append(bases, &syntax.Starred{Pos: a.X.At(), X: a.X})
		default:
			bases = append(bases, a.X)
		}
	}
	g.sequence(s.Pos, bases, BuildList)
	g.emit(BuildDict, 0)
	for _, a := range s.Args {
		switch {
		case a.Star == 2:
			g.expr(a.X)
			g.emit(DictUpdate, 1|spreadKeywords)
		case a.Name != "":
			g.loadConst(a.Name)
			g.expr(a.X)
			g.emit(DictSet, 1|spreadKeywords)
		}
	}
	c := g.child(s, s.Name, Class, s.Pos)
	c.class = s.Name
	c.body(s.Body)
	g.at = s.Pos
	g.addChild(MakeClass, c)
	g.decorate(s.Decorators)
	g.at = s.Pos
	g.variable(store, s.Name)
}

var compNames = [...]string{
	syntax.ListComp: "<listcomp>", syntax.SetComp: "<setcomp>", syntax.DictComp: "<dictcomp>", syntax.Generator: "<genexpr>",
}

// comprehension emits a function of one iterator and its call.
func (g *gen) comprehension(x *syntax.Comp) {
	c := g.child(x, compNames[x.Kind], Function, x.Pos)
	c.NumPos = 1
	c.param(iterParam)
	switch x.Kind {
	case syntax.ListComp:
		c.emit(BuildList, 0)
	case syntax.SetComp:
		c.emit(BuildSet, 0)
	case syntax.DictComp:
		c.emit(BuildDict, 0)
	}
	c.compLoop(x, 0)
	if x.Kind == syntax.Generator {
		c.loadConst(syntax.NoneLit{})
	}
	c.emit(Return, 0)
	g.at = x.Pos
	g.addChild(MakeFunction, c)
	g.expr(x.Fors[0].Iter)
	g.at = x.Fors[0].Iter.At()
	g.emit(GetIter, 0)
	g.at = x.Pos
	g.emit(CallFunc, g.callSite(CallSite{NumPos: 1}))
}

func (g *gen) compLoop(x *syntax.Comp, i int) {
	if i == len(x.Fors) {
		g.compElem(x)
		return
	}
	f := &x.Fors[i]
	g.at = f.Iter.At()
	if i == 0 {
		g.emit(LoadLocal, 0)
	} else {
		g.expr(f.Iter)
		g.emit(GetIter, 0)
	}
	start, end := g.newLabel(), g.newLabel()
	g.place(start)
	g.at = f.Iter.At()
	g.jump(ForIter, end)
	g.assign(f.Target)
	for _, cond := range f.Ifs {
		g.condJump(cond, false, start)
	}
	g.compLoop(x, i+1)
	g.jump(Jump, start)
	g.place(end)
}

// compElem adds one element; the result lies below the iterators.
func (g *gen) compElem(x *syntax.Comp) {
	depth := len(x.Fors) + 1
	switch x.Kind {
	case syntax.DictComp:
		g.expr(x.Key)
		g.expr(x.Elem)
		g.at = x.Elem.At()
		g.emit(DictSet, depth)
	case syntax.Generator:
		g.expr(x.Elem)
		g.at = x.Elem.At()
		g.emit(Yield, 0)
		g.emit(Pop, 0)
	default:
		g.expr(x.Elem)
		g.at = x.Elem.At()
		g.emit([...]Op{syntax.ListComp: ListAppend, syntax.SetComp: SetAdd}[x.Kind], depth)
	}
}
