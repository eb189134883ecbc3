package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil"
)

// A case that needs what the board has not is no failure, a suite of which nothing ran
// is one.
func TestHilFailureOfWhatIsNotSent(t *testing.T) {
	large := hil.Result{Name: "large", NotSent: "the image needs 9000 bytes of data memory, the runner has 4096"}
	r := &hil.Report{Target: "qemu:sifive-e", Passed: 1, NotSent: 1, Results: []hil.Result{{Name: "small", OK: true}, large}}
	require.Nil(t, hilFailure(r))

	r = &hil.Report{Target: "qemu:sifive-e", NotSent: 1, Results: []hil.Result{large}}
	f := hilFailure(r)
	require.NotNil(t, f)
	require.Equal(t, exitIncompatible, f.Code)
	require.Equal(t, "none of 1 case can run on qemu:sifive-e", f.Message)
	require.Contains(t, f.Hint, "take a board that has it")
}
