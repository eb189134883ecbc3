package syntax

// starExprsOrYield parses the right side of an assignment or a statement that is an expression.
func (p *parser) starExprsOrYield() Expr {
	if p.is("yield") {
		return p.yield()
	}
	return p.starExprs()
}

func (p *parser) yield() Expr {
	at := p.next().pos
	if p.eat("from") {
		return &YieldFrom{at, p.expr()}
	}
	if p.atEnd() || p.is(")") || p.is("]") || p.is("}") || p.is("=") {
		return &Yield{Pos: at}
	}
	return &Yield{at, p.starExprs()}
}

// starExprs parses a, *b, c as a tuple, or a single expression.
func (p *parser) starExprs() Expr {
	at := p.tok().pos
	x := p.starExpr()
	if !p.is(",") {
		if s, ok := x.(*Starred); ok && !p.is("=") {
			p.fail(s.Pos, "can't use starred expression here")
		}
		return x
	}
	t := &Tuple{Pos: at, Elems: []Expr{x}}
	for p.eat(",") {
		if !p.startsExpr() {
			break
		}
		t.Elems = append(t.Elems, p.starExpr())
	}
	return t
}

func (p *parser) starExpr() Expr {
	if p.is("*") {
		at := p.next().pos
		return &Starred{at, p.bitOr()}
	}
	return p.namedExpr()
}

// startsExpr reports whether an expression can begin here.
func (p *parser) startsExpr() bool {
	t := p.tok()
	switch t.kind {
	case tName, tInt, tFloat, tString, tBytes, tFString:
		return true
	case tOp:
		switch t.text {
		case "(", "[", "{", "-", "+", "~", "*", "...":
			return true
		}
	case tKeyword:
		switch t.text {
		case "not", "lambda", "None", "True", "False", "await":
			return true
		}
	}
	return false
}

// namedExpr parses an expression that may be name := expr.
func (p *parser) namedExpr() Expr {
	if t := p.tok(); t.kind == tName && p.tokens[p.i+1].kind == tOp && p.tokens[p.i+1].text == ":=" {
		p.i++
		at := p.next().pos
		return &Walrus{at, &Name{t.pos, t.text}, p.expr()}
	}
	x := p.expr()
	if p.is(":=") {
		p.fail(p.tok().pos, "cannot use assignment expressions with %s", describe(x))
	}
	return x
}

// expr parses a conditional expression or anything that binds tighter.
func (p *parser) expr() Expr {
	p.enter()
	defer p.leave()
	return p.beside(p.conditional)
}

func (p *parser) conditional() Expr {
	if p.is("lambda") {
		at := p.next().pos
		l := &Lambda{Pos: at, Params: p.params(":")}
		p.want(":", " after the parameters of 'lambda'")
		l.Body = p.expr()
		return l
	}
	x := p.logic(false)
	if !p.is("if") {
		return x
	}
	at := p.next().pos
	cond := p.logic(false)
	if !p.is("else") {
		p.fail(at, "expected 'else' after 'if' expression")
	}
	p.i++
	return &Cond{at, cond, x, p.expr()}
}

// logic parses a chain of `or`, or of `and` inside it.
func (p *parser) logic(and bool) Expr {
	word := "or"
	operand := func() Expr { return p.logic(true) }
	if and {
		word, operand = "and", p.not
	}
	x := operand()
	if !p.is(word) {
		return x
	}
	l := &Logic{Pos: p.tok().pos, And: and, Xs: []Expr{x}}
	for p.eat(word) {
		l.Xs = append(l.Xs, p.beside(operand))
	}
	return l
}

func (p *parser) not() Expr {
	if p.is("not") {
		at := p.next().pos
		p.enter()
		defer p.leave()
		return &Not{at, p.not()}
	}
	return p.comparison()
}

var compareBySymbol = func() map[string]CompareOp {
	m := map[string]CompareOp{}
	for op := CompareOp(0); op < NumCompareOps; op++ {
		m[op.String()] = op
	}
	return m
}()

func (p *parser) comparison() Expr {
	x := p.bitOr()
	var c *Compare
	for {
		r, ok := p.relation()
		if !ok {
			break
		}
		if c == nil {
			c = &Compare{Pos: r.Pos, X: x}
		}
		c.Ops = append(c.Ops, r)
		c.Ys = append(c.Ys, p.beside(p.bitOr))
	}
	if c != nil {
		return c
	}
	return x
}

func (p *parser) relation() (Relation, bool) {
	t := p.tok()
	r := Relation{Pos: t.pos}
	if t.kind == tOp {
		op, ok := compareBySymbol[t.text]
		if ok {
			p.i++
			r.Op = op
		}
		return r, ok
	}
	if t.kind != tKeyword {
		return r, false
	}
	switch t.text {
	case "in":
		r.Kind = In
	case "is":
		r.Kind = Is
	case "not":
		if p.tokens[p.i+1].text != "in" || p.tokens[p.i+1].kind != tKeyword {
			return r, false
		}
		p.i++
		r.Kind = NotIn
	default:
		return r, false
	}
	p.i++
	if r.Kind == Is && p.eat("not") {
		r.Kind = IsNot
	}
	return r, true
}

