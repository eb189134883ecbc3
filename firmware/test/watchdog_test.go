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

// watchdogModels are the model of each chip's watchdog, and what it must know of the chip.
var watchdogModels = map[string][]string{
	"nrf51":            {"nrf51.c"},
	"nrf52833":         {"nrf51.c"},
	"nrf52840":         {"nrf51.c"},
	"stm32f100":        {"iwdg.c", "-DLSI_KHZ=40u"},
	"stm32f405":        {"iwdg.c", "-DLSI_KHZ=32u"},
	"stm32f405_usart6": {"iwdg.c", "-DLSI_KHZ=32u"},
	"stm32f446":        {"iwdg.c", "-DLSI_KHZ=32u"},
	"stm32f446_usart3": {"iwdg.c", "-DLSI_KHZ=32u"},
	"stm32f401":        {"iwdg.c", "-DLSI_KHZ=32u"},
	"stm32f411":        {"iwdg.c", "-DLSI_KHZ=32u"},
	"stm32l475":        {"iwdg.c", "-DLSI_KHZ=32u"},
	"stm32g474":        {"iwdg.c", "-DLSI_KHZ=32u"},
	"stm32g431":        {"iwdg.c", "-DLSI_KHZ=32u"},
	"stm32f767":        {"iwdg.c", "-DLSI_KHZ=32u"},
	"stm32h743":        {"iwdg.c", "-DLSI_KHZ=32u", "-DIWDG_BASE=0x58004800u"},
	"mps2":             {"cmsdk.c", "-DWATCHDOG_BASE=0x40008000u", "-DCOUNTS_PER_MS=25000u"},
	"mps2_an505":       {"cmsdk.c", "-DWATCHDOG_BASE=0x50081000u", "-DCOUNTS_PER_MS=20000u"},
	"mps3_an547":       {"cmsdk.c", "-DWATCHDOG_BASE=0x5802e000u", "-DCOUNTS_PER_MS=32u"},
	"lm3s6965":         {"cmsdk.c", "-DLM3S", "-DWATCHDOG_BASE=0x40000000u", "-DCOUNTS_PER_MS=50000u"},
	"rp2040":           {"rp2.c"},
	"rp2350":           {"rp2.c", "-DRP2350"},
	"bcm2835":          {"bcm.c", "-DPERIPHERALS_BASE=0x20000000u"},
	"bcm2836":          {"bcm.c", "-DPERIPHERALS_BASE=0x3f000000u"},
	"bcm2711":          {"bcm.c", "-DPERIPHERALS_BASE=0xfe000000u"},
	"sifive_e":         {"fe310.c"},
	"fe310_g002":       {"fe310.c"},
	"esp32c3":          {"esp32c3.c"},
}

// The table of every chip, carried out as on the chip, on a model of its watchdog. Board descriptions name the same range.
func TestWatchdogs(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gcc"); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip("gcc is not installed")
	}
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	all, err := boards.Descriptions()
	require.NoError(t, err)
	used := map[string]bool{}
	for _, b := range all {
		model, modelled := watchdogModels[b.Chip]
		require.Equal(t, modelled, b.Watchdog != nil, b.Name)
		if !modelled {
			continue
		}
		used[b.Chip] = true
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "watchdog")
			args := slices.Concat([]string{
				"-I" + root, "-include", filepath.Join(root, "test", "registers.h"), "-o", out, "-DCF_ARCH=CF_ARCH_X86_64",
				"-Wl,-z,lazy,--unresolved-symbols=ignore-all", "-no-pie", // drivers that the chip names, and start-up code
			}, model[1:], warnings, sanitizers)
			for _, s := range []string{"test/watchdog/cases.c", "test/watchdog/" + model[0], "platform/watchdog.c", "drivers/steps.c", "chip/" + b.Chip + "/chip.c"} {
				args = append(args, filepath.Join(root, filepath.FromSlash(s)))
			}
			text, err := exec.Command("gcc", args...).CombinedOutput()
			require.NoError(t, err, "%s", text)
			said, err := exec.Command(out).CombinedOutput()
			require.NoError(t, err, "%s", said)
			require.Equal(t, fmt.Sprintf("%d to %d ms\n", b.Watchdog.Least, b.Watchdog.Most), string(said))
		})
	}
	require.Len(t, used, len(watchdogModels))
}
