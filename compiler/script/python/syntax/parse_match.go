package syntax

import "math/big"

// softMatch tells a match statement from an expression that begins with a variable
// match: the line ends with a colon, and what follows is a block of cases.
func (p *parser) softMatch() bool {
	switch n := &p.tokens[p.i+1]; n.kind {
	case tName, tInt, tFloat, tString, tBytes, tFString:
	case tOp:
		if n.text != "(" && n.text != "[" && n.text != "{" && n.text != "-" && n.text != "+" && n.text != "~" && n.text != "*" {
			return false
		}
	case tKeyword:
		switch n.text {
		case "not", "lambda", "None", "True", "False", "yield":
		default:
			return false
		}
	default:
		return false
	}
	for i := p.i + 1; i < len(p.tokens); i++ {
		if p.tokens[i].kind != tNewline {
			continue
		}
		if p.tokens[i-1].kind != tOp || p.tokens[i-1].text != ":" {
			return false
		}
		for p.tokens[i].kind == tNewline {
			i++
		}
		return p.tokens[i].kind == tIndent && p.tokens[i+1].text == "case" || p.tokens[p.i+1].kind != tOp
	}
	return false
}

func (p *parser) matchStmt(at Pos) Stmt {
	s := &Match{Pos: at, X: p.starExprs()}
	p.want(":", " after 'match' statement")
	for p.tok().kind == tNewline {
		p.i++
	}
	if p.tok().kind != tIndent {
		p.failIndent(p.tok().pos, "expected an indented block after 'match' statement on line %d", at.Line)
	}
	p.i++
	p.enter()
	defer p.leave()
	for p.tok().kind != tDedent {
		if p.tok().kind == tNewline {
			p.i++
			continue
		}
		if t := p.tok(); t.kind != tName || t.text != "case" {
			p.fail(t.pos, "expected 'case', got %s", t.describe())
		}
		s.Cases = append(s.Cases, p.caseBlock())
	}
	p.next()
	for i, c := range s.Cases[:len(s.Cases)-1] {
		if c.Guard == nil && c.Pattern.irrefutable() {
			p.unreachable(s.Cases[i].Pattern)
		}
	}
	return s
}

func (p *parser) caseBlock() Case {
	c := Case{Pos: p.next().pos}
	c.Pattern = p.openPattern()
	if p.eat("if") {
		c.Guard = p.namedExpr()
	}
	p.checkNames(c.Pattern, map[string]bool{})
	c.Body = p.block("'case' statement", c.Pos)
	return c
}

// irrefutable reports whether a pattern matches everything.
func (x *Pattern) irrefutable() bool {
	switch x.Kind {
	case AnyPattern:
		return true
	case AsPattern:
		return x.Subs[0].irrefutable()
	case OrPattern:
		return x.Subs[len(x.Subs)-1].irrefutable()
	}
	return false
}

func (p *parser) unreachable(x *Pattern) {
	if x.Name != "" {
		p.fail(x.Pos, "name capture '%s' makes remaining patterns unreachable", x.Name)
	}
	p.fail(x.Pos, "wildcard makes remaining patterns unreachable")
}

// checkNames fails where a name is captured twice, and where alternatives differ in names.
func (p *parser) checkNames(x *Pattern, seen map[string]bool) {
	bind := func() {
		if x.Name == "" {
			return
		}
		if seen[x.Name] {
			p.fail(x.Pos, "multiple assignments to name '%s' in pattern", x.Name)
		}
		seen[x.Name] = true
	}
	if x.Kind != OrPattern {
		for _, s := range x.Subs {
			p.checkNames(s, seen)
		}
		bind()
		return
	}
	var first map[string]bool
	for i, s := range x.Subs {
		if i < len(x.Subs)-1 && s.irrefutable() {
			p.unreachable(s)
		}
		own := map[string]bool{}
		p.checkNames(s, own)
		if i == 0 {
			first = own
		} else if len(own) != len(first) || !within(own, first) {
			p.fail(x.Pos, "alternative patterns bind different names")
		}
	}
	for n := range first {
		if seen[n] {
			p.fail(x.Pos, "multiple assignments to name '%s' in pattern", n)
		}
		seen[n] = true
	}
}

