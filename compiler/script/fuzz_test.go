package script_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/compiler/script/copapy/manual"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// FuzzScript runs any text as a script with the module copapy, which traces, compiles
// and evaluates, within small limits: whatever goes wrong is an error of the script.
func FuzzScript(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/errors.txtar")
	require.NoError(f, err)
	for _, file := range archive.Files {
		if filepath.Ext(file.Name) == ".py" {
			f.Add(file.Data)
		}
	}
	for _, p := range manual.Pages() {
		for _, e := range p.Entries {
			text := "import copapy as cp\n"
			for _, x := range e.Examples {
				text += x.Source + "\n"
			}
			f.Add([]byte(text))
		}
	}
	file := filepath.Join(f.TempDir(), "fuzz.py")
	f.Fuzz(func(t *testing.T, text []byte) {
		require.NoError(t, os.WriteFile(file, text, 0o600))
		// Runs on the target are no steps of the script: a great number of them ends here.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := script.Run(ctx, file, script.Options{
			Limits: vm.Limits{Steps: 20_000, Memory: 8 << 20, Recursion: 60, IntBits: 1 << 12},
			Open:   func(context.Context) (device.Device, error) { return oracle.New("x86_64") },
		})
		if err == nil {
			return
		}
		if e := (*vm.Error)(nil); errors.As(err, &e) {
			require.NotEqual(t, "InternalError", e.Kind, e.Report())
		}
	})
}
