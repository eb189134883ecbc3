package session

import (
	"fmt"

	"github.com/copaflash/copaflash/protocol/packet"
)

// An Image is what a runner loads.
type Image struct {
	Arch     packet.Arch
	Features packet.Features // that the code needs
	Code     []byte
	Data     []byte // initialised part of the data block
	BSS      uint32 // zeroed bytes after it
	Patches  []byte // patch section
	Entries  []uint32
}

// Digest returns the digest that the runner will compare with.
func (m *Image) Digest() [packet.DigestLength]byte {
	return m.begin().Sum(m.Code, m.Data, m.Patches)
}

// Size returns how many bytes are sent.
func (m *Image) Size() int { return len(m.Code) + len(m.Data) + len(m.Patches) }

func (m *Image) begin() *packet.BeginRequest {
	return &packet.BeginRequest{
		Arch: m.Arch, Features: m.Features,
		CodeLength: uint32(len(m.Code)), DataLength: uint32(len(m.Data)), BSSLength: m.BSS, PatchLength: uint32(len(m.Patches)),
		Entries: m.Entries,
	}
}

// fits reports what keeps the image from running on a runner.
func (m *Image) fits(r *packet.HelloResponse) error {
	data := uint64(len(m.Data)) + uint64(m.BSS) + uint64(len(m.Patches))
	switch {
	case m.Arch != r.Arch:
		return &ArchError{Image: m.Arch, Runner: r.Arch}
	case m.Features&^r.Features != 0:
		return &ArchError{Image: m.Arch, Runner: r.Arch, Missing: m.Features &^ r.Features}
	case uint64(len(m.Code)) > uint64(r.CodeCapacity):
		return &SizeError{"code", uint64(len(m.Code)), uint64(r.CodeCapacity)}
	case data > uint64(r.DataCapacity):
		return &SizeError{"data", data, uint64(r.DataCapacity)}
	case len(m.Code) == 0:
		return fmt.Errorf("image without code")
	}
	return nil
}

// regions returns the parts of the image in the order in which they are sent.
func (m *Image) regions() [3][]byte {
	return [3][]byte{packet.RegionCode: m.Code, packet.RegionData: m.Data, packet.RegionPatches: m.Patches}
}
