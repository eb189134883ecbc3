package flat

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// segment is a program header to be written into a test file.
type segment struct {
	kind    uint32 // 1: load
	address uint32 // physical; the virtual one differs, as for data copied at start
	data    string
	memory  uint32 // size in memory; 0: that of data
}

// entryAddress is where the programs of test files start.
const entryAddress = 0x4038_0020

// file writes a 32-bit Arm ELF file by the layout of the specification.
func file(segments ...segment) []byte {
	const header, entry = 52, 32
	var b, body bytes.Buffer
	b.WriteString("\x7fELF\x01\x01\x01")
	b.Write(make([]byte, 9))
	put := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&b, binary.LittleEndian, v)
		}
	}
	put(uint16(2), uint16(40), uint32(1), uint32(entryAddress), uint32(header), uint32(0), uint32(0),
		uint16(header), uint16(entry), uint16(len(segments)), uint16(40), uint16(0), uint16(0))
	for _, s := range segments {
		offset := header + entry*len(segments) + body.Len()
		body.WriteString(s.data)
		put(s.kind, uint32(offset), s.address^0x2000_0000, s.address, uint32(len(s.data)), max(s.memory, uint32(len(s.data))), uint32(5), uint32(4))
	}
	return append(b.Bytes(), body.Bytes()...)
}

func TestFromELF(t *testing.T) {
	for _, tt := range []struct {
		name     string
		segments []segment
		address  uint64
		data     string
		err      string
	}{
		{"one", []segment{{1, 0x0800_0000, "code", 0}}, 0x0800_0000, "code", ""},
		{"by load address, not by order or place in memory", []segment{{1, 0x1000_0008, "data", 0}, {1, 0x1000_0000, "code", 0}},
			0x1000_0000, "code\x00\x00\x00\x00data", ""},
		{"memory to be cleared is not stored", []segment{{1, 0x0800_0000, "code", 0}, {1, 0x2000_0000, "", 4096}, {1, 0x0800_0004, "d", 64}},
			0x0800_0000, "coded", ""},
		{"other kinds of segments", []segment{{4, 0, "note", 0}, {1, 0x100, "code", 0}}, 0x100, "code", ""},
		{"nothing", []segment{{4, 0, "note", 0}}, 0, "", "nothing to load"},
		{"far apart", []segment{{1, 0, "a", 0}, {1, 0x2000_0000, "b", 0}}, 0, "", "spread over 536870913 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := FromELF(file(tt.segments...))
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, &Image{tt.address, entryAddress, []byte(tt.data)}, got)
		})
	}
	whole := file(segment{1, 0, "code", 0})
	_, err := FromELF(whole[:len(whole)-1])
	require.ErrorContains(t, err, "segment at 0x0")
}

func FuzzFromELF(f *testing.F) {
	f.Add(file(segment{1, 0x0800_0000, "code", 0}, segment{1, 0x0800_0010, "data", 0}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if img, err := FromELF(data); err == nil {
			require.LessOrEqual(t, len(img.Data), maxBytes)
		}
	})
}
