// Package ihex writes files in Intel's hexadecimal object format, which debug
// probes take as files copied to their USB drive, and which hold the address.
//
// The format is that of Intel's "Hexadecimal Object File Format Specification",
// revision A of 1988: records of up to 255 bytes, and extended linear addresses.
package ihex

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

const (
	recordBytes = 16 // of data: what every reader takes

	typeData    = 0
	typeEnd     = 1
	typeAddress = 4 // the upper half of the addresses that follow
)

// Encode returns a file that holds data at an address.
func Encode(address uint32, data []byte) ([]byte, error) {
	if len(data) == 0 {
		return nil, errors.New("ihex: no data")
	}
	if uint64(address)+uint64(len(data)) > math.MaxUint32 {
		return nil, fmt.Errorf("ihex: %d bytes at %#x go beyond 32 bits", len(data), address)
	}
	var b strings.Builder
	upper := uint32(0)
	for len(data) > 0 {
		if address>>16 != upper {
			upper = address >> 16
			record(&b, typeAddress, 0, []byte{byte(upper >> 8), byte(upper)})
		}
		// A record does not go beyond the 64 KiB that its address counts in.
		n := min(len(data), recordBytes, int(1<<16-address&0xffff))
		record(&b, typeData, uint16(address), data[:n])
		data, address = data[n:], address+uint32(n)
	}
	record(&b, typeEnd, 0, nil)
	return []byte(b.String()), nil
}

// record writes one line, whose bytes add up to 0.
func record(b *strings.Builder, kind byte, address uint16, data []byte) {
	line := append([]byte{byte(len(data)), byte(address >> 8), byte(address), kind}, data...)
	sum := byte(0)
	for _, v := range line {
		sum += v
	}
	fmt.Fprintf(b, ":%X%02X\r\n", line, -sum)
}
