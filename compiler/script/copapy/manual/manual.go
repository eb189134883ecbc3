package manual

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/copaflash/copaflash/compiler/graph"
)

//go:embed *.md
var files embed.FS

// pages in the order of the reference.
var pages = []string{"programs", "control", "operators", "operator-functions", "numbers", "arrays", "arranging", "statistics", "array-methods",
	"linear-algebra", "derivatives", "rotations"}

// operators is the page of what is no name of the module.
const operators = "operators"

// The labels of the parts of an entry, in their order.
const (
	Takes      = "Takes"      // the arguments: types, shapes, units
	Gives      = "Gives"      // type, shape and unit of the result
	Edges      = "Edge cases" // NaN, infinities, ties, empty arrays
	Derivative = "Derivative" // where it is not that of one op
	Errors     = "Errors"     // the exceptions
	Ops        = "Op"         // the ops of the graph that it becomes
)

// Labels are the labels of parts, in their order.
var Labels = []string{Takes, Gives, Edges, Derivative, Errors, Ops}

// Page is a family of entries.
type Page struct {
	File    string // without .md
	Title   string
	Intro   string // Markdown
	Entries []*Entry
}

// Entry describes a name or an operator.
type Entry struct {
	Name     string // as behind cp.: "clamp", "tensor.sum"
	Syntax   bool   // it is an operator or a function of Python; then Name is the call
	Call     string // with parameters
	Page     string // the file of its page, without .md
	Text     string // Markdown, a paragraph or more
	Parts    map[string]string
	Ops      []graph.Op
	Examples []Example // one session: each sees what those before it defined
}

// Example is a statement and what an interactive session shows for it.
type Example struct {
	Source string
	Output string // lines, "" for none
}

// Summary is the first sentence of the text.
func (e *Entry) Summary() string {
	line, _, _ := strings.Cut(e.Text, "\n\n")
	line = strings.ReplaceAll(line, "\n", " ")
	if i := strings.Index(line, ". "); i >= 0 {
		line = line[:i]
	}
	return strings.TrimSuffix(line, ".")
}

// Pages returns all pages. A fault in one is a fault of the program.
var Pages = sync.OnceValue(func() []*Page {
	out := make([]*Page, len(pages))
	for i, name := range pages {
		text, err := files.ReadFile(name + ".md")
		if err == nil {
			out[i], err = parse(name, string(text))
		}
		if err != nil {
			panic(fmt.Sprintf("manual: %s.md: %v", name, err))
		}
	}
	return out
})

func parse(file, text string) (*Page, error) {
	head, rest, _ := strings.Cut(text, "\n## ")
	title, intro, _ := strings.Cut(head, "\n")
	p := &Page{File: file, Title: strings.TrimPrefix(title, "# "), Intro: strings.TrimSpace(intro)}
	for section := range strings.SplitSeq(rest, "\n## ") {
		e, err := entry(section, file == operators)
		if err != nil {
			return nil, err
		}
		e.Page = file
		p.Entries = append(p.Entries, e)
	}
	return p, nil
}

func entry(text string, syntax bool) (*Entry, error) {
	call, body, _ := strings.Cut(text, "\n")
	e := &Entry{Call: call, Name: call, Syntax: syntax, Parts: map[string]string{}}
	if !syntax {
		e.Name, _, _ = strings.Cut(call, "(")
	}
	for block := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
		var err error
		switch {
		case strings.HasPrefix(block, "- "):
			err = e.parts(block)
		case strings.HasPrefix(block, ">>> "):
			err = e.session(block)
		case len(e.Parts) > 0 || len(e.Examples) > 0:
			err = fmt.Errorf("text behind the parts")
		default:
			e.Text = strings.TrimSpace(e.Text + "\n\n" + block)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	return e, nil
}

func (e *Entry) parts(block string) error {
	last := -1
	for item := range strings.SplitSeq(block[2:], "\n- ") {
		label, text, ok := strings.Cut(item, ": ")
		at := slices.Index(Labels, label)
		if !ok || at <= last {
			return fmt.Errorf("part %q: parts are, in this order, %s", label, strings.Join(Labels, ", "))
		}
		last = at
		e.Parts[label] = strings.Join(strings.Fields(text), " ")
	}
	for name := range strings.SplitSeq(e.Parts[Ops], ", ") {
		if name == "" {
			break
		}
		op, err := graph.ParseOp(name)
		if err != nil {
			return err
		}
		e.Ops = append(e.Ops, op)
	}
	return nil
}

// session takes lines as an interactive session shows them.
func (e *Entry) session(block string) error {
	for line := range strings.SplitSeq(block, "\n") {
		last := len(e.Examples) - 1
		if source, ok := strings.CutPrefix(line, ">>> "); ok {
			e.Examples = append(e.Examples, Example{Source: source})
		} else if line == "..." || strings.HasPrefix(line, "... ") {
			e.Examples[last].Source += "\n" + strings.TrimPrefix(strings.TrimPrefix(line, "..."), " ")
		} else {
			e.Examples[last].Output += line + "\n"
		}
	}
	return nil
}
