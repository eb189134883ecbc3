package syntax

// args parses the arguments of a call after its opening bracket.
func (p *parser) args() []Arg {
	var args []Arg
	seen := map[string]bool{}
	keyword, unpacked := false, false
	for !p.is(")") {
		start := p.tok()
		a := Arg{Start: start.start}
		switch {
		case p.eat("*"):
			a.Star = 1
			a.X = p.expr()
			if unpacked {
				p.fail(start.pos, "iterable argument unpacking follows keyword argument unpacking")
			}
		case p.eat("**"):
			a.Star = 2
			a.X = p.expr()
			unpacked = true
		case start.kind == tName && p.tokens[p.i+1].kind == tOp && p.tokens[p.i+1].text == "=":
			p.i += 2
			a.Name, a.Start = start.text, p.tok().start
			a.X = p.expr()
			if seen[a.Name] {
				p.fail(start.pos, "keyword argument repeated: %s", a.Name)
			}
			seen[a.Name], keyword = true, true
		default:
			a.X = p.namedExpr()
			if p.is("for") {
				a.X = p.comprehension(&Comp{Pos: start.pos, Kind: Generator, Elem: a.X})
				if len(args) > 0 || !p.is(")") {
					p.fail(start.pos, "generator expression must be parenthesized")
				}
			}
			if p.is("=") {
				p.failHint(p.tok().pos, "did you mean '==' instead of '='?", "expression cannot contain assignment")
			}
			if unpacked {
				p.fail(start.pos, "positional argument follows keyword argument unpacking")
			}
			if keyword {
				p.fail(start.pos, "positional argument follows keyword argument")
			}
		}
		a.End = p.tokens[p.i-1].end
		args = append(args, a)
		if !p.eat(",") {
			break
		}
	}
	if !p.is(")") {
		p.failHint(p.tok().pos, "perhaps a comma or a bracket is missing", "expected ')' after the arguments, got %s", p.tok().describe())
	}
	p.i++
	return args
}

// params parses parameters up to, not including, the closing token; those of
// lambda (closed by ":") have no annotations.
func (p *parser) params(end string) Params {
	var ps Params
	seen := map[string]bool{}
	starred, defaults := false, false
	param := func() Param {
		n := p.name("a parameter name")
		if seen[n.text] {
			p.fail(n.pos, "duplicate argument '%s' in function definition", n.text)
		}
		seen[n.text] = true
		v := Param{Pos: n.pos, Name: n.text}
		if end == ")" && p.eat(":") {
			v.Annotation = p.annotation()
		}
		return v
	}
	for !p.is(end) {
		at := p.tok().pos
		if ps.StarStar != nil {
			p.fail(at, "arguments cannot follow var-keyword argument")
		}
		switch {
		case p.eat("**"):
			v := param()
			ps.StarStar = &v
		case p.eat("*"):
			if starred {
				p.fail(at, "* argument may appear only once")
			}
			starred = true
			if !p.is(",") && !p.is(end) {
				v := param()
				ps.Star = &v
			} else if p.is(end) || p.tokens[p.i+1].text == end || p.tokens[p.i+1].text == "**" {
				p.fail(at, "named arguments must follow bare *")
			}
		case p.eat("/"):
			if len(ps.Pos) == 0 || ps.PosOnly > 0 || starred {
				p.fail(at, "/ must follow at least one argument and come before *")
			}
			ps.PosOnly = len(ps.Pos)
		default:
			v := param()
			if p.eat("=") {
				v.Default = p.expr()
			}
			if starred {
				ps.KwOnly = append(ps.KwOnly, v)
				break
			}
			if v.Default == nil && defaults {
				p.fail(v.Pos, "non-default argument follows default argument")
			}
			defaults = v.Default != nil
			ps.Pos = append(ps.Pos, v)
		}
		if !p.eat(",") {
			break
		}
	}
	if len(seen) > 255 {
		p.fail(p.tok().pos, "more than 255 parameters")
	}
	return ps
}
