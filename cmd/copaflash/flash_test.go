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
	a := &app{ui: newUI(os.Stdout, os.Stderr), desk: desk{root: t.TempDir()}}
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

func TestPortRows(t *testing.T) {
	answers := &portAnswer{Board: "microbit", Firmware: "copaflash 1", CodeBytes: 4096, DataBytes: 2048}
	ports := []knownPort{
		{PortInfo: transport.PortInfo{Name: "/dev/ttyACM0", VID: "0d28", PID: "0204", Product: "micro:bit", Serial: "99"}, Device: "DAPLink", Boards: []string{"microbit"}, Sure: true, Answer: answers},
		{PortInfo: transport.PortInfo{Name: "/dev/ttyACM1", VID: "0483", PID: "374b"}, Device: "ST-Link/V2-1", Boards: []string{"nucleo-a", "nucleo-b"}, Answer: &portAnswer{Error: &failure{Code: exitBusy}}},
		{PortInfo: transport.PortInfo{Name: "/dev/ttyS0"}},
		{PortInfo: transport.PortInfo{Name: "/dev/ttyS1", Phantom: true}},
	}
	require.Equal(t, [][]string{
		{"/dev/ttyACM0", "0d28:0204", "DAPLink", "microbit", "micro:bit", "99"},
		{"/dev/ttyACM1", "0483:374b", "ST-Link/V2-1", "nucleo-a, nucleo-b?", "", ""},
		{"/dev/ttyS0", "", "", "", "", ""},
		{"/dev/ttyS1", "", "no hardware", "", "", ""},
	}, portRows(ports, false)[1:])
	require.Equal(t, [][]string{
		{"/dev/ttyACM0", "0d28:0204", "DAPLink", "microbit", "copaflash 1", "code 4 KiB, data 2 KiB"},
		{"/dev/ttyACM1", "0483:374b", "ST-Link/V2-1", "nucleo-a, nucleo-b?", "in use", ""},
		{"/dev/ttyS0", "", "", "", "not asked", ""},
		{"/dev/ttyS1", "", "no hardware", "", "not asked", ""},
	}, portRows(ports, true)[1:])
}

// What ports --watch tells, of a board that is plugged in, whose drive is mounted later, and that another one takes the place of.
func TestPortEvents(t *testing.T) {
	port := func(name, vid string, boards ...string) knownPort {
		return knownPort{PortInfo: transport.PortInfo{Name: name, VID: vid}, Boards: boards}
	}
	seen := map[string]knownPort{}
	first, board, other := port("a", ""), port("b", "0483", "x", "y"), port("b", "0d28")
	mounted := board
	mounted.Boards, mounted.Sure = []string{"x"}, true
	phantom := knownPort{PortInfo: transport.PortInfo{Name: "p", Phantom: true}}
	for _, step := range []struct {
		ports []knownPort
		want  []portEvent
	}{
		{[]knownPort{first, phantom}, []portEvent{{"plugged", first}}},
		{[]knownPort{first, phantom}, nil},
		{[]knownPort{first, board}, []portEvent{{"plugged", board}}},
		{[]knownPort{first, mounted}, []portEvent{{"plugged", mounted}}},
		{[]knownPort{first, other}, []portEvent{{"unplugged", mounted}, {"plugged", other}}},
		{[]knownPort{first}, []portEvent{{"unplugged", other}}},
		{nil, []portEvent{{"unplugged", first}}},
	} {
		require.Equal(t, step.want, portEvents(seen, step.ports, "plugged", false))
	}
}

// TestReadmeListsBoards holds the table of README against the boards.
func TestReadmeListsBoards(t *testing.T) {
	all, err := boards.All()
	require.NoError(t, err)
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	require.True(t, strings.Contains(string(text), boardsMarkdown(all)), "the table of boards in README.md is that of: go run ./cmd/copaflash boards --markdown")
}
