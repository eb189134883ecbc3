package boards

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sync"
)

// Lower case, digits, and single dashes or underscores between them.
var nameForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9]+([-_][a-z0-9]+)*$`)
})

const (
	maxName  = 32 // bytes; HELLO carries the name
	maxBauds = 16 // HELLO carries the list
)

// Parse decodes and checks the text of a board.json. Unknown fields are errors.
func Parse(text []byte) (Board, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var b Board
	if err := dec.Decode(&b); err != nil {
		return Board{}, fmt.Errorf("board.json: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Board{}, errors.New("board.json: text after the end of the board")
	}
	if err := b.check(); err != nil {
		return Board{}, fmt.Errorf("board.json: %w", err)
	}
	return b, nil
}

func (b *Board) check() error {
	for _, f := range []struct{ field, value string }{
		{"title", b.Title}, {"cpu", b.CPU}, {"fpu", b.FPU}, {"arch", b.Arch},
		{"uart.device", b.UART.Device}, {"timer.device", b.Timer.Device}, {"image", b.ImageFile},
	} {
		if f.value == "" {
			return fmt.Errorf("%s is missing", f.field)
		}
	}
	names := []struct{ field, value string }{{"name", b.Name}, {"chip", b.Chip}}
	for _, alias := range b.Aliases {
		names = append(names, struct{ field, value string }{"alias", alias})
	}
	for _, f := range names {
		if len(f.value) > maxName || !nameForm().MatchString(f.value) {
			return fmt.Errorf("%s %q: want up to %d lower-case letters, digits, - and _", f.field, f.value, maxName)
		}
	}
	if b.ImageFile != b.Name+".elf" {
		return fmt.Errorf("image %q: want %s.elf", b.ImageFile, b.Name)
	}
	if b.RAM == 0 {
		return errors.New("ram_bytes is missing")
	}
	if b.Timer.Hz == 0 {
		return errors.New("timer.hz is missing")
	}
	if tiers := []Tier{TierQEMU, TierSimulated, TierModelled, TierBuilds}; !slices.Contains(tiers, b.Tier) {
		return fmt.Errorf("tier %q: want one of %v", b.Tier, tiers)
	}
	if b.Tier == TierQEMU && b.QEMU == nil {
		return fmt.Errorf("tier %s without qemu", TierQEMU)
	}
	if b.QEMU != nil && b.QEMU.Watchdog && b.Watchdog == nil {
		return errors.New("qemu.watchdog of a board without one")
	}
	return errors.Join(b.UART.check(), b.Watchdog.check(), b.QEMU.check(), b.Flash.check(), b.USB.check(), b.checkDrive())
}

func (u *UART) check() error {
	if len(u.Bauds) == 0 || len(u.Bauds) > maxBauds {
		return fmt.Errorf("uart.bauds: %d rates, want 1 to %d", len(u.Bauds), maxBauds)
	}
	seen := map[uint32]bool{}
	for _, baud := range u.Bauds {
		if baud == 0 || seen[baud] {
			return fmt.Errorf("uart.bauds: %d is zero or listed twice", baud)
		}
		seen[baud] = true
	}
	return nil
}

func (w *Watchdog) check() error {
	switch {
	case w == nil:
		return nil
	case w.Device == "":
		return errors.New("watchdog.device is missing")
	case w.Least == 0 || w.Most <= w.Least:
		return fmt.Errorf("watchdog: %d to %d ms", w.Least, w.Most)
	}
	return nil
}

func (q *QEMU) check() error {
	switch {
	case q == nil:
		return nil
	case q.Binary == "":
		return errors.New("qemu.binary is missing")
	case q.Package == "":
		return errors.New("qemu.package is missing")
	case q.Least != "" && !versionForm().MatchString(q.Least):
		return fmt.Errorf("qemu.least %q: want a version such as 9.0", q.Least)
	case len(q.Args) == 0:
		return errors.New("qemu.args is missing")
	case !q.Load.valid():
		return fmt.Errorf("qemu.load %q: want %s or %s", q.Load, FormELF, FormRaw)
	case q.SingleByte && q.Deaf:
		return errors.New("qemu.single_byte and qemu.deaf: bytes that are kept ready would not be handed over")
	}
	return nil
}

var versionForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\d+\.\d+$`)
})

// fileForm keeps a file inside the folder it is written to.
var fileForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
})

func (f *FlashFile) check() error {
	switch {
	case !fileForm().MatchString(f.Name):
		return fmt.Errorf("name %q: want letters, digits, dot, dash and underscore", f.Name)
	case (f.Image == "") == (len(f.Text) == 0):
		return fmt.Errorf("%s: want either image or text", f.Name)
	case f.Image != "" && !f.Image.valid():
		return fmt.Errorf("%s: image %q: want %s or %s", f.Name, f.Image, FormELF, FormRaw)
	}
	return nil
}

var (
	fourDigits = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[0-9a-f]{4}$`)
	})
	codeForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[0-9A-F]{4}$`)
	})
)

func (u *USB) check() error {
	if u == nil {
		return nil
	}
	if len(u.Devices) == 0 && len(u.Codes) == 0 {
		return errors.New("usb without devices and codes")
	}
	for _, d := range u.Devices {
		switch {
		case !fourDigits().MatchString(d.VID) || !fourDigits().MatchString(d.PID):
			return fmt.Errorf("usb.devices: %q:%q: want four hexadecimal digits each, in lower case", d.VID, d.PID)
		case d.Coded && len(u.Codes) == 0:
			return errors.New("usb.devices: coded, but there are no usb.codes")
		}
	}
	for _, c := range u.Codes {
		if !codeForm().MatchString(c) {
			return fmt.Errorf("usb.codes: %q: want four hexadecimal digits in upper case", c)
		}
	}
	return nil
}

// checkDrive holds the drive's board against what the drive tells.
func (b *Board) checkDrive() error {
	if b.Flash != nil && b.Flash.Method == MethodDrive && (b.USB == nil || len(b.USB.Codes) == 0) {
		return fmt.Errorf("flash.method %s without usb.codes, by which the drive is known", MethodDrive)
	}
	return nil
}

func (f Form) valid() bool { return f == FormELF || f == FormRaw }
