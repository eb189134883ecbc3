package main

import (
	"fmt"
	"slices"

	"github.com/copaflash/copaflash/boards"
)

// A target is one image: the runner of a board, or the runner as a Linux program.
type target struct {
	name    string // on the command line
	image   string // file name in firmware/images
	tools   toolchain
	flags   []string // of compiler and linker, all of them
	folders []string // that the sources are in, relative to the module's root
	headers []string // included from elsewhere
	libs    []string // linker flags behind the sources
}

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

// The runner for Linux: a program of its own, without libc. What differs from boards:
//   - -O2: size does not matter, the time to load a large image does.
//   - etext, which the system call filter needs, is there without a script of our own.
//   - noseparate-code on AArch64: with pages of 64 KiB the file would be mostly padding.
var linuxFlags = []string{
	"-std=c11", "-O2", "-g0", "-ffreestanding", "-nostdlib", "-static", "-fno-pic", "-no-pie",
	"-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wsign-conversion", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wshadow", "-Wvla",
	"-ffunction-sections", "-fdata-sections", "-fno-builtin", "-fno-tree-loop-distribute-patterns",
	"-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fno-ident", "-fno-common",
	"-Wl,--gc-sections", "-Wl,--build-id=none", "-Wl,-z,noexecstack", "-Wl,-z,norelro", "-Wl,-s",
	"-Ifirmware",
}

var linuxToolchains = map[string]toolchain{
	"x86_64": {
		compiler: "x86_64-linux-gnu-gcc",
		pkg:      "gcc on x86-64, else gcc-x86-64-linux-gnu",
		flags:    []string{"-fcf-protection=none", "-Wl,-z,separate-code"},
	},
	"aarch64": {
		compiler: "aarch64-linux-gnu-gcc",
		pkg:      "gcc-aarch64-linux-gnu",
		flags:    []string{"-mno-outline-atomics", "-mbranch-protection=none", "-Wl,-z,noseparate-code"},
	},
}

// targets lists everything there is to build, in a fixed order.
func targets() ([]target, error) {
	all, err := boards.Descriptions()
	if err != nil {
		return nil, err
	}
	var list []target
	for _, b := range all {
		t, err := boardTarget(&b)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	for _, arch := range []string{"aarch64", "x86_64"} {
		list = append(list, linuxTarget(arch))
	}
	return list, nil
}

func boardTarget(b *boards.Board) (target, error) {
	tools, ok := toolchains[b.Arch]
	if !ok {
		return target{}, fmt.Errorf("%s: no toolchain for %s", b.Name, b.Arch)
	}
	place := []string{
		"-Ifirmware",
		"-Wl,-T,firmware/chip/" + b.Chip + "/memory.ld",
		"-Wl,-T,firmware/arch/" + b.Arch + "/link.ld",
	}
	return target{
		name: b.Name, image: b.ImageFile, tools: tools,
		flags: slices.Concat(commonFlags, tools.flags, place),
		folders: []string{
			"firmware/arch/" + b.Arch, "firmware/chip", "firmware/chip/" + b.Chip, "firmware/core", "firmware/hal",
			"firmware", "boards/" + b.Name,
		},
	}, nil
}

func linuxTarget(arch string) target {
	tools, name := linuxToolchains[arch], "runner-linux-"+arch
	return target{
		name: name, image: name, tools: tools,
		flags:   slices.Concat(linuxFlags, tools.flags),
		folders: []string{"firmware/core", "firmware/host", "firmware/host/" + arch},
		headers: []string{"firmware/hal/hal.h"}, // the drivers beside it are for boards
		libs:    []string{"-lgcc"},
	}
}