func (p *parser) bitOr() Expr { return p.binary(1) }

// binary parses left-associative operators of at least the given precedence.
func (p *parser) binary(min int) Expr {
	x := p.unary()
	for {
		t := p.tok()
		prec := 0
		if t.kind == tOp {
			prec = binaryPrecedence[t.text]
		}
		if prec < min || prec == 0 {
			return x
		}
		p.i++
		p.grow()
		x = &Binary{t.pos, binaryBySymbol[t.text], x, p.beside(func() Expr { return p.binary(prec + 1) })}
	}
}

func (p *parser) unary() Expr {
	t := p.tok()
	if t.kind == tOp {
		op := UnaryOp(NumUnaryOps)
		switch t.text {
		case "-":
			op = Neg
		case "+":
			op = Plus
		case "~":
			op = Invert
		}
		if op != NumUnaryOps {
			p.i++
			p.enter()
			defer p.leave()
			return &Unary{t.pos, op, p.unary()}
		}
	}
	x := p.postfix()
	if t := p.tok(); p.eat("**") {
		p.enter()
		defer p.leave()
		return &Binary{t.pos, Pow, x, p.unary()}
	}
	return x
}

// postfix parses an atom with calls, subscripts and attributes after it.
func (p *parser) postfix() Expr {
	first := p.tok()
	x := p.atom()
	at := x.At()
	for {
		t := p.tok()
		if t.kind != tOp {
			if _, bare := x.(*Name); bare && (t.kind == tName || t.kind >= tInt) && (first.text == "print" || first.text == "exec") {
				p.failHint(first.pos, "write "+first.text+"(...)", "missing parentheses in call to '%s'", first.text)
			}
			return x
		}
		switch t.text {
		case "(":
			p.i++
			x = &Call{at, x, p.args()}
		case "[":
			p.i++
			at = t.pos
			x = &Subscript{t.pos, x, p.subscript()}
		case ".":
			p.i++
			name := p.name("an attribute name")
			at = name.pos
			x = &Attribute{name.pos, x, name.text}
		default:
			return x
		}
		p.grow()
	}
}

func (p *parser) subscript() Expr {
	at := p.tok().pos
	if p.is("]") {
		p.fail(at, "invalid syntax: empty subscript")
	}
	x := p.sliceItem()
	if p.is(",") {
		t := &Tuple{Pos: at, Elems: []Expr{x}}
		for p.eat(",") && !p.is("]") {
			t.Elems = append(t.Elems, p.sliceItem())
		}
		x = t
	} else if s, ok := x.(*Starred); ok {
		x = &Tuple{Pos: at, Elems: []Expr{s}}
	}
	p.want("]", " after the subscript")
	return x
}

func (p *parser) sliceItem() Expr {
	at := p.tok().pos
	var parts [3]Expr
	n := 0
	for {
		if !p.is(":") && !p.is("]") && !p.is(",") {
			parts[n] = p.starExpr()
		}
		if n == 2 || !p.eat(":") {
			break
		}
		n++
	}
	if n == 0 {
		if parts[0] == nil {
			p.fail(at, "invalid syntax: unexpected %s", p.tok().describe())
		}
		return parts[0]
	}
	return &Slice{at, parts[0], parts[1], parts[2]}
}

// comprehension parses the for clauses that follow the element.
func (p *parser) comprehension(c *Comp) Expr {
	if s, ok := c.Elem.(*Starred); ok {
		p.fail(s.Pos, "iterable unpacking cannot be used in comprehension")
	}
	p.enter()
	defer p.leave()
	for p.is("for") || p.is("async") {
		if p.is("async") {
			p.fail(p.tok().pos, "unsupported syntax: 'async'")
		}
		f := CompFor{Pos: p.next().pos, Target: p.targetList()}
		p.want("in", " in the comprehension")
		f.Iter = p.logicOrLambda()
		for p.eat("if") {
			f.Ifs = append(f.Ifs, p.compCondition())
		}
		c.Fors = append(c.Fors, f)
		if len(c.Fors) > 20 {
			p.fail(f.Pos, "too many statically nested blocks")
		}
	}
	return c
}

func (p *parser) logicOrLambda() Expr {
	if p.is("lambda") {
		return p.expr()
	}
	return p.logic(false)
}

func (p *parser) compCondition() Expr {
	if t := p.tok(); t.kind == tName && p.tokens[p.i+1].text == ":=" {
		return p.namedExpr()
	}
	return p.logicOrLambda()
}
