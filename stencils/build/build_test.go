package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/stencils/internal/libfile"
)

func archNames(t *testing.T) []string {
	files, err := filepath.Glob("../arch/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".json"))
	}
	return names
}

// TestEveryFlagHasAReason holds the architecture files to their word.
func TestEveryFlagHasAReason(t *testing.T) {
	for _, name := range archNames(t) {
		a, _, err := loadArch("..", name)
		require.NoError(t, err)
		require.NotEmpty(t, a.Flags, name)
		require.NotEmpty(t, a.Forbidden, name)
		flags := append(a.Flags, a.KernelFlags...)
		for _, e := range a.Extensions {
			flags = append(append(flags, e.Flags...), e.KernelFlags...)
		}
		for _, f := range flags {
			assert.NotEmpty(t, f.Why, "%s: %s", name, f.Flag)
		}
		for _, f := range a.Forbidden {
			assert.NotEmpty(t, f.Why, "%s: %s", name, f.Pattern)
		}
	}
}

// TestRejected compiles texts that no stencil may have, and expects the build to say why.
func TestRejected(t *testing.T) {
	cases := []struct{ name, arch, text, message string }{
		{"constant in memory", "x86_64", "D = A * 2.5f", "constant in memory"},
		{"constant in memory", "aarch64", "extern const f32 table[]; D = table[3]", "constant in memory"},
		{"call", "x86_64", "D = ({ extern f32 g(f32); g(A); })", "stack access|call|the end label"},
		{"call", "aarch64", "D = ({ extern f32 g(f32); g(A); })", "stack access|call|the end label"},
		{"stack", "x86_64", "volatile f32 t[2]; t[0] = A; D = t[0]", "stack access"},
		{"stack", "aarch64", "volatile f32 t[2]; t[0] = A; D = t[0]", "stack access"},
		{"fused", "aarch64", "D = __builtin_fmaf(A, B, A)", "fused multiply-add"},
		{"global variable", "x86_64", "D = ({ extern f32 g; g; })", "stack access|constant in memory|unexpected relocation"},
	}
	for _, c := range cases {
		t.Run(c.name+" "+c.arch, func(t *testing.T) {
			a, _, err := loadArch("..", c.arch)
			require.NoError(t, err)
			if _, err := exec.LookPath(a.Compiler); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
				t.Skipf("SKIP: %s is not installed", a.Compiler)
			}
			err = buildText(t, a, c.text)
			require.Error(t, err)
			assert.Regexp(t, c.message, err.Error())
		})
	}
}

// buildText compiles and fits a text as the builder does with a row's.
func buildText(t *testing.T, a *arch, text string) error {
	src, err := filepath.Abs("../src")
	require.NoError(t, err)
	w := &workshop{src: src, tmp: t.TempDir()}
	parts := testParts(a, text)
	samples, err := w.compile(parts, "test")
	if err != nil {
		return err
	}
	_, _, err = fit(parts[0].job, samples[0])
	return err
}

// fake makes samples of a stencil with one float operand on x86_64, whose code
// is given by a function of the hardware register number.
func fake(t *testing.T, code func(n int) []byte) (*job, []sample) {
	a, _, err := loadArch("..", "x86_64")
	require.NoError(t, err)
	j := (&row{op: "test", dtypes: "f32", pattern: "F=", text: "D"}).jobs(a)[0]
	var samples []sample
	for _, v := range j.variants() {
		samples = append(samples, sample{variant: v, code: code(a.Float.Numbers[v.reg[0]]), insns: []string{"x"}})
	}
	return &j, samples
}

