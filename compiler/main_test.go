package compiler_test

import (
	"os"
	"sync"
	"testing"
)

// tempDir is a directory for programs that the tests build, removed at the end.
var tempDir = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "copaflash-compiler") })

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := tempDir(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}
