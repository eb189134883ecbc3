package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The serial port that an ESP32-C3 makes by itself, at hosts that are slow or gone.
func TestESPUSB(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gcc"); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip("gcc is not installed")
	}
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	out := filepath.Join(t.TempDir(), "esp_usb")
	args := append(append([]string{"-I" + root, "-include", filepath.Join(root, "test", "registers.h"), "-DCF_SMALL=0", "-o", out}, warnings...), sanitizers...)
	for _, s := range []string{"test/esp_usb/cases.c", "drivers/esp_usb_serial.c"} {
		args = append(args, filepath.Join(root, filepath.FromSlash(s)))
	}
	text, err := exec.Command("gcc", args...).CombinedOutput()
	require.NoError(t, err, "%s", text)
	run(t, out)
}
