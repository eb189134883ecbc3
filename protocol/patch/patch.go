// Package patch holds patch sections: the fix-ups that only a runner can make,
// since only it knows where code and data lie. The compiler encodes them, hosts
// check them, and runners apply them. What a patch computes is data
// (protocol/SPEC.md, patches), so nothing here belongs to one architecture.
//
// Boards have their own implementation in C. This one serves runners in Go;
// both are tested with the same vectors.
package patch

import (
	"fmt"

	"github.com/copaflash/copaflash/protocol/packet"
)

// A Kind says how its patches are computed and stored.
type Kind struct {
	Relation packet.Relation
	Unit     uint8         // bytes read and written at the place: 1, 2, 4 or 8, little endian
	Shift    uint8         // arithmetic right shift of the value, 0 to 63
	Bits     uint8         // the shifted value must fit this many bits; 0: unchecked
	Signed   bool          // whether it must fit as a signed number
	Bias     int32         // added to the place in the relative relations
	Place    packet.Region // where the places are: code or data
	Target   packet.Target // what the target offsets count from
	Fields   []Field
	Patches  []Patch
}

// A Field puts bits [Src, Src+Len) of the shifted value at bits [Dst, Dst+Len)
// of the unit.
type Field struct{ Src, Len, Dst uint8 }

// A Patch is one place with its target, both offsets in their region.
type Patch struct{ Place, Target uint32 }

// A Region is a block of memory with the address that the program sees.
type Region struct {
	Bytes   []byte
	Address uint64
}

// Memory is what patches are applied to. Data and the zeros behind it are one region.
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
	_, err := walk(section, func(k *Kind, p Patch) error { return k.apply(p, m) })
	return err
}

// Check reports what in a section a runner would refuse, whatever its addresses and
// services, where places lie in code or data and targets in code or block, the data
// and the zeros behind it. All are sizes in bytes.
func Check(section []byte, code, data, block uint64) error {
	_, err := walk(section, func(k *Kind, p Patch) error { return k.inside(p, code, data, block) })
	return err
}

// inside checks that the unit lies inside its block, and the target there or just behind.
func (k *Kind) inside(p Patch, code, data, block uint64) error {
	size, limit := code, code
	if k.Place == packet.RegionData {
		size = data
	}
	if k.Target == packet.TargetData {
		limit = block
	}
	switch {
	case uint64(p.Place)+uint64(k.Unit) > size:
		return fmt.Errorf("place %d is outside its block of %d bytes", p.Place, size)
	case k.Target != packet.TargetService && uint64(p.Target) > limit:
		return fmt.Errorf("target %d is outside its block of %d bytes", p.Target, limit)
	}
	return nil
}

// apply carries out one patch.
func (k *Kind) apply(p Patch, m Memory) error {
	data := uint64(len(m.Data.Bytes))
	if err := k.inside(p, uint64(len(m.Code.Bytes)), data, data); err != nil {
		return err
	}
	target, err := m.address(k.Target, p.Target)
	if err != nil {
		return err
	}
	r := m.Code
	if k.Place == packet.RegionData {
		r = m.Data
	}
	value := int64(k.relate(r.Address+uint64(p.Place), target)) >> k.Shift
	if !k.fits(value) {
		return fmt.Errorf("value %#x for place %d needs more than %d bits", value, p.Place, k.Bits)
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

// address turns a target into an address.
func (m *Memory) address(t packet.Target, offset uint32) (uint64, error) {
	switch {
	case t == packet.TargetCode:
		return m.Code.Address + uint64(offset), nil
	case t == packet.TargetData:
		return m.Data.Address + uint64(offset), nil
	case uint64(offset) >= uint64(len(m.Services)):
		return 0, fmt.Errorf("there is no service %d", offset)
	}
	return m.Services[offset], nil
}

func (k *Kind) fits(v int64) bool {
	switch {
	case k.Bits == 0 || k.Bits == 64:
		return true
	case k.Signed:
		rest := v >> (k.Bits - 1)
		return rest == 0 || rest == -1
	default:
		return uint64(v)>>k.Bits == 0
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
