package libfile

import (
	"encoding/binary"
	"errors"
	"slices"
)

// Templates are those of one stencil, in a file one byte string: their number, and for each the origin, the lengths
// of code and fields, and both. A library has some thousand, most of a few bytes, and every command reads one
// library: as CBOR each would take more time than what it says.
type Templates []Template

// MarshalBinary is the byte string of templates.
func (list Templates) MarshalBinary() ([]byte, error) {
	out := binary.AppendUvarint(nil, uint64(len(list)))
	for _, t := range list {
		out = binary.AppendVarint(out, int64(t.Origin))
		out = binary.AppendUvarint(out, uint64(len(t.Code)))
		out = binary.AppendUvarint(out, uint64(len(t.Fields)))
		out = append(append(out, t.Code...), t.Fields...)
	}
	return out, nil
}

// UnmarshalBinary reads what MarshalBinary gives.
func (list *Templates) UnmarshalBinary(packed []byte) error {
	r := unpacker{rest: slices.Clone(packed)} // it is the caller's
	*list = make(Templates, r.length())
	for i := range *list {
		t := &(*list)[i]
		t.Origin = r.number()
		code, fields := r.length(), r.length()
		t.Code, t.Fields = r.bytes(code), r.bytes(fields)
	}
	if r.short || len(r.rest) > 0 {
		return errors.New("list of templates is cut short, or followed by something")
	}
	return nil
}

// unpacker reads what lies one behind the other. What is not there is 0 or empty.
type unpacker struct {
	rest  []byte
	short bool // something was not there
}

func (u *unpacker) number() int {
	x, n := binary.Varint(u.rest)
	u.skip(n)
	return int(x)
}

// length is a number of things that follow, none of which is less than a byte.
func (u *unpacker) length() int {
	x, n := binary.Uvarint(u.rest)
	if u.skip(n); x > uint64(len(u.rest)) {
		u.short = true
		return 0
	}
	return int(x)
}

func (u *unpacker) bytes(n int) []byte {
	if n > len(u.rest) {
		u.short = true
		return nil
	}
	b := u.rest[:n:n]
	u.rest = u.rest[n:]
	return b
}

// skip passes over a number of n bytes; 0 or less: there is none.
func (u *unpacker) skip(n int) {
	if n <= 0 {
		u.short, u.rest = true, nil
		return
	}
	u.rest = u.rest[n:]
}
