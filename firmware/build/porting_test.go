package main

import (
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/build/runner"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport"
)

// A file of PORTING.md: a paragraph that begins with its name, and a fenced block.
var pageFile = regexp.MustCompile("(?m)^`([a-z_/.]+)` (?:[^\n]+\n)+\n```[a-z]*\n((?s:.*?))^```$")

// The board and the chip that PORTING.md adds work as they are printed there: in
// a copy of the tree that has only what the page says, and the rest of the
// firmware, they build without a warning, boot, and run a program.
func TestPortingPage(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(root, "firmware", "PORTING.md"))
	require.NoError(t, err)

	tree := t.TempDir()
	link(t, filepath.Join(root, "firmware"), filepath.Join(tree, "firmware"))
	var names []string
	for _, m := range pageFile.FindAllStringSubmatch(string(page), -1) {
		path := filepath.Join(tree, filepath.FromSlash(m[1]))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoFileExists(t, path, "the page's example is a part of the project")
		require.NoError(t, os.WriteFile(path, []byte(m[2]), 0o644))
		names = append(names, m[1])
	}
	require.Equal(t, []string{
		"boards/desk/board.c", "boards/desk/board.json", "firmware/chip/desk_chip/chip.c", "firmware/chip/desk_chip/memory.ld",
	}, names)

	text, err := os.ReadFile(filepath.Join(tree, "boards/desk/board.json"))
	require.NoError(t, err)
	board, err := boards.Parse(text)
	require.NoError(t, err)
	tools, err := runner.ReadToolchains(root, "firmware/arch")
	require.NoError(t, err)
	target, err := runner.BoardTarget(tools, &board)
	require.NoError(t, err)
	needTool(t, target.Tools.Compiler, target.Tools.Package)
	board.Image, _, err = build(tree, &target)
	require.NoError(t, err)

	needTool(t, board.QEMU.Binary, board.QEMU.Package)
	machine, err := emulator.Start(t.Context(), board, emulator.Options{})
	require.NoError(t, err)
	defer machine.Close()
	line, err := transport.OpenSerial(machine.TTY(), int(board.UART.Bauds[0]))
	require.NoError(t, err)
	s, err := session.Open(t.Context(), line, session.Options{})
	require.NoError(t, err)
	defer s.Close()
	require.Equal(t, board.Name, s.Info().Board)
	require.Equal(t, board.UART.Bauds, s.Info().Bauds)

	const resultAt = 16
	var code []byte
	for _, word := range []uint32{
		0xb9401001, // ldr w1, [x0, #16]
		0x11000421, // add w1, w1, #1
		0xb9001001, // str w1, [x0, #16]
		0xd65f03c0, // ret
	} {
		code = binary.LittleEndian.AppendUint32(code, word)
	}
	_, err = s.Load(t.Context(), &packet.Image{Arch: packet.ArchAarch64, Code: code, BSS: 64, Entries: []uint32{0}}, nil)
	require.NoError(t, err)
	const runs = 7
	_, err = s.Run(t.Context(), session.Run{Count: runs})
	require.NoError(t, err)
	data, err := s.Read(t.Context(), resultAt, 4)
	require.NoError(t, err)
	require.EqualValues(t, runs, binary.LittleEndian.Uint32(data))
}

// link makes `to` show what `from` has, in folders of its own, so that files can
// be added beside what is there.
func link(t *testing.T, from, to string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(to, 0o755))
	for _, e := range entries {
		source, target := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		if e.IsDir() {
			link(t, source, target)
			continue
		}
		require.NoError(t, os.Symlink(source, target))
	}
}

// needTool skips a test where a program is not installed, but not in CI.
func needTool(t *testing.T, name, pkg string) {
	t.Helper()
	_, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrNotFound) && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skipf("%s is not installed (Debian: %s)", name, pkg)
	}
	require.NoError(t, err)
}
