package patch

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/copaflash/copaflash/protocol/packet"
)

// signed is the bit of the range byte that asks for a signed range.
const signed = 0x80

// Encode gives the section of some kinds. Each kind's patches are sorted by
// place, so that the differences are small; no kinds give no bytes.
func Encode(kinds []Kind) ([]byte, error) {
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
			limit |= signed
		}
		b = append(b, byte(k.Relation), k.Unit, k.Shift, limit)
		b = binary.AppendVarint(b, int64(k.Bias))
		b = append(b, byte(k.Place), byte(k.Target), byte(len(k.Fields)))
		for _, f := range k.Fields {
			b = append(b, f.Src, f.Len, f.Dst)
		}
		sorted := slices.Clone(k.Patches)
		slices.SortStableFunc(sorted, func(x, y Patch) int { return cmp.Compare(x.Place, y.Place) })
		b = binary.AppendUvarint(b, uint64(len(sorted)))
		var last Patch
		for _, p := range sorted {
			step := int64(p.Target) - int64(last.Target)
			if step != int64(int32(step)) {
				return nil, fmt.Errorf("patch kind %d: targets %d and %d are more than 2 GiB apart", i, last.Target, p.Target)
			}
			b = binary.AppendUvarint(b, uint64(p.Place-last.Place))
			b = binary.AppendVarint(b, step)
			last = p
		}
	}
	return b, nil
}

// Decode reads a section from an untrusted source.
func Decode(section []byte) ([]Kind, error) {
	return walk(section, func(k *Kind, p Patch) error {
		k.Patches = append(k.Patches, p)
		return nil
	})
}

// check reports a kind that a runner would refuse.
func (k *Kind) check() error {
	switch {
	case !k.Relation.Valid():
		return fmt.Errorf("no such relation: %d", k.Relation)
	case k.Unit != 1 && k.Unit != 2 && k.Unit != 4 && k.Unit != 8:
		return fmt.Errorf("unit of %d bytes", k.Unit)
	case k.Shift > 63:
		return fmt.Errorf("shift by %d", k.Shift)
	case k.Bits > 64 || k.Bits == 0 && k.Signed:
		return fmt.Errorf("range of %d bits", k.Bits)
	case k.Place != packet.RegionCode && k.Place != packet.RegionData:
		return fmt.Errorf("places in region %d", k.Place)
	case !k.Target.Valid():
		return fmt.Errorf("targets in region %d", k.Target)
	case len(k.Fields) == 0 || len(k.Fields) > packet.MaxPatchFields:
		return fmt.Errorf("%d fields, want 1 to %d", len(k.Fields), packet.MaxPatchFields)
	}
	for _, f := range k.Fields {
		if f.Len == 0 || int(f.Src)+int(f.Len) > 64 || int(f.Dst)+int(f.Len) > 8*int(k.Unit) {
			return fmt.Errorf("field %+v does not fit", f)
		}
	}
	return nil
}

// walk reads the kinds of a section and calls visit for every patch. An empty
// section has no kinds.
func walk(section []byte, visit func(*Kind, Patch) error) ([]Kind, error) {
	if len(section) == 0 {
		return nil, nil
	}
	c := &cursor{b: section}
	kinds, err := c.section(visit)
	if err != nil {
		return nil, &Error{Offset: c.at, Reason: err.Error()}
	}
	return kinds, nil
}

var (
	errShort  = errors.New("section ends early")
	errVarint = errors.New("number is not in its shortest form, or has more than 32 bits")
)

type cursor struct {
	b  []byte
	at int
}

func (c *cursor) section(visit func(*Kind, Patch) error) ([]Kind, error) {
	count, err := c.uvarint()
	if err != nil {
		return nil, err
	}
	var kinds []Kind // each takes bytes of the section, whatever the count says
	for range count {
		k, err := c.kind()
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, k)
		if err := c.patches(&kinds[len(kinds)-1], visit); err != nil {
			return nil, err
		}
	}
	if c.at != len(c.b) {
		return nil, errors.New("bytes after the last kind")
	}
	return kinds, nil
}

func (c *cursor) kind() (k Kind, err error) {
	head, err := c.take(4)
	if err != nil {
		return k, err
	}
	k.Relation, k.Unit, k.Shift = packet.Relation(head[0]), head[1], head[2]
	k.Bits, k.Signed = head[3]&^signed, head[3]&signed != 0
	if k.Bias, err = c.varint(); err != nil {
		return k, err
	}
	tail, err := c.take(3)
	if err != nil {
		return k, err
	}
	k.Place, k.Target = packet.Region(tail[0]), packet.Target(tail[1])
	fields, err := c.take(3 * int(tail[2]))
	if err != nil {
		return k, err
	}
	for ; len(fields) > 0; fields = fields[3:] {
		k.Fields = append(k.Fields, Field{fields[0], fields[1], fields[2]})
	}
	return k, k.check()
}

func (c *cursor) patches(k *Kind, visit func(*Kind, Patch) error) error {
	count, err := c.uvarint()
	if err != nil {
		return err
	}
	var p Patch
	for range count {
		step, err := c.uvarint()
		if err != nil {
			return err
		}
		if uint64(p.Place)+uint64(step) > math.MaxUint32 {
			return errors.New("place is beyond 32 bits")
		}
		p.Place += step
		turn, err := c.varint()
		if err != nil {
			return err
		}
		target := int64(p.Target) + int64(turn)
		if target != int64(uint32(target)) {
			return fmt.Errorf("target %d is outside of every region", target)
		}
		p.Target = uint32(target)
		if err := visit(k, p); err != nil {
			return err
		}
	}
	return nil
}

func (c *cursor) take(n int) ([]byte, error) {
	if n > len(c.b)-c.at {
		return nil, errShort
	}
	c.at += n
	return c.b[c.at-n : c.at], nil
}

// uvarint reads an unsigned LEB128 number of at most 32 bits in its shortest form.
func (c *cursor) uvarint() (uint32, error) {
	v, n := binary.Uvarint(c.b[c.at:])
	switch {
	case n == 0:
		return 0, errShort
	case n < 0 || v > math.MaxUint32 || n > 1 && c.b[c.at+n-1] == 0:
		return 0, errVarint
	}
	c.at += n
	return uint32(v), nil
}

// varint reads a zigzag number.
func (c *cursor) varint() (int32, error) {
	u, err := c.uvarint()
	return int32(u>>1) ^ -int32(u&1), err
}
