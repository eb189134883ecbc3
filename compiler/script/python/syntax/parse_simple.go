package syntax

// simple parses simple statements separated by ; up to the end of the line.
func (p *parser) simple(list []Stmt) []Stmt {
	for {
		list = append(list, p.small())
		if !p.eat(";") || p.tok().kind == tNewline {
			break
		}
	}
	if t := p.tok(); t.kind != tNewline && t.kind != tEOF {
		hint := ""
		if p.i > 0 {
			switch prev := &p.tokens[p.i-1]; {
			case prev.kind == tName && (prev.text == "print" || prev.text == "exec"):
				hint = "call it: " + prev.text + "(...)"
			case t.kind == tOp && t.text == ":" && prev.kind == tKeyword:
				hint = "this keyword does not begin a block here"
			}
		}
		p.failHint(t.pos, hint, "invalid syntax: unexpected %s", t.describe())
	}
	p.next()
	return list
}

func (p *parser) small() Stmt {
	t := p.tok()
	if t.kind == tKeyword {
		if parse, ok := small[t.text]; ok {
			p.i++
			return parse(p, t.pos)
		}
		if _, ok := compound[t.text]; ok || t.text == "elif" || t.text == "else" || t.text == "except" || t.text == "finally" {
			p.fail(t.pos, "invalid syntax: unexpected '%s'", t.text)
		}
	}
	return p.exprStmt()
}

var small map[string]func(p *parser, at Pos) Stmt

func init() {
	small = map[string]func(p *parser, at Pos) Stmt{
		"pass":     func(_ *parser, at Pos) Stmt { return &Pass{at} },
		"break":    func(_ *parser, at Pos) Stmt { return &Break{at} },
		"continue": func(_ *parser, at Pos) Stmt { return &Continue{at} },
		"return":   (*parser).returnStmt, "import": (*parser).importStmt, "from": (*parser).fromStmt,
		"global":   func(p *parser, at Pos) Stmt { return p.declare(at, false) },
		"nonlocal": func(p *parser, at Pos) Stmt { return p.declare(at, true) },
		"raise":    (*parser).raiseStmt, "assert": (*parser).assertStmt, "del": (*parser).delStmt,
	}
}

// atEnd reports whether a statement may end here.
func (p *parser) atEnd() bool {
	k := p.tok().kind
	return k == tNewline || k == tEOF || p.is(";")
}

func (p *parser) returnStmt(at Pos) Stmt {
	s := &Return{Pos: at}
	if !p.atEnd() {
		s.X = p.starExprs()
	}
	return s
}

func (p *parser) raiseStmt(at Pos) Stmt {
	s := &Raise{Pos: at}
	if !p.atEnd() {
		s.X = p.expr()
		if p.eat("from") {
			s.Cause = p.expr()
		}
	}
	return s
}

func (p *parser) assertStmt(at Pos) Stmt {
	s := &Assert{Pos: at, X: p.expr()}
	if p.eat(",") {
		s.Msg = p.expr()
	}
	return s
}

func (p *parser) delStmt(at Pos) Stmt {
	s := &Del{Pos: at}
	x := p.starExprs()
	if t, ok := x.(*Tuple); ok {
		s.Targets = t.Elems
	} else {
		s.Targets = []Expr{x}
	}
	for _, t := range s.Targets {
		p.checkDel(t)
	}
	return s
}

func (p *parser) checkDel(x Expr) {
	switch x := x.(type) {
	case *Name, *Attribute, *Subscript:
	case *Tuple:
		for _, e := range x.Elems {
			p.checkDel(e)
		}
	case *List:
		for _, e := range x.Elems {
			p.checkDel(e)
		}
	default:
		p.fail(x.At(), "cannot delete %s", describe(x))
	}
}

func (p *parser) declare(at Pos, nonlocal bool) Stmt {
	s := &Declare{Pos: at, Nonlocal: nonlocal}
	for {
		s.Names = append(s.Names, p.name("a name").text)
		if !p.eat(",") {
			return s
		}
	}
}

func (p *parser) dottedName() *token {
	t := *p.name("a module name")
	for p.eat(".") {
		t.text += "." + p.name("a module name").text
	}
	return &t
}

func (p *parser) importStmt(at Pos) Stmt {
	s := &Import{Pos: at}
	for {
		m := p.dottedName()
		a := Alias{Pos: m.pos, Name: m.text}
		if p.eat("as") {
			a.As = p.name("a name after 'as'").text
		}
		s.Names = append(s.Names, a)
		if !p.eat(",") {
			return s
		}
	}
}

func (p *parser) fromStmt(at Pos) Stmt {
	s := &FromImport{Pos: at}
	for p.is(".") || p.is("...") {
		s.Module += p.next().text
	}
	if s.Module == "" || !p.is("import") {
		s.Module += p.dottedName().text
	}
	p.want("import", " after the module name")
	if p.eat("*") {
		return s
	}
	parens := p.eat("(")
	for {
		n := p.name("a name to import")
		a := Alias{Pos: n.pos, Name: n.text}
		if p.eat("as") {
			a.As = p.name("a name after 'as'").text
		}
		s.Names = append(s.Names, a)
		if !p.eat(",") || parens && p.is(")") {
			break
		}
	}
	if parens {
		p.want(")", " after the imported names")
	}
	return s
}

