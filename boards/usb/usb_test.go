package usb

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
)

func TestTable(t *testing.T) {
	digits := regexp.MustCompile(`^[0-9a-f]{4}$`)
	require.NotEmpty(t, devices)
	for i, d := range devices {
		require.Regexp(t, digits, d.VID)
		if d.PID != "" {
			require.Regexp(t, digits, d.PID)
		}
		require.NotEmpty(t, d.Name)
		require.Same(t, &devices[i], Find(d.VID, d.PID), "%s %s is hidden by a row before", d.VID, d.PID)
		for _, name := range d.Boards {
			_, err := boards.Find(name)
			require.NoError(t, err)
		}
	}
}

func TestFind(t *testing.T) {
	for _, tt := range []struct{ vid, pid, want string }{
		{"0d28", "0204", "DAPLink"}, {"2e8a", "000c", "Raspberry Pi Debug Probe"}, {"2e8a", "ffff", "Raspberry Pi"}, {"1366", "0105", "SEGGER J-Link"},
	} {
		d := Find(tt.vid, tt.pid)
		require.NotNil(t, d)
		require.Equal(t, tt.want, d.Name)
	}
	for _, none := range []struct{ vid, pid string }{{"0d28", "0205"}, {"", ""}, {"ffff", "0001"}} {
		require.Nil(t, Find(none.vid, none.pid))
	}
}
