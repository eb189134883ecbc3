package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Instructions are counted from mark to mark; a way round without a mark is found.
func TestWaysBetweenMarks(t *testing.T) {
	listing := func(branch string) []instruction {
		functions := parseListing("\n00010000 <f>:\n   10000:\tmov\tr3, #1\n   10004:\tmov\tr2, #0\n\n00010008 <cf_mark_outer_1>:\n" +
			"   10008:\tadd\tr2, r2, #1\n\n0001000c <cf_mark_inner_2>:\n   1000c:\tsubs\tr0, r0, #1\n   10010:\t" + branch +
			"\n   10014:\tcmp\tr2, r1\n   10018:\tbne\t10008 <cf_mark_outer_1>\n   1001c:\tbx\tlr\n")
		require.Len(t, functions, 1)
		return functions["f"]
	}
	marks := map[uint64][]string{0x10008: {markName("cf_mark_outer_1")}, 0x1000c: {markName("cf_mark_inner_2")}}
	first, loops, err := longestWays("f", listing("bne\t1000c <cf_mark_inner_2>"), marks)
	require.NoError(t, err)
	require.Equal(t, 2, first)
	require.Equal(t, map[string]int{"outer": 1, "inner": 5}, loops)
	_, _, err = longestWays("f", listing("bne\t10010 <cf_mark_inner_2+0x4>"), marks)
	require.ErrorContains(t, err, "loop through 10010")
	marks[0x20000] = []string{"elsewhere"}
	_, _, err = longestWays("f", listing("nop"), marks)
	require.ErrorContains(t, err, "at the mark elsewhere")
}

// TestLoopsAreFound feeds the check with disassembly as objdump writes it.
func TestLoopsAreFound(t *testing.T) {
	cases := []struct {
		name    string
		insns   []string // from 10000 on, 4 bytes each
		message string   // "" if there is nothing to find
	}{
		{"x86", []string{"test   %eax,%eax", "je     1000c <f+0xc>", "ret", "mov    $0x1,%eax", "jmp    10008 <f+0x8>"}, ""},
		{"x86, loop", []string{"xor    %eax,%eax", "dec    %edi", "jne    10004 <f+0x4>", "ret"}, `loop through 10004: "dec    %edi"`},
		{"x86, loop to the start", []string{"dec    %edi", "jne    10000 <f>", "ret"}, "loop through 10000"},
		{"x86, loop by way of cold code", []string{"dec    %edi", "jne    1000c <f+0xc>", "ret", "jmp    10000 <f>"}, "loop through 10000"},
		{"x86, table", []string{"jmp    *%rax"}, "nobody can tell"},
		{"x86, call by a pointer", []string{"call   *0x8(%esp)", "ret"}, "nobody can tell"},
		{"armv6, returns", []string{"ldreq\tpc, [sp], #4", "movne\tpc, lr", "ldr\tpc, [sp], #4", "b\t10000 <f>"}, ""},
		{"x86, data beside", []string{"lea    0x40(%rip),%rax        # 10100 <table>", "ret"}, ""},
		{"armv6", []string{"cmp\tr0, #0", "beq\t1000c <f+0xc>", "bx\tlr", "mov\tr0, #1", "b\t10008 <f+0x8>"}, ""},
		{"armv6, return with a condition", []string{"cmp\tr0, #0", "bxeq\tlr", "sub\tr0, r0, #1", "b\t10000 <f>"}, "loop through 10000"},
		{"armv6, table", []string{"ldr\tpc, [pc, r0, lsl #2]"}, "nobody can tell"},
		{"thumb", []string{"cbz\tr0, 1000c <f+0xc>", "pop\t{r4, pc}", ".word\t0x00010000", "movs\tr0, #1", "b.n\t10004 <f+0x4>"}, ""},
		{"thumb, returns", []string{"ldreq.w\tpc, [sp], #4", "bxne\tlr", "ldr.w\tpc, [sp], #4", "b.n\t10000 <f>"}, ""},
		{"thumb, returns of several", []string{"ldmia.w\tsp!, {r4, pc}", "b.n\t10000 <f>"}, ""},
		{"thumb, loop", []string{"subs\tr0, #1", "bne.n\t10000 <f>", "bx\tlr"}, "loop through 10000"},
		{"thumb, constant", []string{"ldr\tr3, [pc, #4]\t@ (10008 <f+0x8>)", "bx\tlr", ".word\t0x12345678"}, ""},
		{"thumb, table", []string{"tbb\t[pc, r0]"}, "nobody can tell"},
		{"aarch64", []string{"cbz\tw0, 1000c <f+0xc>", "bl\t20000 <g>", "ret", "mov\tw0, #0x1", "b\t10008 <f+0x8>"}, ""},
		{"aarch64, loop", []string{"sub\tw0, w0, #0x1", "tbz\tw0, #3, 10000 <f>", "ret"}, "loop through 10000"},
		{"aarch64, table", []string{"br\tx1"}, "nobody can tell"},
		{"riscv", []string{"beqz\ta0,1000c <f+0xc>", "jalr\t-760(ra) # 20000 <g>", "ret", "li\ta0,1", "j\t10008 <f+0x8>"}, ""},
		{"riscv, loop", []string{"addi\ta0,a0,-1", "bnez\ta0,10000 <f>", "ret"}, "loop through 10000"},
		{"riscv, call of another function at the end", []string{"auipc\tt1,0x0", "jr\t-20(t1) # 20000 <g>"}, ""},
		{"riscv, table", []string{"jr\ta5"}, "nobody can tell"},
	}
	for _, c := range cases {
		var text strings.Builder
		text.WriteString("\n00010000 <f>:\n")
		for i, insn := range c.insns {
			at := 0x10000 + 4*i
			text.WriteString(fmt.Sprintf("   %x:\t", at) + insn + "\n")
		}
		functions := parseListing(text.String())
		require.Len(t, functions["f"], len(c.insns), c.name)
		err := checkLoops("f", functions["f"])
		if c.message == "" {
			assert.NoError(t, err, c.name)
		} else {
			assert.ErrorContains(t, err, c.message, c.name)
		}
	}
}

