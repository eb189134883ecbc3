package patch

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
)

func TestPatchBytes(t *testing.T) {
	// One kind, two places 4 bytes apart, targets 8 forward then 4 back.
	got, err := Encode([]Kind{{
		Relation: packet.RelPCRelative, Unit: 4, Shift: 2, Bits: 26, Signed: true, Bias: -4, Place: packet.RegionCode, Target: packet.TargetService,
		Fields: []Field{{0, 26, 0}}, Patches: []Patch{{4, 4}, {0, 8}},
	}})
	require.NoError(t, err)
	require.Equal(t, []byte{1, 1, 4, 2, 0x80 | 26, 7, 0, 2, 1, 0, 26, 0, 2, 0, 16, 4, 7}, got)
}

// TestApply holds the reference against instruction encodings of several
// architectures, as their manuals give them.
func TestApply(t *testing.T) {
	word := func(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
	const code, data = 0x4000_1000, 0x4002_3450
	for name, c := range map[string]struct {
		kind Kind
		code []byte
		want []byte
	}{
		"aarch64 bl backwards": {
			Kind{Relation: packet.RelPCRelative, Unit: 4, Shift: 2, Bits: 26, Signed: true, Target: packet.TargetService,
				Fields: []Field{{0, 26, 0}}, Patches: []Patch{{0, 0}}},
			word(0x94000000), word(0x97fffe00),
		},
		"aarch64 adrp": {
			Kind{Relation: packet.RelPageRelative, Unit: 4, Shift: 12, Bits: 21, Signed: true, Target: packet.TargetData,
				Fields: []Field{{0, 2, 29}, {2, 19, 5}}, Patches: []Patch{{0, 0}}},
			word(0x90000000), word(0xd0000100), // page difference 0x22
		},
		"aarch64 add low bits": {
			Kind{Relation: packet.RelAbsolute, Unit: 4, Target: packet.TargetData,
				Fields: []Field{{0, 12, 10}}, Patches: []Patch{{0, 4}}},
			word(0x91000000), word(0x91115000),
		},
		"risc-v jal": {
			Kind{Relation: packet.RelPCRelative, Unit: 4, Bits: 21, Signed: true, Target: packet.TargetService,
				Fields: []Field{{12, 8, 12}, {11, 1, 20}, {1, 10, 21}, {20, 1, 31}}, Patches: []Patch{{0, 0}}},
			word(0x0000006f), word(0x801ff06f), // jump by -0x800
		},
		"x86 absolute 8 bytes, unaligned": {
			Kind{Relation: packet.RelAbsolute, Unit: 8, Target: packet.TargetData, Fields: []Field{{0, 64, 0}}, Patches: []Patch{{1, 0x10}}},
			make([]byte, 9), append([]byte{0}, binary.LittleEndian.AppendUint64(nil, 0x4002_3460)...),
		},
		"page": {
			Kind{Relation: packet.RelPage, Unit: 4, Bits: 32, Target: packet.TargetData, Fields: []Field{{0, 32, 0}}, Patches: []Patch{{0, 0}}},
			word(0), word(0x4002_3000),
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := Encode([]Kind{c.kind})
			require.NoError(t, err)
			require.NoError(t, Apply(b, Memory{Region{c.code, code}, Region{make([]byte, 64), data}, []uint64{0x4000_0800}}))
			require.Equal(t, c.want, c.code)
		})
	}
}

func TestApplyRejects(t *testing.T) {
	base := Kind{Relation: packet.RelAbsolute, Unit: 4, Bits: 16, Target: packet.TargetData, Fields: []Field{{0, 16, 0}}, Patches: []Patch{{0, 0}}}
	for name, c := range map[string]struct {
		spoil func(*Kind)
		want  string
	}{
		"value too large": {func(*Kind) {}, "more than 16 bits"},
		"place outside":   {func(k *Kind) { k.Patches[0].Place = 5 }, "place 5"},
		"target outside":  {func(k *Kind) { k.Patches[0].Target = 65 }, "target 65"},
		"no such service": {func(k *Kind) { k.Target = packet.TargetService; k.Patches[0].Target = 3 }, "no service 3"},
	} {
		t.Run(name, func(t *testing.T) {
			k := base
			k.Patches = []Patch{{0, 0}}
			c.spoil(&k)
			b, err := Encode([]Kind{k})
			require.NoError(t, err)
			err = Apply(b, Memory{Code: Region{Bytes: make([]byte, 8)}, Data: Region{make([]byte, 64), 0x10000}})
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestPatchKindCheck(t *testing.T) {
	for name, spoil := range map[string]func(*Kind){
		"relation":    func(k *Kind) { k.Relation = 4 },
		"unit":        func(k *Kind) { k.Unit = 3 },
		"shift":       func(k *Kind) { k.Shift = 64 },
		"range":       func(k *Kind) { k.Bits = 65 },
		"signed 0":    func(k *Kind) { k.Bits, k.Signed = 0, true },
		"place":       func(k *Kind) { k.Place = packet.RegionPatches },
		"target":      func(k *Kind) { k.Target = 3 },
		"no field":    func(k *Kind) { k.Fields = nil },
		"field src":   func(k *Kind) { k.Fields[0] = Field{60, 8, 0} },
		"field dst":   func(k *Kind) { k.Fields[0] = Field{0, 8, 28} },
		"field empty": func(k *Kind) { k.Fields[0].Len = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			k := Kind{Unit: 4, Fields: []Field{{0, 8, 0}}}
			spoil(&k)
			_, err := Encode([]Kind{k})
			require.Error(t, err)
		})
	}
}

func TestTargetsApart(t *testing.T) {
	k := Kind{Unit: 4, Fields: []Field{{0, 8, 0}}, Patches: []Patch{{0, 1<<31 - 1}, {4, 0}}}
	_, err := Encode([]Kind{k})
	require.NoError(t, err)
	k.Patches[0].Target++
	_, err = Encode([]Kind{k})
	require.ErrorContains(t, err, "more than 2 GiB apart")
}

// TestCheck: targets may lie in the zeros behind the data and just behind these, places not.
func TestCheck(t *testing.T) {
	k := Kind{Unit: 4, Place: packet.RegionData, Target: packet.TargetData, Fields: []Field{{0, 8, 0}}}
	for _, c := range []struct {
		p    Patch
		want string
	}{
		{Patch{8, 20}, ""},
		{Patch{9, 0}, "place 9 is outside its block of 12 bytes"},
		{Patch{0, 21}, "target 21 is outside its block of 20 bytes"},
	} {
		k.Patches = []Patch{c.p}
		b, err := Encode([]Kind{k})
		require.NoError(t, err)
		if err := Check(b, 0, 12, 20); c.want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.want)
		}
	}
}

func TestPatchSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	k := Kind{Unit: 4, Target: packet.TargetData, Fields: []Field{{0, 32, 0}}}
	place := uint32(0)
	for range 10_000 {
		place += 4 + uint32(rng.IntN(60))
		k.Patches = append(k.Patches, Patch{place, uint32(rng.IntN(4096))})
	}
	b, err := Encode([]Kind{k})
	require.NoError(t, err)
	require.Less(t, len(b), 32_000, "about 3 bytes for each patch")
	again, err := Decode(b)
	require.NoError(t, err)
	require.Equal(t, k.Patches, again[0].Patches)
}
