package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What every board does alike, on devices that are variables.
func TestPlatform(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gcc"); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip("gcc is not installed")
	}
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	out := filepath.Join(t.TempDir(), "platform")
	for _, small := range []string{"-DCF_SMALL=0", "-DCF_SMALL=1"} {
		args := append(append([]string{small, "-I" + root, "-include", filepath.Join(root, "test", "registers.h"), "-DCF_ARCH=CF_ARCH_X86_64", "-DCF_HAS_STORE=1", "-o", out}, warnings...), sanitizers...)
		for _, s := range []string{"test/platform/cases.c", "platform/platform.c", "platform/store.c", "platform/watchdog.c", "drivers/steps.c", "core/crc32c.c"} {
			args = append(args, filepath.Join(root, filepath.FromSlash(s)))
		}
		text, err := exec.Command("gcc", args...).CombinedOutput()
		require.NoError(t, err, "%s", text)
		for _, begin := range begins {
			run(t, out, begin)
		}
	}
}
