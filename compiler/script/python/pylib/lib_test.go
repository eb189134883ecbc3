package pylib

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/python/mathmod"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// TestDocumented holds the list of modules in docs/language.md against those there are.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/language.md")
	require.NoError(t, err)
	_, list, ok := strings.Cut(string(text), "- The modules ")
	require.True(t, ok)
	list, _, _ = strings.Cut(list, "and `copapy`")
	for _, name := range Names() {
		require.Contains(t, list, "`"+name+"`")
	}
	require.Equal(t, len(Names())+1, strings.Count(list, "`")/2, "the modules there are, and math")
}

// TestNearestName: a misspelt name of any module is an error that names one that is there.
func TestNearestName(t *testing.T) {
	run := func(src string) (string, error) {
		var out bytes.Buffer
		_, err := vm.NewThread(vm.Options{Stdout: &out, Modules: map[string]vm.ModuleFunc{"math": mathmod.Module}, Library: Modules(Options{})}).Run("test.py", []byte(src))
		return out.String(), err
	}
	require.NotEmpty(t, Names())
	for _, module := range Names() {
		names, err := run("import " + module + " as m\nprint(*[n for n in dir(m) if n[0] != '_' and len(n) > 5][:3])\n")
		require.NoError(t, err)
		require.NotEmpty(t, strings.Fields(names), module)
		for _, name := range strings.Fields(names) {
			wrong := name[:len(name)-1] + "_"
			for _, src := range []string{"import " + module + " as m\nm." + wrong, "from " + module + " import " + wrong} {
				_, err := run(src)
				var e *vm.Error
				require.ErrorAs(t, err, &e)
				require.Contains(t, e.Hint, "did you mean '", src)
			}
		}
	}
}
