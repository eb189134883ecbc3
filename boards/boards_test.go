package boards

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/stencils"
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
			require.True(t, knownArch(b.Arch), "arch %q is not one of the protocol's", b.Arch)
			lib, err := stencils.Load(b.Arch)
			require.NoError(t, err)
			require.Equal(t, lib.Regs(stencils.Double) > 0, strings.Contains(b.FPU, "double precision"), "fpu %q of a board for %s", b.FPU, b.Arch)

			f, err := elf.NewFile(bytes.NewReader(b.Image))
			require.NoError(t, err)
			require.Equal(t, machines[b.Arch], f.Machine)
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

// machines are the kinds of ELF files by architecture.
var machines = map[string]elf.Machine{
	"aarch64": elf.EM_AARCH64,
	"armv6":   elf.EM_ARM, "armv7a": elf.EM_ARM,
	"thumbv6m": elf.EM_ARM, "thumbv7m": elf.EM_ARM, "thumbv7em-sp": elf.EM_ARM, "thumbv7em-dp": elf.EM_ARM,
	"rv64gc": elf.EM_RISCV, "rv32imafc": elf.EM_RISCV, "rv32imac": elf.EM_RISCV,
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
	b, err = Find("pico2-w")
	require.NoError(t, err)
	require.Equal(t, "pico2", b.Name)
	_, err = Find("rpi9")
	require.ErrorContains(t, err, `no board "rpi9"; there are: `)
	require.ErrorContains(t, err, "rpi3, rpi3-32, ")
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
	// In a 64-bit file the second program header, of memory that is zeroed, and its p_paddr and p_filesz.
	const (
		second   = 64 + 56
		physical = second + 24
		fileSize = second + 32
	)
	far := bytes.Clone(b.Image)
	far[physical+5] = 1
	far[fileSize] = 1
	cut := b.Image[:len(b.Image)/4]
	for name, image := range map[string][]byte{"far apart": far, "cut": cut, "empty": nil, "text": []byte("#!/bin/sh")} {
		t.Run(name, func(t *testing.T) {
			broken := Board{ImageFile: "x.elf", Image: image}
			_, err := broken.Bytes(FormRaw)
			require.ErrorContains(t, err, "x.elf: ")
		})
	}
}

// TestKernelAddress holds config.txt against where the image runs. Of addresses that
// nobody names only that of 32-bit kernels can be counted on: the firmware put 64-bit
// ones to 0x80000 once, and by its documentation of today to 0x200000.
func TestKernelAddress(t *testing.T) {
	all, err := All()
	require.NoError(t, err)
	line := regexp.MustCompile(`^kernel_address=(0x[0-9a-f]+)$`)
	cards := 0
	for _, b := range all {
		if b.Flash == nil || b.Flash.Method != MethodSDFiles {
			continue
		}
		cards++
		address := uint64(0)
		for _, f := range b.Flash.Files {
			for _, text := range f.Text {
				if m := line.FindStringSubmatch(text); m != nil {
					address, err = strconv.ParseUint(m[1], 0, 64)
					require.NoError(t, err)
				}
				if text == "arm_64bit=0" || text == "arm_64bit=1" {
					require.Equal(t, b.Arch == "aarch64", text == "arm_64bit=1", b.Name)
				}
			}
		}
		if address == 0 && b.Arch == "armv6" {
			address = 0x8000
		}
		img, err := b.Flat()
		require.NoError(t, err)
		require.Equal(t, img.Address, address, "%s: kernel_address in config.txt", b.Name)
	}
	require.Positive(t, cards)
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
	require.Equal(t, string(raw), content["copaflash-rpi3.img"])
}

// The runner gives the last byte at the old rate 2 ms to leave.
func TestNoRateIsBelowThatOfTheWait(t *testing.T) {
	all, err := Descriptions()
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, b := range all {
		require.NotEmpty(t, b.UART.Bauds, b.Name)
		require.GreaterOrEqual(t, slices.Min(b.UART.Bauds), uint32(9600), b.Name)
	}
}

