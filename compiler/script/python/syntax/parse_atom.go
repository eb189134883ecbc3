package syntax

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxIntDigits bounds decimal int literals and conversions, as CPython does:
// their cost is quadratic.
const MaxIntDigits = 4300

func (p *parser) atom() Expr {
	t := p.tok()
	switch t.kind {
	case tName:
		p.i++
		return &Name{t.pos, t.text}
	case tInt:
		p.i++
		return &Const{t.pos, p.intValue(t)}
	case tFloat:
		p.i++
		f, _ := strconv.ParseFloat(strings.ReplaceAll(t.text, "_", ""), 64) // out of range gives inf, as in Python
		return &Const{t.pos, f}
	case tString, tFString, tBytes:
		return p.strings()
	case tKeyword:
		switch t.text {
		case "None":
			p.i++
			return &Const{t.pos, NoneLit{}}
		case "True", "False":
			p.i++
			return &Const{t.pos, t.text == "True"}
		case "yield":
			p.fail(t.pos, "invalid syntax: 'yield' inside an expression needs parentheses")
		case "await":
			p.fail(t.pos, "unsupported syntax: 'await'")
		}
	case tOp:
		switch t.text {
		case "...":
			p.i++
			return &Const{t.pos, EllipsisLit{}}
		case "(":
			p.i++
			return p.parens(t.pos)
		case "[":
			p.i++
			return p.list(t.pos)
		case "{":
			p.i++
			return p.braces(t.pos)
		}
	}
	p.fail(t.pos, "invalid syntax: unexpected %s", t.describe())
	return nil
}

func (p *parser) intValue(t *token) any {
	s := strings.ReplaceAll(t.text, "_", "")
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return v
	}
	decimal := len(s) < 2 || isDigit(s[1])
	if decimal {
		s = strings.TrimLeft(s, "0")
		if s == "" {
			return int64(0)
		}
		if len(s) > MaxIntDigits {
			p.failHint(t.pos, "write huge integers in hexadecimal", "int literal of %d digits exceeds the limit (%d digits)", len(s), MaxIntDigits)
		}
	}
	v, ok := new(big.Int).SetString(s, 0)
	if !ok {
		p.fail(t.pos, "invalid integer literal")
	}
	if v.IsInt64() {
		return v.Int64()
	}
	return v
}

// parens parses what follows "(": a parenthesized expression, tuple or generator.
func (p *parser) parens(at Pos) Expr {
	if p.eat(")") {
		return &Tuple{Pos: at}
	}
	if p.is("yield") {
		x := p.yield()
		p.want(")", " after the expression")
		return x
	}
	x := p.starExpr()
	switch {
	case p.is("for") || p.is("async"):
		x = p.comprehension(&Comp{Pos: at, Kind: Generator, Elem: x})
	case p.is(","):
		x = &Tuple{at, p.moreElems(x, ")")}
	default:
		if s, ok := x.(*Starred); ok {
			p.fail(s.Pos, "cannot use starred expression here")
		}
	}
	p.closing(")", at)
	return x
}

// moreElems parses the rest of a comma-separated list.
func (p *parser) moreElems(first Expr, end string) []Expr {
	elems := []Expr{first}
	for p.eat(",") && !p.is(end) {
		elems = append(elems, p.starExpr())
	}
	return elems
}

func (p *parser) closing(end string, open Pos) {
	if !p.is(end) {
		p.failHint(p.tok().pos, "perhaps a comma is missing", "invalid syntax: expected '%s' or ',', got %s", end, p.tok().describe())
	}
	p.i++
}

func (p *parser) list(at Pos) Expr {
	if p.eat("]") {
		return &List{Pos: at}
	}
	x := p.starExpr()
	if p.is("for") || p.is("async") {
		x = p.comprehension(&Comp{Pos: at, Kind: ListComp, Elem: x})
	} else {
		x = &List{at, p.moreElems(x, "]")}
	}
	p.closing("]", at)
	return x
}

// braces parses what follows "{": a dict, a set or a comprehension.
func (p *parser) braces(at Pos) Expr {
	if p.eat("}") {
		return &Dict{Pos: at}
	}
	var x Expr
	if !p.is("**") {
		x = p.starExpr()
		if !p.is(":") {
			if p.is("for") || p.is("async") {
				x = p.comprehension(&Comp{Pos: at, Kind: SetComp, Elem: x})
			} else {
				x = &Set{at, p.moreElems(x, "}")}
			}
			p.closing("}", at)
			return x
		}
	}
	d := &Dict{Pos: at}
	for {
		if p.eat("**") {
			d.Keys, d.Values = append(d.Keys, nil), append(d.Values, p.bitOr())
		} else {
			if x == nil {
				x = p.expr()
			}
			p.want(":", " after a dictionary key")
			v := p.expr()
			if len(d.Keys) == 0 && (p.is("for") || p.is("async")) {
				c := p.comprehension(&Comp{Pos: at, Kind: DictComp, Key: x, Elem: v})
				p.closing("}", at)
				return c
			}
			d.Keys, d.Values = append(d.Keys, x), append(d.Values, v)
			x = nil
		}
		if !p.eat(",") || p.is("}") {
			break
		}
	}
	p.closing("}", at)
	return d
}

// strings parses adjacent string literals as one.
func (p *parser) strings() Expr {
	first := p.tok()
	f := &FString{Pos: first.pos}
	bytes, isF := first.kind == tBytes, false
	var text strings.Builder
	for {
		t := p.tok()
		if t.kind != tString && t.kind != tFString && t.kind != tBytes {
			break
		}
		if (t.kind == tBytes) != bytes {
			p.fail(t.pos, "cannot mix bytes and nonbytes literals")
		}
		p.i++
		if t.kind != tFString {
			text.WriteString(t.text)
			continue
		}
		isF = true
		fp := &fstringParser{parser: p, t: t, text: &text, out: f}
		fp.parse(t.body, t.body+len(t.text), 0)
	}
	if bytes {
		return &Const{first.pos, Bytes(text.String())}
	}
	if !isF {
		return &Const{first.pos, text.String()}
	}
	flushText(f, &text)
	return f
}

func flushText(f *FString, text *strings.Builder) {
	if text.Len() > 0 {
		f.Parts = append(f.Parts, &Const{f.Pos, text.String()})
		text.Reset()
	}
}

// posAt returns the position of a byte offset.
func (s *Source) posAt(offset int) Pos {
	lo, hi := 0, len(s.lines)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; s.lines[mid] <= offset {
			lo = mid
		} else {
			hi = mid
		}
	}
	return Pos{uint32(lo + 1), uint32(utf8.RuneCountInString(s.Text[s.lines[lo]:offset]) + 1)}
}
