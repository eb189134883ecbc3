package main

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
)

// reloc is a relocation within a sample.
type reloc struct {
	at     int
	kind   string // ELF name
	symbol string
	addend int64 // 0 in files that keep addends in the code
}

// relocName is the ELF name of a relocation type of a machine.
func relocName(m elf.Machine, kind uint32) string {
	switch m {
	case elf.EM_X86_64:
		return elf.R_X86_64(kind).String()
	case elf.EM_AARCH64:
		return elf.R_AARCH64(kind).String()
	case elf.EM_RISCV:
		return elf.R_RISCV(kind).String()
	case elf.EM_ARM:
		return elf.R_ARM(kind).String()
	case elf.EM_386:
		return elf.R_386(kind).String()
	}
	return fmt.Sprintf("%v %d", m, kind)
}

// readRelocs lists the relocations of a section in the order of their places.
func readRelocs(f *elf.File, section *elf.Section, symbols []elf.Symbol) ([]reloc, error) {
	var out []reloc
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA && s.Type != elf.SHT_REL || f.Sections[s.Info] != section {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return nil, err
		}
		word := 4
		if f.Class == elf.ELFCLASS64 {
			word = 8
		}
		// A record is place, type and symbol, and in a RELA section the addend.
		size := 2 * word
		if s.Type == elf.SHT_RELA {
			size = 3 * word
		}
		for ; len(data) >= size; data = data[size:] {
			place, number, kind, addend := uint64(binary.LittleEndian.Uint32(data)), uint32(0), uint32(0), int64(0)
			if word == 8 {
				place = binary.LittleEndian.Uint64(data)
				info := binary.LittleEndian.Uint64(data[8:])
				number, kind = uint32(info>>32), uint32(info)
			} else {
				info := binary.LittleEndian.Uint32(data[4:])
				number, kind = info>>8, info&0xff
			}
			if s.Type == elf.SHT_RELA {
				addend = int64(int32(binary.LittleEndian.Uint32(data[2*word:])))
			}
			if number == 0 {
				return nil, fmt.Errorf("relocation %s without a symbol", relocName(f.Machine, kind))
			}
			symbol := symbols[number-1] // symbol 0 is not in the list
			name := symbol.Name
			if elf.ST_TYPE(symbol.Info) == elf.STT_SECTION {
				name = f.Sections[symbol.Section].Name
			}
			out = append(out, reloc{int(place), relocName(f.Machine, kind), name, addend})
		}
	}
	slices.SortStableFunc(out, func(a, b reloc) int { return a.at - b.at })
	return out, nil
}

// thumbBit is what the addresses of Thumb functions have beside the address.
func thumbBit(f *elf.File) uint64 {
	if f.Machine == elf.EM_ARM {
		return 1
	}
	return 0
}
