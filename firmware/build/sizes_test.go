package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/build/runner"
)

func TestImagesKeepTheirBudgets(t *testing.T) {
	root, _ := state(t)
	all, err := runner.Targets(root)
	require.NoError(t, err)
	var table bytes.Buffer
	require.NoError(t, report(&table, root, all))
	descriptions, err := boards.Descriptions()
	require.NoError(t, err)
	for _, b := range descriptions {
		require.Contains(t, table.String(), " "+b.Name+" ", "the table misses a board")
	}
}

// The aim for RAM is that of microcontrollers with little of it; a board with
// plenty may have a larger stack.
func TestSmallBoardsReachTheGoalForRAM(t *testing.T) {
	root, _ := state(t)
	descriptions, err := boards.Descriptions()
	require.NoError(t, err)
	small := 0
	for _, b := range descriptions {
		if b.RAM > 16<<10 || !strings.HasPrefix(b.Arch, "thumb") {
			continue
		}
		small++
		image, err := os.ReadFile(imagePath(root, b.ImageFile))
		require.NoError(t, err)
		s, err := measure(image)
		require.NoError(t, err)
		require.LessOrEqual(t, s.variables, goal.ram, "%s: variables", b.Name)
		require.GreaterOrEqual(t, s.programStack+s.programData+s.programCode, b.RAM*3/8, "%s: three eighths of RAM are left for programs", b.Name)
	}
	require.NotZero(t, small, "boards with little RAM")
}

// The budgets of all Cortex-M hold the goal.
func TestCortexMReachesTheGoalForCode(t *testing.T) {
	root, _ := state(t)
	all, err := runner.Targets(root)
	require.NoError(t, err)
	microcontrollers := 0
	for _, target := range all {
		if target.Budget == nil || !strings.HasPrefix(target.Arch, "thumb") {
			continue
		}
		microcontrollers++
		require.NotZero(t, target.Budget.Code, target.Name)
		require.LessOrEqual(t, target.Budget.Code, goal.code, target.Name)
	}
	require.NotZero(t, microcontrollers)
}

func TestBudgetIsChecked(t *testing.T) {
	b := runner.Budget{Code: 8000, Flash: 8192, Pins: 600, Variables: 464}
	tests := []struct {
		name, want string
		size       size
	}{
		{name: "at the limit", size: size{code: b.Code, constants: b.Flash - b.Code, pins: b.Pins, variables: b.Variables, programs: 1 << 20}},
		{name: "code", size: size{code: b.Code + 1}, want: "bytes of code, 8000"},
		{name: "constants", size: size{code: 1, constants: b.Flash}, want: "bytes of code and constants"},
		{name: "pins", size: size{pins: b.Pins + 1}, want: "bytes of code for lists for the pins, 600"},
		{name: "variables", size: size{variables: b.Variables + 1}, want: "bytes of variables"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.size.check(&b)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestMeasureRefusesUnknownSections(t *testing.T) {
	root, _ := state(t)
	image, err := os.ReadFile(imagePath(root, "mps2-an385.elf"))
	require.NoError(t, err)
	_, err = measure(bytes.Replace(image, []byte(".rodata\x00"), []byte(".secret\x00"), 1))
	require.ErrorContains(t, err, "section .secret: say in firmware/build/sizes.go")
	_, err = measure([]byte("no ELF file"))
	require.Error(t, err)
}

// TestSizesOfThePage: docs/measured.md has the sizes of the committed images.
func TestSizesOfThePage(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	all, err := runner.Targets(root)
	require.NoError(t, err)
	was, is, err := page(root, all)
	require.NoError(t, err)
	require.Equal(t, string(is), string(was), "go run ./firmware/build writes them")
}
