package pins_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/compiler"
)

// sections are those of scripts in docs/pin-examples.md.
func sections(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/pin-examples.md")
	require.NoError(t, err)
	all := map[string]string{}
	for _, section := range strings.Split(string(text), "\n## ") {
		if name, rest, _ := strings.Cut(section, "\n"); strings.HasSuffix(name, ".py") {
			all[name] = rest
		}
	}
	require.Len(t, all, 4)
	return all
}

var (
	tableRow     = regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\| `--bind (.*)` \\|$")
	startCommand = regexp.MustCompile(`(?m)^ +copaflash start examples/pins/(\S+)(.*?)(?: +#.*)?$`)
	bindFlag     = regexp.MustCompile(`--bind (\S+)`)
)

// TestPage: every row of bindings compiles for its board, and the commands of the page and of the scripts bind as one of
// them says.
func TestPage(t *testing.T) {
	for file, section := range sections(t) {
		var rows [][]string
		for _, m := range tableRow.FindAllStringSubmatch(section, -1) {
			b, err := boards.Find(m[1])
			require.NoError(t, err)
			row := strings.Split(m[2], " --bind ")
			prog := compile(t, file, compiler.Options{Arch: b.Arch}, b.Name, row...)
			require.NotEmpty(t, prog.Image.PinLists(), "%s on %s", file, b.Name)
			rows = append(rows, row)
		}
		require.NotEmpty(t, rows, file)
		script, err := os.ReadFile(file)
		require.NoError(t, err)
		commands, simulated := 0, 0
		for _, m := range startCommand.FindAllStringSubmatch(section+string(script), -1) {
			require.Equal(t, file, m[1])
			var bindings []string
			for _, b := range bindFlag.FindAllStringSubmatch(m[2], -1) {
				bindings = append(bindings, b[1])
			}
			require.NotEmpty(t, bindings, m[0])
			commands++
			if strings.Contains(m[2], "sim:") {
				simulated++
				continue
			}
			require.True(t, slices.ContainsFunc(rows, func(row []string) bool {
				return !slices.ContainsFunc(bindings, func(b string) bool { return !slices.Contains(row, b) })
			}), "%s: no row of the page binds so", m[0])
		}
		require.GreaterOrEqual(t, commands, 2, file)
		require.Equal(t, file != "blink.py", simulated == 1, file)
	}
}

// TestProject: what the page has for copaflash.json binds as its tables do.
func TestProject(t *testing.T) {
	text, err := os.ReadFile("../../docs/pin-examples.md")
	require.NoError(t, err)
	m := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(text)
	require.NotNil(t, m)
	var project struct {
		Bind map[string]string `json:"bind"`
	}
	require.NoError(t, json.Unmarshal(m[1], &project))
	require.Len(t, project.Bind, 4)
	for variable, channel := range project.Bind {
		require.Contains(t, string(text), "--bind "+variable+"="+channel)
	}
}

// TestPlants: each plant says how it is started.
func TestPlants(t *testing.T) {
	text, err := os.ReadFile("../../docs/pin-examples.md")
	require.NoError(t, err)
	files, err := filepath.Glob("*.py")
	require.NoError(t, err)
	plants := 0
	for _, file := range files {
		if _, ok := sections(t)[file]; ok {
			continue
		}
		script, err := os.ReadFile(file)
		require.NoError(t, err)
		command := startCommand.FindString(string(script))
		require.Contains(t, command, "sim:plant=examples/pins/"+file)
		require.Contains(t, string(text), strings.TrimSpace(command))
		plants++
	}
	require.Equal(t, 3, plants)
}
