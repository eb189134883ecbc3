package vm_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/python/files"
	"github.com/copaflash/copaflash/compiler/script/python/mathmod"
	"github.com/copaflash/copaflash/compiler/script/python/pylib"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

var update = flag.Bool("update", false, "write golden files: those of Python programs from CPython itself")

// outcome is what a program did: its output, and the exception that ended it.
type outcome struct {
	Name string
	Out  string
	Type string `json:",omitempty"`
	Msg  string `json:",omitempty"`
	Line int    `json:",omitempty"` // of the innermost call
}

// marker separates the programs of a file. A name that ends in ownMessage
// marks one whose exception has a message of our own.
const (
	marker     = "#---- "
	ownMessage = "(other message)"
)

func programs(text string) (names, sources []string) {
	for _, part := range strings.Split("\n"+strings.TrimSuffix(text, "\n"), "\n"+marker)[1:] {
		name, src, _ := strings.Cut(part, "\n")
		names, sources = append(names, name), append(sources, src+"\n")
	}
	return names, sources
}

// driver runs the programs of a file in CPython and prints their outcomes.
const driver = `
import sys, io, json, os, traceback
text = open(sys.argv[1], encoding="utf-8").read()
sys.argv = ["test"]
os.chdir("testdata/python/data")
results = []
for part in ("\n" + text).split("\n#---- ")[1:]:
    name, _, src = part.partition("\n")
    r = {"Name": name}
    out, sys.stdout = sys.stdout, io.StringIO()
    try:
        main = {"__name__": "__main__"}
        sys.modules["__main__"].__dict__.update(main)
        exec(compile(src + "\n", "test", "exec", dont_inherit=True), main)
    except BaseException as e:
        r["Type"], r["Msg"] = type(e).__name__, str(e)
        if isinstance(e, SyntaxError):
            r["Msg"], r["Line"] = e.msg, e.lineno
        else:
            r["Line"] = [f.lineno for f in traceback.extract_tb(e.__traceback__) if f.filename == "test"][-1]
    r["Out"], sys.stdout = sys.stdout.getvalue(), out
    results.append(r)
json.dump(results, sys.stdout)
`

// TestPython compares programs with what CPython does: with the committed
// outcomes always, and these with the python3 that is installed, if it is of
// the version they were made with.
func TestPython(t *testing.T) {
	files, err := filepath.Glob("testdata/python/*.py")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".py"), func(t *testing.T) {
			golden := strings.TrimSuffix(file, ".py") + ".json"
			if fromPython := runPython(t, file); fromPython != nil {
				if *update {
					text, err := json.MarshalIndent(fromPython, "", " ")
					require.NoError(t, err)
					require.NoError(t, os.WriteFile(golden, append(text, '\n'), 0o644))
				}
				require.Equal(t, readOutcomes(t, golden), fromPython, "the golden file is not what python3 does: run with -update")
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			want := readOutcomes(t, golden)
			names, sources := programs(string(text))
			require.Len(t, want, len(names))
			for i, name := range names {
				t.Run(name, func(t *testing.T) {
					got := run(name, sources[i])
					if strings.HasSuffix(name, ownMessage) {
						require.NotEmpty(t, got.Msg)
						got.Msg = want[i].Msg
					}
					require.Equal(t, want[i], got)
				})
			}
		})
	}
}

func readOutcomes(t *testing.T, file string) (list []outcome) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &list))
	return list
}

// runPython returns what CPython does, or nil where there is none that the
// golden files can be compared with.
func runPython(t *testing.T, file string) (list []outcome) {
	t.Helper()
	version, err := exec.Command("python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])").Output()
	if err != nil {
		t.Logf("not compared with CPython: %v", err)
		return nil
	}
	if v := strings.TrimSpace(string(version)); v != "3.11" {
		t.Logf("not compared with CPython: python3 is %s, the golden files are from 3.11", v)
		return nil
	}
	cmd := exec.Command("python3", "-W", "ignore", "-c", driver, file)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	require.NoError(t, json.Unmarshal(out, &list))
	return list
}

func newThread(out io.Writer, limits vm.Limits) *vm.Thread {
	library := pylib.Options{Args: []string{"test"}, Files: files.New("testdata/python/data", ""), Stderr: out}
	return vm.NewThread(vm.Options{Stdout: out, Modules: map[string]vm.ModuleFunc{"math": mathmod.Module}, Limits: limits,
		Library: pylib.Modules(library), Builtins: pylib.Builtins(library)})
}

func run(name, source string) outcome {
	var out bytes.Buffer
	_, err := newThread(&out, vm.Limits{}).Run("test", []byte(source))
	r := outcome{Name: name, Out: out.String()}
	var e *vm.Error
	if errors.As(err, &e) {
		r.Type, r.Msg, r.Line = e.Kind, e.Message, e.Line
	}
	return r
}
