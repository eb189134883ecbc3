package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/boards"
)

// A toolchain is how one architecture is compiled.
type toolchain struct {
	compiler string
	pkg      string // Debian package that has it
	flags    []string
}

// Reasons for the flags common to all architectures:
//   - -Os: a runner moves bytes; programs bring their own speed.
//   - -ffunction-sections, --gc-sections: drivers that a board does not use stay out.
//   - -fno-tree-loop-distribute-patterns: memcpy must not become a call of itself.
//   - max-page-size=64: pages of the memory map need not be pages of the file.
//   - -s, -g0, build-id=none: the file depends on sources and compiler only.
var commonFlags = []string{
	"-std=c11", "-Os", "-g0", "-ffreestanding", "-nostdlib", "-static", "-fno-pic", "-no-pie",
	"-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wsign-conversion", "-Wstrict-prototypes",
	"-Wmissing-prototypes", "-Wshadow", "-Wvla",
	"-ffunction-sections", "-fdata-sections", "-fno-tree-loop-distribute-patterns",
	"-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-common",
	"-Wl,--gc-sections", "-Wl,--build-id=none", "-Wl,-z,max-page-size=64", "-Wl,-z,noexecstack",
	"-Wl,--no-warn-rwx-segments", "-Wl,-s",
}

var toolchains = map[string]toolchain{
	"aarch64": {
		compiler: "aarch64-linux-gnu-gcc",
		pkg:      "gcc-aarch64-linux-gnu",
		flags: []string{
			"-mcpu=cortex-a53",
			"-mgeneral-regs-only",  // interrupts leave a program's floating-point registers alone
			"-mstrict-align",       // start-up code runs with the MMU off, where unaligned access faults
			"-mno-outline-atomics", // no libgcc
			"-mfix-cortex-a53-835769", "-mfix-cortex-a53-843419",
		},
	},
}

// sources lists the files a board is made of, relative to the module's root and
// with slashes: what is compiled, and what that includes. The order is fixed.
func sources(root string, b *boards.Board) (compiled, included []string, err error) {
	folders := []string{
		"firmware/arch/" + b.Arch, "firmware/chip", "firmware/chip/" + b.Chip, "firmware/core", "firmware/hal",
		"firmware", "boards/" + b.Name,
	}
	for _, folder := range folders {
		entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(folder)))
		if err != nil {
			return nil, nil, err
		}
		for _, e := range entries {
			name := folder + "/" + e.Name()
			switch filepath.Ext(name) {
			case ".c", ".S":
				compiled = append(compiled, name)
			case ".h", ".ld":
				included = append(included, name)
			}
		}
	}
	slices.Sort(compiled)
	slices.Sort(included)
	return compiled, included, nil
}

// build compiles and links one board.
func build(root string, b *boards.Board) ([]byte, entry, error) {
	tools, ok := toolchains[b.Arch]
	if !ok {
		return nil, entry{}, fmt.Errorf("no toolchain for %s", b.Arch)
	}
	if _, err := exec.LookPath(tools.compiler); err != nil {
		return nil, entry{}, fmt.Errorf("%w; Debian has it in %s", err, tools.pkg)
	}
	compiled, _, err := sources(root, b)
	if err != nil {
		return nil, entry{}, err
	}
	dir, err := os.MkdirTemp("", "runner-")
	if err != nil {
		return nil, entry{}, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, b.ImageFile)
	args := slices.Concat(arguments(b), []string{"-o", out}, compiled)
	cmd := exec.Command(tools.compiler, args...)
	cmd.Dir = root
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, entry{}, fmt.Errorf("%s: %w\n%s", tools.compiler, err, text)
	}
	image, err := os.ReadFile(out)
	if err != nil {
		return nil, entry{}, err
	}
	version, err := exec.Command(tools.compiler, "--version").Output()
	if err != nil {
		return nil, entry{}, err
	}
	line, _, _ := bytes.Cut(version, []byte("\n"))
	digest, err := sourceDigest(root, b)
	if err != nil {
		return nil, entry{}, err
	}
	return image, entry{Compiler: string(line), Sources: digest, Image: sum(image)}, nil
}

// arguments returns what the compiler is given beside file names.
func arguments(b *boards.Board) []string {
	place := []string{
		"-Ifirmware",
		"-Wl,-T,firmware/chip/" + b.Chip + "/memory.ld",
		"-Wl,-T,firmware/arch/" + b.Arch + "/link.ld",
	}
	return slices.Concat(commonFlags, toolchains[b.Arch].flags, place)
}

func argumentText(b *boards.Board) string { return strings.Join(arguments(b), " ") }
