package packet

// An Image is what a runner loads.
type Image struct {
	Arch     Arch
	Features Features // that the code needs
	Code     []byte
	Data     []byte   // initialised part of the data block
	BSS      uint32   // zeroed bytes after it
	Patches  []byte   // patch section
	Entries  []uint32 // bytes from the start of the code
}

// Begin makes the message that announces the image, with its digest.
func (m *Image) Begin() *BeginRequest {
	r := &BeginRequest{
		Arch: m.Arch, Features: m.Features,
		CodeLength: uint32(len(m.Code)), DataLength: uint32(len(m.Data)), BSSLength: m.BSS, PatchLength: uint32(len(m.Patches)),
		Entries: m.Entries,
	}
	digest := r.Sum(m.Code, m.Data, m.Patches)
	r.Digest = digest[:]
	return r
}

// Digest is what the runner computes of what has arrived, and compares with the one in BEGIN.
func (m *Image) Digest() [DigestLength]byte { return [DigestLength]byte(m.Begin().Digest) }

// Size returns how many bytes are sent.
func (m *Image) Size() int { return len(m.Code) + len(m.Data) + len(m.Patches) }

// Regions returns the parts of the image in the order in which they are sent.
func (m *Image) Regions() [3][]byte {
	return [3][]byte{RegionCode: m.Code, RegionData: m.Data, RegionPatches: m.Patches}
}
