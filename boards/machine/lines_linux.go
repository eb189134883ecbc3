package machine

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Of linux/gpio.h: the structs of version 2 of the interface, and its requests.
type (
	chipInfo struct {
		name, label [32]byte
		lines       uint32
	}
	lineInfo struct {
		name, consumer [32]byte
		offset         uint32
		attributes     uint32
		flags          uint64
		attribute      [10]struct {
			id, padding uint32
			value       uint64
		}
		padding [4]uint32
	}
)

const (
	getChipInfo = 0x8044b401
	getLineInfo = 0xc100b405
	flagUsed    = 1
)

// scanLines lists the lines of GPIO chips.
func scanLines(root string) ([]Found, error) {
	chips, err := filepath.Glob(filepath.Join(root, "dev/gpiochip*"))
	if err != nil {
		return nil, err
	}
	var all []Found
	for _, chip := range chips {
		f, err := os.OpenFile(chip, os.O_RDWR, 0)
		if err != nil {
			all = append(all, Found{Name: filepath.Base(chip) + "/LINE", Kinds: []string{"in", "out"}, File: chip, Lacks: lacks(chip, os.O_RDWR)})
			continue
		}
		all = append(all, linesOf(f)...)
		f.Close()
	}
	return all, nil
}

func linesOf(f *os.File) []Found {
	ask := func(request uintptr, at unsafe.Pointer) bool {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), request, uintptr(at))
		return errno == 0
	}
	var chip chipInfo
	if !ask(getChipInfo, unsafe.Pointer(&chip)) {
		return nil
	}
	var all []Found
	for i := range min(chip.lines, 1<<10) {
		l := lineInfo{offset: i}
		if !ask(getLineInfo, unsafe.Pointer(&l)) {
			continue
		}
		found := Found{Name: fmt.Sprintf("%s/%d", filepath.Base(f.Name()), i), Kinds: []string{"in", "out"}, File: f.Name(), Title: text(l.name[:])}
		if l.flags&flagUsed != 0 {
			found.Taken = text(l.consumer[:])
			if found.Taken == "" {
				found.Taken = "the kernel"
			}
		}
		all = append(all, found)
	}
	return all
}

func text(field []byte) string {
	before, _, _ := bytes.Cut(field, []byte{0})
	return string(before)
}
