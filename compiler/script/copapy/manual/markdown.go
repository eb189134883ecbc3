package manual

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/copaflash/copaflash/compiler/graph"
)

const generated = "<!-- Made by make reference from compiler/script/copapy/manual and the op table: edit there. -->\n"

// Markdown returns the files of docs/reference by name.
func Markdown() map[string]string {
	out := map[string]string{"ops.md": opsPage(), "README.md": indexPage()}
	for _, p := range Pages() {
		out[p.File+".md"] = p.markdown()
	}
	return out
}

func indexPage() string {
	var b strings.Builder
	b.WriteString(generated + `# Reference

Every name of ` + "`copapy`" + ` and every operator on traced values, with an example each; the tests run all of them. In a script
` + "`help(cp.clamp)`" + ` shows an entry, on the command line ` + "`copaflash doc clamp`" + `. The examples are sessions behind
` + "`import copapy as cp`" + `; ` + "`cp.jit`" + ` computes on the target, and where there is none of it the numbers are plain ones, which
are computed at once, in Python's arithmetic. [The ops of the graph](ops.md) are what all of it becomes.
`)
	for _, p := range Pages() {
		fmt.Fprintf(&b, "\n## [%s](%s.md)\n\n| name | meaning |\n|---|---|\n", p.Title, p.File)
		anchors := p.anchors()
		for _, e := range p.Entries {
			fmt.Fprintf(&b, "| [`%s`](%s.md#%s) | %s |\n", strings.ReplaceAll(e.Name, "|", "\\|"), p.File, anchors[e], e.Summary())
		}
	}
	return b.String()
}

func (p *Page) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s# %s\n\n%s\n", generated, p.Title, p.Intro)
	for _, e := range p.Entries {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", escape(e.Call), e.Text)
		e.eachPart(func(label, text string) {
			if label == "On the target" || label == Derivative && e.Parts[Derivative] == "" {
				text = tableText(text)
			}
			fmt.Fprintf(&b, "- **%s**: %s\n", label, text)
		})
		for i, op := range e.Ops {
			sep := ", "
			if i == 0 {
				sep = "- **Op**: "
			}
			fmt.Fprintf(&b, "%s[`%s`](ops.md#%s)", sep, op, op)
			if i == len(e.Ops)-1 {
				b.WriteByte('\n')
			}
		}
		fmt.Fprintf(&b, "\n```python\n%s```\n", e.Session())
	}
	return b.String()
}

func opsPage() string {
	var b strings.Builder
	b.WriteString(generated + `# The ops of the graph

What scripts, the Go API and graph files are made of. Operands are called x, or a, b and c. The types are bool, i32 (two's
complement of 32 bits) and f32 (IEEE binary32). "Rounded" means to f32, to nearest, ties to even, subnormals kept;
nothing is ever fused. Every target gives the same bits.
`)
	for op := range graph.NumOps {
		e := OpEntry(op)
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", op, tableText(e.Text))
		e.eachPart(func(label, text string) { fmt.Fprintf(&b, "- **%s**: %s\n", label, tableText(text)) })
		if flags := op.Info().Flags; flags != 0 {
			fmt.Fprintf(&b, "- **Raises**: %s\n", flagText(flags))
		}
	}
	return b.String()
}

func operands(info *graph.Info) string {
	text := fmt.Sprint(info.Arity)
	if info.Arity == graph.Variadic {
		text = "one or more"
	}
	if info.Commutative {
		text += ", in either order"
	}
	return text
}

func shapes(info *graph.Info) string {
	switch {
	case info.Sig == graph.SigSource:
		return "any"
	case info.Elementwise:
		return "element by element; operands are broadcast to one shape"
	}
	return "as the meaning says"
}

func flagText(f uint32) string {
	var names []string
	for _, flag := range graph.Flags {
		if f&flag.Bit != 0 {
			names = append(names, "the sticky flag for "+flag.Ops)
		}
	}
	return strings.Join(names, ", ")
}

// tableText escapes a text of the op table. Its further lines are indented, so that
// they stay in the item of a list.
func tableText(s string) string { return strings.ReplaceAll(escape(s), "\n", "\\\n  ") }

// escape keeps the characters that Markdown takes for its own.
func escape(s string) string {
	return strings.NewReplacer("*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "|", `\|`).Replace(s)
}

var notInAnchor = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[^a-z0-9_ -]`)
})

// anchors are the targets that Markdown viewers make of the headings: of equal ones
// those behind the first have a number.
func (p *Page) anchors() map[*Entry]string {
	out, seen := map[*Entry]string{}, map[string]int{}
	for _, e := range p.Entries {
		a := strings.ReplaceAll(notInAnchor().ReplaceAllString(strings.ToLower(e.Call), ""), " ", "-")
		out[e] = a
		if n := seen[a]; n > 0 {
			out[e] = fmt.Sprintf("%s-%d", a, n)
		}
		seen[a]++
	}
	return out
}
