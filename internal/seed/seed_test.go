package seed

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestList(t *testing.T) {
	list := List(t, 3, 2)
	require.Len(t, list, 5)
	require.Equal(t, []uint64{0, 1, 2}, list[:3])
	require.Greater(t, list[3], uint64(step-1))
	require.Equal(t, list[3]+1, list[4])
	require.Equal(t, list, List(t, 3, 2), "one seed for all tests of a run")
}

// TestThatFails is run by TestSeedIsTold.
func TestThatFails(t *testing.T) {
	if os.Getenv("COPAFLASH_SEED_FAILS") == "" {
		return
	}
	t.Errorf("seeds %v", List(t, 1, 2))
}

// A seed that the environment names is used, and told by a test that fails; what is no
// number is refused.
func TestSeedIsTold(t *testing.T) {
	fails := func(seed string) string {
		cmd := exec.Command(os.Args[0], "-test.run", "TestThatFails$")
		cmd.Env = append(os.Environ(), "COPAFLASH_SEED_FAILS=1", Variable+"="+seed)
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		return string(out)
	}
	out := fails("6")
	require.Contains(t, out, "seeds [0 7340032 7340033]")
	require.Contains(t, out, Variable+"=6 repeats this")
	require.Contains(t, fails("0x6"), "seeds [0 7340032 7340033]", "hexadecimal too")
	require.NotContains(t, strings.ReplaceAll(fails("6"), out, ""), "seeds [", "the same again")
	require.Contains(t, fails("x"), "want a number below 2^31")
}
