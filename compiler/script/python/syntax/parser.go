package syntax

import "fmt"

// parser is a recursive-descent parser over the tokens of a file or of an
// f-string field.
type parser struct {
	src     *Source
	tokens  []token
	i       int
	nesting int
	height  int // bound on the height of the tree parsed last in this expression
}

// Parse parses a whole file. The error is always an *Error.
func Parse(src *Source) (file *File, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case bailout:
			file, err = nil, r.err
		default:
			panic(r)
		}
	}()
	p := &parser{src: src, tokens: lexFile(src)}
	return &File{src, p.statements(tEOF)}, nil
}

func (p *parser) fail(pos Pos, format string, args ...any) { p.failHint(pos, "", format, args...) }

func (p *parser) failHint(pos Pos, hint, format string, args ...any) {
	panic(bailout{&Error{Kind: "SyntaxError", File: p.src.Name, Pos: pos, Hint: hint,
		Msg: fmt.Sprintf(format, args...), Source: p.src.Line(int(pos.Line))}})
}

func (p *parser) failIndent(pos Pos, format string, args ...any) {
	panic(bailout{&Error{Kind: "IndentationError", File: p.src.Name, Pos: pos,
		Msg: fmt.Sprintf(format, args...), Source: p.src.Line(int(pos.Line))}})
}

// enter bounds the nesting of what the parser recurses into.
func (p *parser) enter() {
	p.nesting++
	if p.nesting > maxNesting {
		p.fail(p.tok().pos, "too deeply nested (more than %d levels)", maxNesting)
	}
}

func (p *parser) leave() { p.nesting-- }

// grow bounds the height of what the parser builds in a loop but the tree
// holds as nested nodes: a + b + c.
func (p *parser) grow() {
	if p.height++; p.height > maxChain {
		p.fail(p.tok().pos, "expression too long (more than %d operations in a row)", maxChain)
	}
}

// beside parses an operand or element that lies beside what has been parsed
// before, not on top of it.
func (p *parser) beside(parse func() Expr) Expr {
	before := p.height
	p.height = 0
	x := parse()
	p.height = max(p.height, before)
	return x
}

func (p *parser) tok() *token { return &p.tokens[p.i] }

func (p *parser) next() *token {
	t := &p.tokens[p.i]
	if t.kind != tEOF {
		p.i++
	}
	return t
}

func (p *parser) is(text string) bool {
	t := &p.tokens[p.i]
	return (t.kind == tOp || t.kind == tKeyword) && t.text == text
}

func (p *parser) eat(text string) bool {
	if p.is(text) {
		p.i++
		return true
	}
	return false
}

func (p *parser) want(text, where string) *token {
	if !p.is(text) {
		p.fail(p.tok().pos, "expected '%s'%s, got %s", text, where, p.tok().describe())
	}
	return p.next()
}

func (p *parser) name(what string) *token {
	t := p.tok()
	if t.kind != tName {
		p.fail(t.pos, "expected %s, got %s", what, t.describe())
	}
	return p.next()
}

func (p *parser) statements(end kind) []Stmt {
	var list []Stmt
	for p.tok().kind != end {
		switch p.tok().kind {
		case tNewline:
			p.i++
		case tIndent:
			p.failIndent(p.tok().pos, "unexpected indent")
		default:
			list = p.statement(list)
		}
	}
	p.next()
	return list
}

// block parses the suite of a compound statement, what names it in errors.
func (p *parser) block(what string, head Pos) []Stmt {
	p.want(":", " after "+what)
	if p.tok().kind != tNewline {
		return p.simple(nil)
	}
	p.i++
	for p.tok().kind == tNewline {
		p.i++
	}
	if p.tok().kind != tIndent {
		p.failIndent(p.tok().pos, "expected an indented block after %s on line %d", what, head.Line)
	}
	p.i++
	p.enter()
	defer p.leave()
	return p.statements(tDedent)
}

// statement parses one line or one compound statement and appends it to list.
func (p *parser) statement(list []Stmt) []Stmt {
	p.height = 0
	t := p.tok()
	if t.kind == tKeyword {
		if parse, ok := compound[t.text]; ok {
			p.i++
			return append(list, parse(p, t.pos))
		}
		if t.text == "async" || t.text == "await" {
			p.fail(t.pos, "unsupported syntax: '%s'", t.text)
		}
	}
	if t.kind == tOp && t.text == "@" {
		return append(list, p.decorated())
	}
	if t.kind == tName && t.text == "match" && p.softMatch() {
		p.i++
		return append(list, p.matchStmt(t.pos))
	}
	return p.simple(list)
}

var compound map[string]func(p *parser, at Pos) Stmt

func init() {
	compound = map[string]func(p *parser, at Pos) Stmt{
		"if": (*parser).ifStmt, "while": (*parser).whileStmt, "for": (*parser).forStmt, "def": (*parser).funcDef,
		"class": (*parser).classDef, "try": (*parser).tryStmt, "with": (*parser).withStmt,
	}
}

func (p *parser) ifStmt(at Pos) Stmt {
	s := &If{Pos: at}
	what, head := "'if' statement", at
	for {
		cond := p.condition()
		s.Clauses = append(s.Clauses, IfClause{cond, p.block(what, head)})
		if !p.is("elif") {
			break
		}
		what, head = "'elif' statement", p.next().pos
	}
	s.Else = p.elseBlock()
	return s
}

