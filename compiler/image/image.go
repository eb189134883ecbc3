package image

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/patch"
)

// Version is the newest version of the .copa file format, that of images with tasks or with
// metadata of symbols. Earlier ones are read as well, see Image.Lacks, and Plain is written
// where it says everything, so that earlier programs can read the file.
const (
	Version = 3
	Plain   = 2
)

// summed is the first version whose files end with a sum over all of them, told the first one
// with tasks and metadata.
const (
	summed = 2
	told   = 3
)

// FlagsOffset is the place in the data block of the sticky arithmetic flags, a
// 32-bit word of [graph.Flags]. The host clears it by writing 0.
const FlagsOffset = 0

// Alignment of the code and the data block in the memory of the target, in bytes.
const Alignment = 64

// Image is a program for one architecture.
type Image struct {
	Version  uint32 // file format version
	Arch     packet.Arch
	Features packet.Features // features that the processor must have
	Code     []byte          // position-independent, loaded at a multiple of Alignment
	Data     []byte          // initialised part of the data block, little endian
	BSS      uint32          // bytes of zeros behind Data that belong to the data block
	Patches  []byte          // patch section, see package patch
	Entries  []Entry         // functions `void entry(void *data)` with the C ABI of the target
	Symbols  []Symbol        // inputs, states and outputs
	Budget   Budget
	Source   string // what the program was compiled from, for people
	Fast     Fast   // whether results may differ from those of the program as written

	decoded bool
}

// Decoded reports whether the image, or the one that it is a copy of, was read from a file. Nobody knows then
// who has made its code, so it does not run in this process.
func (m *Image) Decoded() bool { return m.decoded }

// Fast says how much of a program was compiled by rules that are exact for real
// numbers but change the rounding of floats.
type Fast uint8

// Nothing, the expressions that were marked, or all of it.
const (
	Strict    Fast = 0
	FastParts Fast = 1
	FastWhole Fast = 2
)

var fastNames = [...]string{Strict: "strict", FastParts: "fast in marked expressions", FastWhole: "fast"}

// Label is what JSON documents say of it: "parts", "whole", or nothing for Strict.
func (f Fast) Label() string {
	switch f {
	case FastParts:
		return "parts"
	case FastWhole:
		return "whole"
	}
	return ""
}

// Valid reports whether f is known.
func (f Fast) Valid() bool { return int(f) < len(fastNames) }

func (f Fast) String() string {
	if !f.Valid() {
		return fmt.Sprintf("fast(%d)", uint8(f))
	}
	return fastNames[f]
}

// Entry is a place in the code where the runner may start. The entries of a program of several
// tasks are its tasks, in the order in which those that are due run within a tick.
type Entry struct {
	Name   string `cbor:"1,keyasint"`
	Offset uint32 `cbor:"2,keyasint"` // bytes from the start of the code block
	// Divisor says how often it runs: in ticks whose number is a multiple of it. 0 is 1.
	Divisor uint32 `cbor:"3,keyasint,omitempty"`
	// Rate is how often it is meant to run, per second; 0: as whoever starts it likes.
	Rate float64 `cbor:"4,keyasint,omitempty"`
	// Instructions bounds those of one run of it; 0: Budget says it, of the only entry.
	Instructions uint64 `cbor:"5,keyasint,omitempty"`
	// Pins is of the first entry, for all of them: the place in the code of the lists of operations on
	// registers that connect variables to pins, see boards/registers. 0: there are none.
	Pins uint32 `cbor:"6,keyasint,omitempty"`
}

// MaxTasks bounds the entries of an image that a runner takes turns with.
const MaxTasks = 16

// MaxDivisor bounds Entry.Divisor.
const MaxDivisor = 1 << 24

// Every is the number of ticks from one run of the entry to the next.
func (e *Entry) Every() int { return int(max(e.Divisor, 1)) }

// Pins is the place in the code of the lists for the pins; 0: there are none.
func (m *Image) Pins() uint32 {
	if len(m.Entries) == 0 {
		return 0
	}
	return m.Entries[0].Pins
}

// PinLists are the lists for the pins: of the first one's entries, and of all; nil where there are none.
func (m *Image) PinLists() []byte {
	const counts, entry = 16, 16 // bytes
	at := uint64(m.Pins())
	if at == 0 || at%4 != 0 || at+counts > uint64(len(m.Code)) {
		return nil
	}
	size := uint64(counts)
	for i := range counts / 4 {
		size += entry * uint64(binary.LittleEndian.Uint32(m.Code[at+4*uint64(i):]))
	}
	if at+size > uint64(len(m.Code)) {
		return nil
	}
	return m.Code[at : at+size]
}

