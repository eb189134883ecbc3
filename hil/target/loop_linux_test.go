package target

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device/devicetest"
)

func TestLoopsInTheSandbox(t *testing.T) {
	dev, err := OpenRunner(t.Context(), SandboxName, Options{})
	require.NoError(t, err)
	t.Cleanup(dev.Close)
	devicetest.Loops{Device: dev, Hz: 500}.Run(t)
}
