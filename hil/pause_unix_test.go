//go:build unix

package hil_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// pause runs f while the board stands still: one that is idle and counts keeps a processor busy.
func (c *counter) pause(t testing.TB, f func()) {
	t.Helper()
	require.NoError(t, syscall.Kill(c.pid, syscall.SIGSTOP))
	defer syscall.Kill(c.pid, syscall.SIGCONT)
	f()
}
