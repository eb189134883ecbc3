package syntax

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// number scans an int or float literal; its value is made by the parser.
func (l *lexer) number() {
	start, text := l.i, l.src.Text[:l.limit]
	if text[start] == '0' && start+1 < len(text) && strings.IndexByte("xXoObB", text[start+1]) >= 0 {
		l.i += 2
		l.digits(isHex, true)
		l.endNumber(start, map[byte]string{'x': "hexadecimal", 'o': "octal", 'b': "binary"}[text[start+1]|0x20])
		l.emit(tInt, start, l.i)
		return
	}
	k := tInt
	l.digits(isDigit, false)
	if l.i < len(text) && text[l.i] == '.' {
		k = tFloat
		l.i++
		l.digits(isDigit, false)
	}
	if l.i < len(text) && text[l.i]|0x20 == 'e' {
		j := l.i + 1
		if j < len(text) && (text[j] == '+' || text[j] == '-') {
			j++
		}
		if j < len(text) && isDigit(text[j]) {
			k = tFloat
			l.i = j
			l.digits(isDigit, false)
		}
	}
	if l.i < len(text) && text[l.i]|0x20 == 'j' {
		l.fail("SyntaxError", l.pos(start), "", "complex numbers are not supported")
	}
	l.endNumber(start, "decimal")
	if k == tInt && text[start] == '0' && strings.Trim(text[start:l.i], "0_") != "" {
		l.fail("SyntaxError", l.pos(start), "", "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers")
	}
	l.emit(k, start, l.i)
}

// digits scans digits with single underscores between them.
func (l *lexer) digits(ok func(byte) bool, lead bool) {
	for l.i < l.limit {
		c := l.src.Text[l.i]
		if c == '_' && (lead || l.i > 0 && ok(l.src.Text[l.i-1])) && l.i+1 < l.limit && ok(l.src.Text[l.i+1]) {
			l.i++
			continue
		}
		if !ok(c) {
			return
		}
		lead = false
		l.i++
	}
}

// endNumber refuses what runs into a number: 1abc, 1__0, 0b12.
func (l *lexer) endNumber(start int, what string) {
	if l.i < l.limit {
		r, _ := utf8.DecodeRuneInString(l.src.Text[l.i:])
		glued := r == '_' || r >= utf8.RuneSelf || 'a' <= r|0x20 && r|0x20 <= 'z'
		for _, w := range []string{"if", "else", "and", "or", "in", "is", "for", "not"} {
			if strings.HasPrefix(l.src.Text[l.i:l.limit], w) {
				glued = false // 1if x else 2 is ugly but legal
			}
		}
		if glued {
			l.fail("SyntaxError", l.pos(start), "", "invalid %s literal", what)
		}
	}
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// stringLiteral scans a string whose prefix starts at start; l.i is at its quote.
func (l *lexer) stringLiteral(start int, prefix string) {
	text := l.src.Text[:l.limit]
	t := token{kind: tString, pos: l.pos(start), start: start, raw: strings.Contains(prefix, "r")}
	switch {
	case strings.Contains(prefix, "f"):
		t.kind = tFString
	case strings.Contains(prefix, "b"):
		t.kind = tBytes
	}
	quote := text[l.i : l.i+1]
	if strings.HasPrefix(text[l.i:], strings.Repeat(quote, 3)) {
		quote = text[l.i : l.i+3]
	}
	l.i += len(quote)
	t.body = l.i
	bodyAt := l.pos(l.i)
	for {
		if l.i >= len(text) || len(quote) == 1 && text[l.i] == '\n' {
			kind := "string literal"
			if len(quote) == 3 {
				kind = "triple-quoted string literal"
			}
			l.fail("SyntaxError", t.pos, "", "unterminated %s", kind)
		}
		if strings.HasPrefix(text[l.i:], quote) {
			break
		}
		if text[l.i] == '\\' && l.i+1 < len(text) {
			l.i++
		}
		l.i++
		if text[l.i-1] == '\n' {
			l.newline(l.i)
		}
	}
	body := text[t.body:l.i]
	l.i += len(quote)
	t.end = l.i
	t.text = body
	if t.kind != tFString && !t.raw {
		t.text = l.unescape(body, bodyAt, t.kind == tBytes)
	}
	if t.kind == tBytes {
		for _, r := range body {
			if r >= utf8.RuneSelf {
				l.fail("SyntaxError", t.pos, "", "bytes can only contain ASCII literal characters")
			}
		}
	}
	l.tokens = append(l.tokens, t)
}

// simpleEscapes are the one-letter escapes.
var simpleEscapes = map[byte]byte{'\\': '\\', '\'': '\'', '"': '"', 'a': 7, 'b': 8, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11}

// unescape decodes backslash escapes; unknown ones stay as they are.
func (l *lexer) unescape(s string, at Pos, bytes bool) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		c := s[i+1]
		i += 2
		if e, ok := simpleEscapes[c]; ok {
			b.WriteByte(e)
			continue
		}
		width := 0
		switch {
		case c == '\n':
			continue
		case '0' <= c && c <= '7':
			j := i
			for j < len(s) && j < i+2 && '0' <= s[j] && s[j] <= '7' {
				j++
			}
			v, _ := strconv.ParseUint(s[i-1:j], 8, 32)
			writeCode(&b, rune(v), bytes)
			i = j
			continue
		case c == 'x':
			width = 2
		case c == 'u' && !bytes:
			width = 4
		case c == 'U' && !bytes:
			width = 8
		case c == 'N' && !bytes:
			name, _, ok := strings.Cut(strings.TrimPrefix(s[i:], "{"), "}")
			if !ok || s[i] != '{' {
				l.fail("SyntaxError", at, "", "malformed \\N character escape")
			}
			r, ok := runeNamed(name)
			if !ok {
				l.fail("SyntaxError", at, "write the character itself or \\u....", "unknown Unicode character name %q", name)
			}
			b.WriteRune(r)
			i += len(name) + 2
			continue
		}
		if width == 0 {
			b.WriteByte('\\')
			b.WriteByte(c)
			continue
		}
		if i+width > len(s) {
			l.fail("SyntaxError", at, "", "truncated \\%c escape in string", c)
		}
		v, err := strconv.ParseUint(s[i:i+width], 16, 32)
		if err != nil {
			l.fail("SyntaxError", at, "", "truncated \\%c escape in string", c)
		}
		if !bytes && (v > utf8.MaxRune || 0xd800 <= v && v < 0xe000) {
			l.fail("SyntaxError", at, "", "\\%c%s is not a Unicode character", c, s[i:i+width])
		}
		writeCode(&b, rune(v), bytes)
		i += width
	}
	return b.String()
}

func writeCode(b *strings.Builder, v rune, bytes bool) {
	if bytes {
		b.WriteByte(byte(v))
	} else {
		b.WriteRune(v)
	}
}
