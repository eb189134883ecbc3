package image

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// magic is the value of key 0, by which a .copa file is recognised.
const magic = "copa"

// ErrNotImage says that the bytes are no .copa file at all.
var ErrNotImage = errors.New("not a copaflash image")

// file is the .copa file: one deterministic CBOR map (RFC 8949, 4.2).
type file struct {
	Magic    string   `cbor:"0,keyasint"`
	Version  uint32   `cbor:"1,keyasint"`
	Arch     Arch     `cbor:"2,keyasint"`
	Features uint64   `cbor:"3,keyasint"`
	Code     []byte   `cbor:"4,keyasint"`
	Data     []byte   `cbor:"5,keyasint"`
	BSS      uint32   `cbor:"6,keyasint"`
	Patches  []byte   `cbor:"7,keyasint"`
	Entries  []Entry  `cbor:"8,keyasint"`
	Symbols  []Symbol `cbor:"9,keyasint"`
	Budget   Budget   `cbor:"10,keyasint"`
	Source   string   `cbor:"11,keyasint"`
	Digest   []byte   `cbor:"12,keyasint"`
	Fast     Fast     `cbor:"13,keyasint,omitempty"`
}

// maxSymbols bounds the symbol list of a file.
const maxSymbols = 1 << 20

var encMode, decMode = func() (cbor.EncMode, cbor.DecMode) {
	enc, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		panic(err)
	}
	dec, err := cbor.DecOptions{
		DupMapKey:         cbor.DupMapKeyEnforcedAPF,
		IndefLength:       cbor.IndefLengthForbidden,
		TagsMd:            cbor.TagsForbidden,
		MaxNestedLevels:   4,
		MaxArrayElements:  maxSymbols,
		MaxMapPairs:       16,
		ExtraReturnErrors: cbor.ExtraDecErrorUnknownField,
	}.DecMode()
	if err != nil {
		panic(err)
	}
	return enc, dec
}()

// Encode gives the .copa file of a valid image. Equal images give equal bytes.
func (m *Image) Encode() ([]byte, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m.encode()
}

func (m *Image) encode() ([]byte, error) {
	sum := m.Digest()
	b, err := encMode.Marshal(&file{
		Magic: magic, Version: m.Version, Arch: m.Arch, Features: m.Features,
		Code: present(m.Code), Data: present(m.Data), BSS: m.BSS, Patches: present(m.Patches),
		Entries: present(m.Entries), Symbols: present(m.Symbols),
		Budget: m.Budget, Source: m.Source, Digest: sum[:], Fast: m.Fast,
	})
	if err != nil {
		return nil, fmt.Errorf("image: %w", err)
	}
	return b, nil
}

// present turns nil into the empty list, which CBOR tells apart from null.
func present[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// Decode reads a .copa file, from any source: it checks the encoding, every
// field, and the digest. The error is ErrNotImage for bytes of another kind.
func Decode(b []byte) (*Image, error) {
	if !bytes.HasPrefix(peek(b, 2), []byte("\x00\x64"+magic)) {
		return nil, ErrNotImage
	}
	var f file
	if err := decMode.Unmarshal(b, &f); err != nil {
		return nil, fmt.Errorf("image: %w", err)
	}
	m := &Image{
		Version: f.Version, Arch: f.Arch, Features: f.Features,
		Code: f.Code, Data: f.Data, BSS: f.BSS, Patches: f.Patches,
		Entries: f.Entries, Symbols: f.Symbols, Budget: f.Budget, Source: f.Source, Fast: f.Fast,
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if sum := m.Digest(); !bytes.Equal(sum[:], f.Digest) {
		return nil, errors.New("image: digest does not match the contents, the file is damaged")
	}
	if again, err := m.encode(); err != nil || !bytes.Equal(again, b) {
		return nil, errors.New("image: encoding is not the deterministic one")
	}
	return m, nil
}

// peek is what follows the map head of 1 byte (up to 23 pairs).
func peek(b []byte, n int) []byte {
	if len(b) < n {
		return nil
	}
	return b[1:]
}
