//go:build linux || darwin || freebsd || openbsd

package transport

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestLockEndsWithItsRelease: not with the last copy of its descriptor.
func TestLockEndsWithItsRelease(t *testing.T) {
	name := filepath.Join(t.TempDir(), "port")
	require.NoError(t, os.WriteFile(name, nil, 0o600))
	l, err := lockPort(name)
	require.NoError(t, err)
	copied, err := unix.Dup(int(l.f.Fd()))
	require.NoError(t, err)
	defer unix.Close(copied)
	_, err = lockPort(name)
	require.ErrorIs(t, err, ErrBusy)
	l.release()
	again, err := lockPort(name)
	require.NoError(t, err)
	again.release()
}
