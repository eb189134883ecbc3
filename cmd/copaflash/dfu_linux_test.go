package main

import (
	"encoding/gob"
	"errors"
	"flag"
	"net"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/flash/dfu"
	"github.com/copaflash/copaflash/firmware/flash/dfu/dfutest"
)

// A dfuRequest goes from the command under test to the model of a boot loader, in another process, and a dfuAnswer back.
type dfuRequest struct {
	In      bool
	Request byte
	Value   uint16
	Data    []byte
	Length  int
}

type dfuAnswer struct {
	Data        []byte
	Stall, Gone bool
}

// modelPipe is the end of the command: a socket stands where the kernel has the device.
type modelPipe struct {
	net.Conn
	send    *gob.Encoder
	receive *gob.Decoder
}

var openForTests = openModel

// openModel opens the socket at a device's place.
func openModel(d dfu.Device) (pipe, error) {
	if info, err := os.Stat(d.Path); err != nil || info.Mode()&os.ModeSocket == 0 {
		return openUSB(d) // whose errors are tested
	}
	c, err := net.Dial("unix", d.Path)
	if err != nil {
		return nil, err
	}
	return &modelPipe{c, gob.NewEncoder(c), gob.NewDecoder(c)}, nil
}

func (p *modelPipe) ask(q dfuRequest) ([]byte, error) {
	var a dfuAnswer
	if err := errors.Join(p.send.Encode(q), p.receive.Decode(&a)); err != nil {
		return nil, err
	}
	switch {
	case a.Stall:
		return nil, dfu.ErrStall
	case a.Gone:
		return nil, dfu.ErrGone
	}
	return a.Data, nil
}

func (p *modelPipe) Out(request byte, value uint16, data []byte) error {
	_, err := p.ask(dfuRequest{Request: request, Value: value, Data: data})
	return err
}

func (p *modelPipe) In(request byte, value uint16, data []byte) (int, error) {
	got, err := p.ask(dfuRequest{In: true, Request: request, Value: value, Length: len(data)})
	return copy(data, got), err
}

// dfuCmd plugs in the chip of a Netduino Plus 2 in its boot loader:
//
//	dfu [-layout TEXT] [-protected] [-stuck] [-plain]
//
// -stuck has a byte of flash that stays 0, -plain has an ordinary file where the device should be.
func dfuCmd(ts *testscript.TestScript, neg bool, args []string) {
	f := flag.NewFlagSet("dfu", flag.ContinueOnError)
	layout := f.String("layout", "@Internal Flash  /0x08000000/04*016Kg,01*064Kg,07*128Kg", "")
	protected, stuck, plain := f.Bool("protected", false, ""), f.Bool("stuck", false, ""), f.Bool("plain", false, "")
	ts.Check(f.Parse(args))
	const device = "sys/bus/usb/devices/1-9/"
	for name, text := range map[string]string{
		"idVendor": "0483", "idProduct": "df11", "busnum": "1", "devnum": "9", "serial": "3576384F3235",
		"1-9:1.0/bInterfaceClass": "fe", "1-9:1.0/bInterfaceSubClass": "01", "1-9:1.0/bInterfaceProtocol": "02", "1-9:1.0/bInterfaceNumber": "00", "1-9:1.0/interface": *layout,
	} {
		put(ts, device+name, text+"\n")
	}
	put(ts, device+"descriptors", "\x12\x01\x00\x01\x00\x00\x00\x40\x83\x04\x11\xdf\x00\x22\x01\x02\x03\x01\x09\x21\x0b\xff\x00\x00\x08\x1a\x01")
	path := filepath.Join(deskOf(ts), "dev/bus/usb/001/009")
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
	_ = os.Remove(path)
	if *plain {
		put(ts, "dev/bus/usb/001/009", "")
		return
	}
	b, err := boards.Find("netduinoplus2")
	ts.Check(err)
	img, err := b.Flat()
	ts.Check(err)
	d := dfutest.New()
	d.Sectors = append(d.Sectors, 131072, 131072, 131072, 131072)
	d.Flash = make([]byte, 1<<20)
	d.Protected, d.Vanish = *protected, true
	if *stuck {
		for i, v := range img.Data {
			if v != 0 {
				d.Stuck = i
			}
		}
	}
	l, err := net.Listen("unix", path)
	ts.Check(err)
	ts.Defer(func() {
		l.Close()
		if d.Wrong != "" {
			ts.Logf("the boot loader complains: %s", d.Wrong)
		}
	})
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		in, out := gob.NewDecoder(c), gob.NewEncoder(c)
		for {
			var q dfuRequest
			if in.Decode(&q) != nil {
				return
			}
			var a dfuAnswer
			if q.In {
				a.Data = make([]byte, q.Length)
				var n int
				n, err = d.In(q.Request, q.Value, a.Data)
				a.Data = a.Data[:n]
			} else {
				err = d.Out(q.Request, q.Value, q.Data)
			}
			a.Stall, a.Gone = errors.Is(err, dfu.ErrStall), errors.Is(err, dfu.ErrGone)
			if d.Started != 0 && d.Wrong == "" {
				_ = os.WriteFile(filepath.Join(ts.Getenv("WORK"), "stored"), d.Flash[:len(img.Data)], 0o600)
			}
			if out.Encode(a) != nil {
				return
			}
		}
	}()
}