// condition parses an expression where = is a likely slip for ==.
func (p *parser) condition() Expr {
	x := p.namedExpr()
	if p.is("=") {
		p.failHint(p.tok().pos, "compare with ==", "invalid syntax: '=' assigns, it does not compare")
	}
	return x
}

func (p *parser) elseBlock() []Stmt {
	if !p.is("else") {
		return nil
	}
	at := p.next().pos
	return p.block("'else' statement", at)
}

func (p *parser) whileStmt(at Pos) Stmt {
	s := &While{Pos: at, Cond: p.condition()}
	s.Body = p.block("'while' statement", at)
	s.Else = p.elseBlock()
	return s
}

func (p *parser) forStmt(at Pos) Stmt {
	s := &For{Pos: at, Target: p.targetList()}
	p.want("in", " in 'for' statement")
	s.Iter = p.starExprs()
	s.Body = p.block("'for' statement", at)
	s.Else = p.elseBlock()
	return s
}

func (p *parser) funcDef(at Pos) Stmt {
	name := p.name("a function name")
	s := &FuncDef{Pos: name.pos, Name: name.text}
	p.want("(", " after the function name")
	s.Params = p.params(")")
	p.want(")", " after the parameters")
	if p.eat("->") {
		s.Returns = p.annotation()
	}
	s.Body = p.block("function definition", at)
	return s
}

func (p *parser) classDef(at Pos) Stmt {
	name := p.name("a class name")
	s := &ClassDef{Pos: name.pos, Name: name.text}
	if p.eat("(") {
		s.Args = p.args()
	}
	s.Body = p.block("class definition", at)
	return s
}

func (p *parser) decorated() Stmt {
	var decorators []Expr
	for p.eat("@") {
		decorators = append(decorators, p.namedExpr())
		if p.tok().kind != tNewline {
			p.fail(p.tok().pos, "expected end of line after the decorator, got %s", p.tok().describe())
		}
		for p.tok().kind == tNewline {
			p.i++
		}
	}
	at := p.tok().pos
	switch {
	case p.eat("def"):
		f := p.funcDef(at).(*FuncDef)
		f.Decorators = decorators
		return f
	case p.eat("class"):
		c := p.classDef(at).(*ClassDef)
		c.Decorators = decorators
		return c
	}
	p.fail(at, "expected 'def' or 'class' after a decorator, got %s", p.tok().describe())
	return nil
}

func (p *parser) tryStmt(at Pos) Stmt {
	s := &Try{Pos: at, Body: p.block("'try' statement", at)}
	for p.is("except") {
		h := Handler{Pos: p.next().pos}
		if p.is("*") {
			p.fail(p.tok().pos, "unsupported syntax: 'except*'")
		}
		if !p.is(":") {
			h.Type = p.expr()
			if p.is(",") {
				p.failHint(p.tok().pos, "write except (A, B):", "multiple exception types must be parenthesized")
			}
			if p.eat("as") {
				h.Name = p.name("a name after 'as'").text
			}
		}
		if n := len(s.Handlers); n > 0 && s.Handlers[n-1].Type == nil {
			p.fail(s.Handlers[n-1].Pos, "default 'except:' must be last")
		}
		h.Body = p.block("'except' statement", h.Pos)
		s.Handlers = append(s.Handlers, h)
	}
	if len(s.Handlers) > 0 {
		s.Else = p.elseBlock()
	}
	if p.is("finally") {
		head := p.next().pos
		s.Finally = p.block("'finally' statement", head)
	}
	if s.Handlers == nil && s.Finally == nil {
		p.fail(p.tok().pos, "expected 'except' or 'finally' block")
	}
	return s
}

func (p *parser) withStmt(at Pos) Stmt {
	s := &With{Pos: at}
	start := p.i
	if p.is("(") && p.withItems(s, true) {
		s.Body = p.block("'with' statement", at)
		return s
	}
	p.i, s.Items = start, nil
	p.withItems(s, false)
	s.Body = p.block("'with' statement", at)
	return s
}

// withItems parses the items of a with statement. In parentheses they may
// turn out to be an ordinary expression: then it reports false.
func (p *parser) withItems(s *With, inParens bool) bool {
	if inParens && !p.parenthesizedItems() {
		return false
	}
	if inParens {
		p.i++
	}
	for {
		item := WithItem{X: p.expr()}
		if p.eat("as") {
			item.Target = p.target()
			p.checkTarget(item.Target, false)
		}
		s.Items = append(s.Items, item)
		if !p.eat(",") || inParens && p.is(")") {
			break
		}
	}
	if inParens {
		p.want(")", " in 'with' statement")
	}
	return true
}

// parenthesizedItems looks ahead for `as` at depth one and `:` after the bracket.
func (p *parser) parenthesizedItems() bool {
	depth, as := 0, false
	for i := p.i; i < len(p.tokens); i++ {
		switch t := &p.tokens[i]; t.text {
		case "(", "[", "{":
			if t.kind == tOp {
				depth++
			}
		case ")", "]", "}":
			if t.kind == tOp {
				depth--
			}
			if depth == 0 {
				return as && p.tokens[i+1].text == ":"
			}
		case "as":
			as = as || depth == 1 && t.kind == tKeyword
		}
	}
	return false
}
