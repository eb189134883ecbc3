package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// clockModels are the models of chips' clocks, and what they must know of chip and board.
var clockModels = map[string][]string{
	"stm32f405":        {"stm32f4.c", "-DCRYSTAL_HZ=8000000u", "-DUART_DIVIDE=2u"},
	"stm32f405_usart6": {"stm32f4.c", "-DCRYSTAL_HZ=25000000u", "-DUART_DIVIDE=2u"},
	"stm32f446":        {"stm32f4.c", "-DCRYSTAL_HZ=8000000u", "-DUART_DIVIDE=4u"},
}

// A chip starts its clocks in the order of its manual, says what they are, and does without those that do not come.
func TestClocks(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gcc"); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip("gcc is not installed")
	}
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	for chip, model := range clockModels {
		t.Run(chip, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "clocks")
			args := slices.Concat([]string{
				"-I" + root, "-include", filepath.Join(root, "test", "registers.h"), "-o", out, "-DCF_ARCH=CF_ARCH_X86_64",
				"-Wl,-z,lazy,--unresolved-symbols=ignore-all", "-no-pie", // drivers that the chip names
			}, model[1:], warnings, sanitizers)
			for _, s := range []string{"test/clocks/" + model[0], "drivers/steps.c", "chip/" + chip + "/chip.c"} {
				args = append(args, filepath.Join(root, filepath.FromSlash(s)))
			}
			text, err := exec.Command("gcc", args...).CombinedOutput()
			require.NoError(t, err, "%s", text)
			run(t, out)
		})
	}
}
