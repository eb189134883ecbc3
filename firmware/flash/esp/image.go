package esp

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// Parts of an image.
const (
	headerBytes  = 24 // the extended header included
	segmentBytes = 8  // address and size in front of the data
	imageAlign   = 16 // the sum is the last byte of so many
	wordBytes    = 4

	imageMagic = 0xE9
	modeDIO    = 2 // the slowest that every module is wired for
	flash4MB   = 2 << 4
	speed40MHz = 0
	noWP       = 0xEE // no pin of the flash's write protection is set by the image
	anyRev     = 0xFFFF
	hashed     = 1 // a SHA-256 follows
	firstSum   = 0xEF
)

// Encode returns the image of a program of one segment, which the ROM loads to an address on the data bus before it jumps to the
// entry. The chip is the number of its kind, such as 5 for an ESP32-C3.
func Encode(chip uint16, entry, address uint32, data []byte) ([]byte, error) {
	switch {
	case len(data) == 0:
		return nil, errors.New("esp: no data")
	case address%wordBytes != 0:
		return nil, fmt.Errorf("esp: address %#x does not begin a word", address)
	}
	size := (uint64(len(data)) + wordBytes - 1) / wordBytes * wordBytes
	if uint64(address)+size > 1<<32 {
		return nil, fmt.Errorf("esp: %d bytes at %#x go beyond 32 bits", len(data), address)
	}
	out := []byte{imageMagic, 1, modeDIO, flash4MB | speed40MHz}
	out = binary.LittleEndian.AppendUint32(out, entry)
	out = append(out, noWP, 0, 0, 0)
	out = binary.LittleEndian.AppendUint16(out, chip)
	out = append(out, 0, 0, 0) // least revision, in both forms
	out = binary.LittleEndian.AppendUint16(out, anyRev)
	out = append(out, 0, 0, 0, 0, hashed)

	out = binary.LittleEndian.AppendUint32(out, address)
	out = binary.LittleEndian.AppendUint32(out, uint32(size))
	out = append(out, data...)
	out = append(out, make([]byte, int(size)-len(data))...)
	out = append(out, make([]byte, imageAlign-1-len(out)%imageAlign)...)
	out = append(out, xor(firstSum, data))
	sum := sha256.Sum256(out)
	return append(out, sum[:]...), nil
}

// xor adds up bytes by exclusive or.
func xor(sum byte, data []byte) byte {
	for _, b := range data {
		sum ^= b
	}
	return sum
}
