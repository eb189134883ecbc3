package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// An STM32H743 is told what it is supplied by before there is a stack, and starts even if that is never confirmed.
func TestH743Boot(t *testing.T) {
	t.Parallel()
	const compiler, emulator = "arm-linux-gnueabihf-gcc", "qemu-arm-static"
	for _, tool := range []string{compiler, emulator} {
		if _, err := exec.LookPath(tool); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
			t.Skipf("SKIP: %s is not installed", tool)
		}
	}
	out := filepath.Join(t.TempDir(), "boot")
	text, err := exec.Command(compiler, "-static", "-Wl,-z,noexecstack", "-mthumb", "-march=armv7-a+fp", "-O1", "-Wall", "-Wextra", "-Werror", "-o", out,
		"clocks/stm32h743_boot.c", "../chip/stm32h743/boot.S").CombinedOutput()
	require.NoError(t, err, "%s", text)
	for supply, said := range map[string]string{"ready": "2 20000\n", "never": "2 0\n"} {
		text, err := exec.Command(emulator, out, supply).CombinedOutput()
		require.NoError(t, err, "%s", text)
		require.Equal(t, said, string(text), supply)
	}
}
