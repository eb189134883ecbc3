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
	}
}

// Every device that a board names is one that the table names, too.
func TestDevicesOfBoards(t *testing.T) {
	all, err := boards.Descriptions()
	require.NoError(t, err)
	seen := 0
	for _, b := range all {
		if b.USB == nil {
			continue
		}
		for _, d := range b.USB.Devices {
			require.NotNil(t, Find(d.VID, d.PID), b.Name)
			seen++
		}
	}
	require.NotZero(t, seen)
}

func TestIdentify(t *testing.T) {
	const v1, v2 = "9900000051864e45", "9904360254974e45"
	for _, tt := range []struct {
		name      string
		text      Text
		code      string
		boards    []string
		sure      bool
		candidate bool
	}{
		{"a micro:bit", Text{VID: "0d28", PID: "0204", Serial: v1}, "", []string{"microbit"}, true, true},
		{"its drive says nothing else", Text{VID: "0d28", PID: "0204", Serial: v1}, "9900", []string{"microbit"}, true, true},
		{"version 1.5", Text{VID: "0d28", PID: "0204", Serial: "9901" + v1[4:]}, "", []string{"microbit"}, true, true},
		{"no serial number", Text{VID: "0d28", PID: "0204"}, "", []string{"microbit"}, false, true},
		{"a Nucleo with its drive", Text{VID: "0483", PID: "374b", Serial: "066DFF545071494867192841"}, "0777", []string{"nucleo-f446re"}, true, true},
		{"a Nucleo without", Text{VID: "0483", PID: "374b", Serial: "0777FF545071494867192841"}, "", []string{"nucleo-f446re"}, false, true},
		{"a Nucleo that nobody has a runner for", Text{VID: "0483", PID: "374b"}, "FFFF", nil, false, true},
		{"an adapter", Text{VID: "0403", PID: "6001"}, "", nil, false, true},
		{"a debug probe", Text{VID: "2e8a", PID: "000c"}, "", nil, false, true},
		{"the runner of a Pico", Text{VID: "2e8a", PID: "000a", Product: "Copaflash pico"}, "", []string{"pico"}, true, true},
		{"that of a Pico 2", Text{VID: "2e8a", PID: "0009", Product: "Copaflash pico2"}, "", []string{"pico2"}, true, true},
		{"a Pico with another program", Text{VID: "2e8a", PID: "000a", Product: "Pico"}, "", nil, false, false},
		{"an Arduino", Text{VID: "2341", PID: "0043"}, "", nil, false, false},
		{"MicroPython", Text{VID: "2e8a", PID: "0005"}, "", nil, false, false},
		{"unknown", Text{VID: "ffff", PID: "0001"}, "", nil, false, false},
		{"not USB", Text{}, "", nil, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			id, err := Identify(tt.text, tt.code)
			require.NoError(t, err)
			var names []string
			for _, b := range id.Boards {
				names = append(names, b.Name)
			}
			require.Subset(t, names, tt.boards)
			if tt.sure || tt.boards == nil {
				require.Equal(t, tt.boards, names)
			}
			require.Equal(t, tt.sure, id.Sure)
			require.Equal(t, tt.candidate, id.Candidate())
		})
	}
	// A version 2 is no version 1, whose runner would not start there.
	id, err := Identify(Text{VID: "0d28", PID: "0204", Serial: v2}, "")
	require.NoError(t, err)
	for _, b := range id.Boards {
		require.NotEqual(t, "microbit", b.Name)
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
