package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// A schema is what the generator takes from messages.cddl, in source order.
type schema struct {
	consts []entry // name = 42
	enums  []group // name = &( first: 1 )
	maps   []group // name = { &(field: 1) => type }
}

// An entry is one named number with the comment that stands on its line.
type entry struct {
	name  string
	value int64
	doc   string
}

// A group is a named list of entries. doc is the comment block above the rule.
type group struct {
	name    string
	doc     string
	entries []entry
}

// A token is a word, a number, a punctuation mark or a comment.
type token struct {
	text string
	kind rune // 'w' word, 'n' number, 'p' punctuation, 'c' comment
	line int
	lead bool // first thing on its line
}

// parse reads the three forms of rule named at the head of messages.cddl and
// passes over every other rule.
func parse(src string) (*schema, error) {
	toks, err := scan(src)
	if err != nil {
		return nil, err
	}
	s := &schema{}
	seen := map[string]int{}
	for _, r := range splitRules(toks) {
		if prev, dup := seen[r.name]; dup {
			return nil, fmt.Errorf("line %d: rule %q is already defined on line %d", r.line, r.name, prev)
		}
		seen[r.name] = r.line
		if err := s.add(r); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *schema) add(r rule) error {
	body := withoutComments(r.body)
	switch {
	case len(body) == 1 && body[0].kind == 'n':
		v, err := strconv.ParseInt(body[0].text, 0, 64)
		if err != nil {
			return fmt.Errorf("line %d: %w", body[0].line, err)
		}
		s.consts = append(s.consts, entry{r.name, v, commentOn(r.body, body[0].line)})
	case len(body) > 1 && body[0].text == "&" && body[1].text == "(":
		g := group{name: r.name, doc: r.doc}
		for i := 2; i+2 < len(body) && body[i].text != ")"; i++ {
			if body[i].text == "," {
				continue
			}
			if err := g.read(r, body[i:]); err != nil {
				return err
			}
			i += 2
		}
		s.enums = append(s.enums, g)
	case len(body) > 0 && body[0].text == "{":
		g := group{name: r.name, doc: r.doc}
		for i := 0; i+5 < len(body); i++ {
			if body[i].text != "&" || body[i+1].text != "(" {
				continue
			}
			if err := g.read(r, body[i+2:]); err != nil {
				return err
			}
			if body[i+5].text != ")" {
				return fmt.Errorf("line %d: a key must be &(name: number)", body[i].line)
			}
		}
		s.maps = append(s.maps, g)
	}
	return nil
}

// read takes "name : number" from the head of t.
func (g *group) read(r rule, t []token) error {
	if len(t) < 3 || t[0].kind != 'w' || t[1].text != ":" || t[2].kind != 'n' {
		return fmt.Errorf("line %d: want name: number in %s", t[0].line, g.name)
	}
	v, err := strconv.ParseInt(t[2].text, 0, 64)
	if err != nil {
		return fmt.Errorf("line %d: %w", t[2].line, err)
	}
	for _, e := range g.entries {
		if e.name == t[0].text || e.value == v {
			return fmt.Errorf("line %d: %s: %d in %s repeats %s: %d", t[0].line, t[0].text, v, g.name, e.name, e.value)
		}
	}
	g.entries = append(g.entries, entry{t[0].text, v, commentOn(r.body, t[0].line)})
	return nil
}

// A rule is one definition; body holds what follows the equals sign.
type rule struct {
	name string
	doc  string
	line int
	body []token
}

// splitRules cuts the tokens at every "name =" outside brackets.
func splitRules(toks []token) []rule {
	var rules []rule
	depth := 0
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if depth == 0 && t.kind == 'w' && i+1 < len(toks) && toks[i+1].text == "=" {
			rules = append(rules, rule{name: t.text, doc: commentAbove(toks[:i], t.line), line: t.line})
			i++
			continue
		}
		switch t.text {
		case "(", "{", "[":
			depth++
		case ")", "}", "]":
			depth--
		}
		if len(rules) > 0 {
			last := &rules[len(rules)-1]
			last.body = append(last.body, t)
		}
	}
	return rules
}

// commentAbove joins the whole-line comments that end just above line.
func commentAbove(before []token, line int) string {
	var lines []string
	for i := len(before) - 1; i >= 0; i-- {
		t := before[i]
		if t.kind != 'c' || !t.lead || t.line != line-1-len(lines) {
			break
		}
		lines = append([]string{t.text}, lines...)
	}
	return strings.Join(lines, " ")
}

// commentOn returns the comment at the end of a line.
func commentOn(body []token, line int) string {
	for _, t := range body {
		if t.kind == 'c' && t.line == line && !t.lead {
			return t.text
		}
	}
	return ""
}

func withoutComments(toks []token) []token {
	var out []token
	for _, t := range toks {
		if t.kind != 'c' {
			out = append(out, t)
		}
	}
	return out
}

func scan(src string) ([]token, error) {
	var toks []token
	for n, line := range strings.Split(src, "\n") {
		rest := strings.TrimSpace(line)
		lead := true
		for rest != "" {
			t := token{line: n + 1, lead: lead}
			size := 1
			c := rune(rest[0])
			switch {
			case c == ';':
				t.kind, size = 'c', len(rest)
			case unicode.IsLetter(c) || c == '_':
				t.kind, size = 'w', span(rest, wordChar)
			case unicode.IsDigit(c) || c == '-' && len(rest) > 1 && unicode.IsDigit(rune(rest[1])):
				t.kind, size = 'n', 1+span(rest[1:], wordChar)
				if d := strings.Index(rest[:size], ".."); d > 0 {
					size = d
				}
			case c == '"':
				end := strings.IndexByte(rest[1:], '"')
				if end < 0 {
					return nil, fmt.Errorf("line %d: text is not closed", n+1)
				}
				t.kind, size = 'p', end+2
			default:
				t.kind = 'p'
			}
			t.text = rest[:size]
			if t.kind == 'c' {
				t.text = strings.TrimSpace(t.text[1:])
			}
			toks = append(toks, t)
			rest = strings.TrimSpace(rest[size:])
			lead = false
		}
	}
	return toks, nil
}

func span(s string, ok func(rune) bool) int {
	for i, c := range s {
		if !ok(c) {
			return i
		}
	}
	return len(s)
}

// wordChar holds the characters of CDDL names; "=>" ends a name, and so does
// the dot of a range or a control operator, which no rule here has in a name.
func wordChar(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsDigit(c) || c == '-' || c == '_'
}
