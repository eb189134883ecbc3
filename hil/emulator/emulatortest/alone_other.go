//go:build !unix

package emulatortest

import "testing"

// Alone does nothing: there are no emulators here.
func Alone(testing.TB) (release func()) { return func() {} }
