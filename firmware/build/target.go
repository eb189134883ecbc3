package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/boards"
)

// A target is one image: the runner of a board, or the runner as a Linux program.
type target struct {
	name    string // on the command line
	arch    string // of a board, as in board.json; empty: a program of Linux
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
	folder   string // under firmware/arch; empty: that of the architecture's name
	flags    []string
	libs     []string
	services bool // programs need routines of the runner, see firmware/services
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
	"armv7a":    a32Toolchain("-march=armv7-a"),
	"rv64gc":    riscvToolchain("-march=rv64imac", "-mabi=lp64", "-DCF_RISCV_FLOAT"),
	"rv32imafc": riscvToolchain("-march=rv32imac", "-mabi=ilp32", "-DCF_RISCV_FLOAT"),
	"rv32imac":  lendsServices(riscvToolchain("-march=rv32imac", "-mabi=ilp32")),
	"armv6":     a32Toolchain("-mcpu=arm1176jzf-s"),

	"thumbv6m":     lendsServices(cortexM("-mcpu=cortex-m0", "-Wl,--defsym=CF_GATE=8192")),
	"thumbv7m":     lendsServices(cortexM("-mcpu=cortex-m3", "-mfix-cortex-m3-ldrd", "-Wl,--defsym=CF_GATE=4096")),
	"thumbv7em-sp": cortexM("-mcpu=cortex-m4", "-DCF_FPSCR=0"),
	"thumbv7em-dp": cortexM("-mcpu=cortex-m7", "-DCF_FPSCR=0", "-DCF_CACHES"),

	"aarch64": {
		compiler: "aarch64-linux-gnu-gcc",
		pkg:      "gcc-aarch64-linux-gnu",
		flags: []string{
			"-mcpu=cortex-a53",
			"-mgeneral-regs-only",  // interrupts leave a program's floating-point registers alone
			"-mstrict-align",       // start-up code runs with the MMU off, where unaligned access faults
			"-mno-outline-atomics", // no libgcc
			"-DCF_CODE_ALIAS=0xc0000000", "-DCF_FEATURES=CF_FEAT_NEON",
			"-mfix-cortex-a53-835769", "-mfix-cortex-a53-843419",
		},
	},
}

// cortexM is the toolchain of a microcontroller, whose memory is small:
//   - -flto: a function that is always used in the same way is fitted to that.
//   - -fno-move-loop-invariants, -fno-tree-scev-cprop, -fno-tree-fre, -fno-schedule-insns2, -fno-caller-saves: registers hold
//     no more than they must, and what is worked out anew is shorter than a spill.
//   - -fno-ipa-cp, -fno-tree-dominator-opts, -fno-ssa-phiopt, -fno-thread-jumps: no function and no path through one is there twice.
//   - -fno-tree-tail-merge, -fno-tree-forwprop, -fno-tree-pta: tails that are the same are joined later, when more of them are; measured, as
//     all of these.
//   - -fno-inline-functions-called-once: frames on the stack go when their function does.
//   - soft: interrupts leave a program's floating-point registers alone.
//   - CF_FPSCR: there is a floating-point unit; every program begins with this in its FPSCR.
//   - CF_CACHES: there are caches.
//   - CF_GATE: what programs may execute of the runner, with services, in bytes.
func cortexM(flags ...string) toolchain {
	return toolchain{
		compiler: "arm-none-eabi-gcc",
		pkg:      "gcc-arm-none-eabi",
		folder:   "cortex-m",
		flags: slices.Concat([]string{
			"-mthumb", "-mfloat-abi=soft", "-flto", "-fno-inline-functions-called-once",
			"-fno-move-loop-invariants", "-fno-tree-scev-cprop", "-fno-tree-fre", "-fno-schedule-insns2", "-fno-caller-saves",
			"-fno-ipa-cp", "-fno-tree-dominator-opts", "-fno-ssa-phiopt", "-fno-thread-jumps", "-fno-tree-tail-merge",
			"-fno-tree-forwprop", "-fno-tree-pta",
		}, flags),
		libs: []string{"-lgcc"},
	}
}

// chipFlags are those of chips whose core differs from the least of its
// architecture where a runner sees it.
var chipFlags = map[string][]string{
	"nrf51":      {"-DCF_NO_MPU"},
	"rp2040":     {"-mcpu=cortex-m0plus"},
	"rp2350":     {"-mcpu=cortex-m33"},
	"mps2_an505": {"-mcpu=cortex-m33"},
	// Not the M55 itself: its loop instructions would make the runner depend on
	// the programs' FPSCR, whose field LTPSIZE has its value of reset.
	"mps3_an547": {"-mcpu=cortex-m33", "-UCF_FPSCR", "-DCF_FPSCR=0x40000"},
}

// a32Toolchain compiles for A32; the folder is that of all 32-bit cores with an MMU.
func a32Toolchain(machine string) toolchain {
	return toolchain{
		compiler: "arm-none-eabi-gcc",
		pkg:      "gcc-arm-none-eabi",
		folder:   "arm",
		flags: []string{
			machine, "-marm", "-mfloat-abi=soft",
			"-mgeneral-regs-only",   // interrupts leave a program's floating-point registers alone
			"-mno-unaligned-access", // start-up code runs with the MMU off, where unaligned access faults
			"-DCF_CODE_ALIAS=0xc0000000",
		},
		libs: []string{"-lgcc"}, // 64-bit division
	}
}

