package bytecode

import (
	"math/big"

	"github.com/copaflash/copaflash/compiler/script/python/syntax"
)

// expr emits code that pushes the value of x.
func (g *gen) expr(x syntax.Expr) {
	switch x := x.(type) {
	case *syntax.Const:
		g.at = x.Pos
		g.loadConst(x.Value)
	case *syntax.Name:
		g.at = x.Pos
		g.variable(load, x.ID)
	case *syntax.FString:
		g.fstring(x)
	case *syntax.Unary:
		g.unary(x)
	case *syntax.Not:
		g.expr(x.X)
		g.at = x.Pos
		g.emit(Not, 0)
	case *syntax.Binary:
		g.expr(x.X)
		g.expr(x.Y)
		g.at = x.Pos
		g.emit(BinaryOp, int(x.Op))
	case *syntax.Logic:
		g.logic(x)
	case *syntax.Compare:
		g.compare(x)
	case *syntax.Cond:
		g.cond(x)
	case *syntax.Lambda:
		g.lambda(x)
	case *syntax.Tuple:
		g.sequence(x.Pos, x.Elems, BuildTuple)
	case *syntax.List:
		g.sequence(x.Pos, x.Elems, BuildList)
	case *syntax.Set:
		g.sequence(x.Pos, x.Elems, BuildSet)
	case *syntax.Dict:
		g.dict(x)
	case *syntax.Comp:
		g.comprehension(x)
	case *syntax.Attribute:
		g.expr(x.X)
		g.at = x.Pos
		g.emit(LoadAttr, g.name(mangle(g.class, x.Name)))
	case *syntax.Subscript:
		g.expr(x.X)
		g.expr(x.Index)
		g.at = x.Pos
		g.emit(LoadIndex, 0)
	case *syntax.Slice:
		n := 2
		parts := []syntax.Expr{x.Start, x.Stop}
		if x.Step != nil {
			parts, n = append(parts, x.Step), 3
		}
		for _, p := range parts {
			if p == nil {
				g.loadConst(syntax.NoneLit{})
			} else {
				g.expr(p)
			}
		}
		g.emit(BuildSlice, n)
	case *syntax.Call:
		g.call(x)
	case *syntax.Starred:
		g.fail(x.Pos, "can't use starred expression here")
	case *syntax.Walrus:
		g.expr(x.X)
		g.emit(Dup, 0)
		g.at = x.Pos
		g.variable(store, x.Target.ID)
	case *syntax.Yield:
		if x.X != nil {
			g.expr(x.X)
		} else {
			g.loadConst(syntax.NoneLit{})
		}
		g.at = x.Pos
		g.emit(Yield, 0)
	case *syntax.YieldFrom:
		g.expr(x.X)
		g.at = x.Pos
		g.emit(GetIter, 0)
		g.loadConst(syntax.NoneLit{})
		g.emit(YieldFrom, 0)
	}
}

// unary folds the sign of number literals.
func (g *gen) unary(x *syntax.Unary) {
	if c, ok := x.X.(*syntax.Const); ok && x.Op == syntax.Neg {
		g.at = x.Pos
		switch v := c.Value.(type) {
		case int64:
			g.loadConst(-v) // literals are not negative
			return
		case float64:
			g.loadConst(-v)
			return
		case *big.Int:
			if n := new(big.Int).Neg(v); n.IsInt64() {
				g.loadConst(n.Int64())
			} else {
				g.loadConst(n)
			}
			return
		}
	}
	g.expr(x.X)
	g.at = x.Pos
	g.emit(UnaryOp, int(x.Op))
}

func (g *gen) logic(x *syntax.Logic) {
	end := g.newLabel()
	op := JumpIfTrueKeep
	if x.And {
		op = JumpIfFalseKeep
	}
	for i, e := range x.Xs {
		g.expr(e)
		if i < len(x.Xs)-1 {
			g.at = x.Pos
			g.jump(op, end)
		}
	}
	g.place(end)
}

