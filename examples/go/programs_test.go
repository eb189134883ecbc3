// Package examples runs the Go programs of this folder.
package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPrograms: each program prints what its file .out holds.
func TestPrograms(t *testing.T) {
	mains, err := filepath.Glob("*/main.go")
	require.NoError(t, err)
	require.NotEmpty(t, mains)
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin, "./...")
	build.Stderr = os.Stderr
	require.NoError(t, build.Run())
	for _, main := range mains {
		name := filepath.Dir(main)
		want, err := os.ReadFile(filepath.Join(name, name+".out"))
		require.NoError(t, err)
		program := exec.CommandContext(t.Context(), filepath.Join(bin, name))
		program.Stderr = os.Stderr
		got, err := program.Output()
		require.NoError(t, err, name)
		assert.Equal(t, string(want), string(got), name)
	}

	// A target that is none ends a program with an error.
	for _, main := range mains {
		out, err := exec.Command(filepath.Join(bin, filepath.Dir(main)), "qemu:none").CombinedOutput()
		require.Error(t, err)
		assert.Contains(t, string(out), "none")
	}
}
