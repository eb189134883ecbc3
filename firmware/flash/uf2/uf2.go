// Package uf2 writes and checks files in Microsoft's USB Flashing Format, which
// the boot ROMs of the Raspberry Pi Pico family accept as files copied to a USB drive.
//
// The format is that of https://github.com/microsoft/uf2 (README.md), the use of
// it that of the RP2040 datasheet, 2.8.4.2, and the RP2350 datasheet, 5.5.
package uf2

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

const (
	blockBytes   = 512
	payloadBytes = 256 // the boot ROMs take no other size
	// sectorBytes is what flash is erased by. Files hold whole sectors: the
	// RP2040 leaves a sector of which it saw only a part in an unsure state
	// (erratum RP2040-E14).
	sectorBytes = 4096

	magicStart0 = 0x0A324655 // "UF2\n"
	magicStart1 = 0x9E5D5157
	magicEnd    = 0x0AB16F30
	flagFamily  = 0x00002000
)

// erased is what flash reads where nothing was written.
const erased = 0xFF

// Encode returns a file that stores data at an address, which must begin a
// sector. The family says which chips take it.
func Encode(family, address uint32, data []byte) ([]byte, error) {
	if len(data) == 0 {
		return nil, errors.New("uf2: no data")
	}
	if address%sectorBytes != 0 {
		return nil, fmt.Errorf("uf2: address %#x does not begin a sector of %d bytes", address, sectorBytes)
	}
	sectors := (uint64(len(data)) + sectorBytes - 1) / sectorBytes
	if uint64(address)+sectors*sectorBytes > math.MaxUint32 {
		return nil, fmt.Errorf("uf2: %d bytes at %#x go beyond 32 bits", len(data), address)
	}
	blocks := uint32(sectors * (sectorBytes / payloadBytes))
	out := make([]byte, 0, int(blocks)*blockBytes)
	for i := range blocks {
		var payload [payloadBytes]byte
		from := min(int(i)*payloadBytes, len(data))
		for j := copy(payload[:], data[from:]); j < payloadBytes; j++ {
			payload[j] = erased
		}
		start := len(out)
		for _, word := range []uint32{magicStart0, magicStart1, flagFamily, address + i*payloadBytes, payloadBytes, i, blocks, family} {
			out = binary.LittleEndian.AppendUint32(out, word)
		}
		out = append(out, payload[:]...)
		out = append(out, make([]byte, blockBytes-4-(len(out)-start))...)
		out = binary.LittleEndian.AppendUint32(out, magicEnd)
	}
	return out, nil
}
