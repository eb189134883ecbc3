package main

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/copaflash/copaflash/boards/usb"
	"github.com/copaflash/copaflash/firmware/flash/dfu"
	"github.com/copaflash/copaflash/firmware/flash/volume"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport"
)

// desk is what lies around this machine: its ports, drives and USB devices. Tests have desks of their own.
type desk struct {
	root    string // the folder where the file system begins
	openDFU func(dfu.Device) (pipe, error)
}

// theDesk is the one that the machine is on.
var theDesk = desk{root: "/", openDFU: openUSB}

// knownPort is a port with what its USB identity tells.
type knownPort struct {
	transport.PortInfo
	Device string   `json:"device,omitempty"`
	Boards []string `json:"boards,omitempty"` // that it is likely to be
	// Sure says that it is the one of Boards: a code names it.
	Sure  bool   `json:"sure,omitempty"`
	Drive string `json:"drive,omitempty"` // folder of the same USB device
	// Answer is what came of asking; nil: not asked.
	Answer *portAnswer `json:"answer,omitempty"`

	candidate bool
}

// portAnswer is what a runner says of itself, or why nothing is known.
type portAnswer struct {
	Board     string   `json:"board,omitempty"`
	Firmware  string   `json:"firmware,omitempty"`
	Arch      string   `json:"arch,omitempty"`
	CodeBytes uint32   `json:"code_bytes,omitempty"`
	DataBytes uint32   `json:"data_bytes,omitempty"`
	State     string   `json:"state,omitempty"`
	Error     *failure `json:"error,omitempty"`
}

// ports lists the serial ports with what is known of them; phantoms are told.
func (d desk) ports() ([]knownPort, error) {
	ports, err := transport.PortsBelow(d.root)
	if err != nil {
		return nil, err
	}
	drives := volume.Below(d.root)
	known := make([]knownPort, len(ports))
	for i, p := range ports {
		k := knownPort{PortInfo: p}
		for _, d := range drives {
			if d.USB != "" && d.USB == p.USB && d.Folder != "" {
				k.Drive = d.Folder
			}
		}
		code := ""
		if k.Drive != "" {
			code = volume.Code(k.Drive)
		}
		id, err := usb.Identify(usb.Text{VID: p.VID, PID: p.PID, Product: p.Product, Serial: p.Serial}, code)
		if err != nil {
			return nil, err
		}
		k.Sure, k.candidate = id.Sure, id.Candidate()
		for _, b := range id.Boards {
			k.Boards = append(k.Boards, b.Name)
		}
		if id.Device != nil {
			k.Device = id.Device.Name
		}
		known[i] = k
	}
	return known, nil
}

// likely names the boards that a port may be, those that are not sure with a question mark.
func (p *knownPort) likely() string {
	text := strings.Join(p.Boards, ", ")
	if text != "" && !p.Sure {
		text += "?"
	}
	return text
}

// String names a port with what is known of it.
func (p *knownPort) String() string {
	text := p.Name
	about := p.likely()
	if about == "" {
		about = p.Device
	}
	if p.Answer != nil {
		about = p.Answer.String()
	}
	if about != "" {
		text += " (" + about + ")"
	}
	return text
}

// String is the answer in a few words.
func (r *portAnswer) String() string {
	if r.Error != nil {
		return map[exitCode]string{exitBusy: "in use", exitNoDevice: "cannot be opened", exitTransport: "no answer"}[r.Error.Code]
	}
	return r.Board + ", " + r.Firmware
}

// askTime is how long a runner has for its answer. One that is inside a run may take longer, and is not found.
const askTime = 1500 * time.Millisecond

// ask says HELLO at ports, at all of them at once.
func (d desk) ask(ctx context.Context, ports []*knownPort) {
	var all sync.WaitGroup
	for _, p := range ports {
		all.Go(func() {
			hello, err := sayHello(ctx, p.Name)
			if err != nil {
				p.Answer = &portAnswer{Error: classify(err)}
				return
			}
			p.Answer = &portAnswer{Board: hello.Board, Firmware: hello.Firmware, Arch: hello.Arch.String(),
				CodeBytes: hello.CodeCapacity, DataBytes: hello.DataCapacity, State: hello.State.String()}
		})
	}
	all.Wait()
}

// sayHello asks the runner at a port what it is, and changes nothing there.
func sayHello(ctx context.Context, port string) (*packet.HelloResponse, error) {
	line, err := transport.OpenSerial(port, target.DefaultBaud)
	if err != nil {
		return nil, err
	}
	s, err := session.Open(ctx, line, session.Options{Timeout: askTime, Greeting: askTime})
	if err != nil {
		return nil, err
	}
	info := s.Info()
	return &info, s.Close()
}
