package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/stencils"
)

// TestLibrariesAreCurrent compares sums only, so it needs no compiler;
// `go run ./stencils/build -check` compares every byte.
func TestLibrariesAreCurrent(t *testing.T) {
	for _, name := range archNames(t) {
		old, err := changed("..", name, nil)
		require.NoError(t, err)
		assert.Empty(t, old, "library %s is older than what it is made of: run `go run ./stencils/build -stale`", name)
		content, err := os.ReadFile(filepath.Join("../lib", name+sumSuffix))
		require.NoError(t, err)
		lib, err := stencils.Load(name)
		require.NoError(t, err)
		assert.Equal(t, inputs(content).digest(), lib.Digest, name)
		_, sums := inputs(content).lines()
		assert.Equal(t, lib.Compiler, sums["compiler"], name)
	}
}

// staleAfter lists what is changed of each library that is older than the folder.
func staleAfter(t *testing.T, dir string) map[string][]string {
	src, err := readSources(filepath.Join(dir, "src"))
	require.NoError(t, err)
	out := map[string][]string{}
	for _, name := range archNames(t) {
		old, err := changedWith(src, dir, name, nil)
		require.NoError(t, err)
		if len(old) > 0 {
			out[name] = old
		}
	}
	return out
}

// libraries lists what each library of those architectures is expected to name.
func libraries(t *testing.T, which func(*arch) bool, changed ...string) map[string][]string {
	out := map[string][]string{}
	for _, name := range archNames(t) {
		a, _, err := loadArch("..", name)
		require.NoError(t, err)
		if which(a) {
			out[name] = changed
		}
	}
	return out
}

func every(*arch) bool                  { return true }
func none(*arch) bool                   { return false }
func softFloat(a *arch) bool            { return a.SoftFloat }
func doubles(a *arch) bool              { return a.Doubles }
func vectors(a *arch) bool              { return a.Vectors }
func integers(a *arch) bool             { return a.IntegerKernels }
func longCalls(a *arch) bool            { return a.LongCalls }
func hardFloat(a *arch) bool            { return !a.SoftFloat }
func only(name string) func(*arch) bool { return func(a *arch) bool { return a.Name == name } }

