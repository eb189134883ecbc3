package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/flash/dfu"
)

// pipe is one that is closed after use.
type pipe interface {
	dfu.Pipe
	io.Closer
}

// openUSB opens a device of the kernel.
func openUSB(d dfu.Device) (pipe, error) {
	u, err := dfu.Open(d)
	if err != nil {
		return nil, err // and no interface around a nil pointer
	}
	return u, nil
}

// flashDFU programs a board through the USB port of the boot loader in its ROM.
func (a *app) flashDFU(ctx context.Context, b *boards.Board, r *flashResult) error {
	s := b.Flash.STM32
	if runtime.GOOS != "linux" {
		return &failure{Code: exitIncompatible, Message: "--dfu works on Linux only", Hint: "with dfu-util: dfu-util -a 0 -s " + fmt.Sprintf("%#x", uint32(s.Flash)) + ":leave -D FILE, where FILE is that of copaflash flash " + b.Name + " --recipe --to FOLDER"}
	}
	img, err := b.Flat()
	if err != nil {
		return err
	}
	found, err := dfu.Find(a.desk.root)
	if err != nil {
		return err
	}
	if len(found) != 1 {
		f := &failure{Code: exitNoDevice, Message: "no boot loader of an STM32 on USB", Hint: s.DFU}
		if len(found) > 1 {
			f.Code, f.Message, f.Hint = exitUsage, fmt.Sprintf("%d boot loaders of STM32 chips on USB", len(found)), "unplug all but one"
		}
		return f
	}
	d := found[0]
	if err := sameFlash(s, &d.Flash); err != nil {
		return &failure{Code: exitIncompatible, Message: fmt.Sprintf("the chip on USB is not that of a %s: %v", b.Name, err), Hint: "check the name of the board: copaflash boards"}
	}
	p, err := a.desk.openDFU(d)
	if err != nil {
		return dfuFailure(d.Path, err)
	}
	defer p.Close()
	if err := dfu.Program(ctx, p, d.Flash, uint32(img.Address), img.Data, dfu.Options{Transfer: d.Transfer, Progress: a.stage}); err != nil {
		return dfuFailure(d.Path, err)
	}
	r.Port, r.Bytes = d.Path, len(img.Data)
	r.Next = "the runner was started; next: copaflash info --port PORT (UART: copaflash boards " + b.Name + ")"
	return nil
}

// sameFlash holds the layout that a chip tells against that of the board's: chips of other families have other ones.
func sameFlash(s *boards.STM32, l *dfu.Layout) error {
	var want []uint32
	for _, run := range s.Sectors {
		want = append(want, slices.Repeat([]uint32{run.Bytes}, int(run.Count))...)
	}
	if l.Start != uint32(s.Flash) || !slices.Equal(l.Sectors, want) {
		return fmt.Errorf("its flash has %s at %#x", plural(len(l.Sectors), "sector"), l.Start)
	}
	return nil
}

// dfuFailure finds exit code and next step for what the boot loader or the kernel said.
func dfuFailure(path string, err error) error {
	f := classify(fmt.Errorf("%s: %w", path, err))
	var verify *dfu.VerifyError
	switch {
	case errors.Is(err, fs.ErrPermission):
		f.Code, f.Hint = exitNoDevice, `let users open it by a udev rule: SUBSYSTEM=="usb", ATTR{idVendor}=="0483", ATTR{idProduct}=="df11", TAG+="uaccess"`
	case errors.Is(err, dfu.ErrProtected):
		f.Code, f.Hint = exitFailed, "lift the protection over the serial boot loader, which erases the whole chip: --port PORT --unlock"
	case errors.As(err, &verify):
		f.Code, f.Hint = exitVerify, "flash cannot be written there: try again, else the chip is worn or damaged"
	default:
		f.Code = exitTransport
		f.Hint = strings.TrimPrefix(f.Hint+"; ", "; ") + "reset the board into its boot loader and try again"
	}
	return f
}
