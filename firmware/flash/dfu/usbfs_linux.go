package dfu

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// controlTimeout is how long one request may take, in milliseconds: the boot loader answers at once, and is asked again for
// what takes longer.
const controlTimeout = 5000

// control is struct usbdevfs_ctrltransfer of linux/usbdevice_fs.h.
type control struct {
	requestType, request byte
	value, index, length uint16
	timeout              uint32
	data                 unsafe.Pointer
}

// setInterface is struct usbdevfs_setinterface.
type setInterface struct{ number, setting uint32 }

// Numbers of requests by asm-generic/ioctl.h: direction, size of the argument, 'U', number.
const (
	toKernel, fromKernel = 1, 2

	ioControl   = (toKernel|fromKernel)<<30 | unsafe.Sizeof(control{})<<16 | 'U'<<8
	ioSetting   = fromKernel<<30 | unsafe.Sizeof(setInterface{})<<16 | 'U'<<8 | 4
	ioClaim     = fromKernel<<30 | 4<<16 | 'U'<<8 | 15
	classOut    = 0x21 // class request to an interface
	classIn     = 0xA1
	mostControl = 4096 // bytes, of the kernel
)

// A USB is the Pipe of a device of the kernel's usbfs.
type USB struct {
	file  *os.File
	index uint16
}

// Open opens a device and claims its interface.
func Open(d Device) (*USB, error) {
	f, err := os.OpenFile(d.Path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	u := &USB{file: f, index: uint16(d.Interface)}
	number := uint32(d.Interface)
	err = u.ioctl(ioClaim, unsafe.Pointer(&number))
	if err == nil {
		first := setInterface{number: number}
		err = u.ioctl(ioSetting, unsafe.Pointer(&first))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", d.Path, err), f.Close())
	}
	return u, nil
}

// Close lets go of the device.
func (u *USB) Close() error { return u.file.Close() }

// Out sends a request.
func (u *USB) Out(request byte, value uint16, data []byte) error {
	_, err := u.transfer(classOut, request, value, data)
	return err
}

// In sends a request that is answered.
func (u *USB) In(request byte, value uint16, p []byte) (int, error) {
	return u.transfer(classIn, request, value, p)
}

func (u *USB) transfer(kind, request byte, value uint16, data []byte) (int, error) {
	if len(data) > mostControl {
		return 0, fmt.Errorf("%d bytes in one request, more than %d", len(data), mostControl)
	}
	c := control{requestType: kind, request: request, value: value, index: u.index, length: uint16(len(data)), timeout: controlTimeout}
	// The kernel reads the pointer out of the structure: what it points to must not move meanwhile.
	var pin runtime.Pinner
	defer pin.Unpin()
	if len(data) > 0 {
		pin.Pin(&data[0])
		c.data = unsafe.Pointer(&data[0])
	}
	n, _, number := unix.Syscall(unix.SYS_IOCTL, u.file.Fd(), ioControl, uintptr(unsafe.Pointer(&c)))
	runtime.KeepAlive(data)
	if number != 0 {
		return 0, translate(number)
	}
	return int(n), nil
}

func (u *USB) ioctl(request uintptr, argument unsafe.Pointer) error {
	if _, _, number := unix.Syscall(unix.SYS_IOCTL, u.file.Fd(), request, uintptr(argument)); number != 0 {
		return translate(number)
	}
	return nil
}

// translate finds the error of this package that fits.
func translate(number unix.Errno) error {
	switch number {
	case unix.EPIPE:
		return ErrStall
	case unix.ENODEV, unix.ESHUTDOWN, unix.EPROTO:
		return fmt.Errorf("%w (%w)", ErrGone, number)
	}
	return number
}
