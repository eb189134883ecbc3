package transport

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.bug.st/serial"
)

// failing is a port whose device is gone.
type failing struct {
	serial.Port
	err error
}

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// What systems say of a device that was unplugged is a hang-up, and never that the
// port could not be opened: it was.
func TestUnpluggedIsAHangup(t *testing.T) {
	for _, err := range []error{
		fs.ErrPermission, fs.ErrNotExist, syscall.EIO, syscall.ENODEV, syscall.ENXIO, errors.New("A device attached to the system is not functioning."),
	} {
		s := &serialPort{port: failing{err: err}, name: "COM3"}
		_, got := s.Read(make([]byte, 1))
		assert.ErrorIs(t, got, ErrHangup, "%v", err)
		for _, wrong := range []error{ErrPermission, ErrNoDevice, ErrBusy} {
			assert.NotErrorIs(t, got, wrong, "%v", err)
		}
		assert.ErrorContains(t, got, "COM3: ")
	}
	assert.ErrorIs(t, serialError("COM3", fs.ErrPermission), ErrPermission, "at opening")
}
