package boards

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// methods say what the fields of each method have to hold.
var methods = map[Method]func(f *Flash) error{
	MethodSDFiles: (*Flash).checkFiles,
	MethodUF2:     func(f *Flash) error { return f.UF2.check() },
	MethodSTM32:   func(f *Flash) error { return f.STM32.check() },
	MethodESP:     func(f *Flash) error { return f.ESP.check() },
	MethodDrive:   func(f *Flash) error { return f.Drive.check() },
	MethodRecipe: func(f *Flash) error {
		if len(f.Recipes) == 0 {
			return errors.New("flash.recipes is missing")
		}
		return nil
	},
}

func (f *Flash) check() error {
	if f == nil {
		return nil
	}
	check, ok := methods[f.Method]
	if !ok {
		return fmt.Errorf("flash.method %q: want one of %v", f.Method, Methods())
	}
	for _, m := range []struct {
		field string
		there bool
		of    Method
	}{
		{"files", f.Files != nil, MethodSDFiles}, {"needs", f.Needs != nil, MethodSDFiles},
		{"uf2", f.UF2 != nil, MethodUF2}, {"stm32", f.STM32 != nil, MethodSTM32},
		{"drive", f.Drive != nil, MethodDrive}, {"esp", f.ESP != nil, MethodESP},
	} {
		if m.there && m.of != f.Method {
			return fmt.Errorf("flash.%s is for the method %s", m.field, m.of)
		}
	}
	for _, r := range f.Recipes {
		if r.With == "" || len(r.Steps) == 0 {
			return errors.New("flash.recipes: with or steps is missing")
		}
		if f.ESP == nil && strings.Contains(strings.Join(r.Steps, " "), "{esp}") {
			return fmt.Errorf("flash.recipes: {esp} is for the method %s", MethodESP)
		}
	}
	return check(f)
}

// Methods lists the methods that there are.
func Methods() []Method {
	var all []Method
	for m := range methods {
		all = append(all, m)
	}
	slices.Sort(all)
	return all
}

func (f *Flash) checkFiles() error {
	if len(f.Files) == 0 {
		return errors.New("flash.files is missing")
	}
	texts := 0
	for _, file := range f.Files {
		if err := file.check(); err != nil {
			return fmt.Errorf("flash.files: %w", err)
		}
		if file.Image == "" {
			texts++
		}
	}
	if texts > 1 {
		return errors.New("flash.files: more than one text")
	}
	return nil
}

func (u *UF2) check() error {
	switch {
	case u == nil:
		return errors.New("flash.uf2 is missing")
	case u.Family == 0:
		return errors.New("flash.uf2.family is missing")
	case u.BoardID == "" || u.Enter == "":
		return errors.New("flash.uf2: board_id or enter is missing")
	}
	return nil
}

func (s *STM32) check() error {
	switch {
	case s == nil:
		return errors.New("flash.stm32 is missing")
	case s.ChipID == 0 || s.ChipID > 0xfff:
		return fmt.Errorf("flash.stm32.chip_id %#x: want 0x1 to 0xfff", uint32(s.ChipID))
	case len(s.Sectors) == 0:
		return errors.New("flash.stm32.sectors is missing")
	case s.Enter == "":
		return errors.New("flash.stm32.enter is missing")
	}
	end := uint64(s.Flash)
	for _, run := range s.Sectors {
		if run.Bytes == 0 || run.Bytes%256 != 0 || run.Count == 0 {
			return fmt.Errorf("flash.stm32.sectors: %d of %d bytes, want multiples of 256", run.Count, run.Bytes)
		}
		end += uint64(run.Bytes) * uint64(run.Count)
	}
	if end > 1<<32 {
		return errors.New("flash.stm32.sectors go beyond 32 bits")
	}
	return nil
}

// espSector is what the flash of Espressif's modules is erased by.
const espSector = 4096

func (e *ESP) check() error {
	switch {
	case e == nil:
		return errors.New("flash.esp is missing")
	case e.ChipID == 0 || e.Chip == "":
		return errors.New("flash.esp: chip_id or chip is missing")
	case e.Offset%espSector != 0:
		return fmt.Errorf("flash.esp.offset %#x: want a multiple of %d", uint32(e.Offset), espSector)
	case e.Enter == "":
		return errors.New("flash.esp.enter is missing")
	}
	return nil
}

func (d *Drive) check() error {
	switch {
	case d == nil:
		return errors.New("flash.drive is missing")
	case d.File != FormRaw && d.File != FormHex:
		return fmt.Errorf("flash.drive.file %q: want %s or %s", d.File, FormRaw, FormHex)
	case len(d.Labels) == 0 || d.Enter == "":
		return errors.New("flash.drive: labels or enter is missing")
	}
	return nil
}