// TestEditsMakeStale edits a copy of the folder: the libraries made of what was edited are
// older then, and no other is.
func TestEditsMakeStale(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("..")))
	require.Empty(t, staleAfter(t, dir), "untouched")
	replace := func(old, new string) func(string) string {
		return func(text string) string { return strings.Replace(text, old, new, 1) }
	}
	row := func(line string) func(string) string {
		return func(text string) string { return text + "//@ " + line + "\n" }
	}
	comment := func(text string) string { return text + "/* edited */\n" }
	for _, c := range []struct {
		file  string // made if there is none
		edit  func(string) string
		which func(*arch) bool
		names []string
	}{
		{"src/stencil.h", comment, every, []string{"src/stencil.h"}},
		{"src/machine.c", comment, every, []string{"src/machine.c"}},
		{"src/machine/riscv.h", comment, func(a *arch) bool { return strings.HasPrefix(a.Name, "rv") }, []string{"src/machine/riscv.h"}},
		{"src/float.c", comment, hardFloat, []string{"src/float.c"}},
		{"src/soft.c", comment, softFloat, []string{"src/soft.c"}},
		{"src/kernels/exact/soft.h", comment, softFloat, []string{"src/kernels/exact/soft.h"}}, // included under a condition
		{"src/round_sse2.h", comment, only("x86_32"), []string{"src/round_sse2.h"}},
		{"src/vector8.c", comment, vectors, []string{"src/vector8.c"}},
		{"src/double.c", comment, doubles, []string{"src/double.c"}},
		{"src/kernels/f64/log.h", comment, doubles, []string{"src/kernels/f64/log.h"}},
		{"src/kernels/f32/asin.h", comment, func(a *arch) bool { return !a.IntegerKernels }, []string{"src/kernels/f32/asin.h"}},
		{"src/kernels/f32int/log.h", comment, integers, []string{"src/kernels/f32int/log.h"}},
		{"src/kernels/exact/long.c", comment, longCalls, []string{"src/kernels/exact/long.c"}},
		{"proof/sweep.c", comment, none, nil},
		{"src/kernels/README.md", comment, none, nil},

		{"arch/armv6.json", replace(`"-O3"`, `"-O2"`), only("armv6"), []string{"arch/armv6.json", "stencils"}},
		{"arch/rv64gc.json", func(text string) string {
			i := strings.Index(text, `"kernelFlags"`)
			return text[:i] + replace(`"-O3"`, `"-O2"`)(text[i:])
		}, only("rv64gc"), []string{"arch/rv64gc.json", "kernels"}},
		{"arch/x86_64.json", replace(`"-msse4.1"`, `"-msse4.2"`), only("x86_64"), []string{"arch/x86_64.json", "stencils", "kernels"}},
		{"arch/aarch64.json", replace("asm statements", "Asm statements"), only("aarch64"), []string{"arch/aarch64.json"}},

		// rows: only the libraries that have them are older
		{"src/kernels/lanes/trig.h", comment, only("x86_64"), []string{"src/kernels/lanes/trig.h"}},
		{"src/kernels/lanes/exp.h", row("kernel test f32x8 V=V needs avx2: a"), only("x86_64"), []string{"kernels"}},
		{"src/vector8.c", row("test f32x8 V=V needs avx2: D = A"), only("x86_64"), []string{"stencils"}},
		{"src/double.c", row("test f64 D=D: D = A"), doubles, []string{"stencils"}},
		{"src/float.c", replace("//@ add sub mul div f32 F=FF tied memory //", "//@ add sub mul div f32 F=FF tied memory: D = {op}_f32(B, A) //"),
			hardFloat, []string{"stencils"}}, // elsewhere it has another text
		{"src/kernels/f32int/atan.h", row("kernel atan2 f32 F=FF"), every, []string{"kernels"}},
		{"src/kernels/exact/soft.h", replace(": from_bits(soft_round(bits(a)))", ": a"), softFloat, []string{"kernels"}},
		{"src/kernels/f64/trig.h", replace("//@ kernel sin cos tan f64", "//@ kernel sin cos f64"), doubles, []string{"kernels"}},
		{"src/float.c", func(text string) string { return strings.Replace(text, "//@ ", "\n//@ ", 1) }, hardFloat, []string{"src/float.c"}},

		{"src/new.h", comment, none, nil},
		{"lib/armv7a.sum", replace("src/stencil.h", "src/stencil.c"), only("armv7a"),
			[]string{"../lib/armv7a.bin", "src/stencil.c"}},
		{"lib/armv7a.sum", replace("# What", "# what"), only("armv7a"), []string{"../lib/armv7a.bin"}},
	} {
		t.Run(c.file, func(t *testing.T) {
			file := filepath.Join(dir, c.file)
			was, err := os.ReadFile(file)
			made := os.IsNotExist(err)
			is := c.edit(string(was))
			require.NotEqual(t, string(was), is)
			require.NoError(t, os.WriteFile(file, []byte(is), 0o666))
			want := libraries(t, c.which, c.names...)
			if c.names != nil {
				require.NotEmpty(t, want, "no architecture to tell by")
			}
			got := staleAfter(t, dir)
			for _, names := range got {
				for i := range names {
					names[i] = strings.Replace(names[i], filepath.ToSlash(dir), "..", 1)
				}
			}
			assert.Equal(t, want, got)
			if made {
				require.NoError(t, os.Remove(file))
			} else {
				require.NoError(t, os.WriteFile(file, was, 0o666))
			}
		})
	}
	t.Run("header gone", func(t *testing.T) {
		file := filepath.Join(dir, "src/round_sse2.h")
		require.NoError(t, os.Rename(file, file+".old"))
		// float.c and round64.h, which every library of hardware floats has, find nothing under that name
		got := staleAfter(t, dir)
		assert.Equal(t, []string{"src/float.c", "src/round64.h", "src/round_sse2.h"}, got["x86_32"])
		require.NoError(t, os.Rename(file+".old", file))
	})
	t.Run("header before the compiler's", func(t *testing.T) {
		file := filepath.Join(dir, "src/stdint.h")
		require.NoError(t, os.WriteFile(file, nil, 0o666))
		want := libraries(t, every, "src/kernels/f32/bits.h", "src/kernels/f32int/tables.h", "src/stencil.h")
		want["x86_64"] = []string{"src/kernels/f32/bits.h", "src/kernels/f32int/tables.h", "src/kernels/lanes/lanes.h", "src/stencil.h"}
		assert.Equal(t, want, staleAfter(t, dir))
		require.NoError(t, os.Remove(file))
	})
	t.Run("include that only a compiler can follow", func(t *testing.T) {
		file := filepath.Join(dir, "src/new.h")
		for _, text := range []string{"#define FILE \"stencil.h\"\n# include FILE\n", "#include_next <stdint.h>\n", "#if __has_include(\"x.h\")\n#endif\n"} {
			require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
			_, err := changed(dir, "armv6", nil)
			assert.ErrorContains(t, err, `src/new.h: "`, text)
			assert.ErrorContains(t, err, `write #include "file"`, text)
		}
		require.NoError(t, os.Remove(file))
	})
	assert.Empty(t, staleAfter(t, dir), "as it was")
}

func TestCompilerMakesStale(t *testing.T) {
	old, err := changed("..", "armv6", func(*arch) (string, error) { return "gcc 99.1.0 arm-none-eabi", nil })
	require.NoError(t, err)
	assert.Equal(t, []string{"compiler"}, old)
}

// TestUsedSources compiles a text with and without a cache, and from it: each time the
// sources are those that the preprocessor reads.
func TestUsedSources(t *testing.T) {
	a, _, err := loadArch("..", "x86_64")
	require.NoError(t, err)
	if _, err := exec.LookPath(a.Compiler); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skipf("SKIP: %s is not installed", a.Compiler)
	}
	dir := filepath.Join(t.TempDir(), "with a space")
	src := filepath.Join(dir, "src")
	require.NoError(t, os.CopyFS(src, os.DirFS("../src")))
	outside := filepath.Join(dir, "outside.h")
	require.NoError(t, os.WriteFile(outside, nil, 0o666))
	text := "#include \"round.h\"\n#if defined(__riscv)\n#include \"soft.c\"\n#endif\n"
	for _, c := range []struct {
		name, cache, more string
		want              []string
	}{
		{"compiled", "", "", []string{"round.h", "stencil.h"}},
		{"compiled for the cache", dir, "", []string{"round.h", "stencil.h"}},
		{"from the cache", dir, "", []string{"round.h", "stencil.h"}},
		{"from outside", dir, "#include \"../outside.h\"\n", []string{"../outside.h", "round.h", "stencil.h"}},
	} {
		w := &workshop{src: src, tmp: dir, cache: c.cache}
		source := filepath.Join(dir, "text.c")
		require.NoError(t, os.WriteFile(source, []byte(text+c.more), 0o666), c.name)
		require.NoError(t, w.object(a.Compiler, []string{"-I", "."}, source, filepath.Join(dir, "text.o")), c.name)
		assert.Equal(t, c.want, w.used.sorted(), c.name)
	}
	read, err := readSources(src)
	require.NoError(t, err)
	assert.Contains(t, read.sums, "round.h")
	assert.NotContains(t, read.sums, "../outside.h")
}
