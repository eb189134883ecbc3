package test

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Calls between the files of a folder go one way: none comes back to where it began.
func TestNoCircles(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"core", "host"} {
		t.Run(folder, func(t *testing.T) {
			if folder == "host" && (runtime.GOOS != "linux" || runtime.GOARCH != "amd64") {
				t.Skip("the runner of Linux is compiled by the compiler of an x86-64")
			}
			sources, err := filepath.Glob(filepath.Join("..", folder, "*.c"))
			require.NoError(t, err)
			require.NotEmpty(t, sources)
			home := map[string]string{} // where a symbol is defined
			wants := map[string][]string{}
			for _, source := range sources {
				object := filepath.Join(t.TempDir(), "o")
				out, err := exec.Command("gcc", "-std=c11", "-ffreestanding", "-DCF_HAL_UNLOAD", "-DCF_HAL_PINS", "-I..", "-c", source, "-o", object).CombinedOutput()
				require.NoError(t, err, "%s", out)
				symbols, err := exec.Command("nm", object).Output()
				require.NoError(t, err)
				for line := range strings.Lines(string(symbols)) {
					f := strings.Fields(line)
					switch name := f[len(f)-1]; f[len(f)-2] {
					case "U":
						wants[source] = append(wants[source], name)
					case "T", "D", "R", "B":
						home[name] = source
					}
				}
			}
			const open, closed = 1, 2
			seen := map[string]int{}
			var walk func(source string, path []string)
			walk = func(source string, path []string) {
				require.NotEqual(t, open, seen[source], "%s", strings.Join(path, " "))
				if seen[source] == closed {
					return
				}
				seen[source] = open
				for _, name := range wants[source] {
					if to := home[name]; to != "" {
						walk(to, append(path, name, filepath.Base(to)))
					}
				}
				seen[source] = closed
			}
			edges := 0
			for _, source := range sources {
				walk(source, []string{filepath.Base(source)})
				edges += len(wants[source])
			}
			require.Greater(t, edges, 20)
		})
	}
}
