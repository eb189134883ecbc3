package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/chips"
)

// checkedFlash says what was checked of each way to flash.
var checkedFlash = map[boards.Method]string{
	boards.MethodSDFiles: "files in folders; no card has booted",
	boards.MethodUF2:     "file by the rules of the boot ROM; its drive is a folder",
	boards.MethodDrive:   "drive and debug probe played by a test",
	boards.MethodSTM32:   "boot loader simulated (AN3155)",
	boards.MethodESP:     "boot loader simulated, by esptool's documentation",
	boards.MethodRecipe:  "recipes: names looked up, none run",
}

// elsewhere are the machines that walk-throughs start images on whose boards QEMU does not know, with what that takes.
var elsewhere = map[string]struct {
	on     string
	serial int
}{"nucleo-f446re": {"netduinoplus2", 1}} // USART2 is the second line

// simulators are what boards of tier sim-ci run on, by chip.
var simulators = map[string]string{"rp2040": "rp2040js", "esp32c3": "a simulator of its own"}

// checkedRow is a board's row of docs/boards.md.
func checkedRow(t *testing.T, b *boards.Board) []string {
	t.Helper()
	chip, err := chips.Find(b.Chip)
	require.NoError(t, err)
	row := []string{"`" + b.Name + "`", "", "none", "-", "-", "the board: clocks, pins of the line, times"}
	switch b.Tier {
	case boards.TierQEMU:
		row[1] = "QEMU, `" + emulatedAs(b) + "`"
	case boards.TierSimulated:
		row[1] = simulators[b.Chip] + ", with start-up and clocks"
	case boards.TierModelled:
		row[1], row[5] = "compiled; clocks, pins of the line and UART are started on a model of their registers", "the rest of the start, the core, and the board"
	case boards.TierBuilds:
		row[1], row[5] = "compiled only", "all of the runner's start, and the board"
	}
	if other, ok := elsewhere[b.Name]; ok {
		row[1], row[5] = "compiled; a walk-through on the chip of `"+other.on+"` in QEMU", "what other chips differ in, and the board"
	}
	if chip != nil {
		row[3] = chip.Manual.Title
		if chip.Manual.Name != "" {
			row[3] = chip.Manual.Name
		}
		if chip.Manual.Revision != "" {
			row[3] += ", " + chip.Manual.Revision
		}
	}
	if len(b.Channels) > 0 {
		row[2] = "modelled"
	}
	if b.Flash != nil {
		text, ok := checkedFlash[b.Flash.Method]
		require.True(t, ok, "%s: nothing is said of what was checked of the method %s", b.Name, b.Flash.Method)
		if row[4] = text; b.Flash.STM32 != nil && b.Flash.STM32.DFU != "" {
			row[4] += ", and that on USB (AN3156)"
		}
	} else if b.Tier == boards.TierQEMU && chip == nil {
		row[5] = "nothing: the machine is QEMU's own"
	}
	return row
}

// TestCheckedBoards: every board has its row in docs/boards.md, which says no more than its description.
func TestCheckedBoards(t *testing.T) {
	const head = "| board | runner | inputs and outputs | written from | flash | stays open |\n|---|---|---|---|---|---|\n"
	all, err := boards.Descriptions()
	require.NoError(t, err)
	var want strings.Builder
	for i := range all {
		fmt.Fprintf(&want, "| %s |\n", strings.Join(checkedRow(t, &all[i]), " | "))
	}
	const file = "../../docs/boards.md"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), head)
	require.True(t, found)
	end := strings.Index(rest, "\n## ")
	require.GreaterOrEqual(t, end, 0)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(before+head+want.String()+rest[end:]), 0o600))
		return
	}
	assert.Equal(t, want.String(), rest[:end], "go test ./cmd/copaflash -run TestCheckedBoards -update writes it")
}
