package main

import (
	"fmt"
	"strings"
)

// patchCases holds sections and memory as hexadecimal with spaces for the eye.
// code and data are the memory before, at the given addresses; want is the
// memory after, code and data with a slash between, "" if the section must be
// refused. Results are worked out by hand or taken from an assembler.
var patchCases = []struct {
	name       string
	codeAt     uint64
	dataAt     uint64
	code, data string
	services   []uint64
	section    string
	want       string
}{
	// relation unit shift range bias place target nfields {src len dst}* count {dplace dtarget}*
	{"nothing", 0, 0, "00", "", nil, "", "00/"},
	{"no kinds", 0, 0, "00", "", nil, "00", "00/"},
	{"kind without patches", 0, 0, "00", "", nil, "01 00 01 00 00 00 00 00 01 00 08 00 00", "00/"},
	{"absolute 64 to data", 0, 0x1122334455667700, "ffffffffffffffff", "00000000", nil,
		"01 00 08 00 00 00 00 01 01 00 40 00 01 00 08", "0477665544332211/00000000"},
	{"absolute 32 to code, in data, not aligned", 0x8000, 0x20000000, "0000000000", "aaaaaaaaaaaa", nil,
		"01 00 04 00 20 00 01 00 01 00 20 00 01 01 0a", "0000000000/aa05800000aa"},
	{"two places, target goes back", 0x1000, 0x2000, "00000000 00000000", "0000000000000000", nil,
		"01 00 04 00 20 00 00 01 01 00 20 00 02 00 10 04 07", "0820000004200000/0000000000000000"},
	{"x86 rel32 to data: rip counts from the end of the field", 0x400000, 0x600000, "488b0500000000", "0000000000000000", nil,
		"01 01 04 00 a0 08 00 01 01 00 20 00 01 03 10", "488b0501002000/0000000000000000"},
	{"x86 rel32 out of reach", 0x400000, 0x180400000, "488b0500000000", "0000000000000000", nil,
		"01 01 04 00 a0 08 00 01 01 00 20 00 01 03 10", ""},
	{"x86 rel32 at the far end of its reach", 0x400000, 0x803ffff8, "488b0500000000", "0000000000000000", nil,
		"01 01 04 00 a0 08 00 01 01 00 20 00 01 03 10", "488b05f9ffff7f/0000000000000000"},
	{"aarch64 adrp: page relative, two fields", 0x80000, 0x23456000, "00000090", "00", nil,
		"01 03 04 0c 95 00 00 01 02 00 02 1d 02 13 05 01 00 00", "a09e11d0/00"},
	{"aarch64 adrp backwards", 0x23456000, 0x80000, "03000090", "00", nil,
		"01 03 04 0c 95 00 00 01 02 00 02 1d 02 13 05 01 00 00", "4361eed0/00"},
	{"aarch64 add lo12", 0x80000, 0x23456780, "21000091", "0000000000000000", nil,
		"01 00 04 00 00 00 00 01 01 00 0c 0a 01 00 08", "21101e91/0000000000000000"},
	{"aarch64 bl forwards", 0x80000, 0, "1f2003d5 00000094 c0035fd6 c0035fd6", "", nil,
		"01 01 04 02 9a 00 00 00 01 00 1a 00 01 04 18", "1f2003d502000094c0035fd6c0035fd6/"},
	{"aarch64 bl to a service, backwards", 0x80000, 0, "00000094", "", []uint64{0x10, 0x7fff0},
		"01 01 04 02 9a 00 00 02 01 00 1a 00 01 00 02", "fcffff97/"},
	{"page absolute", 0, 0x12345678, "0000000000000000", "00000000", nil,
		"01 02 08 00 00 00 00 01 01 00 40 00 01 00 00", "0050341200000000/00000000"},
	{"bits beside the fields stay", 0, 0x1f, "ffff", "00", nil,
		"01 00 02 00 00 00 00 01 02 00 02 00 02 02 08 01 00 00", "ffff/00"},
	{"fields clear bits", 0, 0, "ffff", "00", nil,
		"01 00 02 00 00 00 00 01 02 00 02 00 02 02 08 01 00 00", "fcfc/00"},
	{"one byte, unsigned 8 bits", 0, 0xff, "00", "00", nil,
		"01 00 01 00 08 00 00 01 01 00 08 00 01 00 00", "ff/00"},
	{"one byte, unsigned 8 bits, too large", 0, 0x100, "00", "00", nil,
		"01 00 01 00 08 00 00 01 01 00 08 00 01 00 00", ""},
	{"signed 8 bits, least", 0x80, 0, "00", "00", nil,
		"01 01 01 00 88 00 00 01 01 00 08 00 01 00 00", "80/00"},
	{"signed 8 bits, below least", 0x81, 0, "00", "00", nil,
		"01 01 01 00 88 00 00 01 01 00 08 00 01 00 00", ""},
	{"unsigned of a negative value", 0x10, 0, "00", "00", nil,
		"01 01 01 00 08 00 00 01 01 00 08 00 01 00 00", ""},
	{"unsigned 64 bits hold a negative value", 0x10, 0, "0000000000000000", "00", nil,
		"01 01 08 00 40 00 00 01 01 00 40 00 01 00 00", "f0ffffffffffffff/00"},
	{"signed 64 bits hold any value", 0x10, 0xfffffffffffffff0, "0000000000000000", "00", nil,
		"01 01 08 00 c0 00 00 01 01 00 40 00 01 00 00", "e0ffffffffffffff/00"},
	{"unsigned 64 bits hold a shifted negative value", 0x10, 0, "0000000000000000", "00", nil,
		"01 01 08 04 40 00 00 01 01 00 40 00 01 00 00", "ffffffffffffffff/00"},
	{"unsigned 63 bits do not hold a negative value", 0x10, 0, "0000000000000000", "00", nil,
		"01 01 08 00 3f 00 00 01 01 00 40 00 01 00 00", ""},
	{"arithmetic shift", 0x10, 0, "00", "00", nil,
		"01 01 01 02 88 00 00 01 01 00 08 00 01 00 00", "fc/00"},
	{"bias is added to the place", 0x10, 0x20, "00", "00", nil,
		"01 01 01 00 88 10 00 01 01 00 08 00 01 00 00", "08/00"},
	{"target one past the end", 0x100, 0, "00", "", nil,
		"01 00 01 00 00 00 00 00 01 00 08 00 01 00 02", "01/"},
	{"place in the last byte", 0, 0, "0000", "", nil,
		"01 00 01 00 00 00 00 00 01 00 08 00 01 01 04", "0002/"},
	{"two kinds", 0x40, 0x60, "0000", "0000", nil,
		"02 00 01 00 00 00 00 01 01 00 08 00 01 01 00 00 01 00 00 00 01 00 01 00 08 00 01 00 02", "0060/4100"},

	{"target two past the end", 0x100, 0, "00", "", nil, "01 00 01 00 00 00 00 00 01 00 08 00 01 00 04", ""},
	{"target before the start", 0x100, 0, "00", "", nil, "01 00 01 00 00 00 00 00 01 00 08 00 01 00 01", ""},
	{"place past the end", 0, 0, "0000", "", nil, "01 00 01 00 00 00 00 00 01 00 08 00 01 02 00", ""},
	{"unit sticks out", 0, 0, "000000", "", nil, "01 00 04 00 00 00 00 00 01 00 20 00 01 00 00", ""},
	{"unit larger than the region", 0, 0, "000000", "", nil, "01 00 08 00 00 00 00 00 01 00 20 00 01 00 00", ""},
	{"places add up past the end", 0, 0, "00000000", "", nil, "01 00 01 00 00 00 00 00 01 00 08 00 02 02 00 02 00", ""},
	{"places add up beyond 32 bits", 0, 0, "00000000", "", nil, "01 00 01 00 00 00 00 00 01 00 08 00 02 01 00 ffffffff0f 00", ""},
	{"no such service", 0, 0, "00", "", []uint64{1}, "01 00 01 00 00 00 00 02 01 00 08 00 01 00 02", ""},
	{"no services", 0, 0, "00", "", nil, "01 00 01 00 00 00 00 02 01 00 08 00 01 00 00", ""},
	{"no such relation", 0, 0, "00", "", nil, "01 04 01 00 00 00 00 00 01 00 08 00 00", ""},
	{"unit of 3", 0, 0, "00000000", "", nil, "01 00 03 00 00 00 00 00 01 00 08 00 00", ""},
	{"unit of 0", 0, 0, "00", "", nil, "01 00 00 00 00 00 00 00 01 00 08 00 00", ""},
	{"unit of 16", 0, 0, "00", "", nil, "01 00 10 00 00 00 00 00 01 00 08 00 00", ""},
	{"shift of 64", 0, 0, "00", "", nil, "01 00 01 40 00 00 00 00 01 00 08 00 00", ""},
	{"range of 65 bits", 0, 0, "00", "", nil, "01 00 01 00 41 00 00 00 01 00 08 00 00", ""},
	{"signed range of 0 bits", 0, 0, "00", "", nil, "01 00 01 00 80 00 00 00 01 00 08 00 00", ""},
	{"places among patches", 0, 0, "00", "", nil, "01 00 01 00 00 00 02 00 01 00 08 00 00", ""},
	{"no such target region", 0, 0, "00", "", nil, "01 00 01 00 00 00 00 03 01 00 08 00 00", ""},
	{"no fields", 0, 0, "00", "", nil, "01 00 01 00 00 00 00 00 00 00", ""},
	{"nine fields", 0, 0, "0000", "", nil,
		"01 00 02 00 00 00 00 00 09 000100 000101 000102 000103 000104 000105 000106 000107 000108 00", ""},
	{"field of 0 bits", 0, 0, "00", "", nil, "01 00 01 00 00 00 00 00 01 00 00 00 00", ""},
	{"field beyond the value", 0, 0, "00", "", nil, "01 00 01 00 00 00 00 00 01 3f 02 00 00", ""},
	{"field beyond the unit", 0, 0, "00", "", nil, "01 00 01 00 00 00 00 00 01 00 08 01 00", ""},
	{"field far beyond the unit", 0, 0, "00", "", nil, "01 00 01 00 00 00 00 00 01 00 ff ff 00", ""},
	{"ends in a kind", 0, 0, "00", "", nil, "01 00 01 00", ""},
	{"ends in a field", 0, 0, "00", "", nil, "01 00 01 00 00 00 00 00 01 00 08", ""},
	{"ends before the count", 0, 0, "00", "", nil, "01 00 01 00 00 00 00 00 01 00 08 00", ""},
	{"ends in the list", 0, 0, "00", "", nil, "01 00 01 00 00 00 00 00 01 00 08 00 02 00 00", ""},
	{"endless count", 0, 0, "00", "", nil, "01 00 01 00 00 00 00 00 01 00 08 00 ffffffff0f 00 00", ""},
	{"endless kinds", 0, 0, "00", "", nil, "ffffffff0f", ""},
	{"bytes after the last kind", 0, 0, "00", "", nil, "00 00", ""},
	{"number of 33 bits", 0, 0, "00", "", nil, "ffffffff1f", ""},
	{"number of six bytes", 0, 0, "00", "", nil, "808080808001", ""},
	{"number not in its shortest form", 0, 0, "00", "", nil, "8000", ""},
}

func patches() string {
	var b strings.Builder
	b.WriteString(banner + `#
# Patch sections and what they do to code and data memory. Addresses are those that the program sees.
# A "bad" section must be refused; what has been patched before its fault was found does not matter.
# name | address of code | address of data | code | data | services | section | ok or bad | code after | data after

`)
	for _, c := range patchCases {
		verdict, code, data := "bad", "-", "-"
		if c.want != "" {
			verdict = "ok"
			code, data, _ = strings.Cut(c.want, "/")
			data = hexText(unhex(data))
		}
		services := "-"
		for i, s := range c.services {
			if i == 0 {
				services = ""
			} else {
				services += ","
			}
			services += fmt.Sprintf("%016x", s)
		}
		fmt.Fprintf(&b, "%s | %#x | %#x | %s | %s | %s | %s | %s | %s | %s\n", c.name, c.codeAt, c.dataAt,
			spaced(c.code), spaced(c.data), services, spaced(c.section), verdict, code, data)
	}
	return b.String()
}

func spaced(s string) string { return hexText(unhex(strings.ReplaceAll(s, " ", ""))) }
