package main

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/boards"
)

// A target is one image: the runner of a board, or the runner as a Linux program.
type target struct {
	name    string // on the command line
	arch    string // of a board, as in board.json
	image   string // file name in firmware/images
	tools   *toolchain
	budget  *budget  // nil: a program of Linux
	flags   []string // of compiler and linker, all of them
	folders []string // that the sources are in, relative to the module's root
	headers []string // included from elsewhere
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

// The runner for Linux: a program of its own, without libc. What differs from boards:
//   - -O2: size does not matter, the time to load a large image does.
//   - etext, which the system call filter needs, is there without a script of our own.
//   - CF_HAL_UNLOAD: a program has a process of its own, which ends with it.
//   - CF_HAL_PINS: registers are drivers, which a process of their own accesses.
//   - CF_HAS_STORE: programs can be stored in a file.
//   - noseparate-code on AArch64: with pages of 64 KiB the file would be mostly padding.
var linuxFlags = []string{
	"-std=c11", "-O2", "-g0", "-ffreestanding", "-nostdlib", "-static", "-fno-pic", "-no-pie",
	"-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wsign-conversion", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wshadow", "-Wvla",
	"-ffunction-sections", "-fdata-sections", "-fno-builtin", "-fno-tree-loop-distribute-patterns",
	"-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fno-ident", "-fno-common",
	"-Wl,--gc-sections", "-Wl,--build-id=none", "-Wl,-z,noexecstack", "-Wl,-z,norelro", "-Wl,-s",
	"-Ifirmware", "-DCF_HAL_UNLOAD", "-DCF_HAL_PINS", "-DCF_HAS_STORE=1",
}

// targets lists everything there is to build, in a fixed order.
func targets(root string) ([]target, error) {
	all, err := boards.Descriptions()
	if err != nil {
		return nil, err
	}
	tools, err := readToolchains(root, "firmware/arch")
	if err != nil {
		return nil, err
	}
	var list []target
	for _, b := range all {
		t, err := boardTarget(tools, &b)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	tools, err = readToolchains(root, "firmware/host")
	if err != nil {
		return nil, err
	}
	for _, folder := range slices.Sorted(maps.Keys(tools)) {
		list = append(list, linuxTarget(folder, tools[folder]))
	}
	return list, nil
}

func boardTarget(all map[string]*toolchain, b *boards.Board) (target, error) {
	for folder, tools := range all {
		arch, ok := tools.Architectures[b.Arch]
		if !ok {
			continue
		}
		flags := []string{
			"-Ifirmware", "-DCF_ARCH=CF_ARCH_" + strings.ToUpper(strings.ReplaceAll(b.Arch, "-", "_")),
			"-Wl,-L,firmware/chip/" + b.Chip, "-Wl,-T,firmware/chip/" + b.Chip + "/memory.ld",
			"-Wl,-T," + folder + "/link.ld",
		}
		folders := []string{
			"firmware", folder, "firmware/chip/" + b.Chip, "firmware/core", "firmware/drivers", "firmware/hal",
			"firmware/platform", "boards/" + b.Name,
		}
		if arch.Services {
			flags = append(flags, "-DCF_SERVICES")
			folders = append(folders, "firmware/services")
		}
		return target{
			name: b.Name, image: b.ImageFile, tools: tools, budget: &arch.Budget, arch: b.Arch,
			flags:   slices.Concat(commonFlags, words(tools.Flags), words(arch.Flags), words(tools.Chips[b.Chip]), flags),
			folders: folders,
			headers: []string{"firmware/services/services.h"},
		}, nil
	}
	return target{}, fmt.Errorf("%s: no firmware/arch/*/%s has %s", b.Name, toolchainName, b.Arch)
}

func linuxTarget(folder string, tools *toolchain) target {
	name := "runner-linux-" + path.Base(folder)
	return target{
		name: name, image: name, tools: tools,
		flags:   slices.Concat(linuxFlags, words(tools.Flags)),
		folders: []string{"firmware/core", "firmware/host", folder},
		headers: []string{"firmware/hal/hal.h"},
	}
}
