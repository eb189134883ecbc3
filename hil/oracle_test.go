package hil_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil"
	"github.com/copaflash/copaflash/hil/target"
)

// A script that compiles on one target again gives up the program before, which is timed all the
// same: on the oracle, that is on every system.
func TestRecompiledCase(t *testing.T) {
	const script = `import copapy as cp
tg = cp.Target()
for i in range(3):
    x = cp.value(float(i))
    tg.compile(x * 2)
    tg.run()
    print(tg.read_value(x * 2))
`
	file := filepath.Join(t.TempDir(), "again.py")
	require.NoError(t, os.WriteFile(file, []byte(script), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(file), "again.out"), []byte("0.0\n2.0\n4.0\n"), 0o600))
	dev, err := target.Open(t.Context(), target.Oracle, target.Options{})
	require.NoError(t, err)
	cases, err := hil.Find(file)
	require.NoError(t, err)
	r, err := hil.Run(t.Context(), dev, cases, hil.Options{Runs: 7})
	require.NoError(t, err)
	require.Equal(t, 1, r.Passed, r.Results)
	require.Len(t, r.Results[0].Programs, 3)
	for _, p := range r.Results[0].Programs {
		require.EqualValues(t, 7, p.Time.Runs)
	}
}
