package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/flash/uf2"
	"github.com/copaflash/copaflash/firmware/flash/volume"
)

// cardFolders are mounted cards that a Raspberry Pi boots from.
func (d desk) cardFolders() []string {
	return volume.With(volume.Folders(volume.Below(d.root)), "bootcode.bin", "start.elf", "start4.elf")
}

// uf2File makes the UF2 file of a board and checks it as a boot ROM does.
func uf2File(b *boards.Board) ([]byte, error) {
	img, err := b.Flat()
	if err != nil {
		return nil, err
	}
	if img.Address+uint64(len(img.Data)) > 1<<32 {
		return nil, fmt.Errorf("%s: image at %#x is beyond 32 bits", b.Name, img.Address)
	}
	file, err := uf2.Encode(uint32(b.Flash.UF2.Family), uint32(img.Address), img.Data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name, err)
	}
	if _, err := uf2.Parse(file); err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name, err)
	}
	return file, nil
}

// flashDrive copies the UF2 file to the drive of the boot ROM, or to a folder.
func (a *app) flashDrive(ctx context.Context, b *boards.Board, flags flashFlags, r *flashResult) error {
	file, err := uf2File(b)
	if err != nil {
		return err
	}
	want := b.Flash.UF2.BoardID
	if r.To == "" {
		find := func() (drives []string) {
			for _, d := range volume.With(volume.Folders(volume.Below(a.desk.root)), volume.UF2Info) {
				if volume.BoardID(d) == want {
					drives = append(drives, d)
				}
			}
			return drives
		}
		drives := find()
		if len(drives) == 0 {
			if drives, err = a.touchRunner(ctx, b, flags, find); err != nil {
				return err
			}
		}
		if len(drives) != 1 {
			f := noFolder(drives, "the board's USB drive").(*failure)
			if len(drives) == 0 {
				f.Code = exitNoDevice
				f.Hint = b.Flash.UF2.Enter + "; or write the file to a folder with --to"
			}
			return f
		}
		r.To = drives[0]
	}
	if err := needFolder(r.To); err != nil {
		return err
	}
	id := volume.BoardID(r.To)
	if id != "" && id != want {
		return &failure{Code: exitIncompatible, Message: fmt.Sprintf("the drive in %s is that of a %s, not of a %s", r.To, id, want),
			Hint: "see copaflash boards for the name of the board that is connected"}
	}
	name := b.Name + ".uf2"
	mark := ""
	if id != "" {
		mark = volume.UF2Info
	}
	if err := writeDrive(filepath.Join(r.To, name), file, mark); err != nil {
		return err
	}
	r.Written = append(r.Written, name)
	r.Next = "next: copy the file to the board's drive (" + b.Flash.UF2.Enter + ")"
	if id != "" {
		r.Next = "the board starts the runner now; next: copaflash info --port PORT, with its port over USB (copaflash ports) or at its pins: " + b.UART.Wiring
	}
	return nil
}
