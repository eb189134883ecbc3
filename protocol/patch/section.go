package patch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/copaflash/copaflash/protocol/packet"
)

// check reports a kind that a runner would refuse.
func (k *Kind) check() error {
	switch {
	case !k.Relation.Valid():
		return fmt.Errorf("no such relation: %d", k.Relation)
	case k.Unit != 1 && k.Unit != 2 && k.Unit != 4 && k.Unit != 8:
		return fmt.Errorf("unit of %d bytes", k.Unit)
	case k.Shift > 63:
		return fmt.Errorf("shift by %d", k.Shift)
	case k.Range&^Signed > 64 || k.Range == Signed:
		return fmt.Errorf("range %#x", k.Range)
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

// walk reads a section and calls visit for every patch. An empty section has
// no kinds.
func walk(section []byte, visit func(*Kind, Patch) error) error {
	if len(section) == 0 {
		return nil
	}
	c := &cursor{b: section}
	if err := c.section(visit); err != nil {
		return &Error{Offset: c.at, Reason: err.Error()}
	}
	return nil
}

var (
	errShort  = errors.New("section ends early")
	errVarint = errors.New("number is longer than it must be, or than 32 bits")
)

type cursor struct {
	b  []byte
	at int
}

func (c *cursor) section(visit func(*Kind, Patch) error) error {
	kinds, err := c.uvarint()
	if err != nil {
		return err
	}
	for range kinds {
		k, err := c.kind()
		if err != nil {
			return err
		}
		if err := c.patches(k, visit); err != nil {
			return err
		}
	}
	if c.at != len(c.b) {
		return errors.New("bytes after the last kind")
	}
	return nil
}

func (c *cursor) kind() (*Kind, error) {
	head, err := c.take(4)
	if err != nil {
		return nil, err
	}
	k := &Kind{Relation: packet.Relation(head[0]), Unit: head[1], Shift: head[2], Range: head[3]}
	if k.Bias, err = c.varint(); err != nil {
		return nil, err
	}
	tail, err := c.take(3)
	if err != nil {
		return nil, err
	}
	k.Place, k.Target = packet.Region(tail[0]), packet.Target(tail[1])
	fields, err := c.take(3 * int(tail[2]))
	if err != nil {
		return nil, err
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
		p.Target += int64(turn)
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
