package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// usbChips are those with a line over USB, and what their model is to know.
var usbChips = map[string][]string{
	"rp2040": nil,
	"rp2350": {"-DRP2350"},
}

// The line over USB, on a model of clocks and controller that refuses what datasheets forbid, with hosts of all kinds.
func TestUSB(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gcc"); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip("gcc is not installed")
	}
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	for chip, flags := range usbChips {
		t.Run(chip, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "usb")
			args := slices.Concat([]string{
				"-I" + root, "-include", filepath.Join(root, "test", "registers.h"), "-o", out, "-DCF_SMALL=1", "-DCF_ARCH=CF_ARCH_X86_64",
				"-Wl,-z,lazy,--unresolved-symbols=ignore-all", "-no-pie", // drivers that the chip names, and start-up code
			}, flags, warnings, sanitizers)
			for _, s := range []string{
				"test/usb/cases.c", "test/usb/chip.c", "test/usb/controller.c", "drivers/rp2_usb.c", "drivers/usb_cdc.c", "drivers/rp2_lines.c",
				"drivers/steps.c", "core/frame.c", "core/crc32c.c", "chip/" + chip + "/chip.c",
			} {
				args = append(args, filepath.Join(root, filepath.FromSlash(s)))
			}
			text, err := exec.Command("gcc", args...).CombinedOutput()
			require.NoError(t, err, "%s", text)
			run(t, out)
		})
	}
}
