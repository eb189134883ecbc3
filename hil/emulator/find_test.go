package emulator_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/hil/emulator"
)

// TestFind: the system's QEMU is taken unless it is too old; else the one of the folder, if that is new enough.
func TestFind(t *testing.T) {
	const name = "qemu-system-test"
	install := func(t *testing.T, folder, version string) string {
		t.Helper()
		require.NoError(t, os.MkdirAll(folder, 0o755))
		path := filepath.Join(folder, name)
		text := fmt.Sprintf("#!/bin/sh\necho 'QEMU emulator version %s (Debian 1:%s)'\n", version, version)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
		return path
	}
	for _, c := range []struct {
		name, system, beside, least string
		want                        string // which one
		says                        string
	}{
		{name: "any", system: "7.2.1", want: "system"},
		{name: "any, none", says: "is not installed"},
		{name: "new enough", system: "9.0.0", beside: "10.0.2", least: "9.0", want: "system"},
		{name: "two digits", system: "10.0.2", least: "9.0", want: "system"},
		{name: "minor", system: "9.1.0", least: "9.2", says: "is version 9.1"},
		{name: "too old", system: "7.2.19", beside: "10.0.2", least: "9.0", want: "beside"},
		{name: "none but the newer", beside: "10.0.2", least: "9.0", want: "beside"},
		{name: "both too old", system: "7.2.19", beside: "8.2.0", least: "9.0", says: "is version 8.2"},
		{name: "the newer one is not for boards that need none", beside: "10.0.2", says: "is not installed"},
		{name: "none", least: "9.0", says: "no qemu-system-test of version 9.0 or later"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			paths := map[string]string{"system": filepath.Join(dir, "bin"), "beside": filepath.Join(dir, "newer", "usr", "bin")}
			t.Setenv("PATH", paths["system"])
			t.Setenv(emulator.FolderVariable, filepath.Join(dir, "newer"))
			for place, version := range map[string]string{"system": c.system, "beside": c.beside} {
				if version != "" {
					paths[place] = install(t, paths[place], version)
				}
			}
			got, err := emulator.Find(&boards.QEMU{Binary: name, Package: "qemu-system-arm", Least: c.least})
			if c.says != "" {
				var missing *emulator.MissingError
				require.ErrorAs(t, err, &missing)
				assert.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, paths[c.want], got)
		})
	}
}
