package oracle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device/devicetest"
	"github.com/copaflash/copaflash/compiler/device/oracle"
)

func TestLoops(t *testing.T) {
	dev, err := oracle.New("x86_64")
	require.NoError(t, err)
	devicetest.Loops{Device: dev}.Run(t)
}
