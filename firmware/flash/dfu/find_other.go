//go:build !linux

package dfu

import "errors"

// A Device is a boot loader that is connected.
type Device struct {
	Path      string
	Serial    string
	Interface int
	Flash     Layout
	Transfer  int
}

// errNoUSB says that this program speaks to USB devices on Linux only.
var errNoUSB = errors.New("USB devices can be reached on Linux only")

// Find fails: there is no way to USB devices here without a library of others.
func Find(string) ([]Device, error) { return nil, errNoUSB }

// A USB is for Linux.
type USB struct{ Pipe }

// Open fails as Find does.
func Open(Device) (*USB, error) { return nil, errNoUSB }

// Close does nothing.
func (*USB) Close() error { return nil }
