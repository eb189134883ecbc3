// Package dfutest is a model of the USB boot loader in the ROM of an STM32F4, with the states of DFU 1.1 (appendix A) and the
// commands of AN3156. It shares nothing with the client, numbers included, and complains of requests that a chip would not take.
package dfutest

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/copaflash/copaflash/firmware/flash/dfu"
)

// A Device is the model. Its fields are set before the first request.
type Device struct {
	Flash    []byte
	Base     uint32
	Sectors  []int // bytes
	Transfer int
	State    byte // where an earlier host left it

	Protected bool
	Slow      int  // questions for the status until an operation ends; it asks for 50 ms each time
	Hang      bool // operations never end
	Stuck     int  // offset of a byte that cannot be written; -1: none
	Vanish    bool // gone with the last question for the status, as many are
	StallAt   int  // number of a request that it does not take; 0: none
	PullAt    int  // number of a request at which it is unplugged; 0: never
	Waited    time.Duration
	Erased    []uint32
	Started   uint32 // address; 0: not
	Wrong     string // what the host did against the rules

	requests int
	status   byte
	pointer  uint32
	pending  func() byte // work of the last download: its status
	left     int
	gone     bool
}

// New returns the chip of a board with four sectors of 16 KiB, one of 64 and three of 128.
func New() *Device {
	d := &Device{Base: 0x0800_0000, Transfer: 2048, State: 2, Stuck: -1, Sectors: []int{16384, 16384, 16384, 16384, 65536, 131072, 131072, 131072}}
	total := 0
	for _, s := range d.Sectors {
		total += s
	}
	d.Flash = make([]byte, total) // not erased
	return d
}

// Wait is the clock of a host: it adds up what the device has asked for.
func (d *Device) Wait(t time.Duration) { d.Waited += t }

// Out takes a request.
func (d *Device) Out(request byte, value uint16, data []byte) error {
	if err := d.begin(); err != nil {
		return err
	}
	switch request {
	case 1:
		return d.download(value, data)
	case 4:
		if d.State != 10 {
			return d.refuse("clear the status in state %d", d.State)
		}
		d.State, d.status = 2, 0
	case 6:
		if d.State == 4 || d.State == 7 || d.State == 10 {
			return d.refuse("abort in state %d", d.State)
		}
		d.State, d.pending = 2, nil
	default:
		return d.refuse("request %d", request)
	}
	return nil
}

// In answers a request.
func (d *Device) In(request byte, value uint16, p []byte) (int, error) {
	if err := d.begin(); err != nil {
		return 0, err
	}
	switch request {
	case 3:
		return d.tell(p)
	case 2:
		if d.State != 2 && d.State != 9 {
			return 0, d.refuse("upload in state %d", d.State)
		}
		at := int(d.pointer-d.Base) + (int(value)-2)*d.Transfer
		if value < 2 || len(p) > d.Transfer || at < 0 || at+len(p) > len(d.Flash) {
			return 0, d.refuse("upload block %d of %d bytes", value, len(p))
		}
		if d.Protected {
			d.State, d.status = 10, 11
			return 0, dfu.ErrStall
		}
		d.State = 9
		if len(p) < d.Transfer {
			d.State = 2
		}
		return copy(p, d.Flash[at:]), nil
	}
	return 0, d.refuse("request %d", request)
}

func (d *Device) begin() error {
	d.requests++
	if d.PullAt > 0 && d.requests >= d.PullAt {
		d.gone = true
	}
	switch {
	case d.gone:
		return dfu.ErrGone
	case d.requests == d.StallAt:
		d.State, d.status = 10, 15
		return dfu.ErrStall
	}
	return nil
}

// refuse stalls, and notes what a host should not have asked for.
func (d *Device) refuse(format string, args ...any) error {
	d.Wrong = fmt.Sprintf(format, args...)
	d.State, d.status = 10, 15
	return dfu.ErrStall
}

func (d *Device) download(block uint16, data []byte) error {
	switch {
	case d.State != 2 && d.State != 5:
		return d.refuse("download in state %d", d.State)
	case len(data) > d.Transfer:
		return d.refuse("download %d bytes", len(data))
	case len(data) == 0:
		d.State, d.pending = 6, nil
		return nil
	case block == 0:
		d.pending = func() byte { return d.command(data) }
	case block == 1:
		return d.refuse("download block 1")
	default:
		at := int(d.pointer-d.Base) + (int(block)-2)*d.Transfer
		d.pending = func() byte { return d.program(at, data) }
	}
	d.State, d.left = 3, d.Slow
	return nil
}

// tell is the status; work begins with the first question for it.
func (d *Device) tell(p []byte) (int, error) {
	poll := uint32(0)
	switch d.State {
	case 3:
		d.State, poll = 4, 50
	case 4:
		poll = 50
		if d.left > 0 || d.Hang {
			d.left--
			break
		}
		d.State, poll = 5, 0
		if d.status = d.pending(); d.status != 0 {
			d.State = 10
		}
	case 6:
		d.State, d.Started = 7, d.pointer
		d.gone = true
		if d.Vanish {
			return 0, dfu.ErrGone
		}
	}
	var answer [6]byte
	binary.LittleEndian.PutUint32(answer[:], poll<<8)
	answer[0], answer[4] = d.status, d.State
	return copy(p, answer[:]), nil
}

func (d *Device) command(data []byte) byte {
	if len(data) != 5 {
		d.Wrong = fmt.Sprintf("a command of %d bytes", len(data))
		return 15
	}
	address := binary.LittleEndian.Uint32(data[1:])
	switch data[0] {
	case 0x21:
		if address < d.Base || int(address-d.Base) >= len(d.Flash) {
			return 8
		}
		d.pointer = address
		return 0
	case 0x41:
		if d.Protected {
			return 11
		}
		at := d.Base
		for _, s := range d.Sectors {
			if address >= at && address < at+uint32(s) {
				for i := range s {
					d.Flash[int(at-d.Base)+i] = 0xFF
				}
				d.Erased = append(d.Erased, at)
				return 0
			}
			at += uint32(s)
		}
		return 8
	}
	d.Wrong = fmt.Sprintf("command %#x", data[0])
	return 15
}

func (d *Device) program(at int, data []byte) byte {
	switch {
	case d.Protected:
		return 11
	case at < 0 || at+len(data) > len(d.Flash):
		return 8
	}
	for i, v := range data {
		if d.Flash[at+i] != 0xFF {
			return 5
		}
		d.Flash[at+i] = v
		if at+i == d.Stuck {
			d.Flash[at+i] = 0
		}
	}
	return 0
}
