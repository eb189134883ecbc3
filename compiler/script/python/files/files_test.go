package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
}

// folder makes a script's folder with files, links and a secret beside it.
func folder(t *testing.T) (dir string) {
	t.Helper()
	top := t.TempDir()
	dir = filepath.Join(top, "script")
	write(t, filepath.Join(top, "secret"), "secret")
	write(t, filepath.Join(dir, "a.csv"), "1,2\n")
	write(t, filepath.Join(dir, "data", "b.csv"), "3\n")
	for link, target := range map[string]string{
		"in": "data/b.csv", "out": "../secret", "abs": filepath.Join(top, "secret"), "up": "..", "loop": "loop", "dev": "/dev/zero",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	return dir
}

func TestReadInside(t *testing.T) {
	dir := folder(t)
	f := New(dir, "")
	defer f.Close()
	for name, want := range map[string]string{
		"a.csv": "1,2\n", "./a.csv": "1,2\n", "data/b.csv": "3\n", "data/../a.csv": "1,2\n", "in": "3\n", filepath.Join(dir, "a.csv"): "1,2\n",
	} {
		text, err := f.Read(name, 100)
		require.NoError(t, err, name)
		require.Equal(t, want, string(text), name)
	}
	names, err := f.List("data")
	require.NoError(t, err)
	require.Equal(t, []string{"b.csv"}, names)
	_, err = f.Read("a.csv", 3)
	require.ErrorIs(t, err, ErrTooLarge)
	_, err = f.Read("none", 100)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestReadNeverLeaves(t *testing.T) {
	dir := folder(t)
	f := New(dir, "")
	defer f.Close()
	for _, name := range []string{
		"../secret", "out", "abs", "up/secret", "data/../../secret", "dev", "/etc/passwd", "/dev/zero", "loop", "",
		"a\x00b", "data", ".", "..", filepath.Dir(dir) + "/secret", dir + "/../secret",
	} {
		text, err := f.Read(name, 1<<20)
		require.Error(t, err, name)
		require.Empty(t, text, name)
		require.NotContains(t, err.Error(), "openat", name)
	}
}

func TestWriteOnlyBelowOut(t *testing.T) {
	dir := folder(t)
	f := New(dir, "")
	_, err := f.Create("x.csv", os.O_TRUNC)
	require.ErrorIs(t, err, ErrNoOut)
	require.ErrorIs(t, f.MakeDir("d"), ErrNoOut)

	out := filepath.Join(t.TempDir(), "out")
	f = New(dir, out)
	defer f.Close()
	w, err := f.Create("a.csv", os.O_TRUNC)
	require.NoError(t, err)
	_, err = w.Write([]byte("new"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	text, err := f.Read("a.csv", 100)
	require.NoError(t, err)
	require.Equal(t, "new", string(text), "what was written is read back")
	old, err := os.ReadFile(filepath.Join(dir, "a.csv"))
	require.NoError(t, err)
	require.Equal(t, "1,2\n", string(old))

	require.NoError(t, os.Symlink(dir, filepath.Join(out, "link")))
	require.NoError(t, os.Symlink("/dev/null", filepath.Join(out, "null")))
	for _, name := range []string{"../x", "link/x", "null", "/tmp/x", "", "none/x"} {
		_, err := f.Create(name, os.O_TRUNC)
		require.Error(t, err, name)
	}
	_, err = f.Create("a.csv", os.O_EXCL)
	require.ErrorIs(t, err, fs.ErrExist)
	f.left = 2
	w, err = f.Create("big", os.O_TRUNC)
	require.NoError(t, err)
	defer w.Close()
	_, err = w.Write([]byte("abc"))
	require.ErrorIs(t, err, ErrTooLarge)
}
