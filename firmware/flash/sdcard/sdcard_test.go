package sdcard

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var card = Card{
	Files:  []File{{"copaflash.img", []byte("kernel")}},
	Config: File{"config.txt", []byte("kernel=copaflash.img\n")},
	Needs:  []string{"start.elf", "fixup.dat"},
}

const ours = "# copaflash: begin\n[all]\nkernel=copaflash.img\n# copaflash: end\n"

func TestWrite(t *testing.T) {
	const theirs = "arm_boost=1\n[pi4]\nkernel=linux.img"
	const stale = "# copaflash: begin\n[all]\nkernel=old.img\n# copaflash: end\n"
	for _, tt := range []struct {
		name   string
		before string // config.txt; empty: none
		mode   Mode
		after  string
		want   Result
		err    string
	}{
		{"new", "", Refuse, ours, Result{Written: []string{"copaflash.img", "config.txt"}}, ""},
		{"again", ours, Refuse, ours, Result{Written: []string{"copaflash.img"}, Unchanged: []string{"config.txt"}}, ""},
		{"older version", stale, Refuse, ours, Result{Written: []string{"copaflash.img", "config.txt"}}, ""},
		{"foreign", theirs, Refuse, theirs, Result{}, "was not written by copaflash"},
		{"merge", theirs, Merge, theirs + "\n" + ours, Result{Written: []string{"copaflash.img", "config.txt"}, Backup: "config.txt.before-copaflash"}, ""},
		{"merged before", stale + theirs + "\n", Refuse, theirs + "\n" + ours, Result{Written: []string{"copaflash.img", "config.txt"}}, ""},
		{"replace", theirs, Replace, ours, Result{Written: []string{"copaflash.img", "config.txt"}, Backup: "config.txt.before-copaflash"}, ""},
		{"keep", theirs, Keep, theirs, Result{Written: []string{"copaflash.img"}, Kept: []string{"config.txt"}}, ""},
		{"damaged", "# copaflash: begin\nx=1\n", Merge, "# copaflash: begin\nx=1\n", Result{}, "without"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			config := filepath.Join(dir, "config.txt")
			if tt.before != "" {
				require.NoError(t, os.WriteFile(config, []byte(tt.before), 0o600))
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, "start.elf"), nil, 0o600))
			got, err := Write(dir, card, tt.mode)
			text, readErr := os.ReadFile(config)
			require.NoError(t, readErr)
			require.Equal(t, tt.after, string(text))
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				require.NoFileExists(t, filepath.Join(dir, "copaflash.img"), "nothing is written by who refuses")
				return
			}
			require.NoError(t, err)
			tt.want.Missing = []string{"fixup.dat"}
			require.Equal(t, &tt.want, got)
			if tt.want.Backup != "" {
				text, err := os.ReadFile(filepath.Join(dir, tt.want.Backup))
				require.NoError(t, err)
				require.Equal(t, tt.before, string(text))
			}
			temporary, err := filepath.Glob(filepath.Join(dir, ".copaflash-*"))
			require.NoError(t, err)
			require.Empty(t, temporary)
		})
	}
}

func TestFirstBackupStays(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "config.txt")
	for _, text := range []string{"first=1\n", "second=1\n"} {
		require.NoError(t, os.WriteFile(config, []byte(text), 0o600))
		_, err := Write(dir, card, Replace)
		require.NoError(t, err)
	}
	text, err := os.ReadFile(config + BackupSuffix)
	require.NoError(t, err)
	require.Equal(t, "first=1\n", string(text))
}

func TestOnlyFolders(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, path := range []string{file, file + "y"} {
		_, err := Write(path, card, Refuse)
		require.ErrorContains(t, err, "is not a folder")
	}
	_, err := Write(os.DevNull, card, Replace)
	require.ErrorContains(t, err, "is a device; copaflash writes files and never a device")
}
