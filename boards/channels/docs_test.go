package channels

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/conversion"
)

// TestDocs holds the tables of docs/channels.md against the code.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/channels.md")
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| (`[^|]*) \\|")
	word := regexp.MustCompile("`([a-z]+)([^`]*)`")
	steps, forms := []conversion.Kind{}, []string{}
	for _, row := range rows.FindAllStringSubmatch(string(text), -1) {
		for _, m := range word.FindAllStringSubmatch(row[1], -1) {
			if _, ok := conversion.Operands(conversion.Kind(m[1])); ok {
				steps = append(steps, conversion.Kind(m[1]))
			} else if slices.Contains(chips.Forms(), m[1]+m[2]) {
				forms = append(forms, m[1]+m[2])
			}
		}
	}
	slices.Sort(steps)
	slices.Sort(forms)
	require.Equal(t, conversion.Kinds(), steps)
	require.Equal(t, chips.Forms(), forms)
}

// TestDocsKinds holds the table of kinds against the chips.
func TestDocsKinds(t *testing.T) {
	text, err := os.ReadFile("../../docs/channels.md")
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(text), "\n## Kinds\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n## ")
	all, err := chips.All()
	require.NoError(t, err)
	want, titles := map[string][]string{}, []string{}
	for _, c := range all {
		title, _, _ := strings.Cut(c.Title, " with ") // an FPGA image
		for _, name := range strings.Split(strings.ReplaceAll(title, " and ", ", "), ", ") {
			if !slices.Contains(titles, name) {
				titles = append(titles, name)
			}
			for kind := range c.Kinds {
				if !slices.Contains(want[kind], name) {
					want[kind] = append(want[kind], name)
				}
			}
		}
	}
	name := regexp.MustCompile(`[A-Za-z]+[0-9]+(?:-?[0-9A-Z]+)*`)
	seen := 0
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*) \\|[^|]*\\| ([^|]*) \\|$").FindAllStringSubmatch(table, -1) {
		for _, m := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(row[1], -1) {
			seen++
			text, _, _ := strings.Cut(row[2], ":")
			named := name.FindAllString(text, -1)
			if strings.HasPrefix(text, "all") {
				named = slices.DeleteFunc(slices.Clone(titles), func(title string) bool { return slices.Contains(named, title) })
			}
			require.ElementsMatch(t, want[m[1]], named, m[1])
		}
	}
	require.Len(t, want, seen, "every kind has a row")
}

// TestDocsDevices holds the section about buses against the devices, and carries out its bindings on a Pico.
func TestDocsDevices(t *testing.T) {
	text, err := os.ReadFile("../../docs/channels.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(text), "\n## Devices on SPI and I2C\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n## ")
	known, err := chips.Devices()
	require.NoError(t, err)
	rows := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9]+)` \\|[^|]*\\|([^|]*)\\|([^|]*)\\|$").FindAllStringSubmatch(section, -1) {
		rows[row[1]] = row[2:]
	}
	require.Len(t, rows, len(known))
	word := regexp.MustCompile("`([a-z0-9]+)`")
	for name, d := range known {
		row := rows[name]
		require.NotEmpty(t, row, name)
		channels := strings.ReplaceAll(row[0], "`ch0` to `ch7`", "`ch0`, `ch1`, `ch2`, `ch3`, `ch4`, `ch5`, `ch6`, `ch7`")
		var named, options []string
		for _, m := range word.FindAllStringSubmatch(channels, -1) {
			named = append(named, m[1])
		}
		for _, m := range word.FindAllStringSubmatch(row[1], -1) {
			options = append(options, m[1])
		}
		want := map[string]bool{}
		for o := range d.Options {
			want[o] = o != "freq"
		}
		var have []string
		for c := range d.Channels {
			have = append(have, c)
		}
		for _, k := range d.Kinds {
			for o := range k.Options {
				want[o] = true
			}
		}
		var wanted []string
		for o, yes := range want {
			if yes {
				wanted = append(wanted, o)
			}
		}
		require.ElementsMatch(t, have, named)
		require.ElementsMatch(t, wanted, options)
	}

	_, file, _ := strings.Cut(section, "```json\n")
	file, _, _ = strings.Cut(file, "```")
	own, err := chips.ParseDevice("./tmp102.json", []byte(file))
	require.NoError(t, err)
	known = maps.Clone(known)
	known[own.Name] = own
	tried := 0
	for _, line := range strings.Split(section, "\n") {
		var bindings []Binding
		for _, m := range regexp.MustCompile("--bind ([^ `]+)").FindAllStringSubmatch(line, -1) {
			b, err := ParseBinding(m[1])
			require.NoError(t, err)
			if DeviceFile(b.Kind) != "" {
				require.Equal(t, "./tmp102.json", DeviceFile(b.Kind))
				b.Device = own
			}
			name, channel, _ := strings.Cut(strings.TrimPrefix(strings.Replace(b.Kind, ".json", "", 1), "./"), ".")
			kind, _, err := known[name].Offer(channel)
			require.NoError(t, err)
			b.Direction = known[name].Kinds[kind].Direction
			bindings = append(bindings, b)
			tried++
		}
		if len(bindings) > 0 {
			_, err := Resolve(board(t, "pico"), bindings)
			require.NoError(t, err)
		}
	}
	require.Equal(t, 5, tried)
}
