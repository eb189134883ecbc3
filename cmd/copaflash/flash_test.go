package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/flash/uf2"
	"github.com/copaflash/copaflash/firmware/flash/volume"
	"github.com/copaflash/copaflash/protocol/transport"
)

// Every method that a board.json can name is there, and works on every board that
// needs no device for it.
func TestFlashMethods(t *testing.T) {
	require.NotEmpty(t, boards.Methods())
	for _, m := range boards.Methods() {
		require.Contains(t, flashMethods, m)
	}
	all, err := boards.All()
	require.NoError(t, err)
	flashed := 0
	for _, b := range all {
		if b.Flash == nil {
			continue
		}
		flashed++
		var out, diagnostics strings.Builder
		require.Equal(t, exitOK, run(t.Context(), []string{"flash", b.Name, "--recipe", "--to", t.TempDir()}, &out, &diagnostics), diagnostics.String())
		require.NotContains(t, out.String(), "{", "a place in a recipe that nothing fills")
	}
	require.NotZero(t, flashed)
}

func TestFlashDrive(t *testing.T) {
	b, err := boards.Find("stm32vldiscovery")
	require.NoError(t, err)
	b.Flash = &boards.Flash{Method: boards.MethodUF2, UF2: &boards.UF2{Family: 0xe48bff56, BoardID: "RPI-RP2", Enter: "hold BOOTSEL"}}
	img, err := b.Flat()
	require.NoError(t, err)
	a := &app{ui: newUI(os.Stdout, os.Stderr)}
	for id, want := range map[string]string{"": "copy the file", "RPI-RP2": "starts the runner now", "RP2350": "is that of a RP2350, not of a RPI-RP2"} {
		dir := t.TempDir()
		if id != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, volume.UF2Info), []byte("UF2 Bootloader v3.0\r\nBoard-ID: "+id+"\r\n"), 0o600))
		}
		r := &flashResult{To: dir}
		err := a.flashDrive(t.Context(), &b, flashFlags{to: dir}, r)
		path := filepath.Join(dir, b.Name+".uf2")
		if id == "RP2350" {
			require.ErrorContains(t, err, want)
			require.NoFileExists(t, path)
			continue
		}
		require.NoError(t, err)
		require.Contains(t, r.Next, want)
		file, err := os.ReadFile(path)
		require.NoError(t, err)
		f, err := uf2.Parse(file)
		require.NoError(t, err)
		require.EqualValues(t, uint32(0xe48bff56), f.Family)
		require.EqualValues(t, img.Address, f.Address)
		require.Equal(t, img.Data, f.Data[:len(img.Data)])
	}
}

func TestKnownPorts(t *testing.T) {
	rows := portRows(knownPorts([]transport.PortInfo{
		{Name: "/dev/ttyACM0", VID: "0d28", PID: "0204", Product: "micro:bit", Serial: "99"},
		{Name: "/dev/ttyACM1", VID: "ffff", PID: "0001"},
		{Name: "/dev/ttyS0"},
	}))[1:]
	require.Equal(t, [][]string{
		{"/dev/ttyACM0", "0d28:0204", "DAPLink", "microbit", "micro:bit", "99"},
		{"/dev/ttyACM1", "ffff:0001", "", "", "", ""},
		{"/dev/ttyS0", "", "", "", "", ""},
	}, rows)
}

// TestReadmeListsBoards holds the table of README against the boards.
func TestReadmeListsBoards(t *testing.T) {
	all, err := boards.All()
	require.NoError(t, err)
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	require.True(t, strings.Contains(string(text), boardsMarkdown(all)), "the table of boards in README.md is that of: go run ./cmd/copaflash boards --markdown")
}
