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