// condJump jumps to l if the truth of x is sense.
func (g *gen) condJump(x syntax.Expr, sense bool, l label) {
	switch x := x.(type) {
	case *syntax.Not:
		g.condJump(x.X, !sense, l)
		return
	case *syntax.Logic:
		// `a and b` jumps on false when any part is false; on true when all are.
		if x.And != sense {
			for _, e := range x.Xs {
				g.condJump(e, sense, l)
			}
			return
		}
		skip := g.newLabel()
		last := len(x.Xs) - 1
		for _, e := range x.Xs[:last] {
			g.condJump(e, !sense, skip)
		}
		g.condJump(x.Xs[last], sense, l)
		g.place(skip)
		return
	}
	g.expr(x)
	g.at = x.At()
	if sense {
		g.jump(JumpIfTrue, l)
	} else {
		g.jump(JumpIfFalse, l)
	}
}

func (g *gen) compare(x *syntax.Compare) {
	g.expr(x.X)
	last := len(x.Ops) - 1
	if last == 0 {
		g.expr(x.Ys[0])
		g.relation(x.Ops[0])
		return
	}
	end := g.newLabel()
	g.emit(ChainBegin, 0)
	for i, r := range x.Ops[:last] {
		g.expr(x.Ys[i])
		g.at = r.Pos
		g.jump(ChainNext, end)
		g.emit(ChainOp, int(r.Kind)<<8|int(r.Op))
	}
	g.expr(x.Ys[last])
	g.relation(x.Ops[last])
	g.emit(ChainEnd, 0)
	g.place(end)
}

func (g *gen) relation(r syntax.Relation) {
	g.at = r.Pos
	switch r.Kind {
	case syntax.In:
		g.emit(Contains, 0)
	case syntax.NotIn:
		g.emit(Contains, 1)
	case syntax.Is:
		g.emit(Is, 0)
	case syntax.IsNot:
		g.emit(Is, 1)
	default:
		g.emit(CompareOp, int(r.Op))
	}
}

func (g *gen) cond(x *syntax.Cond) {
	otherwise, end := g.newLabel(), g.newLabel()
	g.expr(x.If)
	g.at = x.Pos
	g.jump(CondBegin, otherwise)
	g.expr(x.Then)
	g.at = x.Pos
	g.jump(CondElse, end)
	g.place(otherwise)
	g.expr(x.Else)
	g.at = x.Pos
	g.emit(CondEnd, 0)
	g.place(end)
}

// chunk bounds how many elements of a display wait on the stack.
const chunk = 256

// sequence builds a tuple, list or set. Long displays and those with * are
// built piece by piece.
func (g *gen) sequence(at syntax.Pos, elems []syntax.Expr, build Op) {
	simple := len(elems) <= chunk
	for _, e := range elems {
		if _, ok := e.(*syntax.Starred); ok {
			simple = false
		}
	}
	if simple {
		for _, e := range elems {
			g.expr(e)
		}
		g.at = at
		g.emit(build, len(elems))
		return
	}
	grow, add, extend := BuildList, ListAppend, ListExtend
	if build == BuildSet {
		grow, add, extend = BuildSet, SetAdd, SetUpdate
	}
	g.at = at
	g.emit(grow, 0)
	for _, e := range elems {
		if s, ok := e.(*syntax.Starred); ok {
			g.expr(s.X)
			g.at = s.Pos
			g.emit(extend, 1)
		} else {
			g.expr(e)
			g.emit(add, 1)
		}
	}
	if build == BuildTuple {
		g.emit(ListToTuple, 0)
	}
}

func (g *gen) dict(x *syntax.Dict) {
	g.at = x.Pos
	g.emit(BuildDict, 0)
	for i, k := range x.Keys {
		if k == nil {
			g.expr(x.Values[i])
			g.at = x.Values[i].At()
			g.emit(DictUpdate, 1)
			continue
		}
		g.expr(k)
		g.expr(x.Values[i])
		g.at = k.At()
		g.emit(DictSet, 1)
	}
}

