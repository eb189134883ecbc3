package boards

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
)

func TestAllBoards(t *testing.T) {
	all, err := All()
	require.NoError(t, err)
	var names []string
	for _, b := range all {
		names = append(names, b.Name)
		t.Run(b.Name, func(t *testing.T) {
			require.FileExists(t, filepath.Join(b.Name, "board.c"))
			require.DirExists(t, filepath.Join("..", "firmware", "chip", b.Chip))
			require.DirExists(t, filepath.Join("..", "firmware", "arch", b.Arch))
			require.True(t, knownArch(b.Arch), "arch %q is not one of the protocol's", b.Arch)

			f, err := elf.NewFile(bytes.NewReader(b.Image))
			require.NoError(t, err)
			require.Equal(t, elf.EM_AARCH64, f.Machine)
			require.Less(t, len(b.Image), 64<<10)
			for _, p := range f.Progs {
				require.NotEqual(t, elf.PF_W|elf.PF_X, p.Flags&(elf.PF_W|elf.PF_X), "segment at %#x", p.Vaddr)
			}
		})
	}
	require.True(t, slices.IsSorted(names))
	folders, err := filepath.Glob("*/board.c")
	require.NoError(t, err)
	require.Len(t, folders, len(all), "every board.c has a board.json")
}

func knownArch(name string) bool {
	for a := range packet.Arch(64) {
		if a.Valid() && a.String() == name {
			return true
		}
	}
	return false
}

func TestFind(t *testing.T) {
	b, err := Find("rpi3")
	require.NoError(t, err)
	require.Equal(t, "rpi3", b.Name)
	require.NotEmpty(t, b.Image)
	_, err = Find("rpi9")
	require.EqualError(t, err, `no board "rpi9"; there are: rpi3, virt-a53`)
}

// The card's kernel is what the segments of the ELF file put in memory.
func TestRawImage(t *testing.T) {
	b, err := Find("rpi3")
	require.NoError(t, err)
	raw, err := b.Bytes(FormRaw)
	require.NoError(t, err)
	f, err := elf.NewFile(bytes.NewReader(b.Image))
	require.NoError(t, err)
	require.EqualValues(t, 0x80000, f.Entry, "the firmware jumps to the first byte")
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Type != elf.SHT_PROGBITS {
			continue
		}
		want, err := s.Data()
		require.NoError(t, err)
		require.NotEmpty(t, want)
		start := s.Addr - f.Entry
		require.Equal(t, want, raw[start:start+s.Size], s.Name)
	}
}

func TestRawImageErrors(t *testing.T) {
	b, err := Find("rpi3")
	require.NoError(t, err)
	// Offset of p_paddr of the first program header in a 64-bit file.
	const firstPhysical = 64 + 24
	far := bytes.Clone(b.Image)
	far[firstPhysical+5] = 1
	cut := b.Image[:len(b.Image)/4]
	for name, image := range map[string][]byte{"far apart": far, "cut": cut, "empty": nil, "text": []byte("#!/bin/sh")} {
		t.Run(name, func(t *testing.T) {
			broken := Board{ImageFile: "x.elf", Image: image}
			_, err := broken.Bytes(FormRaw)
			require.ErrorContains(t, err, "x.elf: ")
		})
	}
}

func TestFlashFiles(t *testing.T) {
	b, err := Find("rpi3")
	require.NoError(t, err)
	require.NotNil(t, b.Flash)
	content := map[string]string{}
	for _, f := range b.Flash.Files {
		data, err := b.Content(f)
		require.NoError(t, err)
		content[f.Name] = string(data)
	}
	raw, err := b.Bytes(FormRaw)
	require.NoError(t, err)
	require.Equal(t, string(raw), content["kernel8.img"])
	// board.c counts on this clock for its divisors.
	require.Contains(t, content["config.txt"], "\ninit_uart_clock=48000000\n")
	source, err := os.ReadFile("rpi3/board.c")
	require.NoError(t, err)
	require.Contains(t, string(source), ".uart_clock_hz = 48000000,")
}

// edit returns a valid board.json with fields changed; nil removes one.
func edit(t *testing.T, changes map[string]any) []byte {
	t.Helper()
	text, err := files.ReadFile("rpi3/board.json")
	require.NoError(t, err)
	var tree map[string]any
	require.NoError(t, json.Unmarshal(text, &tree))
	for path, value := range changes {
		at := tree
		keys := strings.Split(path, ".")
		for _, key := range keys[:len(keys)-1] {
			at = at[key].(map[string]any)
		}
		last := keys[len(keys)-1]
		if value == nil {
			delete(at, last)
		} else {
			at[last] = value
		}
	}
	text, err = json.Marshal(tree)
	require.NoError(t, err)
	return text
}

