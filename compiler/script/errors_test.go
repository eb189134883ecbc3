package script_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

var update = flag.Bool("update", false, "rewrite the reports in testdata/errors.txtar")

// smallLimits end an endless script at once.
var smallLimits = vm.Limits{Steps: 1_000_000, Memory: 64 << 20, Recursion: 200, IntBits: 1 << 16}

// TestErrorReports runs wrong scripts and compares all that is said of them. Each
// is told the place, and what to do about it.
func TestErrorReports(t *testing.T) {
	const file = "testdata/errors.txtar"
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	home, err := os.Getwd()
	require.NoError(t, err)
	t.Chdir(t.TempDir()) // so that reports show no folder

	reports := map[string]string{}
	for i, f := range archive.Files {
		name, ext, _ := strings.Cut(f.Name, ".")
		text := string(f.Data)
		switch ext {
		case "report":
			reports[name] = text
			continue
		case "quoted":
			text, err = strconv.Unquote(strings.TrimSpace(text))
			require.NoError(t, err, f.Name)
		}
		require.NoError(t, os.WriteFile(name+".py", []byte(text), 0o600), i)
	}

	var updated []txtar.File
	scripts := 0
	for _, f := range archive.Files {
		name, ext, _ := strings.Cut(f.Name, ".")
		if ext == "report" {
			continue
		}
		updated = append(updated, f)
		if strings.HasPrefix(name, "module_") {
			continue
		}
		scripts++
		t.Run(name, func(t *testing.T) {
			e := wrongScript(t, name+".py")
			assert.Positive(t, e.Line, "no line")
			assert.Positive(t, e.Column, "no column")
			assert.NotEmpty(t, e.Source, "no source line")
			if !strings.HasPrefix(strings.TrimSpace(e.Source), "raise ") { // the script's own words
				assert.NotEmpty(t, e.Hint, "no word on what to do")
			}
			report := e.Report()
			updated = append(updated, txtar.File{Name: name + ".report", Data: []byte(report)})
			if !*update {
				assert.Equal(t, reports[name], report)
			}
		})
	}
	assert.GreaterOrEqual(t, scripts, 60)
	if *update {
		archive.Files = updated
		require.NoError(t, os.WriteFile(home+"/"+file, txtar.Format(archive), 0o644))
	}
}

// wrongScript runs a script that must fail, on the oracle.
func wrongScript(t *testing.T, file string) *vm.Error {
	t.Helper()
	err := script.Run(t.Context(), file, script.Options{
		Limits: smallLimits,
		Open:   func(context.Context) (device.Device, error) { return oracle.New("x86_64") },
	})
	var e *vm.Error
	require.True(t, errors.As(err, &e), "no error of the script: %v", err)
	return e
}
