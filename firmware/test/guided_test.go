package test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/internal/seed"
)

// What libFuzzer needs in each build; firmware/Makefile has the same.
var (
	guided    = []string{"-DCF_HAL_UNLOAD", storing, "-fsanitize=fuzzer", "-fsanitize-coverage-ignorelist=" + filepath.Join("core", "guided", "ignore.txt")}
	fast      = []string{"-O2", "-fno-sanitize-coverage=trace-cmp"}
	sanitized = append([]string{"-DCF_SMALL=0", "-fsanitize=fuzzer,address,undefined"}, sanitizers[:3]...)
)

// Ten million frames, whose dialogues change towards code that they have not reached, begin with those that are
// kept. The sanitizers, which cost ten times the time, watch some of them.
func TestGuided(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("clang-14"); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip("clang-14 is not installed; Debian has libFuzzer in libclang-rt-14-dev")
	}
	base := seed.Of(t)
	for i, b := range []struct {
		name   string
		flags  []string
		frames int
	}{
		{"fast", append([]string{"-DCF_SMALL=0"}, fast...), extent.Of(5_000_000, 50_000_000)},
		{"small", append([]string{"-DCF_SMALL=1"}, fast...), extent.Of(5_000_000, 50_000_000)},
		{"sanitized", append(sanitized, "-fno-sanitize-recover=all"), extent.Of(300_000, 10_000_000)},
	} {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			frames := b.frames
			if testing.Short() {
				frames /= 100
			}
			dir := t.TempDir()
			program := filepath.Join(dir, "guided")
			var sources []string
			for _, pattern := range []string{"../core/*.c", "core/guided/*.c", "core/bench.c", "core/ask.c", "core/image.c"} {
				found, err := filepath.Glob(filepath.FromSlash(pattern))
				require.NoError(t, err)
				for _, s := range found {
					if filepath.Base(s) != "mem.c" { // libc has these
						sources = append(sources, s)
					}
				}
			}
			args := append([]string{"-std=c11", "-Wall", "-Wextra", "-Werror", "-I..", "-Icore", "-o", program}, guided...)
			out, err := exec.Command("clang-14", append(append(args, b.flags...), sources...)...).CombinedOutput()
			require.NoError(t, err, "%s", out)

			found := filepath.Join(dir, "found") // what is new goes there
			require.NoError(t, os.Mkdir(found, 0o755))
			run := exec.Command(program, "-max_len=8192", "-reduce_inputs=0", "-artifact_prefix="+dir+"/", fmt.Sprint("-seed=", uint32(base)+uint32(i)|1),
				found, filepath.Join("core", "guided", "corpus"))
			run.Env = append(os.Environ(), fmt.Sprint("COPAFLASH_FRAMES=", frames), "ASAN_OPTIONS=detect_leaks=0")
			out, err = run.CombinedOutput()
			tail := out[max(0, len(out)-6000):]
			require.NoError(t, err, "%s", tail)
			m := regexp.MustCompile(`(?m)^([0-9]+) frames in .*$`).FindSubmatch(tail)
			require.NotNil(t, m, "%s", tail)
			played, err := strconv.Atoi(string(m[1]))
			require.NoError(t, err)
			assert.GreaterOrEqual(t, played, frames)
			reached := regexp.MustCompile(`INITED cov: ([0-9]+) `).FindSubmatch(out)
			require.NotNil(t, reached)
			edges, err := strconv.Atoi(string(reached[1]))
			require.NoError(t, err)
			t.Logf("%s; %d edges by what is kept", m[0], edges)
			assert.Greater(t, edges, 300, "the kept dialogues reach too little: make -C firmware corpus")
		})
	}
}