func (g *gen) fstring(x *syntax.FString) {
	for _, p := range x.Parts {
		f, ok := p.(*syntax.Field)
		if !ok {
			g.expr(p)
			continue
		}
		g.expr(f.X)
		arg := int(f.Conv)
		if f.Spec != nil {
			g.fstring(f.Spec)
			arg |= 256
		}
		g.at = f.X.At()
		g.emit(Format, arg)
	}
	g.at = x.Pos
	g.emit(BuildString, len(x.Parts))
}

func (g *gen) call(x *syntax.Call) {
	spread := len(x.Args) > chunk
	for _, a := range x.Args {
		spread = spread || a.Star > 0
	}
	if spread {
		g.expr(x.Fun)
		g.spread(x)
		return
	}
	if n, ok := x.Fun.(*syntax.Name); ok && n.ID == "super" && len(x.Args) == 0 && g.implicitSuper(x) {
		return
	}
	op := CallFunc
	if a, ok := x.Fun.(*syntax.Attribute); ok {
		op = CallMethod
		g.expr(a.X)
		g.at = a.Pos
		g.emit(LoadMethod, g.name(mangle(g.class, a.Name)))
	} else {
		g.expr(x.Fun)
	}
	site := CallSite{}
	for _, a := range x.Args {
		g.expr(a.X)
		if a.Name != "" {
			site.Kw = append(site.Kw, a.Name)
		} else {
			site.NumPos++
		}
		site.Spans = append(site.Spans, Span{a.Start, a.End})
	}
	g.at = x.Pos
	g.emit(op, g.callSite(site))
}

func (g *gen) callSite(s CallSite) int {
	g.Calls = append(g.Calls, s)
	return len(g.Calls) - 1
}

// implicitSuper turns super() in a method into super(__class__, self).
func (g *gen) implicitSuper(x *syntax.Call) bool {
	if _, ok := g.scope.cell("__class__"); !ok || g.NumPos == 0 || g.scope.comp {
		return false
	}
	g.at = x.Pos
	g.variable(load, "super")
	g.variable(load, "__class__")
	g.variable(load, g.locals.list[0])
	g.emit(CallFunc, g.callSite(CallSite{NumPos: 2}))
	return true
}

// spread emits a call with * or ** (or very many arguments): a list of the
// positional and a dict of the keyword arguments.
func (g *gen) spread(x *syntax.Call) {
	g.at = x.Pos
	g.emit(BuildList, 0)
	for _, a := range x.Args {
		switch {
		case a.Star == 1:
			g.expr(a.X)
			g.at = a.X.At()
			g.emit(ListExtend, 1)
		case a.Star == 0 && a.Name == "":
			g.expr(a.X)
			g.emit(ListAppend, 1)
		}
	}
	g.emit(BuildDict, 0)
	for _, a := range x.Args {
		switch {
		case a.Star == 2:
			g.expr(a.X)
			g.at = a.X.At()
			g.emit(DictUpdate, 1|spreadKeywords)
		case a.Name != "":
			g.loadConst(a.Name)
			g.expr(a.X)
			g.at = a.X.At()
			g.emit(DictSet, 1|spreadKeywords)
		}
	}
	g.at = x.Pos
	g.emit(CallSpread, 0)
}

// spreadKeywords marks DictSet and DictUpdate that collect keyword arguments:
// keys must be new strings.
const spreadKeywords = 1 << 16

// SpreadKeywords reports whether a DictSet or DictUpdate collects keyword
// arguments, and returns its argument without that mark.
func SpreadKeywords(arg int) (depth int, keywords bool) {
	return arg &^ spreadKeywords, arg&spreadKeywords != 0
}
