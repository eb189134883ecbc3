package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// usbChips are those with a line over USB: what their model is to know, and where start-up code has the interrupt of the UART from, which
// it lets through beside USB's.
var usbChips = map[string]struct {
	flags []string
	file  string
	irq   *regexp.Regexp
}{
	"rp2040": {nil, "chip/rp2040/memory.ld", regexp.MustCompile(`\bIRQS = 1 << (\d+);`)},
	"rp2350": {[]string{"-DRP2350"}, "arch/cortex-m/arch.json", regexp.MustCompile(`-DCF_SECOND_IRQ=(\d+)u`)},
}

// The line over USB, on a model of clocks and controller that refuses what datasheets forbid, with hosts of all kinds.
func TestUSB(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gcc"); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip("gcc is not installed")
	}
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	for chip, of := range usbChips {
		t.Run(chip, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "usb")
			start, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(of.file)))
			require.NoError(t, err)
			irq := of.irq.FindSubmatch(start)
			require.NotNil(t, irq, of.file)
			args := slices.Concat([]string{
				"-I" + root, "-include", filepath.Join(root, "test", "registers.h"), "-o", out, "-DCF_SMALL=1", "-DCF_ARCH=CF_ARCH_X86_64", "-DUART_IRQ=" + string(irq[1]),
				"-Wl,-z,lazy,--unresolved-symbols=ignore-all", "-no-pie", // drivers that the chip names, and start-up code
			}, of.flags, warnings, sanitizers)
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
