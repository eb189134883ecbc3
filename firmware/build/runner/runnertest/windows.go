// Package runnertest makes runners of boards that reach more than those of users, for tests.
package runnertest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware"
	"github.com/copaflash/copaflash/firmware/build/runner"
)

// A Window is registers that lists for the pins may access, besides those of the chip.
type Window struct {
	Start  string // an expression in C: cf_program_data_start is where a program has its data block
	Length int    // bytes
}

// RunnerWith is the runner of a board whose chip has more windows: plain memory can stand for registers, then.
func RunnerWith(t testing.TB, name string, windows ...Window) []byte {
	t.Helper()
	b, err := boards.Find(name)
	require.NoError(t, err)
	root := t.TempDir()
	for folder, files := range map[string]fs.FS{"firmware": firmware.Sources, "boards": boards.Sources} {
		require.NoError(t, os.CopyFS(filepath.Join(root, folder), files))
	}
	file := filepath.Join(root, "firmware", "chip", b.Chip, "windows_gen.c")
	table, err := os.ReadFile(file)
	require.NoError(t, err)
	end := []byte("        {0, 0, 0},\n")
	require.Equal(t, 1, bytes.Count(table, end))
	var more []byte
	for _, w := range windows {
		more = fmt.Appendf(more, "        {(uint32_t)(%s), %du, 0xffffffffu},\n", w.Start, w.Length)
	}
	require.NoError(t, os.WriteFile(file, bytes.Replace(table, end, append(more, end...), 1), 0o666))
	all, err := runner.ReadToolchains(root, "firmware/arch")
	require.NoError(t, err)
	target, err := runner.BoardTarget(all, &b)
	require.NoError(t, err)
	image, said, _, err := runner.Build(t.Context(), root, &target)
	var missing *runner.MissingError
	if errors.As(err, &missing) && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip(err)
	}
	require.NoError(t, err, said)
	return image
}
