package uf2

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"
)

// Families by chip: https://github.com/microsoft/uf2/blob/master/utils/uf2families.json
const (
	rp2040    = 0xe48bff56
	rp2350arm = 0xe48bff59
)

func TestEncodeParse(t *testing.T) {
	for _, tt := range []struct {
		family, address uint32
		size, sectors   int
	}{
		{rp2040, 0x1000_0000, 1, 1},
		{rp2040, 0x1000_0000, 255, 1},
		{rp2040, 0x1000_0000, 4096, 1},
		{rp2350arm, 0x1000_0000, 4097, 2},
		{rp2350arm, 0x1000_3000, 20_000, 5},
	} {
		data := make([]byte, tt.size)
		for i := range data {
			data[i] = byte(i * 7)
		}
		file, err := Encode(tt.family, tt.address, data)
		require.NoError(t, err)
		got, err := Parse(file)
		require.NoError(t, err)
		require.Equal(t, tt.family, got.Family)
		require.Equal(t, tt.address, got.Address)
		require.Len(t, got.Data, tt.sectors*4096)
		require.Equal(t, data, got.Data[:tt.size])
		require.Equal(t, bytes.Repeat([]byte{0xff}, len(got.Data)-tt.size), got.Data[tt.size:])
	}
}

// TestBlock holds one block against bytes that were written down by hand from
// the specification.
func TestBlock(t *testing.T) {
	file, err := Encode(rp2040, 0x1000_0000, []byte("copaflash"))
	require.NoError(t, err)
	head := "5546320a" + "57515d9e" + "00200000" + "00000010" + "00010000" + "00000000" + "10000000" + "56ff8be4" + hex.EncodeToString([]byte("copaflash")) + "ff"
	require.Equal(t, head, hex.EncodeToString(file[:len(head)/2]))
	require.Equal(t, "000000306fb10a", hex.EncodeToString(file[505:512]))
	second := file[512:]
	require.Equal(t, "00010010", hex.EncodeToString(second[12:16]), "address")
	require.Equal(t, "01000000", hex.EncodeToString(second[20:24]), "number")
}

func TestEncodeRejects(t *testing.T) {
	for _, tt := range []struct {
		address uint32
		size    int
		want    string
	}{
		{0x1000_0000, 0, "no data"},
		{0x1000_0100, 1, "does not begin a sector"},
		{0xffff_f000, 4097, "beyond 32 bits"},
	} {
		_, err := Encode(rp2040, tt.address, make([]byte, tt.size))
		require.ErrorContains(t, err, tt.want)
	}
}

func TestParseRejects(t *testing.T) {
	whole, err := Encode(rp2040, 0x1000_0000, make([]byte, 5000))
	require.NoError(t, err)
	set := func(at int, value byte) func([]byte) []byte {
		return func(f []byte) []byte { f[at] = value; return f }
	}
	for name, tt := range map[string]struct {
		damage func([]byte) []byte
		want   string
	}{
		"empty":         {func([]byte) []byte { return nil }, "0 bytes"},
		"cut":           {func(f []byte) []byte { return f[:len(f)-1] }, "not a whole number of"},
		"block missing": {func(f []byte) []byte { return f[:len(f)-512] }, "block 0: says that it is block 0 of 32, want 0 of 31"},
		"first magic":   {set(0, 'X'), "block 0: not a UF2 block"},
		"second magic":  {set(512+4, 0), "block 1: not a UF2 block"},
		"end magic":     {set(511, 0), "block 0: not a UF2 block"},
		"flags":         {set(8, 1), "block 0: flags 0x2001"},
		"address":       {set(512+12, 0x80), "block 1: address 0x10000180, want 0x10000100"},
		"not a sector":  {set(13, 1), "block 1: address"},
		"size":          {set(17, 0), "block 0: 0 bytes"},
		"number":        {set(512+20, 7), "block 1: says that it is block 7"},
		"family":        {set(512+28, 0x59), "block 1: family 0xe48bff59 among"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(tt.damage(bytes.Clone(whole)))
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func FuzzParse(f *testing.F) {
	whole, err := Encode(rp2040, 0x1000_0000, []byte("copaflash"))
	require.NoError(f, err)
	f.Add(whole)
	f.Fuzz(func(t *testing.T, file []byte) {
		got, err := Parse(file)
		if err != nil {
			return
		}
		again, err := Encode(got.Family, got.Address, got.Data)
		require.NoError(t, err)
		require.Len(t, again, len(file))
	})
}