// lendsServices is for cores without floating-point registers.
func lendsServices(t toolchain) toolchain {
	t.services = true
	t.flags = append(t.flags, "-DCF_SERVICES")
	return t
}

// riscvToolchain compiles for RISC-V without floating-point registers, so that
// interrupts leave a program's alone.
func riscvToolchain(machine ...string) toolchain {
	return toolchain{
		compiler: "riscv64-unknown-elf-gcc",
		pkg:      "gcc-riscv64-unknown-elf",
		folder:   "riscv",
		flags: append(machine,
			"-misa-spec=2.2", // has CSR instructions and FENCE.I without naming them, which would select another libgcc
			"-mcmodel=medany", "-mno-relax", "-Wl,--no-relax", "-msmall-data-limit=0",
		),
		libs: []string{"-lgcc"}, // 64-bit division
	}
}

// The runner for Linux: a program of its own, without libc. What differs from boards:
//   - -O2: size does not matter, the time to load a large image does.
//   - etext, which the system call filter needs, is there without a script of our own.
//   - CF_HAL_UNLOAD: a program has a process of its own, which ends with it.
//   - noseparate-code on AArch64: with pages of 64 KiB the file would be mostly padding.
var linuxFlags = []string{
	"-std=c11", "-O2", "-g0", "-ffreestanding", "-nostdlib", "-static", "-fno-pic", "-no-pie",
	"-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wsign-conversion", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wshadow", "-Wvla",
	"-ffunction-sections", "-fdata-sections", "-fno-builtin", "-fno-tree-loop-distribute-patterns",
	"-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fno-ident", "-fno-common",
	"-Wl,--gc-sections", "-Wl,--build-id=none", "-Wl,-z,noexecstack", "-Wl,-z,norelro", "-Wl,-s",
	"-Ifirmware", "-DCF_HAL_UNLOAD",
}

var linuxToolchains = map[string]toolchain{
	"x86_64": {
		compiler: "x86_64-linux-gnu-gcc",
		pkg:      "gcc on x86-64, else gcc-x86-64-linux-gnu",
		flags:    []string{"-fcf-protection=none", "-Wl,-z,separate-code"},
		libs:     []string{"-lgcc"},
	},
	"x86_32": {
		compiler: "x86_64-linux-gnu-gcc",
		pkg:      "gcc on x86-64, else gcc-x86-64-linux-gnu",
		// The kernel's headers serve both widths, but are looked for in a folder of the other.
		flags: []string{"-m32", "-march=i686", "-mno-80387", "-fcf-protection=none", "-Wl,-z,separate-code", "-idirafter", "/usr/include/x86_64-linux-gnu"},
	},
	"aarch64": {
		compiler: "aarch64-linux-gnu-gcc",
		pkg:      "gcc-aarch64-linux-gnu",
		flags:    []string{"-mno-outline-atomics", "-mbranch-protection=none", "-Wl,-z,noseparate-code"},
		libs:     []string{"-lgcc"},
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
	for _, arch := range []string{"aarch64", "x86_32", "x86_64"} {
		list = append(list, linuxTarget(arch))
	}
	return list, nil
}

func boardTarget(b *boards.Board) (target, error) {
	tools, ok := toolchains[b.Arch]
	if !ok {
		return target{}, fmt.Errorf("%s: no toolchain for %s", b.Name, b.Arch)
	}
	arch := "firmware/arch/" + cmp.Or(tools.folder, b.Arch)
	place := []string{
		"-Ifirmware", "-DCF_ARCH=CF_ARCH_" + strings.ToUpper(strings.ReplaceAll(b.Arch, "-", "_")),
		"-Wl,-L,firmware/chip/" + b.Chip, "-Wl,-T,firmware/chip/" + b.Chip + "/memory.ld",
		"-Wl,-T," + arch + "/link.ld",
	}
	folders := []string{
		"firmware", arch, "firmware/chip/" + b.Chip, "firmware/core", "firmware/drivers", "firmware/hal", "firmware/platform", "boards/" + b.Name,
	}
	if tools.services {
		folders = append(folders, "firmware/services")
	}
	return target{
		name: b.Name, arch: b.Arch, image: b.ImageFile, tools: tools,
		flags:   slices.Concat(commonFlags, tools.flags, chipFlags[b.Chip], place),
		folders: folders,
		headers: []string{"firmware/services/services.h"},
		libs:    tools.libs,
	}, nil
}

func linuxTarget(arch string) target {
	tools, name := linuxToolchains[arch], "runner-linux-"+arch
	return target{
		name: name, image: name, tools: tools,
		flags:   slices.Concat(linuxFlags, tools.flags),
		folders: []string{"firmware/core", "firmware/host", "firmware/host/" + arch},
		headers: []string{"firmware/hal/hal.h"}, // the drivers beside it are for boards
		libs:    tools.libs,
	}
}
