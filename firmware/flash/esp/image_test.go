package esp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEncodeParse(t *testing.T) {
	for _, size := range []int{1, 4, 7, 8, 9, 1023, 20_000} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(i * 7)
		}
		file, err := Encode(5, 0x4038_0020, 0x3fc8_0000, data)
		require.NoError(t, err)
		require.Zero(t, len(file)%16, "the digest has 32 bytes")
		for _, behind := range []int{0, 100} {
			m, err := Parse(append(bytes.Clone(file), bytes.Repeat([]byte{0xff}, behind)...))
			require.NoError(t, err)
			padded := append(bytes.Clone(data), make([]byte, -size&3)...)
			require.Equal(t, &Image{5, 0x4038_0020, []Segment{{0x3fc8_0000, padded}}, len(file)}, m)
		}
	}
}

// TestLayout holds an image against bytes that were written down by hand from the documentation.
func TestLayout(t *testing.T) {
	file, err := Encode(5, 0x4038_0020, 0x3fc8_0000, []byte("abcde"))
	require.NoError(t, err)
	want := "e9010220" + "20003840" + "ee000000" + "0500" + "00" + "0000" + "ffff" + "00000000" + "01" +
		"0000c83f" + "08000000" + hex.EncodeToString([]byte("abcde")) + "000000" +
		"00000000" + "000000" + "8e" // 0xef ^ 'a' ^ 'b' ^ 'c' ^ 'd' ^ 'e'
	require.Equal(t, want, hex.EncodeToString(file[:len(want)/2]))
	sum := sha256.Sum256(file[:len(want)/2])
	require.Equal(t, sum[:], file[len(want)/2:])
}

func TestEncodeRejects(t *testing.T) {
	for _, tt := range []struct {
		address uint32
		size    int
		want    string
	}{
		{0x3fc8_0000, 0, "no data"},
		{0x3fc8_0002, 1, "does not begin a word"},
		{0xffff_fffc, 5, "beyond 32 bits"},
	} {
		_, err := Encode(5, 0, tt.address, make([]byte, tt.size))
		require.ErrorContains(t, err, tt.want)
	}
	_, err := Encode(5, 0, 0xffff_fffc, make([]byte, 4))
	require.NoError(t, err)
}

func TestParseRejects(t *testing.T) {
	whole, err := Encode(5, 0x4038_0020, 0x3fc8_0000, []byte("copaflash"))
	require.NoError(t, err)
	set := func(at int, value byte) func([]byte) []byte {
		return func(f []byte) []byte { f[at] = value; return f }
	}
	cut := func(n int) func([]byte) []byte { return func(f []byte) []byte { return f[:n] } }
	for name, tt := range map[string]struct {
		damage func([]byte) []byte
		want   string
	}{
		"empty":             {cut(0), "header: EOF"},
		"part of a header":  {cut(23), "header: unexpected EOF"},
		"magic":             {set(0, 0x7f), "begins with 0x7f"},
		"no segments":       {set(1, 0), "0 segments"},
		"many segments":     {set(1, 17), "17 segments"},
		"missing segment":   {set(1, 2), "segment 1: "},
		"mode":              {set(2, 4), "flash mode 4"},
		"flash size":        {set(3, 0x50), "flash size 5"},
		"flash rate":        {set(3, 0x23), "flash rate 3"},
		"no digest":         {set(23, 0), "digest 0"},
		"no segment header": {cut(30), "segment 0: unexpected EOF"},
		"odd address":       {set(24, 1), "not whole words"},
		"odd size":          {set(28, 9), "not whole words"},
		"long segment":      {set(31, 0x10), "segment 0: 268435468 bytes, but there are"},
		"high segment":      {func(f []byte) []byte { copy(f[24:], "\xfc\xff\xff\xff"); return f }, "beyond 32 bits"},
		"data":              {set(40, 0), "sum 0x"},
		"sum":               {set(47, 0), "sum 0x00, want 0x"},
		"no sum":            {cut(44), "sum and digest: 0 bytes behind the segments, want 36"},
		"part of a digest":  {cut(48 + 31), "sum and digest: 35 bytes"},
		"entry":             {set(4, 0), "digest "},
		"digest":            {set(48, 0), "digest "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(tt.damage(bytes.Clone(whole)))
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func FuzzParse(f *testing.F) {
	whole, err := Encode(5, 0x4038_0020, 0x3fc8_0000, []byte("copaflash"))
	require.NoError(f, err)
	f.Add(whole)
	f.Add(whole[:48])
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := Parse(file)
		if err != nil {
			return
		}
		require.LessOrEqual(t, m.Size, len(file))
		total := 24 + 32
		for _, s := range m.Segments {
			total += 8 + len(s.Data)
		}
		require.Less(t, total, m.Size)
		require.Greater(t, total+17, m.Size)
	})
}
