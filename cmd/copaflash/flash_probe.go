package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/usb"
	"github.com/copaflash/copaflash/firmware/flash/ihex"
	"github.com/copaflash/copaflash/firmware/flash/volume"
)

// probeFile is the file that the drive of a debug probe takes, with the ending by which the probe knows its form.
func probeFile(b *boards.Board) (name string, file []byte, err error) {
	img, err := b.Flat()
	if err != nil {
		return "", nil, err
	}
	if b.Flash.Drive.File == boards.FormRaw {
		return b.Name + ".bin", img.Data, nil
	}
	if img.Address > 1<<32-1 {
		return "", nil, fmt.Errorf("%s: image at %#x is beyond 32 bits", b.Name, img.Address)
	}
	file, err = ihex.Encode(uint32(img.Address), img.Data)
	return b.Name + ".hex", file, err
}

// flashProbe copies the runner to the drive of the debug probe on the board, and waits for it to answer.
func (a *app) flashProbe(ctx context.Context, b *boards.Board, flags flashFlags, r *flashResult) error {
	name, file, err := probeFile(b)
	if err != nil {
		return err
	}
	drive := volume.Drive{Folder: flags.to}
	if flags.to == "" {
		if drive, err = a.desk.probeDrive(b); err != nil {
			return err
		}
	} else if err := needFolder(flags.to); err != nil {
		return err
	}
	r.To = drive.Folder
	if !volume.IsProbe(r.To) {
		if err := writeDrive(filepath.Join(r.To, name), file, ""); err != nil {
			return err
		}
		r.Written = append(r.Written, name)
		r.Next = "next: copy the file to the board's drive (" + b.Flash.Drive.Enter + ")"
		return nil
	}
	if code := volume.Code(r.To); code != "" && !usb.HasCode(b.USB, code) {
		return &failure{Code: exitIncompatible, Message: fmt.Sprintf("the drive in %s is that of %s, not of a %s", r.To, boardOfCode(code), b.Name),
			Hint: "see copaflash boards for the name of the board that is connected"}
	}
	for _, d := range volume.Below(a.desk.root) {
		if d.Folder == r.To {
			drive = d
		}
	}
	before := earlier{boot: a.bootOf(ctx, b, drive.USB), complaint: volume.Failure(r.To)}
	if err := writeDrive(filepath.Join(r.To, name), file, "DETAILS.TXT"); err != nil {
		return err
	}
	r.Written = append(r.Written, name)
	return a.awaitRunner(ctx, b, drive, before, flags.wait, r)
}

// boardOfCode names the board that a code stands for.
func boardOfCode(code string) string {
	all, _ := boards.Descriptions() // part of the program
	for _, b := range all {
		if usb.HasCode(b.USB, code) {
			return b.Name
		}
	}
	return "a board with the code " + code + ", for which there is no runner"
}

// probeDrive finds the drive of a board: the only one that has its code or, where none says a code, its label.
func (d desk) probeDrive(b *boards.Board) (volume.Drive, error) {
	var fit, unmounted []volume.Drive
	var others []string
	for _, drive := range volume.Below(d.root) {
		labelled := slices.Contains(b.Flash.Drive.Labels, drive.Label)
		if drive.Folder == "" {
			if labelled {
				unmounted = append(unmounted, drive)
			}
			continue
		}
		switch code := volume.Code(drive.Folder); {
		case usb.HasCode(b.USB, code), code == "" && labelled && volume.IsProbe(drive.Folder):
			fit = append(fit, drive)
		case code != "":
			others = append(others, drive.Folder+" is that of "+boardOfCode(code))
		}
	}
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case len(fit) > 1:
		return volume.Drive{}, noFolder(volume.Folders(fit), "the board's USB drive")
	case len(unmounted) > 0:
		return volume.Drive{}, &failure{Code: exitNoDevice, Message: "the board's USB drive " + unmounted[0].Device + " is not mounted",
			Hint: "udisksctl mount -b " + unmounted[0].Device}
	}
	f := &failure{Code: exitNoDevice, Message: "no drive of a " + b.Name, Hint: b.Flash.Drive.Enter + "; or write the file to a folder with --to, or see other ways with --recipe"}
	if len(others) > 0 {
		f.Message += ": " + strings.Join(others, ", ")
	}
	return volume.Drive{}, f
}

