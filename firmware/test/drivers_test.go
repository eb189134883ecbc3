package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// The drivers of the runner for Linux, on a model of the kernel that checks what it is asked for.
func TestDrivers(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the headers of the kernel are those of Linux")
	}
	if _, err := exec.LookPath("gcc"); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip("gcc is not installed")
	}
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	out := filepath.Join(t.TempDir(), "drivers")
	args := append(append([]string{"-I" + root, "-include", filepath.Join(root, "test", "drivers", "sys.h"), "-DCF_HAL_UNLOAD", "-DCF_HAL_PINS", "-o", out}, warnings...), sanitizers...)
	for _, s := range []string{"test/drivers/cases.c", "test/drivers/model.c", "host/drivers.c", "host/device.c", "host/gpio.c", "host/sysfs.c", "host/can.c", "host/text.c"} {
		args = append(args, filepath.Join(root, filepath.FromSlash(s)))
	}
	text, err := exec.Command("gcc", args...).CombinedOutput()
	require.NoError(t, err, "%s", text)
	t.Log(run(t, out))
}