func TestParseRejects(t *testing.T) {
	file := func(f map[string]any) []any { return []any{f} }
	tests := []struct {
		name    string
		changes map[string]any
		want    string
	}{
		{"unknown field", map[string]any{"colour": "green"}, `unknown field "colour"`},
		{"unknown field inside", map[string]any{"uart.parity": "even"}, `unknown field "parity"`},
		{"wrong type", map[string]any{"ram_bytes": "1 GiB"}, "cannot unmarshal"},
		{"negative", map[string]any{"ram_bytes": -1}, "cannot unmarshal"},
		{"no name", map[string]any{"name": nil}, `name ""`},
		{"bad name", map[string]any{"name": "Rpi 3"}, `name "Rpi 3"`},
		{"long name", map[string]any{"name": strings.Repeat("x", 33)}, "want up to 32"},
		{"path as chip", map[string]any{"chip": "../core"}, `chip "../core"`},
		{"no title", map[string]any{"title": nil}, "title is missing"},
		{"no arch", map[string]any{"arch": nil}, "arch is missing"},
		{"no cpu", map[string]any{"cpu": nil}, "cpu is missing"},
		{"no fpu", map[string]any{"fpu": ""}, "fpu is missing"},
		{"no ram", map[string]any{"ram_bytes": 0}, "ram_bytes is missing"},
		{"no uart", map[string]any{"uart": nil}, "uart.device is missing"},
		{"no rates", map[string]any{"uart.bauds": []int{}}, "0 rates"},
		{"too many rates", map[string]any{"uart.bauds": make([]int, 17)}, "17 rates"},
		{"rate 0", map[string]any{"uart.bauds": []int{0}}, "0 is zero or there twice"},
		{"rate twice", map[string]any{"uart.bauds": []int{9600, 9600}}, "9600 is zero or there twice"},
		{"no timer", map[string]any{"timer.device": nil}, "timer.device is missing"},
		{"timer 0", map[string]any{"timer.hz": 0}, "timer.hz is missing"},
		{"bad tier", map[string]any{"tier": "gold"}, `tier "gold"`},
		{"tier without emulator", map[string]any{"qemu": nil}, "tier qemu-ci without qemu"},
		{"no binary", map[string]any{"qemu.binary": nil}, "qemu.binary is missing"},
		{"no package", map[string]any{"qemu.package": nil}, "qemu.package is missing"},
		{"no machine", map[string]any{"qemu.args": nil}, "qemu.args is missing"},
		{"bad form", map[string]any{"qemu.load": "hex"}, `qemu.load "hex"`},
		{"bad method", map[string]any{"flash.method": "magic"}, `flash.method "magic"`},
		{"no files", map[string]any{"flash.files": nil}, "flash.files is missing"},
		{"file outside", map[string]any{"flash.files": file(map[string]any{"name": "../x", "image": "raw"})}, `name "../x"`},
		{"empty file", map[string]any{"flash.files": file(map[string]any{"name": "x"})}, "want either image or text"},
		{"both", map[string]any{"flash.files": file(map[string]any{"name": "x", "image": "raw", "text": []string{"a"}})}, "want either image or text"},
		{"bad file form", map[string]any{"flash.files": file(map[string]any{"name": "x", "image": "hex"})}, `x: image "hex"`},
		{"other image", map[string]any{"image": "../rpi3.elf"}, "want rpi3.elf"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(edit(t, tt.changes))
			require.ErrorContains(t, err, tt.want)
		})
	}
	valid := edit(t, nil)
	_, err := Parse(valid)
	require.NoError(t, err)
	_, err = Parse(append(valid, '{', '}'))
	require.ErrorContains(t, err, "text after the end")
	_, err = Parse(valid[:len(valid)-1])
	require.Error(t, err)
}

func TestReadChecksTheFolder(t *testing.T) {
	text := edit(t, nil)
	all, err := read(fstest.MapFS{"rpi3/board.json": {Data: text}})
	require.NoError(t, err)
	require.Len(t, all, 1)
	_, err = read(fstest.MapFS{"other/board.json": {Data: text}})
	require.EqualError(t, err, `boards/other/board.json: name "rpi3" differs from the folder's`)
	_, err = read(fstest.MapFS{"bad/board.json": {Data: []byte("{")}})
	require.ErrorContains(t, err, "boards/bad/board.json: board.json: ")
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"rpi3", "virt-a53"} {
		text, err := files.ReadFile(name + "/board.json")
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte(`{"name":"x"} {}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := Parse(text)
		if err != nil {
			return
		}
		again, err := json.Marshal(b)
		require.NoError(t, err)
		c, err := Parse(again)
		require.NoError(t, err)
		require.Equal(t, b, c)
	})
}
