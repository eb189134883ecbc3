package image

import (
	"bufio"
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/compiler/graph"
)

// WriteReport prints for people what the image is and costs: sizes, memory
// map, symbols, patches, operations.
func (m *Image) WriteReport(out io.Writer) error {
	w := bufio.NewWriter(out)
	sum := m.Digest()
	fmt.Fprintf(w, "image        %s, format %d\n", m.Arch, m.Version)
	if lacks := m.Lacks(); lacks != "" {
		fmt.Fprintf(w, "note         %s; compile the program again\n", lacks)
	}
	if m.Source != "" {
		fmt.Fprintf(w, "source       %s\n", m.Source)
	}
	fmt.Fprintf(w, "arithmetic   %s\n", m.Fast)
	fmt.Fprintf(w, "digest       %s\n", hex.EncodeToString(sum[:]))
	if m.Features != 0 {
		fmt.Fprintf(w, "needs        %s\n", strings.Join(m.Features.Names(), ", "))
	}
	fmt.Fprintf(w, "code         %d bytes\n", len(m.Code))
	fmt.Fprintf(w, "data         %d bytes and %d bytes zeroed\n", len(m.Data), m.BSS)
	fmt.Fprintf(w, "stack        %d bytes\n", m.Budget.StackBytes)
	fmt.Fprintf(w, "patches      %d in %d bytes\n", m.PatchCount(), len(m.Patches))
	fmt.Fprintf(w, "over a link  %d bytes\n", m.WireBytes())
	fmt.Fprintf(w, "one run      %d operations, at most %d instructions\n", m.Budget.TotalOps(), m.Budget.Instructions)

	fmt.Fprintln(w, "\nentries")
	for i := range m.Entries {
		e := &m.Entries[i]
		fmt.Fprintf(w, "  %08x  %s%s\n", e.Offset, e.Name, taskText(e))
	}
	if len(m.Symbols) > 0 {
		fmt.Fprintln(w, "\nsymbols")
		for i := range m.Symbols {
			s := &m.Symbols[i]
			fmt.Fprintf(w, "  %08x  %-6s  %s%s  %s%s\n", s.Offset, s.Kind, s.DType, shapeText(s.Shape), s.Name, metaText(s.About()))
		}
	}
	if len(m.Budget.Ops) > 0 {
		fmt.Fprintln(w, "\noperations in one run")
		ops := slices.Clone(m.Budget.Ops)
		slices.SortStableFunc(ops, func(a, b OpCount) int { return cmp.Compare(b.Count, a.Count) })
		for _, o := range ops {
			fmt.Fprintf(w, "  %8d  %s\n", o.Count, o.Name)
		}
	}
	return w.Flush()
}

// taskText says how often an entry runs.
func taskText(e *Entry) string {
	var b strings.Builder
	if e.Rate != 0 {
		fmt.Fprintf(&b, "  %v per second", e.Rate)
	}
	if e.Divisor > 1 {
		fmt.Fprintf(&b, "  in one of %d ticks", e.Divisor)
	}
	if e.Instructions != 0 {
		fmt.Fprintf(&b, "  at most %d instructions", e.Instructions)
	}
	return b.String()
}

// metaText says what is known of a variable, behind its name.
func metaText(m Meta) string {
	var b strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&b, "  "+format, args...) }
	if m.Role != graph.NoRole {
		add("(%v)", m.Role)
	}
	if limits := m.Limits(); limits != "" {
		add("%s", limits)
	}
	if m.Unit != "" {
		add("%s", m.Unit)
	}
	if len(m.Safe) > 0 {
		add("safe %s", strings.Trim(fmt.Sprint(m.Safe), "[]"))
	}
	if m.Every != 0 {
		add("every %d ticks", m.Every)
	}
	return b.String()
}

func shapeText(shape graph.Shape) string {
	if len(shape) == 0 {
		return ""
	}
	return strings.ReplaceAll(fmt.Sprint([]int(shape)), " ", ",")
}

// WriteListing prints code and data as bytes in hexadecimal with the entries
// and symbols at their places. It is what can be said from the file alone;
// the compiler prints instructions.
func (m *Image) WriteListing(out io.Writer) error {
	w := bufio.NewWriter(out)
	labels := map[uint32][]string{}
	for _, e := range m.Entries {
		labels[e.Offset] = append(labels[e.Offset], "entry "+e.Name)
	}
	fmt.Fprintln(w, "code")
	writeHex(w, m.Code, labels)
	clear(labels)
	labels[FlagsOffset] = []string{"arithmetic flags"}
	for i := range m.Symbols {
		s := &m.Symbols[i]
		labels[s.Offset] = append(labels[s.Offset], fmt.Sprintf("%s %s %s%s", s.Kind, s.Name, s.DType, shapeText(s.Shape)))
	}
	fmt.Fprintln(w, "data")
	writeHex(w, m.Data, labels)
	for _, at := range sortedKeys(labels) {
		if at >= uint32(len(m.Data)) {
			fmt.Fprintf(w, "%08x  zeroed  %s\n", at, strings.Join(labels[at], ", "))
		}
	}
	return w.Flush()
}

func sortedKeys(m map[uint32][]string) []uint32 {
	keys := make([]uint32, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// writeHex prints 16 bytes a line, with a new line at every label.
func writeHex(w io.Writer, b []byte, labels map[uint32][]string) {
	starts := sortedKeys(labels)
	for at := 0; at < len(b); {
		if names := labels[uint32(at)]; names != nil {
			fmt.Fprintf(w, "%8s  ; %s\n", "", strings.Join(names, ", "))
		}
		for len(starts) > 0 && int(starts[0]) <= at {
			starts = starts[1:]
		}
		end := min(at+16, len(b))
		if len(starts) > 0 {
			end = min(end, int(starts[0]))
		}
		fmt.Fprintf(w, "%08x  %s\n", at, hex.EncodeToString(b[at:end]))
		at = end
	}
}
