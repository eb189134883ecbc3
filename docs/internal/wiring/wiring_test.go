package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/channels"
	"github.com/copaflash/copaflash/boards/chips"
)

const page = "../../pin-examples.md"

// TestPictures: the committed pictures are those of the data, and the page shows each of them.
func TestPictures(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	for _, p := range pictures {
		want, err := p.draw()
		require.NoError(t, err, p.file)
		got, err := os.ReadFile(filepath.Join("../../wiring", p.file+".svg"))
		require.NoError(t, err)
		require.Equal(t, want, string(got), "%s: go run ./docs/internal/wiring", p.file)
		require.Contains(t, string(text), "](wiring/"+p.file+".svg)")
	}
	files, err := filepath.Glob("../../wiring/*")
	require.NoError(t, err)
	require.Len(t, files, len(pictures))
}

// bindings are those of a board in the page's section of a script, a list for each row.
func bindings(t *testing.T, script, board string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(text), "\n## "+script+"\n")
	require.True(t, ok, script)
	section, _, _ = strings.Cut(section, "\n## ")
	for _, m := range regexp.MustCompile("(?m)^\\| `"+board+"` \\| `--bind (.*)` \\|$").FindAllStringSubmatch(section, -1) {
		rows = append(rows, strings.Split(m[1], " --bind "))
	}
	return rows
}

// TestWires: what a picture connects to pins is what a row of the page binds, the board offers it there, and all of it at once; what belongs to a bus is at the bus's pins.
func TestWires(t *testing.T) {
	for _, p := range pictures {
		script, _, _ := strings.Cut(p.title, " ")
		f := forms[p.form]
		b, err := boards.Find(f.board)
		require.NoError(t, err)
		rows := bindings(t, script, f.board)
		require.NotEmpty(t, rows, p.file)
		var all []channels.Binding
		wired := 0
		second := map[string]string{} // of variables with two pins
		for _, w := range p.wires {
			name, _, _ := strings.Cut(strings.TrimPrefix(w.from, "left "), "#")
			switch {
			case w.bus != "":
				at := slices.IndexFunc(b.Buses, func(bus boards.Bus) bool { return bus.Name == w.bus })
				require.GreaterOrEqual(t, at, 0, "%s: %s", p.file, w.bus)
				require.Equal(t, b.Buses[at].Pins[w.line], name, "%s: %s of %s", p.file, w.line, w.bus)
				require.True(t, slices.ContainsFunc(rows[0], func(text string) bool { return strings.Contains(text, "="+w.bus+":") }), p.file)
				wired++
				continue
			case w.variable == "":
				continue
			case w.line != "":
				second[w.variable] = name
				continue
			}
			at := -1
			for i, text := range rows[0] {
				if strings.HasPrefix(text, w.variable+"="+name) {
					at = i
				}
			}
			require.GreaterOrEqual(t, at, 0, "%s: the page does not bind %s to %s", p.file, w.variable, name)
			bind, err := channels.ParseBinding(rows[0][at])
			require.NoError(t, err)
			require.Equal(t, name, bind.Channel)
			chip, err := chips.Find(b.Chip)
			require.NoError(t, err)
			bind.Direction = chip.Kinds[w.kind].Direction
			all = append(all, bind)
		}
		require.NotZero(t, wired+len(all), p.file)
		plan, err := channels.Resolve(&b, all)
		require.NoError(t, err, p.file)
		for _, c := range plan.Bound {
			require.Equal(t, kindOf(p, c.Variable), c.Channel.Kind, "%s: %s", p.file, c.Variable)
			if name := second[c.Variable]; name != "" {
				other, err := f.channel(name)
				require.NoError(t, err)
				require.Equal(t, other.Pin, c.Channel.Uses[1].Resource, "%s: the second pin of %s", p.file, c.Variable)
			}
		}
	}
}

func kindOf(p *picture, variable string) string {
	for _, w := range p.wires {
		if w.variable == variable {
			return w.kind
		}
	}
	return ""
}

// TestWrongPictures: a pin that is elsewhere, and one that is not there, are errors.
func TestWrongPictures(t *testing.T) {
	for name, want := range map[string]string{"GP99": "has no channel GP99", "GP3": "is drawn at pin 40"} {
		_, err := forms["pico"].beside(false, 0, name)
		require.ErrorContains(t, err, want)
	}
	for _, w := range []wire{{from: "GP99", to: "GP16"}, {from: "GP16", to: "GP17"}, {from: "GP16", to: "GP17", via: []float64{1, 2}}} {
		p := *pictures[0]
		p.wires = []wire{w}
		_, err := p.draw()
		require.ErrorContains(t, err, "wire from "+w.from)
	}
}
