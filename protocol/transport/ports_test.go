package transport

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPortsAreSortedUSBFirst(t *testing.T) {
	ports, err := Ports()
	require.NoError(t, err)
	firstPlain := slices.IndexFunc(ports, func(p PortInfo) bool { return p.VID == "" })
	for i, p := range ports {
		require.NotEmpty(t, p.Name)
		if firstPlain >= 0 && i >= firstPlain {
			require.Empty(t, p.VID, "USB ports come first")
		}
	}
}