// writeDrive writes a file in place: the drive of a boot ROM or probe is not a file system that could rename. It may vanish with
// the last block, so that what comes after that may fail where the drive's mark, a file, is gone by then.
func writeDrive(path string, file []byte, mark string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(file)
	after := errors.Join(f.Sync(), f.Close())
	if err == nil && after != nil && mark != "" {
		if _, gone := os.Stat(filepath.Join(filepath.Dir(path), mark)); gone != nil {
			return nil
		}
	}
	return errors.Join(err, after)
}

// portsOf are the ports of a board: those of the same USB device as its drive or, where the system does not tell, those that
// may be such a board's.
func (d desk) portsOf(b *boards.Board, usbDevice string) []*knownPort {
	ports, err := d.ports()
	if err != nil {
		return nil
	}
	var found []*knownPort
	for i := range ports {
		p := &ports[i]
		if usbDevice != "" && p.USB == usbDevice || usbDevice == "" && slices.Contains(p.Boards, b.Name) {
			found = append(found, p)
		}
	}
	return found
}

// earlier is what was there before the file was copied: the number that the runner had drawn at its start, 0 if none answered,
// and what the probe complained of.
type earlier struct {
	boot      uint32
	complaint string
}

// bootOf is the number that a runner on the board has drawn at its start; 0: none answers.
func (a *app) bootOf(ctx context.Context, b *boards.Board, usbDevice string) uint32 {
	for _, p := range a.desk.portsOf(b, usbDevice) {
		if hello, err := sayHello(ctx, p.Name); err == nil {
			return hello.BootNonce
		}
	}
	return 0
}

// defaultWait is how long a board has to start the runner: a probe writes 64 KB in up to 8 s.
const defaultWait = 20 * time.Second

// awaitRunner waits until the board answers with a runner that has started since, and looks for what the probe complains of.
// That no longer than before is an old runner, and success of the probe alone is no proof that the board runs.
func (a *app) awaitRunner(ctx context.Context, b *boards.Board, drive volume.Drive, before earlier, wait time.Duration, r *flashResult) error {
	if wait <= 0 {
		r.Next = "next: copaflash info --port PORT"
		return nil
	}
	fresh := false
	var last error
	for end := time.Now().Add(wait); time.Now().Before(end); {
		if text := a.desk.failureOn(drive); text != "" && text != before.complaint {
			return probeFailed(b, text)
		}
		for _, p := range a.desk.portsOf(b, drive.USB) {
			r.Port = p.Name
			hello, err := sayHello(ctx, p.Name)
			if last = err; err != nil || hello.BootNonce == before.boot {
				continue
			}
			if hello.Board != b.Name {
				return &failure{Code: exitIncompatible, Message: fmt.Sprintf("the runner on %s is that of a %s, not of a %s", p.Name, hello.Board, b.Name), Hint: "see copaflash ports --probe"}
			}
			fresh = true
		}
		if fresh {
			r.Running = true
			r.Next = "the board runs " + b.Name + "'s runner; next: copaflash deploy SCRIPT --port " + r.Port
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookAgain):
		}
	}
	if text := a.desk.failureOn(drive); text != "" {
		return probeFailed(b, text) // the same as before, or an old one: the board does not run either way
	}
	f := &failure{Code: exitTransport, Message: "the runner was copied, but the board does not answer", Hint: "reset the board, then: copaflash ports --probe"}
	switch {
	case r.Port == "":
		f.Message += ": it has no serial port"
	case last == nil:
		f.Message = "the runner was copied, but the board was not restarted: the one that answers on " + r.Port + " was there before"
	default:
		f.Message += fmt.Sprintf(" (%v)", last)
	}
	return f
}

// probeFailed is the error that a probe has written onto its drive.
func probeFailed(b *boards.Board, text string) error {
	return &failure{Code: exitVerify, Message: "the debug probe says: " + text,
		Hint: "unplug the board, plug it in and try again; else use a tool for its debug probe: copaflash flash " + b.Name + " --recipe"}
}

// failureOn is what a probe says of the last file, on its drive wherever that is mounted now.
func (d desk) failureOn(drive volume.Drive) string {
	for _, now := range volume.Below(d.root) {
		if now.Folder != "" && (drive.USB != "" && now.USB == drive.USB || now.Folder == drive.Folder) {
			return volume.Failure(now.Folder)
		}
	}
	return volume.Failure(drive.Folder)
}
