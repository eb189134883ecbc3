package transport

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.bug.st/serial"
)

// A pseudo terminal has no parity to look at, so this looks at what is asked for.
func TestParityStaysWithTheRate(t *testing.T) {
	for _, parity := range []serial.Parity{serial.NoParity, serial.EvenParity} {
		s := &serialPort{parity: parity}
		for _, baud := range []int{9600, 115200} {
			require.Equal(t, &serial.Mode{BaudRate: baud, DataBits: 8, Parity: parity, StopBits: serial.OneStopBit}, s.mode(baud))
		}
	}
}
