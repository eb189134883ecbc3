package lir

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Dump prints the function for people: one instruction a line, loops indented.
func (f *Func) Dump(out io.Writer) error {
	w := bufio.NewWriter(out)
	f.dump(w, f.Items, "")
	return w.Flush()
}

func (f *Func) dump(w io.Writer, items []Item, indent string) {
	for _, it := range items {
		if it.Loop != nil {
			l := it.Loop
			fmt.Fprintf(w, "%sloop %d iterations\n", indent, l.Iterations())
			for _, p := range l.Phis {
				fmt.Fprintf(w, "%s  phi %s = %s from %s, then %s, out %s\n", indent, f.text(p.Val), f.text(p.Init), p.From, f.text(p.Next), f.text(p.Out))
			}
			f.dump(w, l.Body, indent+"  ")
			continue
		}
		fmt.Fprintf(w, "%sblock\n", indent)
		for i := range it.Block.Ins {
			fmt.Fprintf(w, "%s  %s\n", indent, f.Text(&it.Block.Ins[i]))
		}
	}
}

// Text is one instruction for people.
func (f *Func) Text(i *Ins) string {
	var b strings.Builder
	if i.D != 0 || i.E != 0 {
		b.WriteString(f.text(i.D))
		if i.E != 0 {
			b.WriteString(", " + f.text(i.E))
		}
		b.WriteString(" = ")
	}
	b.WriteString(i.Op.String())
	for _, a := range i.Args() {
		if a != 0 {
			b.WriteString(" " + f.text(a))
		}
	}
	switch i.Op.Imm() {
	case Number:
		fmt.Fprintf(&b, " %+d", int32(i.Imm))
	case Place, Offset:
		b.WriteString(" " + Addr(i.Imm).String())
	}
	return b.String()
}

func (f *Func) text(v Val) string {
	if v == 0 {
		return "-"
	}
	if int(v) >= len(f.Values) {
		return fmt.Sprintf("v%d", v)
	}
	name := fmt.Sprintf("v%d", v)
	if n := f.Values[v].Lanes; n > 0 {
		name += fmt.Sprintf("x%d", n)
	}
	if h := f.Values[v].Home; h != NoAddr {
		return fmt.Sprintf("%s[%s]", name, h)
	}
	return name
}