func TestFitMergesAcrossTheHighBit(t *testing.T) {
	// one length: the high bit is a field like the others
	j, samples := fake(t, func(n int) []byte { return []byte{0x40 | byte(n>>3), 0xc0 | byte(n&7)<<3} })
	s, groups, err := fit(j, samples)
	require.NoError(t, err)
	assert.Len(t, groups, 1)
	fields, err := libfile.UnpackFields(s.Templates[0].Fields, 2)
	require.NoError(t, err)
	assert.Equal(t, []libfile.Field{{Operand: 0, Src: 0, Len: 3, Dst: 11}, {Operand: 0, Src: 3, Len: 1, Dst: 0}}, fields)
	assert.Equal(t, []byte{0x40, 0xc0}, s.Templates[0].Code)
	assert.Empty(t, s.Classes)

	// a prefix byte for high registers: two templates, chosen by the key
	j, samples = fake(t, func(n int) []byte {
		if n < 8 {
			return []byte{0xc0 | byte(n)}
		}
		return []byte{0x41, 0xc0 | byte(n&7)}
	})
	s, groups, err = fit(j, samples)
	require.NoError(t, err)
	assert.Len(t, groups, 2)
	assert.Equal(t, []byte{0, 0, 0, 1, 13, 0}, s.Classes, "runs: key 0 template 0, key 1 template 1, 14 keys that do not occur")
}

func TestFitRejectsWhatIsNotLinear(t *testing.T) {
	j, samples := fake(t, func(n int) []byte { return []byte{byte(n * n)} })
	_, _, err := fit(j, samples)
	assert.ErrorIs(t, err, errContradiction)

	j, samples = fake(t, func(n int) []byte { return []byte{byte(n)} })
	_, _, err = fit(j, samples[:2])
	assert.ErrorContains(t, err, "registers")
}

// TestFitRejectsOffsetsThatDoNotFollow leaves out the samples that show where one bit of
// an offset goes: of all registers, and of those that have a template of their own.
func TestFitRejectsOffsetsThatDoNotFollow(t *testing.T) {
	a, _, err := loadArch("..", "thumbv7m")
	require.NoError(t, err)
	j := (&row{op: "ld", dtypes: "i32", pattern: "I=", text: "D = ld_i32(base, OFF)", traits: offset}).jobs(a)[0]
	require.True(t, j.sampled)
	const bit = 64
	fitWithout := func(left func(high bool) bool) error {
		var samples []sample
		for _, v := range j.variants() {
			n := a.Int.Numbers[v.reg[0]]
			high := n>>a.HighBit&1 != 0
			if v.imm&bit != 0 && left(high) {
				continue
			}
			code := []byte{byte(n), byte(v.imm), byte(v.imm >> 8)}
			if high {
				code = append(code, 0)
			}
			samples = append(samples, sample{variant: v, code: code, insns: []string{"x"}})
		}
		_, _, err := fit(&j, samples)
		return err
	}
	assert.NoError(t, fitWithout(func(bool) bool { return false }))
	assert.ErrorContains(t, fitWithout(func(bool) bool { return true }), "what offset 64 changes")
	assert.ErrorContains(t, fitWithout(func(high bool) bool { return high }), "operand keys [0x1]: the samples do not determine what offset 64 changes")
}

func TestRelocations(t *testing.T) {
	a, _, err := loadArch("..", "x86_64")
	require.NoError(t, err)
	j := (&row{op: "ld", dtypes: "f32", pattern: "F=", text: "D", traits: offset}).jobs(a)[0]
	for _, c := range []struct {
		r       reloc
		message string
	}{
		{reloc{4, "R_X86_64_32S", "cf_hole", 0}, ""},
		{reloc{4, "R_X86_64_PC32", "cf_target", -4}, ""},
		{reloc{4, "R_X86_64_PC32", ".LC0", -4}, "constant in memory or a call"},
		{reloc{4, "R_X86_64_PLT32", "sinf", -4}, "constant in memory or a call"},
		{reloc{4, "R_X86_64_32S", "cf_target", 0}, "unexpected relocation"},
		{reloc{4, "R_X86_64_64", "cf_hole", 0}, "unexpected relocation"},
		{reloc{4, "R_X86_64_32S", "cf_hole", 8}, "addend"},
	} {
		_, _, err := j.relocFields(c.r, &libfile.Template{})
		if c.message == "" {
			assert.NoError(t, err, "%+v", c.r)
		} else {
			assert.ErrorContains(t, err, c.message, "%+v", c.r)
		}
	}
}