func within(names, in map[string]bool) bool {
	for n := range names {
		if !in[n] {
			return false
		}
	}
	return true
}

// openPattern parses a pattern, or a sequence of them without brackets.
func (p *parser) openPattern() *Pattern {
	at := p.tok().pos
	first := p.starPattern()
	if !p.is(",") {
		if first.Kind == StarPattern {
			p.fail(at, "a starred pattern must be in a sequence: write a comma after it")
		}
		return first
	}
	return p.sequencePattern(at, first, "")
}

// sequencePattern parses the rest of a sequence up to its closing bracket.
func (p *parser) sequencePattern(at Pos, first *Pattern, end string) *Pattern {
	x := &Pattern{Pos: at, Kind: SequencePattern}
	if first != nil {
		x.Subs = append(x.Subs, first)
	}
	for first == nil || p.eat(",") {
		if end != "" && p.is(end) || end == "" && (p.is(":") || p.is("if")) {
			break
		}
		first = p.starPattern()
		x.Subs = append(x.Subs, first)
	}
	if end != "" {
		p.want(end, " after the pattern")
	}
	stars := 0
	for _, s := range x.Subs {
		if s.Kind == StarPattern {
			if stars++; stars > 1 {
				p.fail(s.Pos, "multiple starred names in sequence pattern")
			}
		}
	}
	return x
}

func (p *parser) starPattern() *Pattern {
	if !p.is("*") {
		return p.pattern()
	}
	x := &Pattern{Pos: p.next().pos, Kind: StarPattern}
	x.Name = p.captureName()
	return x
}

// captureName is a name to capture, "" for _.
func (p *parser) captureName() string {
	if n := p.name("a name").text; n != "_" {
		return n
	}
	return ""
}

// pattern parses alternatives and `as name`.
func (p *parser) pattern() *Pattern {
	p.enter()
	defer p.leave()
	at := p.tok().pos
	x := p.closedPattern()
	if p.is("|") {
		x = &Pattern{Pos: at, Kind: OrPattern, Subs: []*Pattern{x}}
		for p.eat("|") {
			x.Subs = append(x.Subs, p.closedPattern())
		}
	}
	if !p.eat("as") {
		return x
	}
	t := p.name("a name after 'as'")
	if t.text == "_" {
		p.fail(t.pos, "cannot use '_' as a target")
	}
	if p.is(".") || p.is("(") {
		p.fail(t.pos, "invalid pattern target")
	}
	return &Pattern{Pos: at, Kind: AsPattern, Name: t.text, Subs: []*Pattern{x}}
}

func (p *parser) closedPattern() *Pattern {
	t := p.tok()
	switch {
	case t.kind == tName:
		return p.namePattern()
	case t.kind == tKeyword && (t.text == "None" || t.text == "True" || t.text == "False"):
		return &Pattern{Pos: t.pos, Kind: IdentityPattern, X: p.postfix()}
	case p.is("("):
		p.i++
		if p.eat(")") {
			return &Pattern{Pos: t.pos, Kind: SequencePattern}
		}
		first := p.starPattern()
		if first.Kind != StarPattern && p.eat(")") {
			return first
		}
		return p.sequencePattern(t.pos, first, ")")
	case p.is("["):
		p.i++
		return p.sequencePattern(t.pos, nil, "]")
	case p.is("{"):
		p.i++
		return p.mappingPattern(t.pos)
	}
	return &Pattern{Pos: t.pos, Kind: ValuePattern, X: p.literalPattern()}
}

// literalPattern parses a number or text.
func (p *parser) literalPattern() Expr {
	t := p.tok()
	if p.eat("-") {
		if k := p.tok().kind; k != tInt && k != tFloat {
			p.fail(p.tok().pos, "expected a number in the pattern, got %s", p.tok().describe())
		}
		return &Unary{t.pos, Neg, p.atomPattern()}
	}
	switch t.kind {
	case tInt, tFloat, tString, tBytes:
		return p.atomPattern()
	case tFString:
		p.fail(t.pos, "patterns may only match literals and attribute lookups")
	}
	p.fail(t.pos, "expected a pattern, got %s", t.describe())
	return nil
}

