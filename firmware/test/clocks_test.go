package test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
)

// clockModels are the models of chips' clocks, and what they must know of chip and board.
var clockModels = map[string][]string{
	"stm32f100":        {"stm32f100.c"},
	"stm32f405":        {"stm32f4.c", "-DCRYSTAL_HZ=8000000u", "-DUART_DIVIDE=2u"},
	"stm32f405_usart6": {"stm32f4.c", "-DCRYSTAL_HZ=25000000u", "-DUART_DIVIDE=2u"},
	"lm3s6965":         {"lm3s6965.c"},
	"fe310_g002":       {"fe310.c"},
	"sifive_e":         {"fe310.c"},
	"stm32f446":        {"stm32f4.c", "-DCRYSTAL_HZ=8000000u", "-DUART_DIVIDE=4u"},
	"stm32f446_usart3": {"stm32f4.c", "-DCRYSTAL_HZ=8000000u", "-DUART_DIVIDE=4u"},
	"stm32f401":        {"stm32f4.c", "-DF401", "-DCRYSTAL_HZ=8000000u", "-DUART_DIVIDE=2u"},
	"stm32f411":        {"stm32f4.c", "-DF411", "-DCRYSTAL_HZ=8000000u", "-DUART_DIVIDE=2u"},
}

// A chip starts its clocks in the order of its manual, says what they are, and does without those that do not come.
func TestClocks(t *testing.T) {
	t.Parallel()
	for chip, model := range clockModels {
		t.Run(chip, func(t *testing.T) {
			t.Parallel()
			onModel(t, model[1:], "test/clocks/"+model[0], "drivers/steps.c", "chip/"+chip+"/chip.c")
		})
	}
}

// startModels are those of chips together with their pins and UART: the model, the UART's driver, and what the model must know of the chip.
var startModels = map[string][]string{
	"stm32l475": {"stm32l4.c", "stm32_usart2.c"},
	"stm32g474": {"stm32l4.c", "stm32_usart2.c", "-DG4"},
	"stm32g431": {"stm32l4.c", "stm32_usart2.c", "-DG4"},
	"stm32h743": {"stm32h7.c", "stm32_usart2.c"},
	"stm32f767": {"stm32f7.c", "stm32_usart2.c"},
	"nrf52833":  {"nrf52.c", "nrf51_uart.c", "-DTXD_PIN=6u", "-DRXD_PIN=40u", "-DWORDS=0x2001ffc0u"},
	"nrf52840":  {"nrf52.c", "nrf51_uart.c", "-DTXD_PIN=6u", "-DRXD_PIN=8u", "-DWORDS=0x2003ffc0u"},
}

// A board's chip starts clocks, pins and UART in the order of its manual, comes to the rate of the board's description and to all those
// of its line.
func TestStarts(t *testing.T) {
	t.Parallel()
	all, err := boards.Descriptions()
	require.NoError(t, err)
	used := map[string]bool{}
	for _, b := range all {
		model, modelled := startModels[b.Chip]
		require.True(t, modelled || b.Tier != boards.TierModelled, b.Name)
		if !modelled {
			continue
		}
		used[b.Chip] = true
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			said := onModel(t, slices.Concat(model[2:], []string{storing, "-include", "test/clocks/board.h"}), "test/clocks/cases.c", "test/clocks/"+model[0],
				"drivers/steps.c", "drivers/"+model[1], "chip/"+b.Chip+"/chip.c", "../boards/"+b.Name+"/board.c")
			require.Equal(t, fmt.Sprintf("%d Hz\n", b.Timer.Hz), said)
		})
	}
	require.Len(t, used, len(startModels))
}

// onModel compiles sources below firmware for this machine, with registers that are a model's, and returns what they print.
func onModel(t *testing.T, options []string, sources ...string) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip("SKIP: gcc is not installed")
	}
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	out := filepath.Join(t.TempDir(), "model")
	args := slices.Concat([]string{
		"-I" + root, "-include", "test/registers.h", "-o", out, "-DCF_ARCH=CF_ARCH_X86_64",
		"-Wl,-z,lazy,--unresolved-symbols=ignore-all", "-no-pie", // drivers that the chip names, and start-up code
	}, options, warnings, sanitizers)
	for _, s := range sources {
		args = append(args, filepath.Join(root, filepath.FromSlash(s)))
	}
	text, err := exec.Command("gcc", args...).CombinedOutput()
	require.NoError(t, err, "%s", text)
	return run(t, out)
}