// The runner of Raspberry Pis asks for this clock, and has it from config.txt where nobody answers.
func TestRaspberryPisSetTheClockOfTheUART(t *testing.T) {
	source, err := os.ReadFile("../firmware/drivers/bcm_mailbox.c")
	require.NoError(t, err)
	require.Contains(t, string(source), "#define UART_HZ 48000000u\n")
	all, err := Descriptions()
	require.NoError(t, err)
	found := 0
	for _, b := range all {
		if !strings.HasPrefix(b.Chip, "bcm") {
			continue
		}
		found++
		i := slices.IndexFunc(b.Flash.Files, func(f FlashFile) bool { return f.Name == "config.txt" })
		require.GreaterOrEqual(t, i, 0, b.Name)
		data, err := b.Content(b.Flash.Files[i])
		require.NoError(t, err)
		require.Contains(t, string(data), "\ninit_uart_clock=48000000\n", b.Name)
	}
	require.NotZero(t, found)
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

// drive is that of a debug probe with fields changed.
func drive(changes map[string]any) map[string]any {
	d := map[string]any{"file": "hex", "labels": []string{"X"}, "enter": "connect it"}
	maps.Copy(d, changes)
	return map[string]any{"flash": map[string]any{"method": "drive", "drive": d}}
}

// stm32 is a boot loader with fields changed.
func stm32(changes map[string]any) map[string]any {
	s := map[string]any{"chip_id": "0x413", "flash": "0x8000000", "sectors": []any{map[string]any{"bytes": 16384, "count": 4}}, "enter": "BOOT0 high"}
	maps.Copy(s, changes)
	return map[string]any{"flash": map[string]any{"method": "stm32-uart", "stm32": s}}
}

// esp is the boot loader of an Espressif chip with fields changed.
func esp(changes map[string]any) map[string]any {
	e := map[string]any{"chip_id": 5, "chip": "ESP32-C3", "offset": "0x0", "enter": "hold BOOT"}
	maps.Copy(e, changes)
	return map[string]any{"flash": map[string]any{"method": "esp-uart", "esp": e,
		"recipes": []any{map[string]any{"with": "esptool", "steps": []string{"esptool.py write_flash 0x0 {esp}"}}}}}
}

// TestStoresAreThoseOfTheChips: the size of a slot is that of the runner.
func TestStoresAreThoseOfTheChips(t *testing.T) {
	all, err := Descriptions()
	require.NoError(t, err)
	length := regexp.MustCompile(`\.length = (\w+)`)
	include := regexp.MustCompile(`#include "(drivers/\w+\.h)"`)
	for _, b := range all {
		// Of the chip, of a header that it shares with its like, or of QEMU's machines.
		var source func(name string) []byte
		source = func(name string) []byte {
			text, err := os.ReadFile(filepath.Join("../firmware", name))
			require.NoError(t, err)
			if bytes.Contains(text, []byte("= CF_QEMU_FLASH(")) {
				return append(text, source("drivers/flash.h")...)
			}
			for _, m := range include.FindAllSubmatch(text, -1) {
				if shared := string(m[1]); shared != "drivers/flash.h" {
					text = append(text, source(shared)...)
				}
			}
			return text
		}
		m := length.FindSubmatch(source("chip/" + b.Chip + "/chip.c"))
		require.Equal(t, m != nil, b.Store != nil, b.Name)
		if m != nil {
			slot, err := strconv.ParseUint(string(m[1]), 0, 32)
			require.NoError(t, err)
			require.Equal(t, Store{b.Store.Memory, slot}, *b.Store, b.Name)
		}
	}
}

// Fed by the link, a watchdog must not run out while a block of a frame is being sent at the lowest rate.
func TestWatchdogsAllowForTheLine(t *testing.T) {
	const block = 254 * 10 // bits
	all, err := Descriptions()
	require.NoError(t, err)
	for _, b := range all {
		text, err := os.ReadFile(filepath.Join(b.Name, "board.c"))
		require.NoError(t, err)
		require.Equal(t, b.Watchdog != nil, strings.Contains(string(text), "CF_WATCHDOG"), b.Name)
		if b.Watchdog != nil {
			require.Greater(t, b.Watchdog.Least, block*1000/slices.Min(b.UART.Bauds)*3/2, b.Name)
		}
	}
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
		{"bad alias", map[string]any{"aliases": []string{"zero2", "Zero 2 W"}}, `alias "Zero 2 W"`},
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
		{"rate 0", map[string]any{"uart.bauds": []int{0}}, "0 is zero or listed twice"},
		{"rate twice", map[string]any{"uart.bauds": []int{9600, 9600}}, "9600 is zero or listed twice"},
		{"no timer", map[string]any{"timer.device": nil}, "timer.device is missing"},
		{"timer 0", map[string]any{"timer.hz": 0}, "timer.hz is missing"},
		{"watchdog without a name", map[string]any{"watchdog.device": nil}, "watchdog.device is missing"},
		{"watchdog from 0", map[string]any{"watchdog.least_ms": 0}, "watchdog: 0 to 15999 ms"},
		{"watchdog of no time", map[string]any{"watchdog.most_ms": 100}, "watchdog: 100 to 100 ms"},
		{"emulated watchdog of none", map[string]any{"watchdog": nil, "qemu.watchdog": true}, "qemu.watchdog of a board without one"},
		{"bad tier", map[string]any{"tier": "gold"}, `tier "gold"`},
		{"tier without emulator", map[string]any{"qemu": nil}, "tier qemu-ci without qemu"},
		{"no binary", map[string]any{"qemu.binary": nil}, "qemu.binary is missing"},
		{"no package", map[string]any{"qemu.package": nil}, "qemu.package is missing"},
		{"no machine", map[string]any{"qemu.args": nil}, "qemu.args is missing"},
		{"bytes that are kept ready for nobody", map[string]any{"qemu.single_byte": true, "qemu.deaf": true}, "qemu.single_byte and qemu.deaf"},
		{"bad form", map[string]any{"qemu.load": "hex"}, `qemu.load "hex"`},
		{"bad method", map[string]any{"flash.method": "magic"}, `flash.method "magic"`},
		{"no files", map[string]any{"flash.files": nil}, "flash.files is missing"},
		{"file outside", map[string]any{"flash.files": file(map[string]any{"name": "../x", "image": "raw"})}, `name "../x"`},
		{"empty file", map[string]any{"flash.files": file(map[string]any{"name": "x"})}, "want either image or text"},
		{"both", map[string]any{"flash.files": file(map[string]any{"name": "x", "image": "raw", "text": []string{"a"}})}, "want either image or text"},
		{"bad file form", map[string]any{"flash.files": file(map[string]any{"name": "x", "image": "hex"})}, `x: image "hex"`},
		{"two texts", map[string]any{"flash.files": []any{map[string]any{"name": "x", "text": []string{"a"}}, map[string]any{"name": "y", "text": []string{"a"}}}}, "more than one text"},
		{"field of another method", map[string]any{"flash.uf2": map[string]any{"family": "0xe48bff56"}}, "flash.uf2 is for the method uf2"},
		{"recipe without steps", map[string]any{"flash.recipes": file(map[string]any{"with": "OpenOCD"})}, "with or steps is missing"},
		{"no recipe", map[string]any{"flash": map[string]any{"method": "recipe"}}, "flash.recipes is missing"},
		{"no drive", map[string]any{"flash": map[string]any{"method": "uf2"}}, "flash.uf2 is missing"},
		{"no family", map[string]any{"flash": map[string]any{"method": "uf2", "uf2": map[string]any{"board_id": "X"}}}, "flash.uf2.family is missing"},
		{"bad family", map[string]any{"flash": map[string]any{"method": "uf2", "uf2": map[string]any{"family": "pico"}}}, "invalid syntax"},
		{"no board id", map[string]any{"flash": map[string]any{"method": "uf2", "uf2": map[string]any{"family": "0x1"}}}, "board_id or enter is missing"},
		{"no boot loader", map[string]any{"flash": map[string]any{"method": "stm32-uart"}}, "flash.stm32 is missing"},
		{"wide chip id", stm32(map[string]any{"chip_id": "0x1000"}), "chip_id 0x1000"},
		{"no sectors", stm32(map[string]any{"sectors": nil}), "sectors is missing"},
		{"odd sectors", stm32(map[string]any{"sectors": file(map[string]any{"bytes": 100, "count": 1})}), "want multiples of 256"},
		{"too many sectors", stm32(map[string]any{"flash": "0xffffff00"}), "beyond 32 bits"},
		{"no probe's drive", map[string]any{"flash": map[string]any{"method": "drive"}}, "flash.drive is missing"},
		{"bad file of a drive", drive(map[string]any{"file": "elf"}), `flash.drive.file "elf"`},
		{"no label", drive(map[string]any{"labels": nil}), "labels or enter is missing"},
		{"no code", drive(nil), "without usb.codes"},
		{"empty usb", map[string]any{"usb": map[string]any{}}, "usb without devices and codes"},
		{"bad number", map[string]any{"usb": map[string]any{"devices": file(map[string]any{"vid": "0D28", "pid": "0204"})}}, `"0D28":"0204"`},
		{"coded without codes", map[string]any{"usb": map[string]any{"devices": file(map[string]any{"vid": "0d28", "pid": "0204", "coded": true})}}, "there are no usb.codes"},
		{"bad code", map[string]any{"usb": map[string]any{"codes": []string{"99"}}}, `usb.codes: "99"`},
		{"no boot loader of Espressif", map[string]any{"flash": map[string]any{"method": "esp-uart"}}, "flash.esp is missing"},
		{"no chip", esp(map[string]any{"chip_id": nil}), "chip_id or chip is missing"},
		{"no name of a chip", esp(map[string]any{"chip": nil}), "chip_id or chip is missing"},
		{"wide chip", esp(map[string]any{"chip_id": 65536}), "cannot unmarshal"},
		{"odd offset", esp(map[string]any{"offset": "0x800"}), "offset 0x800: want a multiple of 4096"},
		{"no way into it", esp(map[string]any{"enter": ""}), "esp.enter is missing"},
		{"esp of another method", map[string]any{"flash.esp": map[string]any{"chip_id": 5}}, "flash.esp is for the method esp-uart"},
		{"file of another method", map[string]any{"flash.recipes": file(map[string]any{"with": "esptool", "steps": []string{"write_flash {esp}"}})}, "{esp} is for the method esp-uart"},
		{"no way in", stm32(map[string]any{"enter": ""}), "stm32.enter is missing"},
		{"other image", map[string]any{"image": "../rpi3.elf"}, "want rpi3.elf"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(edit(t, tt.changes))
			require.ErrorContains(t, err, tt.want)
		})
	}
	for _, changes := range []map[string]any{nil, stm32(nil), esp(nil)} {
		_, err := Parse(edit(t, changes))
		require.NoError(t, err)
	}
	valid := edit(t, nil)
	_, err := Parse(valid)
	require.NoError(t, err)
	_, err = Parse(append(valid, '{', '}'))
	require.ErrorContains(t, err, "text after the end")
	_, err = Parse(valid[:len(valid)-1])
	require.Error(t, err)
}

func TestReadChecksNames(t *testing.T) {
	text := edit(t, nil)
	all, err := read(fstest.MapFS{"rpi3/board.json": {Data: text}})
	require.NoError(t, err)
	require.Len(t, all, 1)
	_, err = read(fstest.MapFS{"other/board.json": {Data: text}})
	require.EqualError(t, err, `boards/other/board.json: name "rpi3" differs from the folder's`)
	other := edit(t, map[string]any{"name": "rpi4", "image": "rpi4.elf", "aliases": []string{"rpi3"}})
	_, err = read(fstest.MapFS{"rpi3/board.json": {Data: text}, "rpi4/board.json": {Data: other}})
	require.EqualError(t, err, "boards: both rpi3 and rpi4 are called rpi3")
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
