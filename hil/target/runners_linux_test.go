package target

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/compiler/script/copapy"
)

// children counts the processes that this one has started and that are still there.
func children(t *testing.T) int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	n := 0
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has just ended
		}
		_, rest, _ := strings.Cut(string(text), ") ") // the name in front may have spaces
		if f := strings.Fields(rest); len(f) > 1 && f[1] == strconv.Itoa(os.Getpid()) {
			n++
		}
	}
	return n
}

// descriptors counts the files that this process has open.
func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(list)
}

// runScript runs a script, and gives what it printed.
func runScript(t *testing.T, text string, open func(context.Context) (device.Device, error)) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.py")
	require.NoError(t, os.WriteFile(file, []byte("import copapy as cp\n"+text), 0o600))
	var out bytes.Buffer
	var kept []*copapy.Stats // as the command line keeps them
	err := script.Run(t.Context(), file, script.Options{Stdout: &out, Open: open, Compiled: func(s *copapy.Stats) { kept = append(kept, s) }})
	runtime.KeepAlive(kept)
	return out.String(), err
}

// mappings counts the pieces of memory of this process.
func mappings(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	return bytes.Count(text, []byte{'\n'})
}

// TestRecompilingKeepsOneRunner: however often a script compiles, it has the runners of
// the targets that it still holds, and no descriptor more than these need; inside the process it has no runner,
// and memory for the programs of these targets alone.
func TestRecompilingKeepsOneRunner(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		runners          int // at most, at the end of the script
	}{
		{"one target", `
tg = cp.Target()
for i in range(200):
    x = cp.value(float(i))
    tg.compile(x * 2)
    tg.run()
print(tg.read_value(x), tg.read_value(x * 2))
`, "199.0 398.0\n", 1},
		{"targets in a with statement", `
for i in range(200):
    with cp.Target() as tg:
        x = cp.value(float(i))
        tg.compile(x * 2)
        tg.run()
        last = tg.read_value(x * 2)
print(last)
`, "398.0\n", 1},
		{"closed although something is raised", `
for i in range(200):
    try:
        with cp.Target() as tg:
            tg.compile(cp.value(float(i)) * 2)
            tg.run()
            raise ValueError(i)
    except ValueError as e:
        pass
tg.close()
print('closed')
`, "closed\n", 1},
		{"dropped targets", `
def once(i):
    x = cp.value(float(i))
    tg = cp.Target()
    tg.compile(x * 2)
    tg.run()
    return tg.read_value(x * 2)
print(sum(once(i) for i in range(200)))
`, "39800.0\n", 8},
		{"functions under jit that are dropped", `
def once(i):
    f = cp.jit(lambda x: x * 2)
    return f(float(i))
print(sum(once(i) for i in range(200)))
`, "39800.0\n", 8},
		{"held targets each have one", `
targets = []
for i in range(20):
    tg = cp.Target()
    x = cp.value(float(i))
    tg.compile(x * 2)
    targets.append((tg, x * 2))
for tg, y in targets:
    tg.run()
print([tg.read_value(y) for tg, y in targets[::6]])
`, "[0.0, 12.0, 24.0, 36.0]\n", 20},
	} {
		t.Run(c.name+" inside", func(t *testing.T) {
			dev := openInside(t, Options{})
			runtime.GC()
			files, processes, pieces := descriptors(t), children(t), mappings(t)
			out, err := runScript(t, c.text, func(context.Context) (device.Device, error) { return dev, nil })
			require.NoError(t, err)
			assert.Equal(t, c.want, out)
			assert.Equal(t, processes, children(t))
			assert.LessOrEqual(t, descriptors(t), files+1) // the runtime's own, at most
			const ofProgram, ofRuntime = 8, 40
			assert.LessOrEqual(t, mappings(t)-pieces, c.runners*ofProgram+ofRuntime)
			dev.Close()
			assert.Eventually(t, func() bool {
				runtime.GC()
				return mappings(t)-pieces <= ofRuntime
			}, time.Minute, 10*time.Millisecond, "what nobody holds gives its memory back")
		})
		t.Run(c.name, func(t *testing.T) {
			files, processes := descriptors(t), children(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			dev, err := OpenRunner(ctx, "local", Options{})
			require.NoError(t, err)
			defer dev.Close()
			perRunner := descriptors(t) - files
			out, err := runScript(t, c.text, func(context.Context) (device.Device, error) { return dev, nil })
			require.NoError(t, err)
			assert.Equal(t, c.want, out)
			left := children(t) - processes
			assert.LessOrEqual(t, left, c.runners, "processes")
			assert.LessOrEqual(t, descriptors(t)-files, left*perRunner, "descriptors")
			dev.Close()
			assert.Equal(t, processes, children(t))
			assert.Equal(t, files, descriptors(t))
		})
	}
}

// TestRunnersOfAScript: a script gets so many and no more, with a clear error.
func TestRunnersOfAScript(t *testing.T) {
	for _, name := range localNames(t) {
		t.Run(name, func(t *testing.T) {
			dev, err := Open(t.Context(), name, Options{})
			require.NoError(t, err)
			defer dev.Close()
			before := children(t)
			out, err := runScript(t, fmt.Sprintf(`
x = cp.value(1.0)
targets = []
try:
    for i in range(%d):
        tg = cp.Target()
        tg.compile(x + i)
        targets.append(tg)
except RuntimeError as e:
    print(len(targets), e)
for tg in targets[:10]:
    tg.close()
tg = cp.Target()
tg.compile(x + 0.5)
tg.run()
print(tg.read_value(x + 0.5))
`, copapy.MaxPrograms+1), func(context.Context) (device.Device, error) { return dev, nil })
			require.NoError(t, err)
			assert.Equal(t, "256 the script has 256 programs loaded, and no more are possible at a time\n1.5\n", out)
			assert.LessOrEqual(t, children(t)-before, copapy.MaxPrograms)
		})
	}
}
