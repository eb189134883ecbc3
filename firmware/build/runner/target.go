package runner

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/boards"
)

// A Target is one image: the runner of a board, or the runner as a Linux program.
type Target struct {
	Name    string // on the command line
	Arch    string // of a board, as in board.json
	Image   string // file name in firmware/images
	Tools   *Toolchain
	Budget  *Budget  // nil: a program of Linux
	Flags   []string // of compiler and linker, all of them
	Folders []string // that the sources are in, relative to the root
	Headers []string // included from elsewhere
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

// Targets lists everything there is to build, in a fixed order.
func Targets(root string) ([]Target, error) {
	all, err := boards.Descriptions()
	if err != nil {
		return nil, err
	}
	tools, err := ReadToolchains(root, "firmware/arch")
	if err != nil {
		return nil, err
	}
	var list []Target
	for _, b := range all {
		t, err := BoardTarget(tools, &b)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	tools, err = ReadToolchains(root, "firmware/host")
	if err != nil {
		return nil, err
	}
	for _, folder := range slices.Sorted(maps.Keys(tools)) {
		list = append(list, linuxTarget(folder, tools[folder]))
	}
	return list, nil
}

// BoardTarget is the runner of a board.
func BoardTarget(all map[string]*Toolchain, b *boards.Board) (Target, error) {
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
			folder, "firmware/chip/" + b.Chip, "firmware/core", "firmware/drivers", "firmware/hal",
			"firmware/platform", "boards/" + b.Name,
		}
		if arch.Services {
			flags = append(flags, "-DCF_SERVICES")
			folders = append(folders, "firmware/services")
		}
		return Target{
			Name: b.Name, Image: b.ImageFile, Tools: tools, Budget: tools.budget(b.Chip, arch), Arch: b.Arch,
			Flags:   slices.Concat(commonFlags, words(tools.Flags), words(arch.Flags), words(tools.Chips[b.Chip]), flags),
			Folders: folders,
			Headers: []string{"firmware/services/services.h"},
		}, nil
	}
	return Target{}, fmt.Errorf("%s: no firmware/arch/*/%s has %s", b.Name, ToolchainName, b.Arch)
}

func linuxTarget(folder string, tools *Toolchain) Target {
	name := "runner-linux-" + path.Base(folder)
	return Target{
		Name: name, Image: name, Tools: tools,
		Flags:   slices.Concat(linuxFlags, words(tools.Flags)),
		Folders: []string{"firmware/core", "firmware/host", folder},
		Headers: []string{"firmware/hal/hal.h"},
	}
}
