package vm_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// FuzzRun runs any text as a script within small limits: it ends in time,
// and whatever goes wrong is an error with a report and never a fault of the
// interpreter.
func FuzzRun(f *testing.F) {
	files, err := filepath.Glob("testdata/python/*.py")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, file := range append(files, "testdata/errors.txt") {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		_, sources := programs(string(text))
		for _, src := range sources {
			f.Add([]byte(src))
		}
	}
	limits := vm.Limits{Steps: 100_000, Memory: 8 << 20, Recursion: 60, IntBits: 1 << 16}
	f.Fuzz(func(t *testing.T, src []byte) {
		var out bytes.Buffer
		_, err := newThread(&out, limits).Run("fuzz.py", src)
		if err == nil {
			return
		}
		var e *vm.Error
		if !errors.As(err, &e) {
			t.Fatalf("error of type %T", err)
		}
		if e.Kind == "InternalError" {
			t.Fatal(e.Report())
		}
		if e.Report() == "" {
			t.Fatal("no report")
		}
	})
}
