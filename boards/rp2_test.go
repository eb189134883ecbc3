package boards

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The chips of the RP2 family: how an image lies in flash memory and where its
// boot block copies it to.
var rp2 = map[string]struct {
	vectors uint32 // bytes from the start of flash memory
	text    uint32 // address in RAM that the start of flash memory goes to
	end     uint32
	last    uint32 // highest interrupt with a vector
	hole    uint32 // first of the exceptions up to 10 that the core does not have
}{
	"rp2040": {vectors: 256, text: 0x2003_8000, end: 0x2004_0000, last: 20, hole: 4},
	"rp2350": {vectors: 512, text: 0x2007_8000, end: 0x2008_0000, last: 33, hole: 8},
}

const (
	rp2Flash = 0x1000_0000
	rp2RAM   = 0x2000_0000
)

// flashOf returns what lies in flash memory of a board as words.
func flashOf(t *testing.T, name string) (Board, []uint32) {
	t.Helper()
	b, err := Find(name)
	require.NoError(t, err)
	img, err := b.Flat()
	require.NoError(t, err)
	require.EqualValues(t, rp2Flash, img.Address)
	require.Zero(t, len(img.Data)%4)
	words := make([]uint32, len(img.Data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(img.Data[4*i:])
	}
	return b, words
}

// TestRP2Vectors checks what the boot block hands over to: a stack in RAM below
// the text, and handlers in the text, all of them Thumb and all of them stored.
func TestRP2Vectors(t *testing.T) {
	for _, name := range []string{"pico", "pico2"} {
		b, words := flashOf(t, name)
		chip := rp2[b.Chip]
		require.LessOrEqual(t, uint32(4*len(words)), chip.end-chip.text, "%s: more than the boot block copies", name)
		vectors := words[chip.vectors/4:]
		require.Zero(t, vectors[0]%8, "%s: stack", name)
		require.Greater(t, vectors[0], uint32(rp2RAM), "%s: stack", name)
		require.LessOrEqual(t, vectors[0], chip.text, "%s: stack", name)
		count := 16 + chip.last + 1
		require.LessOrEqual(t, 4*count, uint32(256), "the table is aligned to 256 bytes")
		for i, v := range vectors[1:count] {
			number := uint32(i + 1)
			if number >= chip.hole && number <= 10 || number >= 16 && number < 16+chip.last {
				continue // of an exception that there is not, or an interrupt that is never enabled: code lies there
			}
			require.EqualValues(t, 1, v&1, "%s: vector %d", name, i+1)
			require.GreaterOrEqual(t, v, chip.text+chip.vectors+4*chip.hole, "%s: vector %d", name, i+1)
			require.Less(t, v, chip.text+uint32(4*len(words)), "%s: vector %d", name, i+1)
		}
	}
}

// TestRP2040Regions checks what the memory protection unit of the RP2040 is
// given, step by step: the text and the gate in it can be executed, since the region of all RAM,
// which comes later and prevails, leaves out its last eighth.
func TestRP2040Regions(t *testing.T) {
	const (
		write      = 1                   // what a step does at its address (CF_STEP_PLAIN)
		base       = 0xe000_ed9c + write // MPU_RBAR
		rights     = 0xe000_eda0 + write // MPU_RASR
		valid      = 1 << 4
		enable     = 1
		readOnly   = 5 << 24 // for the runner
		readAny    = 6 << 24 // for programs, too
		private    = 1 << 24 // for the runner, to read and write
		noExecute  = 1 << 28
		sram       = 3 << 17 // shareable, cached
		flash      = 1 << 17
		lastEighth = 1 << 15
	)
	size := func(log2 uint32) uint32 { return (log2 - 1) << 1 }
	_, words := flashOf(t, "pico")
	want := []uint32{
		base, 0x2003_8000 | valid, rights, enable | readOnly | flash | size(15),
		base, 0x2003_e000 | valid | 1, rights, enable | readAny | flash | size(13),
		base, rp2RAM | valid | 2, rights, enable | private | noExecute | sram | lastEighth | size(18),
	}
	for i := range words[:len(words)-len(want)] {
		if slices.Equal(words[i:i+len(want)], want) {
			return
		}
	}
	t.Fatalf("no table of regions that begins with %#x", want)
}

// TestRP2040BootBlock works out the CRC that the boot ROM wants in the last word
// of 256 bytes. It is that of package hash/crc32 with the bits of every byte and
// of the result reversed, and no inversion at the end.
func TestRP2040BootBlock(t *testing.T) {
	_, words := flashOf(t, "pico")
	var block []byte
	for _, w := range words[:63] {
		block = binary.LittleEndian.AppendUint32(block, w)
	}
	require.EqualValues(t, 0x0376e6e7, rp2040CRC([]byte("123456789")), "check value of this CRC")
	want := rp2040CRC(block)
	require.Equal(t, want, words[63], "the last word of firmware/chip/rp2040/boot.S has to be %#08x", want)

	flipped := append([]byte{block[0] ^ 1}, block[1:]...)
	require.NotEqual(t, want, rp2040CRC(flipped))
	require.Subset(t, words[:63], []uint32{rp2Flash + 256, rp2["rp2040"].text + 256, rp2["rp2040"].end}, "copies from, to, until")
}

func rp2040CRC(data []byte) uint32 {
	reversed := make([]byte, len(data))
	for i, b := range data {
		reversed[i] = bits.Reverse8(b)
	}
	return bits.Reverse32(^crc32.ChecksumIEEE(reversed))
}

// TestRP2350ImageDefinition walks the blocks in the first 4 KiB as the boot ROM
// does: a loop of blocks, one of which says that this is an image for a secure
// Arm core. Without an item for the entry, the image begins with vectors.
func TestRP2350ImageDefinition(t *testing.T) {
	const (
		start, end = 0xffffded3, 0xab123579
		imageType  = 0x42
		last       = 0xff
		// Executable (1), secure (2 << 4), Arm (0 << 8), RP2350 (1 << 12).
		secureArm = 0x1021
	)
	_, words := flashOf(t, "pico2")
	first := words[:min(len(words), 1024)]
	var found []int
	for i, w := range first {
		if w == start {
			found = append(found, i)
		}
	}
	require.Len(t, found, 1, "blocks in the first 4 KiB")
	at := found[0] + 1
	var types []uint32
	items := 0
	for first[at]&0x7f != last&0x7f {
		size := int(first[at] >> 8 & 0xff)
		require.Positive(t, size, "size of an item")
		if first[at]&0xff == imageType {
			require.Equal(t, 1, size)
			types = append(types, first[at]>>16)
		}
		at += size
		items += size
	}
	require.Equal(t, []uint32{secureArm}, types)
	require.EqualValues(t, last|items<<8, first[at], "last item: words before it")
	require.Zero(t, first[at+1], "the loop of blocks has one")
	require.EqualValues(t, uint32(end), first[at+2])

	// The ROM's vectors: the stack is the runner's, all code still in flash.
	chip := rp2["rp2350"]
	require.Equal(t, words[chip.vectors/4], first[0])
	for i, v := range first[1:16] {
		require.EqualValues(t, 1, v&1, "vector %d", i+1)
		require.Greater(t, v, uint32(rp2Flash+4*(at+2)), "vector %d", i+1)
		require.Less(t, v, rp2Flash+chip.vectors, "vector %d", i+1)
	}
	require.Subset(t, words[:chip.vectors/4], []uint32{rp2Flash + chip.vectors, chip.text + chip.vectors, chip.end}, "copies from, to, until")
}
