package image

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/patch"
)

func sample(t testing.TB) *Image {
	patches, err := patch.Encode([]patch.Kind{{
		Relation: packet.RelAbsolute, Unit: 4, Bits: 32, Place: packet.RegionCode, Target: packet.TargetData,
		Fields:  []patch.Field{{Len: 32}},
		Patches: []patch.Patch{{Place: 8, Target: 16}, {Place: 0, Target: 24}},
	}})
	require.NoError(t, err)
	return &Image{
		Version: Version, Arch: packet.ArchAarch64, Features: packet.FeatNeon,
		Code: bytes.Repeat([]byte{0x1f, 0x20, 0x03, 0xd5}, 8),
		Data: []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3f},
		BSS:  12, Patches: patches,
		Entries: []Entry{{Name: "main", Offset: 4}},
		Symbols: []Symbol{{Name: "x", Kind: Input, DType: graph.F32, Offset: 16}, {Name: "y", Kind: Output, DType: graph.I32, Shape: graph.Shape{3}, Offset: 20}},
		Budget:  Budget{Ops: []OpCount{{"add.f32", 3}, {"mul.f32", 9}}, StackBytes: 160, Instructions: 40},
		Source:  "sample.py",
	}
}

func TestFileRoundTrip(t *testing.T) {
	m := sample(t)
	b, err := m.Encode()
	require.NoError(t, err)
	again, err := Decode(b)
	require.NoError(t, err)
	require.Equal(t, m.Digest(), again.Digest())
	require.Equal(t, m.Symbols, again.Symbols)
	require.Equal(t, m.Budget, again.Budget)
	twice, err := again.Encode()
	require.NoError(t, err)
	require.Equal(t, b, twice)
}

func TestDigestLayout(t *testing.T) {
	m := &Image{Arch: packet.ArchX86_64, Features: 3, Code: []byte("code"), Data: []byte("dat"), BSS: 7, Patches: []byte("p"), Entries: []Entry{{Name: "e", Offset: 2}}}
	text := "copa1" + "\x01\x00\x00\x00" + "\x03\x00\x00\x00" + "\x00\x00\x00\x00" +
		"\x04\x00\x00\x00" + "\x03\x00\x00\x00" + "\x07\x00\x00\x00" + "\x01\x00\x00\x00" + "\x01\x00\x00\x00" + "\x02\x00\x00\x00" + "codedatp"
	want := sha256.Sum256([]byte(text))
	require.Equal(t, want[:], m.contents())
	h := fnv.New64a()
	h.Write([]byte(text)[len("copa1"):])
	got := m.Digest()
	require.Equal(t, binary.LittleEndian.AppendUint64(nil, h.Sum64()), got[:])
}