// TestKernelsWithLoopsAreRefused builds kernels of functions that loop and call each other.
func TestKernelsWithLoopsAreRefused(t *testing.T) {
	for _, c := range []struct{ name, text, message string }{
		{"straight", "float cf_test(float x) { return x > 0 ? x * x : x + 1; }", ""},
		{"loop", "float cf_test(float x) { while (x < 100.0f) x *= x; return x; }", "cf_test: a loop through"},
		{"loop in a callee", "__attribute__((noinline)) static float turn(float x) { while (x < 100.0f) x *= x; return x; }\n" +
			"float cf_test(float x) { return turn(x) + turn(x + 1); }", "turn: a loop through"},
		{"recursion", "__attribute__((noinline)) static float turn(float x);\n" +
			"__attribute__((noinline)) static float other(float x) { return turn(x * x) * x; }\n" +
			"static float turn(float x) { return x < 100.0f ? other(x + 1) * x : x; }\n" +
			"float cf_test(float x) { return turn(x); }", "recursion in"},
		{"recursion of one function", "__attribute__((noinline)) static float turn(float x) { return x < 100.0f ? turn(x * x) * x * x : x; }\n" +
			"float cf_test(float x) { return turn(x) + turn(x + 1); }", "a loop through"},
		{"pointer", "float cf_test(float x) { float (*volatile f)(float) = cf_test; return f(x) + 1; }", "nobody can tell"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, _, err := loadArch("..", "x86_32")
			require.NoError(t, err)
			if _, err := exec.LookPath(a.Compiler); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
				t.Skipf("SKIP: %s is not installed", a.Compiler)
			}
			a.LongCalls = false
			dir := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(dir, kernelFolder), 0o777))
			require.NoError(t, os.WriteFile(filepath.Join(dir, kernelFolder, "test.c"), []byte("float cf_test(float);\n"+c.text+"\n"), 0o666))
			w := &workshop{src: dir, tmp: dir}
			_, err = w.buildKernel(a, kernelRow{op: "test", dtype: "f32", symbol: "cf_test", file: "test.c", args: 1, results: 1})
			if c.message == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, c.message)
			}
		})
	}
}

// TestCostCountsCalls adds up a function that calls another twice, as each disassembler writes it.
func TestCostCountsCalls(t *testing.T) {
	for _, call := range []string{"call   20000 <g>", "bl\t20000 <g>", "jalr\t-760(ra) # 20000 <g>"} {
		functions := parseListing("00010000 <f>:\n   10000:\t" + call + "\n   10004:\t" + call + "\n   10008:\tret\n" +
			"00020000 <g>:\n   20000:\tnop1\n   20004:\tret\n")
		g := &callGraph{functions: functions, stack: map[string]int{"f": 16, "g": 8}, callBytes: 4}
		insns, stack, err := g.cost("f", nil)
		require.NoError(t, err)
		assert.Equal(t, 3+2*2, insns, call)
		assert.Equal(t, 16+8, stack, call)
	}
}

// A branch of a sample to itself is one that the compiler fills in, wherever the sample stands.
func TestTextsOfOpenBranches(t *testing.T) {
	for _, at := range []string{"0", "54"} {
		listing := parseListing("00000000 <v7>:\n   " + at + ":\tbeqz\ts2," + at + " <v7>\n   58:\tbnez\ts2,58 <v7+0x4>\n")
		require.Equal(t, []string{"beqz\ts2,0", "bnez\ts2,58 <v7+0x4>"}, texts(listing["v7"]), at)
		listing = parseListing("00000000 <v7>:\n   " + at + ":\tbl\t" + at + " <cf_target>\n")
		require.Equal(t, []string{"bl\t" + at + " <cf_target>"}, texts(listing["v7"]), at)
	}
}
