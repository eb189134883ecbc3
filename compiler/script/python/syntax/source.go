package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxSourceBytes bounds the size of one source file.
const MaxSourceBytes = 16 << 20

// Pos is a place in a source file: line and column count from 1, columns in
// code points. The zero Pos is no place.
type Pos struct{ Line, Col uint32 }

// Error is a fault in the source text.
type Error struct {
	Kind   string // SyntaxError, IndentationError or TabError
	File   string
	Pos    Pos
	Msg    string
	Hint   string // advice, may be empty
	Source string // text of the line
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", e.File, e.Pos.Line, e.Pos.Col, e.Kind, e.Msg)
}

// Source is a checked source text with \n line ends.
type Source struct {
	Name  string
	Text  string
	lines []int // byte offset of the start of each line

	// Library marks a module that comes with the interpreter: errors are shown where the
	// script calls it.
	Library bool
}

// NewSource checks that text is UTF-8 without NUL bytes and normalises line
// ends. A byte order mark at the start is dropped.
func NewSource(name string, text []byte) (*Source, error) {
	s := string(text)
	s = strings.TrimPrefix(s, "\ufeff")
	if strings.Contains(s, "\r") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	src := &Source{Name: name, Text: s, lines: []int{0}}
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' {
			src.lines = append(src.lines, i+1)
		}
	}
	if len(s) > MaxSourceBytes {
		return nil, &Error{Kind: "SyntaxError", File: name, Pos: Pos{1, 1},
			Msg: fmt.Sprintf("source file has %d bytes, more than the %d supported", len(s), MaxSourceBytes)}
	}
	if i := strings.IndexByte(s, 0); i >= 0 {
		return nil, src.fault("SyntaxError", i, "source code cannot contain null bytes", "is this a script, saved as plain text in UTF-8?")
	}
	if i := invalidUTF8(s); i >= 0 {
		return nil, src.fault("SyntaxError", i, fmt.Sprintf("source is not valid UTF-8: byte 0x%02x", s[i]), "save the file with UTF-8 encoding")
	}
	return src, nil
}

// Line returns the text of line n, which counts from 1; "" if there is none.
func (s *Source) Line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	text := s.Text[s.lines[n-1]:]
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return text
}

// fault makes an error at a byte offset, also where the text is not UTF-8.
func (s *Source) fault(kind string, offset int, msg, hint string) *Error {
	line := strings.Count(s.Text[:offset], "\n") + 1
	before := s.Text[s.lines[line-1]:offset]
	return &Error{Kind: kind, File: s.Name, Msg: msg, Hint: hint,
		Pos:    Pos{uint32(line), uint32(utf8.RuneCountInString(before) + 1)},
		Source: strings.ToValidUTF8(strings.ReplaceAll(s.Line(line), "\x00", "?"), "?")}
}

func invalidUTF8(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return -1
}
