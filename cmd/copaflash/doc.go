package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/manual"
)

// entryDocument is an entry of the reference in the JSON document of `doc`.
type entryDocument struct {
	Name     string            `json:"name"`
	Call     string            `json:"call"`
	Page     string            `json:"page"`
	Text     string            `json:"text"`
	Parts    map[string]string `json:"parts"`
	Ops      []string          `json:"ops"`
	Examples []exampleDocument `json:"examples"`
}

type exampleDocument struct {
	Source string `json:"source"`
	Output string `json:"output"`
}

func docCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "doc [NAME]",
		Short: "Show the reference of a name of the language",
		Long: `Show the reference of a name of the language: a function, class or method of copapy, an
operator or an op of the graph, with examples. Without a name all of them are listed.`,
		Example: "  copaflash doc\n  copaflash doc cp.clamp\n  copaflash doc tensor.sum\n  copaflash doc 'a % b'",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listManual()
			}
			return a.showEntries(args[0])
		},
	}
}

func (a *app) listManual() error {
	if a.ui.json {
		var all []*manual.Entry
		for _, p := range manual.Pages() {
			all = append(all, p.Entries...)
		}
		return a.entriesDocument(all)
	}
	for i, p := range manual.Pages() {
		if i > 0 {
			a.ui.out("\n")
		}
		a.ui.out("%s\n", p.Title)
		rows := make([][]string, len(p.Entries))
		for i, e := range p.Entries {
			rows[i] = []string{"  " + e.Name, e.Summary()}
		}
		if err := a.ui.table(rows); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) showEntries(name string) error {
	found := manual.Search(name)
	if op, err := graph.ParseOp(name); err == nil && len(found) == 0 {
		found = append(found, manual.OpEntry(op))
	}
	if len(found) == 0 {
		f := &failure{Code: exitUsage, Message: "the language has no '" + name + "'", Hint: "copaflash doc lists all names"}
		if near := manual.Near(name); len(near) > 0 {
			f.Hint = "did you mean " + strings.Join(near, ", ") + "? " + f.Hint
		}
		return f
	}
	if a.ui.json {
		return a.entriesDocument(found)
	}
	for i, e := range found {
		if i > 0 {
			a.ui.out("\n")
		}
		a.ui.out("%s", e.DocString())
	}
	return nil
}

func (a *app) entriesDocument(entries []*manual.Entry) error {
	list := make([]entryDocument, len(entries))
	for i, e := range entries {
		d := entryDocument{Name: e.Name, Call: e.Call, Page: e.Page, Text: e.Text, Parts: e.Parts, Ops: []string{}, Examples: []exampleDocument{}}
		for _, op := range e.Ops {
			d.Ops = append(d.Ops, op.String())
		}
		for _, x := range e.Examples {
			d.Examples = append(d.Examples, exampleDocument(x))
		}
		list[i] = d
	}
	return a.ui.doc(struct {
		document
		Entries []entryDocument `json:"entries"`
	}{okDocument("doc"), list})
}
