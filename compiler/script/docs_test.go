package script_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// scriptPages are the pages that teach the language.
var scriptPages = []string{"language.md", "loops.md", "fast.md", "from-numpy.md", "from-the-ancestor.md"}

var (
	example     = regexp.MustCompile("(?s)```python\n(.*?)```\n\n```text\n(.*?)```")
	pythonBlock = regexp.MustCompile("(?s)```python\n.*?```")
	copapyName  = regexp.MustCompile(`\bcp\.([A-Za-z_][A-Za-z0-9_.]*)`)
)

// TestPages runs the examples of the pages and compares what they print with what
// follows them; every name that the text mentions is one of the module.
func TestPages(t *testing.T) {
	for _, page := range scriptPages {
		t.Run(page, func(t *testing.T) {
			file, err := filepath.Abs(filepath.Join("..", "..", "docs", page))
			require.NoError(t, err)
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			text := string(data)
			blocks := pythonBlock.FindAllString(text, -1)
			examples := example.FindAllStringSubmatch(text, -1)
			require.NotEmpty(t, blocks)
			require.Len(t, examples, len(blocks), "an example has no output after it")
			for i, e := range examples {
				got := printed(t, e[1])
				if *update {
					text = strings.Replace(text, e[0], "```python\n"+e[1]+"```\n\n```text\n"+got+"```", 1)
					continue
				}
				assert.Equal(t, e[2], got, "example %d", i+1)
			}
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
			}
			mentioned := copapyName.FindAllStringSubmatch(pythonBlock.ReplaceAllString(text, ""), -1)
			require.NotEmpty(t, mentioned)
			for _, m := range mentioned {
				_, err := runText(t, "import copapy as cp\ncp."+strings.TrimRight(m[1], "."))
				assert.NoError(t, err, m[0])
			}
		})
	}
}

// printed is what a script prints, with the report if it fails.
func printed(t *testing.T, text string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("prog.py", []byte(text), 0o600))
	var out bytes.Buffer
	err := script.Run(t.Context(), "prog.py", script.Options{
		Stdout: &out,
		Open:   func(context.Context) (device.Device, error) { return oracle.New("x86_64") },
	})
	var e *vm.Error
	if errors.As(err, &e) {
		fmt.Fprint(&out, e.Report())
	} else {
		require.NoError(t, err)
	}
	return out.String()
}
