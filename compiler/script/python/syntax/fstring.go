package syntax

import (
	"strings"
)

// fstringParser parses the body of one f-string literal. It works on the
// source itself, so that positions inside the fields are exact.
type fstringParser struct {
	*parser
	t    *token
	text *strings.Builder // constant text not yet in out
	out  *FString
}

// parse handles src[i:end]. At depth 1 this is a format spec, where braces
// are not doubled.
func (f *fstringParser) parse(i, end, depth int) {
	src := f.src.Text
	literal := i
	flush := func(to int) {
		s := src[literal:to]
		if !f.t.raw {
			l := &lexer{src: f.src}
			s = l.unescape(s, f.src.posAt(literal), false)
		}
		f.text.WriteString(s)
	}
	for i < end {
		c := src[i]
		switch {
		case (c == '{' || c == '}') && depth == 0 && i+1 < end && src[i+1] == c:
			flush(i + 1)
			i += 2
			literal = i
		case c == '\\' && !f.t.raw && i+1 < end && src[i+1] == 'N':
			n := strings.IndexByte(src[i:end], '}')
			if n < 0 {
				f.fail(f.src.posAt(i), "malformed \\N character escape")
			}
			i += n + 1
		case c == '\\' && !f.t.raw && i+1 < end && src[i+1] != '{' && src[i+1] != '}':
			i += 2
		case c == '{':
			flush(i)
			flushText(f.out, f.text)
			i = f.field(i, end, depth)
			literal = i
		case c == '}':
			f.fail(f.src.posAt(i), "f-string: single '}' is not allowed")
		default:
			i++
		}
	}
	flush(end)
}

// field parses {expr!conv:spec} at i and returns the offset after it.
func (f *fstringParser) field(i, end, depth int) int {
	src, open := f.src.Text, i
	if depth > 1 {
		f.fail(f.src.posAt(i), "f-string: expressions nested too deeply")
	}
	stop := f.fieldEnd(i+1, end)
	if strings.TrimSpace(src[i+1:stop]) == "" {
		f.fail(f.src.posAt(i), "f-string: empty expression not allowed")
	}
	x := &Field{Pos: f.src.posAt(i + 1), X: f.expression(i+1, stop)}
	i = stop
	if src[i] == '=' {
		i++
		for i < end && strings.IndexByte(" \t\n", src[i]) >= 0 {
			i++
		}
		f.text.WriteString(src[open+1 : i])
		flushText(f.out, f.text)
		x.Conv = 'r'
		if i < end && src[i] == ':' {
			x.Conv = 0
		}
	}
	if i < end && src[i] == '!' {
		if i+1 >= end || strings.IndexByte("rsa", src[i+1]) < 0 {
			f.fail(f.src.posAt(i), "f-string: invalid conversion character: expected 's', 'r', or 'a'")
		}
		x.Conv = src[i+1]
		i += 2
	}
	if i < end && src[i] == ':' {
		stop := specEnd(src, i+1, end)
		x.Spec = &FString{Pos: f.src.posAt(i)}
		spec := &fstringParser{parser: f.parser, t: f.t, text: &strings.Builder{}, out: x.Spec}
		spec.parse(i+1, stop, depth+1)
		flushText(x.Spec, spec.text)
		i = stop
	}
	if i >= end || src[i] != '}' {
		f.fail(f.src.posAt(open), "f-string: expecting '}'")
	}
	f.out.Parts = append(f.out.Parts, x)
	return i + 1
}

// fieldEnd finds the end of the expression: the first } : ! or = outside
// brackets and strings that is no operator.
func (f *fstringParser) fieldEnd(i, end int) int {
	src := f.src.Text
	depth := 0
	for i < end {
		switch c := src[i]; c {
		case '\'', '"':
			q := src[i : i+1]
			if strings.HasPrefix(src[i:end], strings.Repeat(q, 3)) {
				q = strings.Repeat(q, 3)
			}
			n := strings.Index(src[i+len(q):end], q)
			if n < 0 {
				f.fail(f.src.posAt(i), "f-string: unterminated string")
			}
			if b := strings.IndexByte(src[i:i+n+len(q)], '\\'); b >= 0 {
				f.fail(f.src.posAt(i+b), "f-string expression part cannot include a backslash")
			}
			i += n + 2*len(q)
			continue
		case '\\':
			f.fail(f.src.posAt(i), "f-string expression part cannot include a backslash")
		case '(', '[', '{':
			depth++
		case ')', ']':
			depth--
		case '}':
			if depth <= 0 {
				return i
			}
			depth--
		case ':':
			if depth <= 0 {
				return i
			}
		case '!', '=', '<', '>':
			if i+1 < end && src[i+1] == '=' {
				i += 2
				continue
			}
			if depth <= 0 && (c == '!' || c == '=') {
				return i
			}
		}
		i++
	}
	f.fail(f.src.posAt(min(i, end)), "f-string: expecting '}'")
	return 0
}

// specEnd finds the } that closes the field whose format spec begins at i.
func specEnd(src string, i, end int) int {
	for depth := 0; i < end; i++ {
		switch src[i] {
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return end
}

func (f *fstringParser) expression(start, end int) Expr {
	f.enter()
	defer f.leave()
	at := f.src.posAt(start)
	p := &parser{src: f.src, tokens: lexField(f.src, start, end, at), nesting: f.nesting}
	var x Expr
	if p.is("yield") {
		x = p.yield()
	} else {
		x = p.starExprs()
	}
	if t := p.tok(); t.kind != tEOF {
		p.fail(t.pos, "f-string: invalid syntax: unexpected %s", t.describe())
	}
	return x
}
