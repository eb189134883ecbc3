package syntax

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds on nesting. Go's stack grows as needed; the bounds keep the depth of
// every recursive walk over the tree far below its limit.
const (
	maxIndent  = 100    // nested blocks
	maxBracket = 200    // open brackets
	maxNesting = 300    // nested expressions and blocks in the parser
	maxChain   = 50_000 // operators in a row: a + b + c ..., x.a.b.c ...
)

// lexer splits text[i:limit] into tokens.
type lexer struct {
	src      *Source
	i, limit int
	line     uint32
	mark     int // byte offset up to which wide counts
	wide     int // continuation bytes between the line's start and mark
	lineBeg  int
	indents  []indent
	brackets []token
	tokens   []token
	field    bool // inside an f-string field: line ends are blanks
}

// indent holds a width with tabs to multiples of 8 and one with tabs as 1:
// indentation is only consistent where both agree.
type indent struct{ width, alt int }

// bailout carries a fault up to the recover in Parse.
type bailout struct{ err *Error }

func (l *lexer) fail(kind string, pos Pos, hint, format string, args ...any) {
	panic(bailout{&Error{Kind: kind, File: l.src.Name, Pos: pos, Hint: hint,
		Msg: fmt.Sprintf(format, args...), Source: l.src.Line(int(pos.Line))}})
}

// pos returns the position of byte offset i, which must not lie before an
// offset already asked for on this line.
func (l *lexer) pos(i int) Pos {
	for ; l.mark < i; l.mark++ {
		if l.src.Text[l.mark]&0xc0 == 0x80 {
			l.wide++
		}
	}
	return Pos{l.line, uint32(i - l.lineBeg - l.wide + 1)}
}

func (l *lexer) newline(next int) {
	l.line++
	l.lineBeg, l.mark, l.wide = next, next, 0
}

func (l *lexer) emit(k kind, start, end int) {
	l.tokens = append(l.tokens, token{kind: k, text: l.src.Text[start:end], pos: l.pos(start), start: start, end: end})
}

func lexFile(src *Source) []token {
	l := &lexer{src: src, limit: len(src.Text), line: 1, indents: []indent{{}}}
	l.indentation()
	l.run()
	if len(l.brackets) > 0 {
		open := l.brackets[len(l.brackets)-1]
		l.fail("SyntaxError", open.pos, "", "'%s' was never closed", open.text)
	}
	if n := len(l.tokens); n > 0 && l.tokens[n-1].kind != tNewline && l.tokens[n-1].kind != tDedent {
		l.emit(tNewline, l.i, l.i)
	}
	for range l.indents[1:] {
		l.emit(tDedent, l.i, l.i)
	}
	l.emit(tEOF, l.i, l.i)
	return l.tokens
}

// lexField splits an expression inside an f-string; at is its position.
func lexField(src *Source, start, end int, at Pos) []token {
	l := &lexer{src: src, i: start, limit: end, line: at.Line, mark: start, lineBeg: start - int(at.Col) + 1, field: true}
	l.run()
	if len(l.brackets) > 0 {
		open := l.brackets[len(l.brackets)-1]
		l.fail("SyntaxError", open.pos, "", "f-string: '%s' was never closed", open.text)
	}
	l.emit(tEOF, l.i, l.i)
	return l.tokens
}

func (l *lexer) run() {
	text := l.src.Text
	for l.i < l.limit {
		c := text[l.i]
		switch {
		case c == '\n':
			l.lineEnd()
		case c == ' ' || c == '\t' || c == '\f':
			l.i++
		case c == '#':
			if l.field {
				l.fail("SyntaxError", l.pos(l.i), "", "f-string expression part cannot include '#'")
			}
			for l.i < l.limit && text[l.i] != '\n' {
				l.i++
			}
		case c == '\\':
			if l.i+1 >= l.limit || text[l.i+1] != '\n' {
				l.fail("SyntaxError", l.pos(l.i), "", "unexpected character after line continuation character")
			}
			l.i += 2
			l.newline(l.i)
		case isDigit(c) || c == '.' && l.i+1 < l.limit && isDigit(text[l.i+1]):
			l.number()
		case c == '"' || c == '\'':
			l.stringLiteral(l.i, "")
		case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf:
			l.word()
		default:
			l.operator()
		}
	}
}

