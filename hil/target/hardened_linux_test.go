package target

import (
	"io/fs"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/firmware/local"
)

// hardened says to the test that it is in a process to harden.
const hardened = "TARGET_TEST_HARDENED"

// TestHardenedSystemForAll: where children are forbidden new code, too, the error says so, and what can be done.
func TestHardenedSystemForAll(t *testing.T) {
	if os.Getenv(hardened) == "" {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHardenedSystemForAll$", "-test.v")
		c.Env = append(os.Environ(), hardened+"=1")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "--- PASS")
		return
	}
	if err := unix.Prctl(unix.PR_SET_MDWE, unix.PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0); err != nil {
		t.Log("this kernel, before Linux 6.3, cannot forbid it:", err)
		return
	}
	for _, name := range []string{LocalName, SandboxName} {
		_, err := Open(t.Context(), name, Options{})
		require.ErrorIs(t, err, local.ErrUnsupported)
		require.ErrorContains(t, err, "MemoryDenyWriteExecute")
		require.NotErrorIs(t, err, fs.ErrPermission, "whose hint is about files")
		var hinted interface{ Hint() string }
		require.ErrorAs(t, err, &hinted)
		require.Contains(t, hinted.Hint(), "--target oracle")
	}
}

// TestHardenedSystem: where the system forbids this process new code, "local" is the sandbox, and says why.
func TestHardenedSystem(t *testing.T) {
	if os.Getenv(hardened) == "" {
		openInside(t, Options{}) // or there is nothing to compare
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHardenedSystem$", "-test.v")
		c.Env = append(os.Environ(), hardened+"=1")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		if !assert.Contains(t, string(out), "--- PASS") {
			t.Logf("%s", out)
		}
		return
	}
	if err := unix.Prctl(unix.PR_SET_MDWE, unix.PR_MDWE_REFUSE_EXEC_GAIN|unix.PR_MDWE_NO_INHERIT, 0, 0, 0); err != nil {
		t.Log("this kernel, before Linux 6.6, cannot forbid it:", err)
		return
	}
	dev, err := Open(t.Context(), LocalName, Options{})
	require.NoError(t, err)
	defer dev.Close()
	r, ok := dev.(*Runner)
	require.True(t, ok)
	require.Equal(t, LocalName, r.Name())
	require.ErrorContains(t, r.Instead(), "this system does not run the program in its own process")
	p := load(t, dev)
	got := p.call(t, device.Call{Runs: 1, Reads: []device.Span{p.count}})
	require.Equal(t, []byte{5, 0, 0, 0}, got.Data[0])
}
