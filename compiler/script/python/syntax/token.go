package syntax

import "strings"

type kind uint8

const (
	tEOF kind = iota
	tNewline
	tIndent
	tDedent
	tName
	tKeyword
	tOp
	tInt
	tFloat
	tString
	tBytes
	tFString
)

// token is a lexical unit. Text is the source text, except for strings, where
// text is the decoded value (for f-strings the undecoded body).
type token struct {
	kind       kind
	text       string
	pos        Pos
	start, end int  // byte offsets in the source, quotes and prefix included
	body       int  // strings: byte offset of the first byte after the opening quote
	raw        bool // strings: no escapes
}

func (t *token) describe() string {
	switch t.kind {
	case tEOF:
		return "end of file"
	case tNewline:
		return "end of line"
	case tIndent:
		return "an indent"
	case tDedent:
		return "end of block"
	case tString, tBytes, tFString:
		return "a string"
	}
	if len(t.text) > 40 {
		return "'" + t.text[:40] + "...'"
	}
	return "'" + t.text + "'"
}

var keywords = set("False None True and as assert async await break class continue def del elif else except " +
	"finally for from global if import in is lambda nonlocal not or pass raise return try while with yield")

// operators by length, so that the longest match wins.
var operators = [4]map[string]bool{
	1: set("+ - * / % @ & | ^ ~ < > ( ) [ ] { } , : . ; ="),
	2: set("** // << >> <= >= == != -> := += -= *= /= %= @= &= |= ^="),
	3: set("**= //= <<= >>= ..."),
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var binaryBySymbol = func() map[string]BinaryOp {
	m := map[string]BinaryOp{}
	for op := BinaryOp(0); op < NumBinaryOps; op++ {
		m[op.String()] = op
	}
	return m
}()

// binaryPrecedence of the left-associative operators; ** is apart.
var binaryPrecedence = map[string]int{
	"|": 1, "^": 2, "&": 3, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6, "/": 6, "//": 6, "%": 6, "@": 6,
}

// IsKeyword reports whether a word is a keyword, which is no name.
func IsKeyword(word string) bool { return keywords[word] }
