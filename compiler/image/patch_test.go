package image

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPatchBytes(t *testing.T) {
	// One kind, two places 4 bytes apart, targets 8 forward then 4 back.
	got, err := EncodePatches([]PatchKind{{
		Relation: PCRelative, Unit: 4, Shift: 2, Bits: 26, Signed: true, Bias: -4, Place: RegionCode, Target: RegionService,
		Fields: []Field{{0, 26, 0}}, Patches: []Patch{{4, 4}, {0, 8}},
	}})
	require.NoError(t, err)
	require.Equal(t, []byte{1, 1, 4, 2, 0x80 | 26, 7, 0, 2, 1, 0, 26, 0, 2, 0, 16, 4, 7}, got)
}

// TestApply holds the reference against instruction encodings of several
// architectures, as their manuals give them.
func TestApply(t *testing.T) {
	word := func(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
	at := Addresses{Code: 0x4000_1000, Data: 0x4002_3450, Services: []uint64{0x4000_0800}}
	for name, c := range map[string]struct {
		kind PatchKind
		code []byte
		want []byte
	}{
		"aarch64 bl backwards": {
			PatchKind{Relation: PCRelative, Unit: 4, Shift: 2, Bits: 26, Signed: true, Target: RegionService,
				Fields: []Field{{0, 26, 0}}, Patches: []Patch{{0, 0}}},
			word(0x94000000), word(0x97fffe00),
		},
		"aarch64 adrp": {
			PatchKind{Relation: PageRelative, Unit: 4, Shift: 12, Bits: 21, Signed: true, Target: RegionData,
				Fields: []Field{{0, 2, 29}, {2, 19, 5}}, Patches: []Patch{{0, 0}}},
			word(0x90000000), word(0xd0000100), // page difference 0x22
		},
		"aarch64 add low bits": {
			PatchKind{Relation: Absolute, Unit: 4, Target: RegionData,
				Fields: []Field{{0, 12, 10}}, Patches: []Patch{{0, 4}}},
			word(0x91000000), word(0x91115000),
		},
		"risc-v jal": {
			PatchKind{Relation: PCRelative, Unit: 4, Bits: 21, Signed: true, Target: RegionService,
				Fields: []Field{{12, 8, 12}, {11, 1, 20}, {1, 10, 21}, {20, 1, 31}}, Patches: []Patch{{0, 0}}},
			word(0x0000006f), word(0x801ff06f), // jump by -0x800
		},
		"x86 absolute 8 bytes, unaligned": {
			PatchKind{Relation: Absolute, Unit: 8, Target: RegionData, Fields: []Field{{0, 64, 0}}, Patches: []Patch{{1, 0x10}}},
			make([]byte, 9), append([]byte{0}, binary.LittleEndian.AppendUint64(nil, 0x4002_3460)...),
		},
		"page": {
			PatchKind{Relation: Page, Unit: 4, Bits: 32, Target: RegionData, Fields: []Field{{0, 32, 0}}, Patches: []Patch{{0, 0}}},
			word(0), word(0x4002_3000),
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := EncodePatches([]PatchKind{c.kind})
			require.NoError(t, err)
			require.NoError(t, Apply(b, c.code, nil, 64, at))
			require.Equal(t, c.want, c.code)
		})
	}
}

func TestApplyRejects(t *testing.T) {
	base := PatchKind{Relation: Absolute, Unit: 4, Bits: 16, Target: RegionData, Fields: []Field{{0, 16, 0}}, Patches: []Patch{{0, 0}}}
	for name, c := range map[string]struct {
		spoil func(*PatchKind)
		want  string
	}{
		"value too large": {func(*PatchKind) {}, "more than 16 bits"},
		"place outside":   {func(k *PatchKind) { k.Patches[0].Place = 5 }, "place 5"},
		"target outside":  {func(k *PatchKind) { k.Patches[0].Target = 65 }, "target 65"},
		"no such service": {func(k *PatchKind) { k.Target = RegionService; k.Patches[0].Target = 3 }, "no service 3"},
	} {
		t.Run(name, func(t *testing.T) {
			k := base
			k.Patches = []Patch{{0, 0}}
			c.spoil(&k)
			b, err := EncodePatches([]PatchKind{k})
			require.NoError(t, err)
			err = Apply(b, make([]byte, 8), nil, 64, Addresses{Data: 0x10000})
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestPatchKindCheck(t *testing.T) {
	for name, spoil := range map[string]func(*PatchKind){
		"relation":    func(k *PatchKind) { k.Relation = 4 },
		"unit":        func(k *PatchKind) { k.Unit = 3 },
		"shift":       func(k *PatchKind) { k.Shift = 64 },
		"range":       func(k *PatchKind) { k.Bits = 65 },
		"signed 0":    func(k *PatchKind) { k.Bits, k.Signed = 0, true },
		"place":       func(k *PatchKind) { k.Place = RegionService },
		"target":      func(k *PatchKind) { k.Target = 3 },
		"no field":    func(k *PatchKind) { k.Fields = nil },
		"field src":   func(k *PatchKind) { k.Fields[0] = Field{60, 8, 0} },
		"field dst":   func(k *PatchKind) { k.Fields[0] = Field{0, 8, 28} },
		"field empty": func(k *PatchKind) { k.Fields[0].Len = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			k := PatchKind{Unit: 4, Fields: []Field{{0, 8, 0}}}
			spoil(&k)
			_, err := EncodePatches([]PatchKind{k})
			require.Error(t, err)
		})
	}
}

func TestPatchSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	k := PatchKind{Unit: 4, Target: RegionData, Fields: []Field{{0, 32, 0}}}
	place := uint32(0)
	for range 10_000 {
		place += 4 + uint32(rng.IntN(60))
		k.Patches = append(k.Patches, Patch{place, uint32(rng.IntN(4096))})
	}
	b, err := EncodePatches([]PatchKind{k})
	require.NoError(t, err)
	require.Less(t, len(b), 32_000, "about 3 bytes for each patch")
	again, err := DecodePatches(b)
	require.NoError(t, err)
	require.Equal(t, k.Patches, again[0].Patches)
}

func FuzzApply(f *testing.F) {
	b, err := EncodePatches([]PatchKind{{Relation: PCRelative, Unit: 4, Shift: 2, Bits: 26, Signed: true,
		Target: RegionService, Fields: []Field{{0, 26, 0}}, Patches: []Patch{{0, 0}, {8, 1}}}})
	require.NoError(f, err)
	f.Add(b, uint8(64))
	f.Fuzz(func(t *testing.T, patches []byte, size uint8) {
		block := make([]byte, 2*int(size))
		// No patch may reach outside its own block, whatever the bytes say.
		code, data := block[:size:size], block[size:]
		_ = Apply(patches, code, data, 16, Addresses{Code: 0x1000, Data: 0x2000, Services: []uint64{1, 2}})
	})
}
