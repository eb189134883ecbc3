package transport

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPortsAreSortedUSBFirst(t *testing.T) {
	ports := []PortInfo{{Name: "ttyS1"}, {Name: "ttyUSB0", VID: "0403"}, {Name: "ttyS0"}, {Name: "ttyACM0", VID: "2e8a"}}
	slices.SortFunc(ports, usbFirst)
	require.Equal(t, []PortInfo{{Name: "ttyACM0", VID: "2e8a"}, {Name: "ttyUSB0", VID: "0403"}, {Name: "ttyS0"}, {Name: "ttyS1"}}, ports)

	// Those of this machine, which may be none.
	ports, err := Ports()
	require.NoError(t, err)
	require.True(t, slices.IsSortedFunc(ports, usbFirst))
	for _, p := range ports {
		require.NotEmpty(t, p.Name)
	}
}