func (l *lexer) lineEnd() {
	at := l.i
	l.i++
	if len(l.brackets) > 0 || l.field {
		l.newline(l.i)
		return
	}
	if n := len(l.tokens); n > 0 {
		if k := l.tokens[n-1].kind; k != tNewline && k != tIndent && k != tDedent {
			l.emit(tNewline, at, at)
		}
	}
	l.newline(l.i)
	l.indentation()
}

// indentation measures the blanks at the start of a line and emits the
// tokens of block structure. Lines without code have no indentation.
func (l *lexer) indentation() {
	var in indent
	for ; l.i < l.limit; l.i++ {
		switch l.src.Text[l.i] {
		case ' ':
			in.width++
			in.alt++
			continue
		case '\t':
			in.width = (in.width/8 + 1) * 8
			in.alt++
			continue
		case '\f':
			in = indent{}
			continue
		}
		break
	}
	if l.i >= l.limit || l.src.Text[l.i] == '\n' || l.src.Text[l.i] == '#' {
		return
	}
	top := l.indents[len(l.indents)-1]
	mixed := func() {
		l.fail("TabError", l.pos(l.i), "indent with spaces only", "inconsistent use of tabs and spaces in indentation")
	}
	switch {
	case in.width == top.width:
		if in.alt != top.alt {
			mixed()
		}
	case in.width > top.width:
		if in.alt <= top.alt {
			mixed()
		}
		if len(l.indents) > maxIndent {
			l.fail("IndentationError", l.pos(l.i), "", "too many levels of indentation")
		}
		l.indents = append(l.indents, in)
		l.emit(tIndent, l.i, l.i)
	default:
		for in.width < l.indents[len(l.indents)-1].width {
			l.indents = l.indents[:len(l.indents)-1]
			l.emit(tDedent, l.i, l.i)
		}
		top = l.indents[len(l.indents)-1]
		if in.width != top.width {
			l.fail("IndentationError", l.pos(l.i), "", "unindent does not match any outer indentation level")
		}
		if in.alt != top.alt {
			mixed()
		}
	}
}

func (l *lexer) word() {
	start := l.i
	for l.i < l.limit {
		r, n := utf8.DecodeRuneInString(l.src.Text[l.i:])
		if r != '_' && !unicode.IsLetter(r) && (l.i == start || !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r)) {
			break
		}
		l.i += n
	}
	if l.i == start {
		r, _ := utf8.DecodeRuneInString(l.src.Text[start:])
		l.fail("SyntaxError", l.pos(start), "", "invalid character '%c' (U+%04X)", r, r)
	}
	w := l.src.Text[start:l.i]
	if len(w) <= 2 && l.i < l.limit && (l.src.Text[l.i] == '"' || l.src.Text[l.i] == '\'') {
		switch prefix := strings.ToLower(w); prefix {
		case "r", "u", "b", "f", "rb", "br", "rf", "fr":
			l.stringLiteral(start, prefix)
			return
		}
	}
	if keywords[w] {
		l.emit(tKeyword, start, l.i)
	} else {
		l.emit(tName, start, l.i)
	}
}

func (l *lexer) operator() {
	text := l.src.Text[l.i:l.limit]
	n := min(3, len(text))
	for n > 0 && !operators[n][text[:n]] {
		n--
	}
	if n == 0 {
		l.fail("SyntaxError", l.pos(l.i), "", "invalid character %q", text[0])
	}
	l.emit(tOp, l.i, l.i+n)
	l.i += n
	switch c := text[0]; c {
	case '(', '[', '{':
		if len(l.brackets) >= maxBracket {
			l.fail("SyntaxError", l.tokens[len(l.tokens)-1].pos, "", "too many nested parentheses")
		}
		l.brackets = append(l.brackets, l.tokens[len(l.tokens)-1])
	case ')', ']', '}':
		at := l.tokens[len(l.tokens)-1].pos
		if len(l.brackets) == 0 {
			l.fail("SyntaxError", at, "", "unmatched '%c'", c)
		}
		open := l.brackets[len(l.brackets)-1]
		if strings.IndexByte("([{", open.text[0]) != strings.IndexByte(")]}", c) {
			l.fail("SyntaxError", at, "", "closing parenthesis '%c' does not match opening parenthesis '%s'", c, open.text)
		}
		l.brackets = l.brackets[:len(l.brackets)-1]
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