// atomPattern parses a literal, and refuses operators after it.
func (p *parser) atomPattern() Expr {
	x := p.postfix()
	if _, ok := x.(*Const); !ok {
		p.fail(x.At(), "patterns may only match literals and attribute lookups")
	}
	return x
}

// namePattern parses a capture, a dotted name, or a class with arguments.
func (p *parser) namePattern() *Pattern {
	t := p.next()
	var x Expr = &Name{t.pos, t.text}
	dotted := false
	for p.eat(".") {
		n := p.name("an attribute name")
		x, dotted = &Attribute{n.pos, x, n.text}, true
	}
	switch {
	case p.is("("):
		p.i++
		return p.classPattern(t.pos, x)
	case dotted:
		return &Pattern{Pos: t.pos, Kind: ValuePattern, X: x}
	case t.text == "_":
		return &Pattern{Pos: t.pos, Kind: AnyPattern}
	}
	return &Pattern{Pos: t.pos, Kind: AnyPattern, Name: t.text}
}

func (p *parser) classPattern(at Pos, class Expr) *Pattern {
	x := &Pattern{Pos: at, Kind: ClassPattern, X: class}
	for !p.is(")") {
		if t := p.tok(); t.kind == tName && p.tokens[p.i+1].kind == tOp && p.tokens[p.i+1].text == "=" {
			p.i += 2
			for _, a := range x.Attrs {
				if a == t.text {
					p.fail(t.pos, "attribute name repeated in class pattern: %s", a)
				}
			}
			x.Attrs = append(x.Attrs, t.text)
		} else if x.Attrs != nil {
			p.fail(t.pos, "positional patterns follow keyword patterns")
		}
		x.Subs = append(x.Subs, p.pattern())
		if !p.eat(",") {
			break
		}
	}
	p.want(")", " after the class pattern")
	return x
}

func (p *parser) mappingPattern(at Pos) *Pattern {
	x := &Pattern{Pos: at, Kind: MappingPattern}
	for !p.is("}") {
		if p.eat("**") {
			n := p.name("a name after '**'")
			if n.text == "_" {
				p.fail(n.pos, "invalid syntax: '**_' is the default")
			}
			x.Name = n.text
			p.eat(",")
			break
		}
		key := p.patternKey()
		if c, ok := key.(*Const); ok {
			for _, k := range x.Keys {
				if other, ok := k.(*Const); ok && sameKey(c.Value, other.Value) {
					p.fail(at, "mapping pattern checks duplicate key (%s)", p.src.Text[p.tokens[p.i-1].start:p.tokens[p.i-1].end])
				}
			}
		}
		x.Keys = append(x.Keys, key)
		p.want(":", " after the key in the pattern")
		x.Subs = append(x.Subs, p.pattern())
		if !p.eat(",") {
			break
		}
	}
	p.want("}", " after the pattern")
	return x
}

// sameKey reports whether two literals are the same key of a dict.
func sameKey(a, b any) bool {
	number := func(v any) any {
		switch v := v.(type) {
		case bool:
			if v {
				return 1.0
			}
			return 0.0
		case int64:
			return float64(v)
		}
		return v
	}
	if _, big := a.(*big.Int); big {
		return false
	}
	return number(a) == number(b)
}

// patternKey parses a key: a literal or a dotted name.
func (p *parser) patternKey() Expr {
	t := p.tok()
	if t.kind == tKeyword && (t.text == "None" || t.text == "True" || t.text == "False") {
		return p.postfix()
	}
	if t.kind == tName {
		x := p.namePattern()
		if x.Kind != ValuePattern {
			p.fail(t.pos, "mapping pattern keys may only match literals and attribute lookups")
		}
		return x.X
	}
	return p.literalPattern()
}
