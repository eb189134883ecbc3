// Package patch applies patch sections: the fix-ups that only a runner can
// make, since only it knows where code and data lie. What a patch computes is
// data (protocol/SPEC.md, patches), so nothing here belongs to one
// architecture.
//
// Boards have an engine of their own in C. This one serves runners in Go, and
// both are held to the same vectors.
package patch

import (
	"fmt"

	"github.com/copaflash/copaflash/protocol/packet"
)

// A Kind says how the patches of one list are computed and stored.
type Kind struct {
	Relation packet.Relation
	Unit     uint8         // bytes read and written at the place: 1, 2, 4 or 8, little endian
	Shift    uint8         // arithmetic right shift of the value, 0 to 63
	Range    uint8         // 0: unchecked; else the bits that the shifted value must fit in, Signed set if signed
	Bias     int32         // added to the place in the relative relations
	Place    packet.Region // where the places are: code or data
	Target   packet.Target // what the target offsets count from
	Fields   []Field
}

// Signed is the bit of Kind.Range that asks for a signed range.
const Signed = 0x80

// A Field puts bits [Src, Src+Len) of the shifted value at bits [Dst, Dst+Len)
// of the unit.
type Field struct{ Src, Len, Dst uint8 }

// A Patch is one place with its target, both offsets in their region.
type Patch struct {
	Place  uint32
	Target int64
}

// A Region is a block of memory with the address that the program sees.
type Region struct {
	Bytes   []byte
	Address uint64
}

// Memory is what patches are applied to.
type Memory struct {
	Code, Data Region
	Services   []uint64 // addresses of the runner's services
}

// Error reports what is wrong with a section and where.
type Error struct {
	Offset int // in the section
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("patch section, offset %d: %s", e.Offset, e.Reason)
}

// Apply applies a section to m. On error the memory may be partly patched.
func Apply(section []byte, m Memory) error {
	return walk(section, func(k *Kind, p Patch) error { return k.apply(p, m) })
}

// apply carries out one patch.
func (k *Kind) apply(p Patch, m Memory) error {
	r := m.Code
	if k.Place == packet.RegionData {
		r = m.Data
	}
	if uint64(p.Place)+uint64(k.Unit) > uint64(len(r.Bytes)) {
		return fmt.Errorf("place %#x is outside of the %v region", p.Place, k.Place)
	}
	target, err := m.address(k.Target, p.Target)
	if err != nil {
		return err
	}
	value := int64(k.relate(r.Address+uint64(p.Place), target)) >> k.Shift
	if !fits(value, k.Range) {
		return fmt.Errorf("value %#x for place %#x does not fit %d bits", value, p.Place, k.Range&^Signed)
	}
	k.insert(r.Bytes[p.Place:], uint64(value))
	return nil
}

// relate computes the value before the shift.
func (k *Kind) relate(place, target uint64) uint64 {
	const page = ^uint64(0xfff)
	from := place + uint64(int64(k.Bias))
	switch k.Relation {
	case packet.RelPCRelative:
		return target - from
	case packet.RelPage:
		return target & page
	case packet.RelPageRelative:
		return target&page - from&page
	default:
		return target
	}
}

// address turns a target offset into an address; one past the end of a region
// is still in it.
func (m *Memory) address(t packet.Target, offset int64) (uint64, error) {
	if t == packet.TargetService {
		if offset < 0 || offset >= int64(len(m.Services)) {
			return 0, fmt.Errorf("there is no service %d", offset)
		}
		return m.Services[offset], nil
	}
	r := m.Code
	if t == packet.TargetData {
		r = m.Data
	}
	if offset < 0 || offset > int64(len(r.Bytes)) {
		return 0, fmt.Errorf("target %#x is outside of the %v region", offset, t)
	}
	return r.Address + uint64(offset), nil
}

func fits(v int64, r uint8) bool {
	bits := r &^ Signed
	switch {
	case bits == 0 || bits == 64:
		return true
	case r&Signed != 0:
		rest := v >> (bits - 1)
		return rest == 0 || rest == -1
	default:
		return uint64(v)>>bits == 0
	}
}

func (k *Kind) insert(at []byte, value uint64) {
	var unit uint64
	for i := range k.Unit {
		unit |= uint64(at[i]) << (8 * i)
	}
	for _, f := range k.Fields {
		mask := ^uint64(0) >> (64 - f.Len)
		unit = unit&^(mask<<f.Dst) | value>>f.Src&mask<<f.Dst
	}
	for i := range k.Unit {
		at[i] = byte(unit >> (8 * i))
	}
}
