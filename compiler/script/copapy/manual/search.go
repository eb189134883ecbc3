package manual

import (
	"slices"
	"strings"
	"unicode"
)

// Find returns the entry of a name of the module, or nil.
func Find(name string) *Entry {
	for _, e := range entries(func(e *Entry) bool { return !e.Syntax && e.Name == name }) {
		return e
	}
	return nil
}

func entries(matches func(e *Entry) bool) []*Entry {
	var out []*Entry
	for _, p := range Pages() {
		for _, e := range p.Entries {
			if matches(e) {
				out = append(out, e)
			}
		}
	}
	return out
}

// Search returns the entries that a user may mean: that of a name, with or without
// cp. before it, those of a method in all classes, those of an operator, and those that are an op alone.
func Search(text string) []*Entry {
	name := strings.TrimPrefix(strings.TrimPrefix(text, "copapy."), "cp.")
	name, _, _ = strings.Cut(name, "(")
	for _, matches := range []func(e *Entry) bool{
		func(e *Entry) bool { return e.Name == name || e.Name == text },
		func(e *Entry) bool { return strings.HasSuffix(e.Name, "."+name) },
		func(e *Entry) bool { return e.Syntax && slices.Contains(strings.Fields(e.Name), text) },
		func(e *Entry) bool { return len(e.Ops) == 1 && e.Ops[0].String() == text },
	} {
		if found := entries(matches); len(found) > 0 {
			return found
		}
	}
	return nil
}

// Near returns names that have the letters of the text in this order, or begin as it does.
func Near(text string) []string {
	text = strings.ToLower(strings.TrimPrefix(text, "cp."))
	var out []string
	for _, e := range entries(func(e *Entry) bool { return !e.Syntax && len(text) > 1 }) {
		name := strings.ToLower(e.Name)
		if inOrder(text, name) || len(text) > 2 && strings.HasPrefix(name, text[:3]) {
			out = append(out, e.Name)
		}
	}
	return out[:min(len(out), 5)]
}

func inOrder(letters, in string) bool {
	for _, r := range letters {
		i := strings.IndexRune(in, r)
		if i < 0 {
			return false
		}
		in = in[i+len(string(r)):]
	}
	return true
}

// WithWords returns the entries that have words beginning with each of these, in
// their names, texts or the titles of their pages; first those with one in the name.
func WithWords(words []string) []*Entry {
	isPart := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	has := func(text string, word string) bool {
		for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !isPart(r) }) {
			if strings.HasPrefix(w, strings.ToLower(word)) {
				return true
			}
		}
		return false
	}
	var named, other []*Entry
	for _, p := range Pages() {
		for _, e := range p.Entries {
			all, inName := len(words) > 0, false
			for _, w := range words {
				here := has(strings.ReplaceAll(e.Name, "_", " "), w) || has(e.Name, w)
				inName = inName || here
				all = all && (here || has(e.Text, w) || has(p.Title, w))
			}
			switch {
			case all && inName:
				named = append(named, e)
			case all:
				other = append(other, e)
			}
		}
	}
	return append(named, other...)
}