// StartPins is the part of PinLists that is carried out when a loop starts.
func (m *Image) StartPins() []byte {
	lists := m.PinLists()
	if lists == nil {
		return nil
	}
	return lists[16:][:16*uint64(binary.LittleEndian.Uint32(lists))]
}

// TickRate is how many ticks a second the program is meant for; 0: it does not say.
func (m *Image) TickRate() float64 {
	for i := range m.Entries {
		if e := &m.Entries[i]; e.Rate != 0 {
			return e.Rate * float64(e.Every())
		}
	}
	return 0
}

// LeastFormat is the least version of the file format that says all that the image does.
func (m *Image) LeastFormat() uint32 {
	for i := range m.Entries {
		if e := &m.Entries[i]; e.Divisor != 0 || e.Rate != 0 || e.Instructions != 0 || e.Pins != 0 {
			return told
		}
	}
	for i := range m.Symbols {
		if !m.Symbols[i].Meta.IsZero() {
			return told
		}
	}
	return Plain
}

// Budget is what a run of the program costs, known before anything is sent.
type Budget struct {
	Ops          []OpCount `cbor:"1,keyasint,omitempty"` // operations carried out by one run, by kind
	StackBytes   uint32    `cbor:"2,keyasint"`           // entry plus deepest math kernel
	Instructions uint64    `cbor:"3,keyasint"`           // bound on the instructions of one run
}

// OpCount is how often one kind of operation is carried out in one run.
type OpCount struct {
	Name  string `cbor:"1,keyasint"` // operation and type, "add.f32"
	Count uint64 `cbor:"2,keyasint"`
}

// TotalOps is the sum of the operation counts.
func (b *Budget) TotalOps() uint64 {
	var n uint64
	for _, o := range b.Ops {
		n += o.Count
	}
	return n
}

// Lacks says for people what the format of the file lacks that an image was read from;
// empty for the present one.
func (m *Image) Lacks() string {
	if m.Version >= summed {
		return ""
	}
	return fmt.Sprintf("format %d has no digest over names, types and places of variables: damage to these goes unseen", m.Version)
}

// DataSize is the size in bytes of the data block in the target's memory.
func (m *Image) DataSize() uint64 { return uint64(len(m.Data)) + uint64(m.BSS) }

// Loaded is what a runner sees of the image: no names, symbols or budget.
func (m *Image) Loaded() *packet.Image {
	l := &packet.Image{Arch: m.Arch, Features: m.Features, Code: m.Code, Data: m.Data, BSS: m.BSS, Patches: m.Patches}
	for _, e := range m.Entries {
		l.Entries = append(l.Entries, e.Offset)
	}
	return l
}

// Digest identifies what a runner executes; see Loaded. A file also ends with a sum over all of it.
func (m *Image) Digest() [packet.DigestLength]byte { return m.Loaded().Digest() }

// WireBytes is the number of payload bytes that loading the image moves over
// the link. Frames add 2 % to 9 % to it, depending on the frame length.
func (m *Image) WireBytes() int { return m.Loaded().Size() }

// PatchCount is the number of places that the runner patches.
func (m *Image) PatchCount() int {
	n := 0
	kinds, _ := patch.Decode(m.Patches) // an image is validated when it is made or read
	for i := range kinds {
		n += len(kinds[i].Patches)
	}
	return n
}

// Symbol finds a symbol by kind and name.
func (m *Image) Symbol(kind Kind, name string) (*Symbol, bool) {
	for i := range m.Symbols {
		if s := &m.Symbols[i]; s.Kind == kind && s.Name == name {
			return s, true
		}
	}
	return nil, false
}

// Validate checks every field against the others. A valid image can be sent
// without further checks by the host; runners check again for themselves.
func (m *Image) Validate() error {
	if m.Version == 0 || m.Version > Version {
		return fmt.Errorf("image: format version %d, this program reads versions 1 to %d", m.Version, Version)
	}
	if !m.Arch.Valid() {
		return fmt.Errorf("image: unknown architecture code %d", uint8(m.Arch))
	}
	if !m.Fast.Valid() {
		return fmt.Errorf("image: unknown arithmetic %d", uint8(m.Fast))
	}
	if uint64(len(m.Code)) > math.MaxInt32 || m.DataSize() > math.MaxInt32 {
		return fmt.Errorf("image: code of %d bytes or data of %d bytes exceeds 2 GiB", len(m.Code), m.DataSize())
	}
	if len(m.Entries) == 0 {
		return fmt.Errorf("image: no entry")
	}
	if m.Version < told && m.LeastFormat() >= told {
		return fmt.Errorf("image: tasks or metadata of symbols in format %d, which has none", m.Version)
	}
	if err := m.validateEntries(); err != nil {
		return err
	}
	if err := m.validateSymbols(); err != nil {
		return err
	}
	if err := patch.Check(m.Patches, uint64(len(m.Code)), uint64(len(m.Data)), m.DataSize()); err != nil {
		return fmt.Errorf("image: %w", err)
	}
	return nil
}