// TestForbiddenInstructions feeds the patterns of the architecture files with
// disassembly as objdump writes it.
func TestForbiddenInstructions(t *testing.T) {
	cases := map[string]map[string]bool{ // instruction -> allowed
		"x86_64": {
			"addss  %xmm1,%xmm0": true, "mov    %edi,%esi": true, "movss  0x0(%rbx),%xmm3": true, "idiv   %ecx": true,
			"push   %rbx": false, "pop    %rax": false, "sub    $0x10,%rsp": false, "mov    %eax,-0x4(%rsp)": false,
			"movss  %xmm0,-0x4(%rsp)": false, "mulss  0x0(%rip),%xmm0": false, "call   0 <f>": false, "ret": false,
			"vfmadd132ss %xmm1,%xmm2,%xmm0": false, "roundss $0x9,%xmm1,%xmm0": false, "vaddss %xmm0,%xmm1,%xmm2": false,
			"mov    %ebp,%eax": false, "fld    %st(0)": false,
		},
		"aarch64": {
			"fadd\ts0, s1, s2": true, "ldr\ts0, [x19, #16]": true, "sdiv\tw0, w21, w22": true, "msub\tw0, w22, w4, w21": true,
			"str\ts0, [sp, #8]": false, "sub\tsp, sp, #0x10": false, "bl\t0 <f>": false, "ret": false,
			"fmadd\ts0, s1, s2, s3": false, "fnmsub\ts0, s1, s2, s3": false, "fmla\tv0.4s, v1.4s, v2.4s": false,
			"madd\tx0, x1, x2, x3": false, "umaddl\tx0, w1, w2, x3": false, "mul\tx0, x1, x2": true, "umull\tx0, w1, w2": true,
			"adrp\tx0, 0 <v0>": false, "ldr\ts0, 40 <v0+0x40>": false, "mov\tx29, x0": false, "mov\tx18, x0": false,
		},
	}
	for name, insns := range cases {
		a, _, err := loadArch("..", name)
		require.NoError(t, err)
		j := (&row{op: "test", dtypes: "f32", pattern: "F=F", text: "D"}).jobs(a)[0]
		for insn, allowed := range insns {
			err := j.checkInsns([]string{insn})
			assert.Equal(t, allowed, err == nil, fmt.Sprintf("%s: %q: %v", name, insn, err))
		}
	}
}

// TestErratum835769 looks for what the Cortex-A53 of a Raspberry Pi 3 may compute
// wrongly: a 64-bit multiply-accumulate directly behind a memory access that it does not
// depend on. Loads and stores of floating-point registers never are depended on.
func TestErratum835769(t *testing.T) {
	text, err := os.ReadFile("../lib/aarch64.lst")
	require.NoError(t, err)
	access := regexp.MustCompile(`^(?:ld|st)[a-z]+ ([a-z])(\d+|zr)|^prfm`)
	multiply := regexp.MustCompile(`^(?:m(?:add|sub) x|[us]m(?:add|sub)l )`)
	before, found := "", 0
	for line := range strings.Lines(string(text)) {
		insn := strings.TrimSpace(line)
		if multiply.MatchString(insn) {
			found++
			m := access.FindStringSubmatch(before)
			depends := m != nil && (m[1] == "x" || m[1] == "w") && regexp.MustCompile(`\b[wx]`+m[2]+`\b`).MatchString(insn)
			assert.True(t, m == nil || depends, "%s; %s", before, insn)
		}
		before = insn
	}
	assert.Greater(t, found, 50, "64-bit multiply-accumulates, which floor division and arguments of sin have")
}

// TestServiceBounds: an architecture names a bound for every service that it calls, or none.
func TestServiceBounds(t *testing.T) {
	soft := 0
	for _, name := range archNames(t) {
		a, _, err := loadArch("..", name)
		require.NoError(t, err)
		bounds, err := a.services()
		require.NoError(t, err)
		assert.Equal(t, a.SoftFloat, bounds != nil, name)
		if bounds == nil {
			continue
		}
		soft++
		a.Services["sine"] = 1
		_, err = a.services()
		assert.ErrorContains(t, err, "12 services: there are f32-add, ")
		delete(a.Services, "i32-mod")
		_, err = a.services()
		assert.ErrorContains(t, err, name+".json: no bound on the instructions of service i32-mod")
	}
	require.NotZero(t, soft)
}
