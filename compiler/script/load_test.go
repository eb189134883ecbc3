package script_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/script"
)

// TestLoad reads files of numbers in the folder of the script, and none outside of it.
func TestLoad(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	npy, err := os.ReadFile("datafile/testdata/le_f4.npy")
	require.NoError(t, err)
	npz, err := os.ReadFile("datafile/testdata/two.npz")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "data"), 0o755))
	for name, text := range map[string][]byte{
		"w.npy": npy, "data/two.npz": npz, "bad.npy": []byte("no array"),
		"m.csv": []byte("1,2.5\n3,\n"), "v.csv": []byte("4\n5\n"), "log.csv": []byte("t,x\n0,1.5\n1,2.5\n"),
		"p.json": []byte(`{"kp": 2, "rows": [[1, 2], [3, 4.5]], "mixed": [1, "a", [2]], "none": null, "on": true, "big": 123456789012345678901}`),
		"x.json": []byte("[1, 2] 3"), "prog.py": []byte(`import copapy as cp
print(cp.load('w.npy'), cp.load('data/two.npz'))
print(cp.load('m.csv'), cp.load('v.csv'), cp.load('log.csv'))
print(cp.load('p.json'))
w = cp.value(cp.load('w.npy'))
tg = cp.Target()
tg.compile(w @ cp.load('data/two.npz')['w'][0, :1].repeat(3))
for name in ['../w.npy', 'link.npy', '/etc/passwd', 'data', 'missing.npy', 'bad.npy', 'x.json', 'prog.py', 3]:
    try: print(cp.load(name))
    except Exception as e: print(type(e).__name__, e)
`),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), text, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(outside, "w.npy"), npy, 0o600))
	if err := os.Symlink(filepath.Join(outside, "w.npy"), filepath.Join(dir, "link.npy")); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	var stdout bytes.Buffer
	require.NoError(t, script.Run(t.Context(), filepath.Join(dir, "prog.py"), script.Options{Stdout: &stdout, Open: func(context.Context) (device.Device, error) { return oracle.New("x86_64") }}))
	assert.Equal(t, `[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5]] {'w': matrix([[0.0, 1.0], [2.0, 3.0]]), 'n': vector([1, 2])}
[[1.0, 2.5], [3.0, nan]] [4, 5] {'t': vector([0, 1]), 'x': vector([1.5, 2.5])}
{'big': 123456789012345678901, 'kp': 2, 'mixed': [1, 'a', vector([2])], 'none': None, 'on': True, 'rows': matrix([[1.0, 2.0], [3.0, 4.5]])}
OSError load: ../w.npy: outside of the folder that scripts may use
OSError load: link.npy: a link that leads out: outside of the folder that scripts may use
ValueError load: /etc/passwd: files of numbers end in .npy, .npz, .csv or .json
ValueError load: data: files of numbers end in .npy, .npz, .csv or .json
OSError load: missing.npy: no such file or directory
ValueError load: bad.npy: no .npy file: it does not begin as one
ValueError load: x.json: there is more after the value
ValueError load: prog.py: files of numbers end in .npy, .npz, .csv or .json
TypeError load: the path must be a str, not 'int'
`, stdout.String())
}
