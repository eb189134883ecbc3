package image

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"

	"github.com/copaflash/copaflash/protocol/packet"
)

// magic is the value of key 0, by which a .copa file is recognised.
const magic = "copa"

// head is how a file begins: the head of a map, which depends on the number of its
// pairs, key 0 with the magic, and key 1, that of the version.
const head = "\xaf\x00\x64" + magic + "\x01"

// ErrNotImage says that the bytes are no .copa file at all.
var ErrNotImage = errors.New("not a copaflash image")

// ErrDamaged says that a file is not what was written.
var ErrDamaged = errors.New("the file is damaged: its SHA-256 does not match")

// file is the .copa file: one deterministic CBOR map (RFC 8949, 4.2). protocol/IMAGE.md
// says the same for readers in other languages.
type file struct {
	Magic    string          `cbor:"0,keyasint"`
	Version  uint32          `cbor:"1,keyasint"`
	Arch     packet.Arch     `cbor:"2,keyasint"`
	Features packet.Features `cbor:"3,keyasint"`
	Code     []byte          `cbor:"4,keyasint"`
	Data     []byte          `cbor:"5,keyasint"`
	BSS      uint32          `cbor:"6,keyasint"`
	Patches  []byte          `cbor:"7,keyasint"`
	Entries  []Entry         `cbor:"8,keyasint"`
	Symbols  []Symbol        `cbor:"9,keyasint"`
	Budget   Budget          `cbor:"10,keyasint"`
	Source   string          `cbor:"11,keyasint"`
	Digest   []byte          `cbor:"12,keyasint"`
	Fast     Fast            `cbor:"13,keyasint,omitempty"`
	Sum      []byte          `cbor:"14,keyasint,omitempty"` // of all bytes before it; from format 2 on
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
		MaxNestedLevels:   5,
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
	digest := m.contents()
	var sum []byte
	if m.Version >= summed {
		sum = make([]byte, sha256.Size) // filled in below: it is the end of the file
	}
	b, err := encMode.Marshal(&file{
		Magic: magic, Version: m.Version, Arch: m.Arch, Features: m.Features,
		Code: present(m.Code), Data: present(m.Data), BSS: m.BSS, Patches: present(m.Patches),
		Entries: present(m.Entries), Symbols: present(m.Symbols),
		Budget: m.Budget, Source: m.Source, Digest: digest, Fast: m.Fast, Sum: sum,
	})
	if err != nil {
		return nil, fmt.Errorf("image: %w", err)
	}
	if sum != nil {
		all := sha256.Sum256(b[:len(b)-sha256.Size])
		copy(b[len(b)-sha256.Size:], all[:])
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

// contents is the digest of what is loaded that files have: SHA-256, as runners of
// the first protocol had it, too.
func (m *Image) contents() []byte {
	h := sha256.New()
	h.Write([]byte("copa1"))
	m.Loaded().Begin().Covered(h, m.Code, m.Data, m.Patches)
	return h.Sum(nil)
}

// Decode reads a .copa file, from any source: it checks the sum over the file,
// the encoding, every field, and the digest. The error is ErrNotImage for bytes
// of another kind, and ErrDamaged for those that have changed since.
func Decode(b []byte) (*Image, error) {
	if len(b) < len(head) || !bytes.Equal(b[1:len(head)], []byte(head)[1:]) {
		return nil, ErrNotImage
	}
	// Versions below 24 take one byte behind the head. Without the sum being right
	// nothing else can be believed, the version itself included: a file of format 1
	// would have to be damaged in its digest, too.
	if v := b[len(head):]; len(v) > 0 && v[0] >= summed && v[0] <= Version {
		at := len(b) - sha256.Size
		if at < len(head) {
			return nil, fmt.Errorf("image: %w", ErrDamaged)
		}
		if sum := sha256.Sum256(b[:at]); !bytes.Equal(sum[:], b[at:]) {
			return nil, fmt.Errorf("image: %w", ErrDamaged)
		}
	}
	var f file
	if err := decMode.Unmarshal(b, &f); err != nil {
		return nil, fmt.Errorf("image: %w", err)
	}
	m := &Image{
		Version: f.Version, Arch: f.Arch, Features: f.Features,
		Code: f.Code, Data: f.Data, BSS: f.BSS, Patches: f.Patches,
		Entries: f.Entries, Symbols: f.Symbols, Budget: f.Budget, Source: f.Source, Fast: f.Fast,
		decoded: true,
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if sum := m.contents(); !bytes.Equal(sum, f.Digest) {
		return nil, errors.New("image: digest does not match the contents, the file is damaged")
	}
	if again, err := m.encode(); err != nil || !bytes.Equal(again, b) {
		return nil, errors.New("image: encoding is not the deterministic one")
	}
	return m, nil
}
