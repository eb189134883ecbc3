// Package test builds the C core as a hosted program and tests it: against the
// vectors that the Go side is tested with, case by case, and with malformed
// streams, all under the address and undefined-behaviour sanitizers.
package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/internal/seed"
)

// streams is how many malformed streams every full test run feeds to the core.
const streams = "100000"

var (
	warnings = []string{"-std=c11", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wno-sign-conversion"}
	// interrupted is how ticking.c is called between all functions, and the words of copies.
	// Its hostile programs write to what ticks work on, as only such can that run beside no pins.
	interrupted = []string{"-finstrument-functions", "-finstrument-functions-exclude-file-list=test/", "-Dmemcpy=slow_copy", "-DCF_HAS_PINS=0"}
	sanitizers  = []string{"-g", "-O1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}
)

// begins are moments at which a clock begins to count: at once, soon and somewhat later its low 32 bits, or their sign, go over.
var begins = []string{"0", "0xffffffff", "0xffffff00", "0xffff0000", "0xffe00000", "0x7fffff00"}

// storing has the core store programs.
const storing = "-DCF_HAS_STORE=1"

const vectors = "../../protocol/testdata/vectors"

func TestVectors(t *testing.T) {
	t.Parallel()
	run(t, compile(t, "vectors", append([]string{storing}, sanitizers...)), vectors)
}

// What is written for speed and for size (core/small.h), both, from every moment; and without captures and swaps, or pins.
func TestCases(t *testing.T) {
	t.Parallel()
	few := extent.Of(begins[:2], begins)
	for _, c := range []struct {
		flags  []string
		begins []string
	}{
		{[]string{"-DCF_SMALL=0"}, begins}, {[]string{"-DCF_SMALL=1"}, begins}, {[]string{"-DCF_SMALL=1", "-DCF_FAST=1"}, few},
		{[]string{"-DCF_LOOP_FEATURES=0"}, few}, {[]string{"-DCF_HAS_PINS=0"}, few}, {[]string{storing}, few},
	} {
		t.Run(strings.Join(c.flags, " "), func(t *testing.T) {
			t.Parallel()
			program := compile(t, "cases", append(c.flags, sanitizers...))
			for _, begin := range c.begins {
				run(t, program, begin)
			}
		})
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	for _, small := range []string{"-DCF_SMALL=0", "-DCF_SMALL=1"} {
		run(t, compile(t, "memory", append([]string{small, "-fno-builtin"}, sanitizers...)))
	}
}

func TestMalformedStreams(t *testing.T) {
	t.Parallel()
	n := streams
	if testing.Short() {
		n = "20000"
	}
	t.Log(run(t, compile(t, "fuzz", append([]string{storing}, sanitizers...)), n, strconv.FormatUint(seed.Of(t)>>1, 10)))
}

// Programs in a memory whose power goes off at every operation, and memories that somebody hostile has filled.
func TestStoredPrograms(t *testing.T) {
	t.Parallel()
	for _, small := range []string{"-DCF_SMALL=0", "-DCF_SMALL=1", "-DCF_LOOP_FEATURES=0"} {
		program := compile(t, "stored", append([]string{storing, small}, sanitizers...))
		t.Log(run(t, program, strconv.Itoa(extent.Of(10_000, 200_000)), strconv.FormatUint(seed.Of(t)>>1, 10)))
	}
}

// Ticks that interrupt the link at random points of it, wrong lists, and programs that write to what they share with the link.
func TestTicking(t *testing.T) {
	t.Parallel()
	program := compile(t, "ticking", append(interrupted, sanitizers...))
	t.Log(run(t, program, strconv.Itoa(extent.Of(4000, 100_000)), strconv.FormatUint(seed.Of(t)>>1, 10)))
}

// What the tests above do not reach, they do not test.
func TestLinesReached(t *testing.T) {
	t.Parallel()
	const least = 99.0 // percent, of each file
	dir := t.TempDir()
	for _, p := range []struct {
		name  string
		flags []string
		args  []string
	}{{"vectors", []string{storing}, []string{vectors}}, {"cases", nil, nil}, {"fuzz", []string{storing}, []string{"3000", "1"}}, {"stored", []string{storing}, []string{"1000", "1"}},
		{"ticking", interrupted, []string{"600", "1"}},
	} {
		run(t, compileIn(t, dir, p.name, append([]string{"-O0", "--coverage"}, p.flags...)), p.args...)
	}
	reached := map[string]map[int]bool{}
	notes, err := filepath.Glob(filepath.Join(dir, "*.gcda"))
	require.NoError(t, err)
	require.NotEmpty(t, notes)
	for _, note := range notes {
		cmd := exec.Command("gcov", "--stdout", note)
		cmd.Dir = dir
		out, err := cmd.Output()
		require.NoError(t, err)
		addLines(reached, string(out))
	}
	require.Contains(t, reached, "patch.c")
	for file, lines := range reached {
		hit := 0
		var missed []int
		for line, ok := range lines {
			if ok {
				hit++
			} else {
				missed = append(missed, line)
			}
		}
		percent := 100 * float64(hit) / float64(len(lines))
		t.Logf("%-10s %5.1f %% of %d lines", file, percent, len(lines))
		require.GreaterOrEqual(t, percent, least, "%s: never reached: %v", file, missed)
	}
}

var gcovLine = regexp.MustCompile(`^ *([0-9#=*]+): *([0-9]+):`)

// addLines notes which lines of the core's sources a listing of gcov says were executed.
func addLines(reached map[string]map[int]bool, listing string) {
	var lines map[int]bool
	for text := range strings.Lines(listing) {
		if _, source, ok := strings.Cut(text, "0:Source:"); ok {
			name := filepath.ToSlash(strings.TrimSpace(source))
			lines = nil
			if filepath.Base(name) == "unticking.c" { // the bench brings its own
				continue
			}
			if filepath.Base(filepath.Dir(name)) == "core" && !strings.Contains(name, "test/core") && strings.HasSuffix(name, ".c") {
				name = filepath.Base(name)
				if reached[name] == nil {
					reached[name] = map[int]bool{}
				}
				lines = reached[name]
			}
			continue
		}
		if m := gcovLine.FindStringSubmatch(text); m != nil && lines != nil {
			number, _ := strconv.Atoi(m[2])
			lines[number] = lines[number] || !strings.HasPrefix(m[1], "#") && !strings.HasPrefix(m[1], "=")
		}
	}
}

func compile(t *testing.T, name string, flags []string) string {
	t.Helper()
	return compileIn(t, t.TempDir(), name, flags)
}

// compileIn builds the core with one of the test programs, a file or a folder.
func compileIn(t *testing.T, dir, name string, flags []string) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip("gcc is not installed")
	}
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	sources, err := filepath.Glob(filepath.Join(root, "core", "*.c"))
	require.NoError(t, err)
	args := append(append([]string{"-I" + root, "-DCF_HAL_UNLOAD"}, warnings...), flags...)
	for _, s := range sources {
		if filepath.Base(s) != "mem.c" { // libc has these
			args = append(args, s)
		}
	}
	program, err := filepath.Glob(filepath.Join(root, "test", "core", name, "*.c"))
	require.NoError(t, err)
	if program == nil {
		program = []string{filepath.Join(root, "test", "core", name+".c")}
	}
	for _, s := range []string{"bench", "ask", "image"} {
		args = append(args, filepath.Join(root, "test", "core", s+".c"))
	}
	args = append(args, program...)
	out := filepath.Join(dir, name)
	cmd := exec.Command("gcc", append(args, "-o", out)...)
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
	return out
}

// run runs a test program, which must succeed, and returns what it printed.
func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}