func TestValidateRejects(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*Image)
		want  string
	}{
		"version":            {func(m *Image) { m.Version = 9 }, "format version 9"},
		"architecture":       {func(m *Image) { m.Arch = 99 }, "architecture code 99"},
		"no entry":           {func(m *Image) { m.Entries = nil }, "no entry"},
		"entry outside":      {func(m *Image) { m.Entries[0].Offset = 32 }, "outside the code"},
		"symbol outside":     {func(m *Image) { m.Symbols[1].Offset = 24 }, "outside the data block"},
		"symbol huge":        {func(m *Image) { m.Symbols[1].Shape = graph.Shape{1 << 30, 1 << 30, 1 << 30} }, "larger than 2 GiB"},
		"symbol wide":        {func(m *Image) { m.Symbols[1].Shape = graph.Shape{0, math.MaxInt32 + 1} }, "larger than 2 GiB"},
		"symbol negative":    {func(m *Image) { m.Symbols[1].Shape = graph.Shape{-1} }, "negative dimension"},
		"symbol unaligned":   {func(m *Image) { m.Symbols[0].Offset = 2 }, "not a multiple"},
		"symbol twice":       {func(m *Image) { m.Symbols = append(m.Symbols, m.Symbols[0]) }, "appears twice"},
		"symbol kind":        {func(m *Image) { m.Symbols[0].Kind = 4 }, "unknown kind"},
		"symbol type":        {func(m *Image) { m.Symbols[0].DType = 0 }, "unknown element type"},
		"symbol name":        {func(m *Image) { m.Symbols[0].Name = "\xff" }, "not UTF-8"},
		"old format":         {func(m *Image) { m.Version = Plain; m.Symbols[0].Meta = &Meta{Unit: "V"} }, "in format 2, which has none"},
		"old format, task":   {func(m *Image) { m.Version = Plain; m.Entries[0].Rate = 1 }, "in format 2, which has none"},
		"role of a result":   {func(m *Image) { m.Symbols[0].Meta = &Meta{Role: graph.RoleOutput} }, `the input "x" has the role output`},
		"role of an input":   {func(m *Image) { m.Symbols[1].Meta = &Meta{Role: graph.RoleParam} }, `the output "y" has the role param`},
		"role":               {func(m *Image) { m.Symbols[0].Meta = &Meta{Role: 9} }, "unknown role 9"},
		"unit long":          {func(m *Image) { m.Symbols[0].Meta = &Meta{Unit: strings.Repeat("m", longUnit)} }, "at most 32"},
		"unit control":       {func(m *Image) { m.Symbols[0].Meta = &Meta{Unit: "a\x1bb"} }, "can be printed"},
		"unit not UTF-8":     {func(m *Image) { m.Symbols[0].Meta = &Meta{Unit: "\xff"} }, "can be printed"},
		"limit NaN":          {func(m *Image) { m.Symbols[0].Meta = &Meta{Low: number(math.NaN())} }, "not a finite number"},
		"limit infinite":     {func(m *Image) { m.Symbols[0].Meta = &Meta{High: number(math.Inf(1))} }, "not a finite number"},
		"limit not f32":      {func(m *Image) { m.Symbols[0].Meta = &Meta{High: number(0.1)} }, "not a number of type f32"},
		"limit not i32":      {func(m *Image) { m.Symbols[1].Meta = &Meta{High: number(1 << 31)} }, "not a number of type i32"},
		"limits crossed":     {func(m *Image) { m.Symbols[0].Meta = &Meta{Low: number(2), High: number(1)} }, "low limit 2 is above"},
		"safe beyond":        {func(m *Image) { m.Symbols[1].Meta = &Meta{Role: graph.RoleOutput, High: number(1), Safe: []float64{2}} }, "safe value 2 is not within at most 1"},
		"safe NaN":           {func(m *Image) { m.Symbols[1].Meta = &Meta{Role: graph.RoleOutput, Safe: []float64{math.NaN()}} }, "not a finite"},
		"safe of a log":      {func(m *Image) { m.Symbols[1].Meta = &Meta{Role: graph.RoleLog, Safe: []float64{1}} }, "only an output has a safe value"},
		"safe of two":        {func(m *Image) { m.Symbols[1].Meta = &Meta{Role: graph.RoleOutput, Safe: []float64{1, 2}} }, "2 safe values for 3 elements"},
		"every of an output": {func(m *Image) { m.Symbols[1].Meta = &Meta{Role: graph.RoleOutput, Every: 3} }, "only a log"},
		"task divisor":       {func(m *Image) { m.Entries[0].Divisor = MaxDivisor + 1 }, "at most 16777216"},
		"task rate":          {func(m *Image) { m.Entries[0].Rate = math.Inf(1) }, "a rate of +Inf"},
		"task rates": {func(m *Image) {
			m.Entries = []Entry{{Name: "a", Rate: 1000, Divisor: 1}, {Name: "b", Rate: 300, Divisor: 3}}
		}, "of which there are 1000 per second"},
		"patches cut":        {func(m *Image) { m.Patches = m.Patches[:len(m.Patches)-1] }, "section ends early"},
		"patch place":        {func(m *Image) { m.Code = m.Code[:8] }, "outside its block"},
		"patch target":       {func(m *Image) { m.BSS = 0; m.Data = m.Data[:20]; m.Symbols = nil }, "target 24 is outside"},
		"data block too big": {func(m *Image) { m.BSS = 1<<32 - 1 }, "exceeds 2 GiB"},
	} {
		t.Run(name, func(t *testing.T) {
			m := sample(t)
			c.spoil(m)
			require.ErrorContains(t, m.Validate(), c.want)
			_, err := m.Encode()
			require.Error(t, err)
		})
	}
}

const longUnit = graph.MaxUnit + 1

func number(x float64) *float64 { return &x }

// withTasks is an image with all that format 3 adds.
func withTasks(t testing.TB) *Image {
	m := sample(t)
	m.Entries = []Entry{
		{Name: "current", Offset: 4, Divisor: 1, Rate: 1000, Instructions: 20},
		{Name: "speed", Offset: 8, Divisor: 10, Rate: 100, Instructions: 20},
	}
	m.Symbols[0].Meta = &Meta{Role: graph.RoleParam, Unit: "V/rad", Low: number(0), High: number(float64(float32(2.3)))}
	m.Symbols[1].Meta = &Meta{Role: graph.RoleOutput, Unit: "V", Low: number(-24), High: number(24), Safe: []float64{0, 1, -1}}
	m.Symbols = append(m.Symbols, Symbol{Name: "e", Kind: Output, DType: graph.F32, Offset: 16, Meta: &Meta{Role: graph.RoleLog, Every: 10}})
	return m
}

