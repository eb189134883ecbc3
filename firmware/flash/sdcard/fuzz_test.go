package sdcard

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzSettings merges ours into any file of settings: what others wrote stays, a second
// time changes nothing, and a refusal has changed nothing either.
func FuzzSettings(f *testing.F) {
	for _, text := range []string{"", "arm_boost=1\n", ours, ours + ours, "# copaflash: begin\n", "# copaflash: end\n" + ours, "x\r\n\x00\xff"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, before []byte) {
		folder := t.TempDir()
		path := filepath.Join(folder, card.Config.Name)
		require.NoError(t, os.WriteFile(path, before, 0o600))
		if _, err := Write(folder, card, Merge); err != nil {
			got, e := os.ReadFile(path)
			require.NoError(t, e)
			require.Equal(t, before, got)
			return
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, bytes.HasSuffix(got, []byte(ours)))
		theirs, _, err := split(before)
		require.NoError(t, err)
		if text := bytes.TrimSpace(theirs); len(text) > 0 {
			require.True(t, bytes.HasPrefix(got, theirs))
		}
		_, err = Write(folder, card, Merge)
		require.NoError(t, err)
		again, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, got, again)
	})
}

// TestNoFile: what is in the way of settings and is no file is neither read nor waited for.
func TestNoFile(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, card.Config.Name), 0o700))
	_, err := Write(folder, card, Merge)
	require.ErrorContains(t, err, "is not a file")
	folder = t.TempDir()
	long, err := os.Create(filepath.Join(folder, card.Config.Name))
	require.NoError(t, err)
	require.NoError(t, long.Truncate(maxText+1))
	require.NoError(t, long.Close())
	_, err = Write(folder, card, Merge)
	require.ErrorContains(t, err, "too long")
}
