package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/flash/uf2"
	"github.com/copaflash/copaflash/hil/emulator/emulatortest"
)

// A Pico on rp2040js, as it lies on a desk: a program goes to it over both of its lines, then it is asked for its boot loader over USB,
// gets its runner again, and talks. What the drive is for the system is a folder here: there while the loader runs.
func TestPicoOnTheDesk(t *testing.T) {
	b, err := boards.Find("pico")
	require.NoError(t, err)
	s := emulatortest.Simulate(t, b.Name, "../../hil/emulator/rp2040js")
	loader := func() bool {
		var state struct {
			Loader     *struct{ Lamps, Without uint32 }
			Complaints []string
		}
		require.NoError(t, s.Do("state", nil, &state))
		require.Empty(t, state.Complaints, "what the image did wrong")
		return state.Loader != nil && *state.Loader == struct{ Lamps, Without uint32 }{}
	}
	defer func() { require.False(t, loader()) }()

	const example = "../../examples/first_steps.py"
	expected, err := os.ReadFile("../../examples/first_steps.out")
	require.NoError(t, err)
	env := []string{"XDG_CACHE_HOME=" + t.TempDir()}
	for _, port := range []string{s.TTY(), s.USB(), s.TTY(), s.USB()} {
		require.Equal(t, "pico", jsonOf(t, env, "info", "--port", port)["board"])
		require.Equal(t, string(expected), jsonOf(t, env, "deploy", "--port", port, example)["stdout"])
	}

	var stdout, stderr bytes.Buffer
	a := &app{ui: newUI(&stdout, &stderr)}
	drive := t.TempDir()
	find := func() []string {
		if !loader() {
			return nil
		}
		require.NoError(t, os.WriteFile(filepath.Join(drive, "INFO_UF2.TXT"), []byte("Board-ID: RPI-RP2\n"), 0o644))
		return []string{drive}
	}
	require.Empty(t, find())
	drives, err := a.touchRunner(t.Context(), &b, flashFlags{port: s.USB()}, find)
	require.NoError(t, err, stderr.String())
	require.Equal(t, []string{drive}, drives)
	require.Equal(t, []any{"pico.uf2"}, jsonOf(t, env, "flash", "pico", "--to", drive)["written"])
	file, err := os.ReadFile(filepath.Join(drive, "pico.uf2"))
	require.NoError(t, err)
	stored, err := uf2.Parse(file)
	require.NoError(t, err)
	require.NotEmpty(t, stored)
	require.NoError(t, s.Do("load", map[string]any{"file": filepath.Join(drive, "pico.uf2")}, nil))
	require.Equal(t, "pico", jsonOf(t, env, "info", "--port", s.USB())["board"])
}
