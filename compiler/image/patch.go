package image

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Relation is how the value of a patch follows from its target and its place.
type Relation uint8

// Relations. A page is 4096 bytes, as AArch64's adrp has it.
const (
	Absolute     Relation = 0 // target
	PCRelative   Relation = 1 // target - (place + bias)
	Page         Relation = 2 // target with the low 12 bits cleared
	PageRelative Relation = 3 // page of target - page of place
	numRelations          = 4
)

// Region is a block of memory whose address only the runner knows.
type Region uint8

// Regions. A service is addressed by its index in the runner's table.
const (
	RegionCode    Region = 0
	RegionData    Region = 1
	RegionService Region = 2
)

// Field says which bits of the value go where: bits [Src, Src+Len) of the
// value become bits [Dst, Dst+Len) of the patched unit.
type Field struct{ Src, Len, Dst uint8 }

// Patch is one place to fix up: offsets in the regions that its kind names.
type Patch struct{ Place, Target uint32 }

// PatchKind describes a fix-up of one architecture as data, and lists the
// places that need it.
type PatchKind struct {
	Relation Relation
	Unit     uint8 // bytes at the place, little endian: 1, 2, 4 or 8
	Shift    uint8 // arithmetic right shift of the value, 0..63
	Bits     uint8 // the shifted value must fit this many bits; 0 = unchecked
	Signed   bool  // whether it must fit as a signed number
	Bias     int32 // added to the place for PCRelative
	Place    Region
	Target   Region
	Fields   []Field
	Patches  []Patch
}

// maxFields bounds the fields of a kind; no instruction set needs as many.
const maxFields = 8

const signedRange = 0x80

// EncodePatches gives the patch section. Each kind's patches are sorted by
// place, so that the differences are small; no kinds give no bytes.
func EncodePatches(kinds []PatchKind) ([]byte, error) {
	if len(kinds) == 0 {
		return nil, nil
	}
	b := binary.AppendUvarint(nil, uint64(len(kinds)))
	for i := range kinds {
		k := &kinds[i]
		if err := k.check(); err != nil {
			return nil, fmt.Errorf("patch kind %d: %w", i, err)
		}
		limit := k.Bits
		if k.Signed {
			limit |= signedRange
		}
		b = append(b, byte(k.Relation), k.Unit, k.Shift, limit)
		b = binary.AppendVarint(b, int64(k.Bias))
		b = append(b, byte(k.Place), byte(k.Target), byte(len(k.Fields)))
		for _, f := range k.Fields {
			b = append(b, f.Src, f.Len, f.Dst)
		}
		sorted := slices.Clone(k.Patches)
		slices.SortFunc(sorted, func(x, y Patch) int { return cmp.Compare(x.Place, y.Place) })
		b = binary.AppendUvarint(b, uint64(len(sorted)))
		var last Patch
		for _, p := range sorted {
			b = binary.AppendUvarint(b, uint64(p.Place-last.Place))
			b = binary.AppendVarint(b, int64(int32(p.Target-last.Target)))
			last = p
		}
	}
	return b, nil
}

// DecodePatches reads a patch section from an untrusted source.
func DecodePatches(b []byte) ([]PatchKind, error) {
	if len(b) == 0 {
		return nil, nil
	}
	r := patchReader{b: b}
	n := r.uvarint()
	if r.err != nil {
		return nil, fmt.Errorf("patches: %w", r.err)
	}
	// Every kind takes at least 9 bytes, so a hostile count cannot make room for many.
	if n > uint32(len(b)/9) {
		return nil, errors.New("patches: more kinds than bytes")
	}
	kinds := make([]PatchKind, n)
	for i := range kinds {
		if err := r.kind(&kinds[i]); err != nil {
			return nil, fmt.Errorf("patches: kind %d: %w", i, err)
		}
	}
	if len(r.b) != 0 {
		return nil, fmt.Errorf("patches: %d bytes left over", len(r.b))
	}
	return kinds, nil
}

func (r *patchReader) kind(k *PatchKind) error {
	k.Relation, k.Unit, k.Shift = Relation(r.byte()), r.byte(), r.byte()
	limit := r.byte()
	k.Bits, k.Signed = limit&^signedRange, limit&signedRange != 0
	k.Bias = r.varint()
	k.Place, k.Target = Region(r.byte()), Region(r.byte())
	nf := int(r.byte())
	if nf > maxFields {
		return fmt.Errorf("%d bit fields, at most %d are possible", nf, maxFields)
	}
	k.Fields = make([]Field, nf)
	for i := range k.Fields {
		k.Fields[i] = Field{r.byte(), r.byte(), r.byte()}
	}
	n := r.uvarint()
	if n > uint32(len(r.b)/2) {
		return errors.New("more patches than bytes")
	}
	k.Patches = make([]Patch, n)
	var last Patch
	for i := range k.Patches {
		step := r.uvarint()
		if step > math.MaxUint32-last.Place {
			return errors.New("place exceeds 32 bits")
		}
		last = Patch{last.Place + step, last.Target + uint32(r.varint())}
		k.Patches[i] = last
	}
	if r.err != nil {
		return r.err
	}
	return k.check()
}

func (k *PatchKind) check() error {
	switch {
	case k.Relation >= numRelations:
		return fmt.Errorf("unknown relation %d", k.Relation)
	case k.Unit != 1 && k.Unit != 2 && k.Unit != 4 && k.Unit != 8:
		return fmt.Errorf("unit of %d bytes", k.Unit)
	case k.Shift > 63:
		return fmt.Errorf("shift by %d", k.Shift)
	case k.Bits > 64 || k.Bits == 0 && k.Signed:
		return fmt.Errorf("range of %d bits", k.Bits)
	case k.Place > RegionData:
		return fmt.Errorf("place in region %d", k.Place)
	case k.Target > RegionService:
		return fmt.Errorf("target in region %d", k.Target)
	case len(k.Fields) == 0 || len(k.Fields) > maxFields:
		return fmt.Errorf("%d bit fields", len(k.Fields))
	}
	for _, f := range k.Fields {
		if f.Len == 0 || int(f.Src)+int(f.Len) > 64 || int(f.Dst)+int(f.Len) > int(k.Unit)*8 {
			return fmt.Errorf("bit field %d+%d to %d does not fit", f.Src, f.Len, f.Dst)
		}
	}
	return nil
}

// patchReader reads bytes and LEB128 numbers of at most 32 bits; after the
// first error it gives zeros.
type patchReader struct {
	b   []byte
	err error
}

func (r *patchReader) byte() uint8 {
	if len(r.b) == 0 {
		r.fail("section ends early")
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *patchReader) uvarint() uint32 {
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		c := r.byte()
		v |= uint64(c&0x7f) << shift
		if c >= 0x80 {
			continue
		}
		if v > math.MaxUint32 {
			break
		}
		if c == 0 && shift > 0 {
			return r.fail("number not in its shortest form")
		}
		return uint32(v)
	}
	return r.fail("number exceeds 32 bits")
}

// fail keeps the first error.
func (r *patchReader) fail(text string) uint32 {
	if r.err == nil {
		r.err = errors.New(text)
	}
	return 0
}

func (r *patchReader) varint() int32 {
	u := r.uvarint()
	return int32(u>>1) ^ -int32(u&1)
}