func (m *Image) validateEntries() error {
	ticks := m.TickRate()
	for i := range m.Entries {
		e := &m.Entries[i]
		switch {
		case uint64(e.Offset) >= uint64(len(m.Code)):
			return fmt.Errorf("image: entry %d (%s): offset %d is outside the code of %d bytes", i, e.Name, e.Offset, len(m.Code))
		case e.Pins != 0 && (i > 0 || len(m.PinLists()) == 0):
			return fmt.Errorf("image: entry %d (%s): no lists for pins at %d", i, e.Name, e.Pins)
		case e.Divisor > MaxDivisor:
			return fmt.Errorf("image: entry %d (%s): it runs in every tick of %d: at most %d", i, e.Name, e.Divisor, MaxDivisor)
		case math.IsNaN(e.Rate) || e.Rate < 0 || e.Rate > maxRate:
			return fmt.Errorf("image: entry %d (%s): a rate of %v per second: at most %v", i, e.Name, e.Rate, float64(maxRate))
		case e.Rate != 0 && math.Abs(e.Rate*float64(e.Every())-ticks) > 1e-6*ticks:
			return fmt.Errorf("image: entry %d (%s): %v per second in one of %d ticks, of which there are %v per second",
				i, e.Name, e.Rate, e.Every(), ticks)
		}
	}
	return nil
}

// maxRate bounds rates, per second.
const maxRate = 1e6

func (m *Image) validateSymbols() error {
	kinds := make(map[string]uint8, len(m.Symbols)) // by name: a bit for each of its kinds
	named := uint64(0)                              // bytes
	for i := range m.Symbols {
		s := &m.Symbols[i]
		switch {
		case !s.Kind.Valid():
			return fmt.Errorf("image: symbol %d (%s): unknown kind %d", i, s.Name, uint8(s.Kind))
		case !s.DType.Valid():
			return fmt.Errorf("image: symbol %d (%s): unknown element type %d", i, s.Name, uint8(s.DType))
		case s.Name == "" || !utf8.ValidString(s.Name):
			return fmt.Errorf("image: symbol %d: name is empty or not UTF-8", i)
		case s.Offset%uint32(s.DType.Size()) != 0:
			return fmt.Errorf("image: symbol %d (%s): offset %d is not a multiple of %d", i, s.Name, s.Offset, s.DType.Size())
		}
		before := kinds[s.Name]
		if before>>s.Kind&1 != 0 {
			return fmt.Errorf("image: symbol %d: %s %q appears twice", i, s.Kind, s.Name)
		}
		kinds[s.Name] = before | 1<<s.Kind
		size := uint64(s.DType.Size())
		for _, d := range s.Shape {
			if d < 0 {
				return fmt.Errorf("image: symbol %d (%s): negative dimension %d", i, s.Name, d)
			}
			if size *= uint64(d); d > math.MaxInt32 || size > math.MaxInt32 {
				return fmt.Errorf("image: symbol %d (%s): larger than 2 GiB", i, s.Name)
			}
		}
		if uint64(s.Offset)+size > m.DataSize() {
			return fmt.Errorf("image: symbol %d (%s): bytes %d to %d are outside the data block of %d bytes",
				i, s.Name, s.Offset, uint64(s.Offset)+size, m.DataSize())
		}
		if err := m.validateMeta(s); err != nil {
			return fmt.Errorf("image: symbol %d (%s): %w", i, s.Name, err)
		}
		named += size
	}
	if limit := max(manyNames*m.DataSize(), fewBytes); named > limit {
		return fmt.Errorf("image: symbols name %d bytes, in a data block of %d bytes that they may name %d times",
			named, m.DataSize(), manyNames)
	}
	return nil
}

func (*Image) validateMeta(s *Symbol) error {
	if s.Meta == nil {
		return nil
	}
	if about := s.Meta; about.Role.OfInput() && s.Kind != Input || about.Role.OfResult() && s.Kind != Output {
		return fmt.Errorf("the %s %q has the role %v", s.Kind, s.Name, about.Role)
	}
	return s.Meta.Check(s.DType, s.Len())
}

// A variable may have several names: a state that is an output, and a result that is
// listed twice. Whoever reads all variables must not be made to read the data block
// a million times over by a file of some kilobytes.
const (
	manyNames = 2        // names that each byte may have on average
	fewBytes  = 16 << 20 // any number of names below this many bytes
)
