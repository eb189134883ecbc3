package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// flashModels are models of the registers of flash memory, each with its driver and two pages of the memory.
var flashModels = map[string][]string{
	"nrf51":   {"nrf51.c", "nrf51_flash.c", "-DDRIVER=cf_nrf51_flash", "-DBASE=0x30000u", "-DPAGE_LENGTH=1024u"},
	"nrf52":   {"nrf51.c", "nrf51_flash.c", "-DDRIVER=cf_nrf51_flash", "-DBASE=0x60000u", "-DPAGE_LENGTH=4096u"},
	"stm32f4": {"stm32f4.c", "stm32f4_flash.c", "-DDRIVER=cf_stm32f4_flash", "-DBASE=0x080c0000u", "-DPAGE_LENGTH=0x20000u"},
	"cfi":     {"cfi.c", "cfi_flash.c", "-DDRIVER=cf_cfi_flash", "-DBASE=0x04000000u", "-DPAGE_LENGTH=0x40000u"},
}

func TestFlash(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gcc"); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip("gcc is not installed")
	}
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	for name, of := range flashModels {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "flash")
			args := slices.Concat([]string{"-I" + root, "-include", filepath.Join(root, "test", "registers.h"), "-o", out, storing}, of[2:], warnings,
				[]string{"-O2"}) // without sanitizers: waits are long
			for _, s := range []string{"test/flash/cases.c", "test/flash/" + of[0], "drivers/" + of[1]} {
				args = append(args, filepath.Join(root, filepath.FromSlash(s)))
			}
			text, err := exec.Command("gcc", args...).CombinedOutput()
			require.NoError(t, err, "%s", text)
			run(t, out)
		})
	}
}
