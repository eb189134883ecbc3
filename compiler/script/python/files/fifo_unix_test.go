//go:build unix

package files

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFIFOIsNotOpened(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	require.NoError(t, syscall.Mkfifo(filepath.Join(out, "pipe"), 0o600))
	f := New(dir, out)
	done := make(chan error, 2)
	go func() {
		_, err := f.Read("pipe", 100)
		done <- err
		_, err = f.Create("pipe", 0)
		done <- err
	}()
	for range 2 {
		select {
		case err := <-done:
			require.ErrorIs(t, err, ErrNotRegular)
		case <-time.After(time.Minute):
			t.Fatal("waits for a FIFO")
		}
	}
}
