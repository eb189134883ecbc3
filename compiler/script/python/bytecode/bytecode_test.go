package bytecode

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/python/syntax"
)

func compile(t *testing.T, text string) (*Code, error) {
	t.Helper()
	src, err := syntax.NewSource("test.py", []byte(text))
	require.NoError(t, err)
	f, err := syntax.Parse(src)
	require.NoError(t, err)
	return Compile(f)
}

// TestPrograms compiles every test program of package vm. Compile itself
// checks that all paths to an instruction agree on the depth of the stack;
// here the code is checked to stay within what it declares. What does not compile is
// what CPython refuses as well, by the recorded outcomes.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("../vm/testdata/python/*.py")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		outcomes, err := os.ReadFile(strings.TrimSuffix(file, ".py") + ".json")
		require.NoError(t, err)
		var python []struct{ Name, Type string }
		require.NoError(t, json.Unmarshal(outcomes, &python))
		for i, program := range strings.Split("\n"+string(text), "\n#---- ")[1:] {
			src, err := syntax.NewSource("test.py", []byte("#"+program))
			require.NoError(t, err)
			tree, err := syntax.Parse(src)
			if err != nil {
				require.Equal(t, "SyntaxError", python[i].Type, "%s, %s: %v", file, python[i].Name, err)
				continue
			}
			code, err := Compile(tree)
			require.NoError(t, err, program)
			n += check(t, code)
		}
	}
	require.Greater(t, n, 10_000, "instructions")
}

func check(t *testing.T, c *Code) int {
	require.Len(t, c.Pos, len(c.Instrs))
	require.Len(t, c.Captures, len(c.Free))
	require.LessOrEqual(t, c.NumParams(), len(c.Locals))
	for pc, in := range c.Instrs {
		require.Positive(t, c.Pos[pc].Line, "%s: position of instruction %d", c.QualName, pc)
		if effects[in.Op()].jumps {
			require.Less(t, in.Arg(), len(c.Instrs))
		}
	}
	for _, h := range c.Handlers {
		require.Less(t, h.Start, h.End)
		require.LessOrEqual(t, h.Depth+2, c.MaxStack)
		require.False(t, h.Start <= h.Target && h.Target < h.End, "a handler inside its own range")
	}
	n := len(c.Instrs)
	for _, child := range c.Children {
		n += check(t, child)
	}
	return n
}

// TestFinallySize: a finally body is emitted once, whatever the nesting; only
// the ways out of it add a few instructions per level.
func TestFinallySize(t *testing.T) {
	size := func(depth int) int {
		text := "def f():\n"
		for i := range depth {
			in := strings.Repeat("  ", i+1)
			text += in + "try:\n" + in + "  return 1\n" + in + "finally:\n"
		}
		code, err := compile(t, text+strings.Repeat("  ", depth+1)+"pass\n")
		require.NoError(t, err)
		return len(code.Children[0].Instrs)
	}
	require.Less(t, size(16), 16*40)
}

func TestNames(t *testing.T) {
	code, err := compile(t, `
g = 1
def outer(p, q):
    v = p
    def inner():
        nonlocal v
        v += q + g
        return len
    class C:
        w = v
        def m(self): return super().m, __class__
    return [p for _ in v]
`)
	require.NoError(t, err)
	outer := code.Children[0]
	require.Equal(t, []string{"p", "q"}, outer.Locals[:2])
	require.ElementsMatch(t, []string{"v", "q", "p"}, outer.Cells)
	inner, class, comp := outer.Children[0], outer.Children[1], outer.Children[2]
	require.ElementsMatch(t, []string{"v", "q"}, inner.Free)
	require.ElementsMatch(t, []string{"g", "len"}, inner.Names)
	require.Equal(t, []string{"__class__"}, class.Cells)
	require.Equal(t, []string{"v"}, class.Free)
	require.Equal(t, []string{"__class__"}, class.Children[0].Free)
	require.Equal(t, []string{"p"}, comp.Free)
	require.Equal(t, "outer.<locals>.C.m", class.Children[0].QualName)
}
