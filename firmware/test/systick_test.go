package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The clock of most Cortex-M keeps time through minutes of ticks.
func TestSysTick(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gcc"); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip("gcc is not installed")
	}
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	out := filepath.Join(t.TempDir(), "systick")
	args := append(append([]string{"-I" + root, "-include", filepath.Join(root, "test", "registers.h"), "-DCF_SMALL=1", "-o", out}, warnings...), sanitizers...)
	for _, s := range []string{"test/systick/cases.c", "arch/cortex-m/systick.c"} {
		args = append(args, filepath.Join(root, filepath.FromSlash(s)))
	}
	text, err := exec.Command("gcc", args...).CombinedOutput()
	require.NoError(t, err, "%s", text)
	run(t, out)
}
