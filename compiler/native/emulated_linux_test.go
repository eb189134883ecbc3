package native

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/internal/extent"
)

// TestAArch64 runs tests of this package as a program for AArch64.
func TestAArch64(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Log("this machine runs them as they are, or has no use for them")
		return
	}
	const emulator = "qemu-aarch64-static"
	if _, err := exec.LookPath(emulator); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skipf("SKIP: %s is not installed", emulator)
	}
	// The emulator takes a second for 8 GB, so there is no room for them: guards are small.
	again(t, []string{"GOARCH=arm64", "CGO_ENABLED=0"}, "-exec", "prlimit --as=5000000000 "+emulator,
		"-run", "TestBits|TestMode|TestRegisters|TestFaults|TestAddress|TestClosed|TestRunning|TestStress",
		"-stress", extent.Of("2s", "2m"))
}

// TestRace runs tests of this package with the race detector, which also checks pointers.
func TestRace(t *testing.T) {
	if !extent.All() {
		t.Log("only in make test-all: the race detector takes cgo and a build of everything")
		return
	}
	again(t, []string{"CGO_ENABLED=1"}, "-race", "-run", "TestBits|TestFaults|TestRunning|TestQuarrel|TestMany|TestStress", "-stress", "10m")
}

// again runs tests of this package by other means.
func again(t *testing.T, env []string, args ...string) {
	cmd := exec.Command("go", append([]string{"test", "-count", "1", "-timeout", "0", "-v", "."}, args...)...)
	cmd.Env = append(os.Environ(), append(env, "COPAFLASH_TEST_ALL=")...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, " calls, ") {
			t.Log(strings.TrimSpace(line))
		}
	}
}