func TestTasksAndMetadata(t *testing.T) {
	m := withTasks(t)
	require.EqualValues(t, Version, m.LeastFormat())
	require.EqualValues(t, Plain, sample(t).LeastFormat())
	require.Equal(t, 1000.0, m.TickRate())
	require.Zero(t, sample(t).TickRate())
	b, err := m.Encode()
	require.NoError(t, err)
	again, err := Decode(b)
	require.NoError(t, err)
	require.Equal(t, m.Symbols, again.Symbols)
	require.Equal(t, m.Entries, again.Entries)
	var out strings.Builder
	require.NoError(t, again.WriteReport(&out))
	for _, want := range []string{
		"00000004  current  1000 per second  at most 20 instructions", "00000008  speed  100 per second  in one of 10 ticks",
		"x  (param)  0 to 2.3  V/rad\n", "y  (output)  -24 to 24  V  safe 0 1 -1\n", "e  (log)  every 10 ticks\n",
	} {
		require.Contains(t, out.String(), want)
	}
	require.Equal(t, []byte{0, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 255}, m.Symbols[1].Safe())
	require.Nil(t, m.Symbols[0].Safe())
	require.NoError(t, m.Symbols[0].Check([]uint32{math.Float32bits(2.3)}))
	require.EqualError(t, m.Symbols[0].Check([]uint32{math.Float32bits(2.5)}), "x: 2.5 V/rad is not within the limits: 0 to 2.3 V/rad")
	require.ErrorContains(t, m.Symbols[0].Check([]uint32{0x7fc00000}), "NaN V/rad is not within")

	// A file of format 2 has nothing of this, and is what it always was.
	old := sample(t)
	old.Version = Plain
	b, err = old.Encode()
	require.NoError(t, err)
	_, err = Decode(b)
	require.NoError(t, err)
}

func TestDecodeRejects(t *testing.T) {
	m := sample(t)
	good, err := m.Encode()
	require.NoError(t, err)

	_, err = Decode([]byte("#!/usr/bin/env python"))
	require.ErrorIs(t, err, ErrNotImage)
	_, err = Decode(nil)
	require.ErrorIs(t, err, ErrNotImage)

	for n := range len(good) {
		_, err := Decode(good[:n])
		require.Error(t, err, "cut to %d bytes", n)
	}
	_, err = Decode(append(bytes.Clone(good), 0))
	require.Error(t, err)
	// The format version, 3, written in two bytes instead of one.
	at := bytes.Index(good, []byte("\x64copa\x01\x03")) + 6
	long := append(append(bytes.Clone(good[:at]), 0x18, 0x03), good[at+1:]...)
	_, err = Decode(long)
	require.ErrorContains(t, err, "deterministic")
}

// TestDamageIsFound changes every bit of a file: none of the results is an image, and
// only a few of the first bytes make it look like a file of another kind or version.
func TestDamageIsFound(t *testing.T) {
	good, err := sample(t).Encode()
	require.NoError(t, err)
	for i := range good {
		for bit := range 8 {
			spoiled := bytes.Clone(good)
			spoiled[i] ^= 1 << bit
			_, err := Decode(spoiled)
			require.Error(t, err, "byte %d, bit %d", i, bit)
			if i > len(head) {
				require.ErrorIs(t, err, ErrDamaged, "byte %d, bit %d", i, bit)
			}
		}
	}
	_, err = Decode(good[:len(good)-1])
	require.ErrorIs(t, err, ErrDamaged)
}

// TestFormat1 reads what earlier versions wrote, and says what such a file lacks.
func TestFormat1(t *testing.T) {
	m := sample(t)
	require.Empty(t, m.Lacks())
	m.Version = 1
	old, err := m.Encode()
	require.NoError(t, err)
	again, err := Decode(old)
	require.NoError(t, err)
	require.Contains(t, again.Lacks(), "format 1 has no digest over names, types and places")
	var b strings.Builder
	require.NoError(t, again.WriteReport(&b))
	require.Contains(t, b.String(), again.Lacks())

	// The code is under the digest of the program.
	spoiled := bytes.Clone(old)
	spoiled[bytes.Index(old, m.Code)] ^= 1
	_, err = Decode(spoiled)
	require.ErrorContains(t, err, "digest")
	// The offset of x, 16, is not: this is why there is a format 2.
	spoiled = bytes.Replace(old, []byte("\x05\x10"), []byte("\x05\x0c"), 1)
	require.NotEqual(t, old, spoiled)
	_, err = Decode(spoiled)
	require.NoError(t, err)
}

