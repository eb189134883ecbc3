package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/manual"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
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
		Use:   "doc [NAME|WORD...]",
		Short: "Show the reference entry of a name, or search the reference for words",
		Long: `Show the reference entry of a name, with examples: a function, class or method of
copapy, an operator, or an op of the graph. Without a name all entries are listed.

Other words are searched for: the entries that contain all of them are listed.`,
		Example: "  copaflash doc\n  copaflash doc cp.clamp\n  copaflash doc tensor.sum\n  copaflash doc 'a % b'\n  copaflash doc quaternion rotate",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listManual()
			}
			return a.showEntries(strings.Join(args, " "))
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
		if err := a.entryTable("  ", p.Entries); err != nil {
			return err
		}
	}
	return nil
}

// listEntries lists the entries in which words were found.
func (a *app) listEntries(found []*manual.Entry) error {
	if a.ui.json {
		return a.entriesDocument(found)
	}
	return a.entryTable("", found)
}

func (a *app) entryTable(indent string, entries []*manual.Entry) error {
	rows := make([][]string, len(entries))
	for i, e := range entries {
		rows[i] = []string{indent + e.Name, e.Summary()}
	}
	return a.ui.table(rows)
}

func (a *app) showEntries(name string) error {
	found := manual.Search(name)
	if op, err := graph.ParseOp(name); err == nil && len(found) == 0 {
		found = append(found, manual.OpEntry(op))
	}
	if len(found) == 0 {
		if found = manual.WithWords(strings.Fields(name)); len(found) > 0 {
			return a.listEntries(found)
		}
		f := &failure{Code: exitUsage, Message: "the language has no '" + name + "'", Hint: "copaflash doc lists all names"}
		near := manual.Near(name)
		if likely := nearName(name); likely != "" && !slices.Contains(near, likely) {
			near = append([]string{likely}, near...)
		}
		f.suggest(strings.Join(near, ", "))
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

// nearName is the name of the reference that is most like a misspelt one. Methods are
// compared without their class, too.
func nearName(name string) string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "copapy."), "cp.")
	var names []string
	of := map[string]string{}
	for _, p := range manual.Pages() {
		for _, e := range p.Entries {
			names = append(names, e.Name)
			if i := strings.LastIndexByte(e.Name, '.'); i >= 0 && of[e.Name[i+1:]] == "" {
				of[e.Name[i+1:]] = e.Name
			}
		}
	}
	if near := vm.Similar(name, names); near != "" {
		return near
	}
	return of[vm.Similar(name, slices.Collect(maps.Keys(of)))]
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
