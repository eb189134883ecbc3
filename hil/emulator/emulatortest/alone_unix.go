//go:build unix

package emulatortest

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Alone waits until no other board under -icount runs on this machine, and keeps others from it until release is called or
// the test ends. Such an emulator always works, in two threads: where several share two processors, all take many times as long.
func Alone(t testing.TB) (release func()) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(os.TempDir(), "copaflash-counting.lock"), os.O_CREATE|os.O_RDWR, 0o666)
	require.NoError(t, err)
	require.NoError(t, unix.Flock(int(f.Fd()), unix.LOCK_EX))
	release = sync.OnceFunc(func() { f.Close() })
	t.Cleanup(release)
	return release
}