// exprStmt parses an expression or any kind of assignment.
func (p *parser) exprStmt() Stmt {
	at := p.tok().pos
	x := p.starExprsOrYield()
	t := p.tok()
	if t.kind != tOp {
		return &ExprStmt{at, x}
	}
	switch t.text {
	case "=":
		return p.assign(at, x)
	case ":":
		return p.annotated(at, x)
	}
	if n := len(t.text); n >= 2 && t.text[n-1] == '=' {
		if op, ok := binaryBySymbol[t.text[:n-1]]; ok {
			switch x.(type) {
			case *Name, *Attribute, *Subscript:
			default:
				p.fail(x.At(), "'%s' is an illegal expression for augmented assignment", describe(x))
			}
			p.i++
			return &AugAssign{t.pos, op, x, p.starExprsOrYield()}
		}
	}
	return &ExprStmt{at, x}
}

func (p *parser) assign(at Pos, x Expr) Stmt {
	s := &Assign{Pos: at}
	for p.eat("=") {
		p.checkTarget(x, false)
		s.Targets = append(s.Targets, x)
		x = p.starExprsOrYield()
	}
	s.X = x
	return s
}

func (p *parser) annotated(at Pos, x Expr) Stmt {
	switch x.(type) {
	case *Name, *Attribute, *Subscript:
	case *Tuple, *List:
		p.fail(at, "only single target (not tuple) can be annotated")
	default:
		p.fail(p.tok().pos, "invalid syntax: unexpected ':'")
	}
	p.i++
	s := &AnnAssign{Pos: at, Target: x, Annotation: p.annotation()}
	if p.eat("=") {
		s.X = p.starExprsOrYield()
	}
	return s
}

// annotation parses an annotation and returns its text.
func (p *parser) annotation() string {
	start := p.tok().start
	p.expr()
	return p.src.Text[start:p.tokens[p.i-1].end]
}

// targetList parses the targets of a for loop: a, (b, c), *d
func (p *parser) targetList() Expr {
	at := p.tok().pos
	x := p.target()
	if !p.is(",") {
		p.checkTarget(x, false)
		return x
	}
	t := &Tuple{Pos: at, Elems: []Expr{x}}
	for p.eat(",") {
		if p.is("in") || p.is("=") {
			break
		}
		t.Elems = append(t.Elems, p.target())
	}
	p.checkTarget(t, false)
	return t
}

// target parses one target; `in` must not be taken as a comparison.
func (p *parser) target() Expr {
	if p.is("*") {
		at := p.next().pos
		return &Starred{at, p.target()}
	}
	x := p.postfix()
	p.checkTarget(x, false)
	return x
}

// checkTarget fails unless x can be assigned to.
func (p *parser) checkTarget(x Expr, inSeq bool) {
	var elems []Expr
	switch x := x.(type) {
	case *Name, *Attribute, *Subscript:
		return
	case *Starred:
		if !inSeq {
			p.fail(x.Pos, "starred assignment target must be in a list or tuple")
		}
		p.checkTarget(x.X, false)
		return
	case *Tuple:
		elems = x.Elems
	case *List:
		elems = x.Elems
	default:
		hint := ""
		if _, ok := x.(*Compare); !ok && p.is("=") {
			hint = "did you mean '==' instead of '='?"
		}
		p.failHint(x.At(), hint, "cannot assign to %s", describe(x))
	}
	stars := 0
	for _, e := range elems {
		if s, ok := e.(*Starred); ok {
			if stars++; stars > 1 {
				p.fail(s.Pos, "multiple starred expressions in assignment")
			}
		}
		p.checkTarget(e, true)
	}
}

// describe names the kind of an expression for messages.
func describe(x Expr) string {
	switch x := x.(type) {
	case *Const:
		switch x.Value.(type) {
		case NoneLit:
			return "None"
		case EllipsisLit:
			return "ellipsis"
		case bool:
			if x.Value.(bool) {
				return "True"
			}
			return "False"
		}
		return "literal"
	case *Name:
		return "name"
	case *FString:
		return "f-string expression"
	case *Unary, *Binary, *Logic, *Not:
		return "expression"
	case *Compare:
		return "comparison"
	case *Cond:
		return "conditional expression"
	case *Lambda:
		return "lambda"
	case *Tuple:
		return "tuple"
	case *List:
		return "list"
	case *Set:
		return "set display"
	case *Dict:
		return "dict literal"
	case *Comp:
		return [...]string{"list comprehension", "set comprehension", "dict comprehension", "generator expression"}[x.Kind]
	case *Call:
		return "function call"
	case *Walrus:
		return "named expression"
	case *Yield, *YieldFrom:
		return "yield expression"
	case *Attribute:
		return "attribute"
	case *Subscript:
		return "subscript"
	case *Starred:
		return "starred"
	}
	return "expression"
}
