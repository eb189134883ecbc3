package registers

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// memory is a bus that notes every access. ready counts the reads of the register at
// 0x20 until its bit 3 is set.
type memory struct {
	words map[uint32]uint32
	log   []string
	ready int
}

func (m *memory) Read(width Width, address uint32) uint32 {
	m.log = append(m.log, fmt.Sprintf("read%d %#x", width, address))
	if address == 0x20 {
		if m.ready--; m.ready <= 0 {
			m.words[address] |= 8
		}
	}
	return m.words[address]
}

func (m *memory) Write(width Width, address, value uint32) {
	m.log = append(m.log, fmt.Sprintf("write%d %#x %#x", width, address, value))
	m.words[address] = value
}

func TestRun(t *testing.T) {
	m := &memory{words: map[uint32]uint32{4: 0xffff, 0x30: 0xabc << 4, 0x40: 0xf0f0f0f0}, ready: 3}
	slots := map[string]int32{"out": -1, "duty": 0x12}
	require.NoError(t, Run(m, []Entry{
		{Op: Write, Width: 8, Address: 1, Value: 7},
		{Op: Change, Width: 16, Address: 4, Mask: 0xf0, Value: 0x50},
		{Op: Wait, Width: 32, Address: 0x20, Mask: 8, Value: 8, Spins: 3},
		{Op: Load, Width: 32, Address: 0x30, Mask: 0xfff0, Shift: 4, Slot: "in"},
		{Op: Store, Width: 32, Address: 0x40, Mask: 0xff00, Shift: 8, Slot: "duty"},
		{Op: Store, Width: 16, Address: 0x44, Mask: 0xffff, Slot: "out"},
		{Op: Read, Width: 8, Address: 0x48},
	}, slots))
	require.Equal(t, []string{
		"write8 0x1 0x7", "read16 0x4", "write16 0x4 0xff5f", "read32 0x20", "read32 0x20", "read32 0x20", "read32 0x30",
		"read32 0x40", "write32 0x40 0xf0f012f0", "write16 0x44 0xffff", "read8 0x48",
	}, m.log)
	require.Equal(t, int32(0xabc), slots["in"])
}

func TestRunEndsAtAWaitInVain(t *testing.T) {
	m := &memory{words: map[uint32]uint32{}, ready: 3}
	err := Run(m, []Entry{
		{Op: Write, Width: 32, Address: 0, Value: 1},
		{Op: Wait, Width: 32, Address: 0x20, Mask: 8, Value: 8, Spins: 2},
		{Op: Write, Width: 32, Address: 4, Value: 1},
	}, nil)
	var stuck *StuckError
	require.ErrorAs(t, err, &stuck)
	require.Equal(t, 1, stuck.Index)
	require.Equal(t, "entry 1 (wait32 0x00000020 0x8 0x8 2): not so after 2 reads: 0x0", err.Error())
	require.NotContains(t, m.words, uint32(4))
}

func TestEncode(t *testing.T) {
	l := Lists{
		Start:  []Entry{{Op: Wait, Width: 16, Address: 0x1002, Mask: 3, Value: 1, Spins: 0xabcd}, {Op: Write, Width: 8, Address: 0x1001, Value: 7}},
		Before: []Entry{{Op: Load, Width: 32, Address: 0x1004, Mask: 0xf00, Shift: 8, Slot: "x"}},
		After:  []Entry{{Op: Store, Width: 16, Address: 0x1008, Mask: 0xffff, Slot: "x"}, {Op: Store, Width: 32, Address: 0x100c, Mask: 6, Shift: 1, Slot: "x"}},
		Safe:   []Entry{{Op: Change, Width: 32, Address: 0x1010, Mask: 0xf0, Value: 0x30}},
	}
	bytes, err := l.Encode(map[string]uint32{"x": 24})
	require.NoError(t, err)
	require.Len(t, bytes, 7*Bytes)
	var words []uint32
	for i := 0; i < len(bytes); i += 4 {
		words = append(words, binary.LittleEndian.Uint32(bytes[i:]))
	}
	require.Equal(t, []uint32{
		2, 1, 2, 1,
		0xabcd0011, 0x1002, 3, 1,
		0x0002, 0x1001, 0xffffffff, 7,
		0x0825, 0x1004, 0xf00, 24,
		0x0016, 0x1008, 0xffffffff, 24,
		0x0127, 0x100c, 6, 24,
		0x0023, 0x1010, 0xf0, 0x30,
	}, words)
	require.Equal(t, "start list, entry 1 (write8 0x00001001 0x7)", l.At(2))
	require.Equal(t, "safe list, entry 0 (change32 0x00001010 0xf0 0x30)", l.At(6))
	for _, number := range []uint32{0, 7, 1 << 31} {
		require.Empty(t, l.At(number))
	}

	_, err = Lists{After: []Entry{{Op: Load, Width: 8, Mask: 1, Slot: "y"}}}.Encode(nil)
	require.EqualError(t, err, `after list, entry 0 (load8 0x00000000 0x1 >>0 -> y): slot "y" has no place`)
	_, err = Lists{After: []Entry{{Op: Load, Width: 8, Mask: 1, Slot: "y"}}}.Encode(map[string]uint32{"y": 2})
	require.ErrorContains(t, err, "not aligned to 4 bytes")
	_, err = Lists{Safe: []Entry{{Op: Load, Width: 8, Mask: 1, Slot: "y"}}}.Encode(map[string]uint32{"y": 4})
	require.ErrorContains(t, err, "safe list, entry 0 (load8 0x00000000 0x1 >>0 -> y): only writes, changes and reads are safe")
}

func TestCheck(t *testing.T) {
	for text, e := range map[string]Entry{
		"operation 6 is not known":               {Op: 6, Width: 8},
		"width of 24 bits":                       {Width: 24},
		"0x2 is not aligned to 32 bits":          {Width: 32, Address: 2},
		"shift by 32":                            {Op: Load, Width: 32, Mask: 1, Shift: 32, Slot: "x"},
		"has more than 8 bits":                   {Width: 8, Value: 256},
		"write uses no mask":                     {Width: 8, Mask: 1},
		"read uses no mask, and read no value":   {Op: Read, Width: 8, Value: 1},
		"change with a mask of no bits":          {Op: Change, Width: 8},
		"value 0x2 has bits outside of the mask": {Op: Change, Width: 8, Mask: 1, Value: 2},
		"has a number of reads":                  {Op: Wait, Width: 8, Mask: 1, Value: 1},
		"have a slot":                            {Op: Store, Width: 8, Mask: 1},
		"have a shift":                           {Op: Change, Width: 8, Mask: 1, Shift: 1},
	} {
		require.ErrorContains(t, e.Check(), text)
	}
	require.NoError(t, Entry{Op: Store, Width: 16, Address: 2, Mask: 0xff, Shift: 31, Slot: "x"}.Check())
}
