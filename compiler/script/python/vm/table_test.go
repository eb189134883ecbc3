package vm

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	bc "github.com/copaflash/copaflash/compiler/script/python/bytecode"
)

// TestInstructions: every instruction is in the loop or in the table of rare
// ones, and not in both.
func TestInstructions(t *testing.T) {
	ops, err := os.ReadFile("../bytecode/opcode.go")
	require.NoError(t, err)
	loop, err := os.ReadFile("loop.go")
	require.NoError(t, err)
	inLoop := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^\t\tcase (bc\..*):$`).FindAllStringSubmatch(string(loop), -1) {
		for _, name := range regexp.MustCompile(`bc\.(\w+)`).FindAllStringSubmatch(line[1], -1) {
			inLoop[name[1]] = true
		}
	}
	names := regexp.MustCompile(`(?m)^\t([A-Z]\w+)( Op = iota)?( +//.*)?$`).FindAllStringSubmatch(string(ops), -1)
	require.Len(t, names, int(bc.NumOps)+1) // and NumOps itself
	for op, name := range names[:bc.NumOps] {
		require.NotEqual(t, inLoop[name[1]], rare[op] != nil, name[1])
	}
}

// TestTables: what the tables of builtin classes and functions have is what scripts see, and
// nothing else is.
func TestTables(t *testing.T) {
	th := NewThread(Options{})
	for _, c := range append(builtinClasses[:len(builtinClasses):len(builtinClasses)], otherClasses...) {
		var rows []string
		for _, table := range c.tables {
			require.NotEmpty(t, table, c.class.Name)
			for _, r := range table {
				rows = append(rows, r.name)
			}
		}
		require.Equal(t, rows, c.class.dict.names(), c.class.Name)
		require.Subset(t, th.attrNames(c.class), rows, c.class.Name)
	}
	var names []string
	for _, table := range builtinFunctions {
		require.NotEmpty(t, table)
		for _, f := range table {
			require.Same(t, f, builtinNames[f.Name])
			names = append(names, f.Name)
		}
	}
	for _, name := range []string{"len", "print", "iter", "sum", "open"} {
		require.Contains(t, names, name)
	}
}

// TestDefinedTwice: one name twice in the tables of a class or module is found at start.
func TestDefinedTwice(t *testing.T) {
	get := func(v Value) Value { return v }
	call := func(*Thread, []Value) (Value, error) { return None, nil }
	c := NewClass("c", nil, nil)
	c.Define([]Row{DefProperty("x", get, nil)})
	require.PanicsWithValue(t, "c.x is defined twice", func() { c.Define([]Row{DefValue("x", None)}) })
	require.PanicsWithValue(t, "d.y is defined twice", func() {
		NewClass("d", nil, nil).Define([]Row{DefValue("y", None)}, []Row{DefProperty("y", get, nil)})
	})
	require.PanicsWithValue(t, "m.f is defined twice", func() { NewModule("m").Define(DefFunc("f", call), DefFunc("f", call)) })
	require.PanicsWithValue(t, "builtins.len is defined twice", func() { nameBuiltin("len", None) })
}
