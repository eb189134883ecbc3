package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/stencils"
)

// reserved is what no code of a library may touch, since programs also run inside a process of Go,
// on every system: x28 is the g that handlers of signals read, x18 the system's, and what lies below
// the stack pointer of x86_64 belongs to Windows. Code moves that pointer before it stores.
var reserved = []struct{ arch, machine, pattern string }{
	{"aarch64", "aarch64", `\b[xw](18|28)\b|\[sp, #-\d+\](\n|$)`},
	{"x86_64", "i386:x86-64", `-0x[0-9a-f]+\(%[re]sp`},
}

// TestReserved disassembles the stencils of each library with every register in every place, and
// reads the listing of its kernels, which tells code from constants.
func TestReserved(t *testing.T) {
	for _, c := range reserved {
		a, _, err := loadArch("..", c.arch)
		require.NoError(t, err)
		if _, err := exec.LookPath(a.Objdump); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
			t.Skipf("SKIP: %s is not installed", a.Objdump)
		}
		lib, err := stencils.Load(c.arch)
		require.NoError(t, err)
		var code []byte
		for _, s := range lib.Stencils() {
			for r := range uint8(lib.Regs(stencils.Float)) {
				reg := func(class stencils.Class, k uint8) uint8 { return (r + k) % uint8(max(lib.Regs(class), 1)) }
				for _, imm := range []int32{0, s.MaxDirect} {
					code = s.Emit(code, reg(s.Dst, 0), reg(s.Src[0], 0), reg(s.Src[1], 0), reg(s.Src[2], 0), imm)
					code = s.Emit(code, reg(s.Dst, 3), reg(s.Src[0], 1), reg(s.Src[1], 2), reg(s.Src[2], 4), imm)
				}
			}
		}
		file := filepath.Join(t.TempDir(), "code")
		require.NoError(t, os.WriteFile(file, code, 0o600))
		var text bytes.Buffer
		require.NoError(t, run(&text, a.Objdump, "-D", "-b", "binary", "-m", c.machine, "--no-show-raw-insn", file))
		insns := texts(parseListing(text.String())[".data"])
		require.Greater(t, len(insns), 10_000, "%s: instructions of stencils", c.arch)
		list, err := os.ReadFile("../lib/" + c.arch + ".lst")
		require.NoError(t, err)
		kernels := strings.Split(string(list), "\nkernel ")[1:]
		require.Len(t, kernels, len(lib.Kernels()))
		never := regexp.MustCompile(c.pattern)
		for _, insn := range slices.Concat(insns, kernels) {
			assert.NotRegexp(t, never, insn, c.arch)
		}
	}
}

// TestReservedIsSeen: the patterns know what they are about.
func TestReservedIsSeen(t *testing.T) {
	for arch, insns := range map[string][]string{
		"aarch64": {"mov\tx28, x0", "add\tw0, w28, w1", "stp\tx20, x18, [sp, #16]", "str\tx0, [sp, #-8]"},
		"x86_64":  {"movsd  %xmm1,-0x8(%rsp)", "mov    -0x18(%rsp),%eax", "mov    %eax,-0x80(%rsp,%rax,4)"},
	} {
		for _, c := range reserved {
			for _, insn := range insns {
				if c.arch == arch {
					assert.Regexp(t, c.pattern, insn)
				}
			}
		}
	}
}