// TestNamesOfSymbols: a file of some kilobytes cannot name terabytes to be read.
func TestNamesOfSymbols(t *testing.T) {
	m := sample(t)
	m.BSS = 240 << 20
	for i := range 50 {
		m.Symbols = append(m.Symbols, Symbol{Name: fmt.Sprint("big", i), Kind: Output, DType: graph.F32, Shape: graph.Shape{60 << 20}, Offset: 0})
		if err := m.Validate(); i < manyNames {
			require.NoError(t, err, "%d", i)
		} else {
			require.ErrorContains(t, err, "symbols name", "%d", i)
		}
	}
	m = sample(t)
	for i := range 10000 {
		m.Symbols = append(m.Symbols, Symbol{Name: fmt.Sprint("same", i), Kind: Output, DType: graph.I32, Shape: graph.Shape{3}, Offset: 20})
	}
	require.NoError(t, m.Validate())
}

// TestValues: bytes are what SPEC.md says of the data block, and NaNs have one form.
func TestValues(t *testing.T) {
	nan := []byte{1, 2, 0xf8, 0xff}
	for _, c := range []struct {
		s    Symbol
		raw  []byte
		want graph.Tensor
	}{
		{Symbol{DType: graph.F32, Shape: graph.Shape{2}}, append([]byte{0, 0, 0xc0, 0x3f}, nan...), graph.F32s(graph.Shape{2}, 1.5, float32(math.NaN()))},
		{Symbol{DType: graph.F64}, []byte{0, 0, 0, 0, 0, 0, 4, 0xc0}, graph.Tensor{DType: graph.F64, Bits: []uint32{0, 0xc0040000}}},
		{Symbol{DType: graph.F64}, append(nan, nan...), graph.Tensor{DType: graph.F64, Bits: []uint32{0, 0x7ff80000}}},
		{Symbol{DType: graph.I32, Shape: graph.Shape{1, 2}}, append([]byte{254, 255, 255, 255}, nan...), graph.I32s(graph.Shape{1, 2}, -2, -0x7fdff)},
		{Symbol{DType: graph.Bool, Shape: graph.Shape{2}}, []byte{1, 0, 0, 0, 0, 0, 0, 0}, graph.Bools(graph.Shape{2}, true, false)},
		{Symbol{DType: graph.F32, Shape: graph.Shape{0}}, nil, graph.F32s(graph.Shape{0})},
	} {
		v := c.s.Decode(c.raw)
		require.Equal(t, c.want, v)
		require.Len(t, c.raw, c.s.Size())
		again := c.s.Encode(v.Bits)
		require.Equal(t, v, c.s.Decode(again))
		if !v.DType.IsFloat() || !bytes.Contains(c.raw, nan) {
			require.Equal(t, append([]byte{}, c.raw...), again)
		}
	}
	require.Equal(t, []byte{3, 4, 5, 6}, (&Symbol{DType: graph.I32, Offset: 2}).In([]byte{1, 2, 3, 4, 5, 6, 7}))
}

func FuzzDecode(f *testing.F) {
	good, err := sample(f).Encode()
	require.NoError(f, err)
	f.Add(good)
	old := sample(f)
	old.Version = 1
	seed, err := old.Encode()
	require.NoError(f, err)
	f.Add(seed)
	seed, err = withTasks(f).Encode()
	require.NoError(f, err)
	f.Add(seed)
	f.Add([]byte("\xad\x00\x64copa"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Decode(b)
		if err != nil {
			return
		}
		again, err := m.Encode()
		require.NoError(t, err)
		require.Equal(t, b, again)
	})
}

func TestReportAndListing(t *testing.T) {
	m := sample(t)
	var b strings.Builder
	require.NoError(t, m.WriteReport(&b))
	for _, want := range []string{"aarch64", "sample.py", "32 bytes", "20 bytes and 12 bytes zeroed", "patches      2 in", "12 operations, at most 40 instructions", "00000014  output  i32[3]  y"} {
		require.Contains(t, b.String(), want)
	}
	b.Reset()
	require.NoError(t, m.WriteListing(&b))
	require.Equal(t, `code
00000000  1f2003d5
          ; entry main
00000004  1f2003d51f2003d51f2003d51f2003d5
00000014  1f2003d51f2003d51f2003d5
data
          ; arithmetic flags
00000000  00000000000000000000000000000000
          ; input x f32
00000010  0000803f
00000014  zeroed  output y i32[3]
`, b.String())
}
