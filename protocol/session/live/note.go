package live

import (
	"encoding/binary"

	"github.com/copaflash/copaflash/protocol/packet"
)

// A Note lies at the start of live memory. With it a host finds its way in the live memory of a loop that another
// one has started. It is an agreement of hosts: runners know nothing of it.
type Note struct {
	// Start is when tick 0 was due, as START has answered it, which may be the low 32 bits; 0: the note is of the loop that is
	// started next. Where it is another one than that of the loop which runs, the note is an older one's.
	Start      uint64
	Period     uint64 // counts of the timer
	Rest       uint32 // 2^-32 counts
	Tasks      uint32 // place of a count of tasks, and entry and divisor of each
	Histograms uint32 // place; 0: none
	Buckets    uint32 // of each histogram
	Safe       uint32 // place of the list of safe values; 0: none
	Free       uint32 // first place that no fixed part lies at
	Staged     uint32 // place of the set that was applied last; 0: none
	Code, Data uint32 // where the program lies in code and data memory
	Next       uint32 // place of what holds instead once the loop has gone over to another program; 0: none
	Digest     [packet.DigestLength]byte
}

// A NextNote says of the program of a swap what the note says of the one before. It is there before the swap is asked for, so that
// whichever of them runs is known to who comes after a host that has not seen it.
type NextNote struct {
	Tasks, Safe, Code, Data uint32
	Digest                  [packet.DigestLength]byte
}

const (
	noteMagic   = 0x4c706f63 // "copL"
	noteVersion = 2
	// NoteLength is that of a note, in bytes.
	NoteLength = 16*word + packet.DigestLength
	// StagedAt is the place of Note.Staged, NextAt that of Note.Next.
	StagedAt = 12 * word
	NextAt   = 15 * word
	// NextLength is that of a NextNote, in bytes.
	NextLength = 4*word + packet.DigestLength
)

// Append appends the note as it lies in live memory.
func (n *Note) Append(dst []byte) []byte {
	for _, v := range []uint32{
		noteMagic, noteVersion, uint32(n.Start), uint32(n.Start >> 32), uint32(n.Period), uint32(n.Period >> 32), n.Rest,
		n.Tasks, n.Histograms, n.Buckets, n.Safe, n.Free, n.Staged, n.Code, n.Data, n.Next,
	} {
		dst = binary.LittleEndian.AppendUint32(dst, v)
	}
	return append(dst, n.Digest[:]...)
}

// StartPiece is the part of the note that tells when tick 0 was due.
func (n *Note) StartPiece() Piece {
	return Piece{Offset: 2 * word, Bytes: binary.LittleEndian.AppendUint64(nil, n.Start)}
}

// ReadNote takes a note of so many bytes of live memory. It returns nil if there is none, or none that makes sense: memory
// holds anything.
func ReadNote(b []byte, capacity uint32) *Note {
	if len(b) < NoteLength {
		return nil
	}
	at := func(i int) uint32 { return binary.LittleEndian.Uint32(b[i*word:]) }
	wide := func(i int) uint64 { return uint64(at(i)) | uint64(at(i+1))<<32 }
	if at(0) != noteMagic || at(1) != noteVersion {
		return nil
	}
	n := &Note{Start: wide(2), Period: wide(4), Rest: at(6), Tasks: at(7), Histograms: at(8), Buckets: at(9), Safe: at(10), Free: at(11), Staged: at(12), Code: at(13), Data: at(14), Next: at(15)}
	copy(n.Digest[:], b[16*word:])
	for _, place := range []uint32{n.Tasks, n.Histograms, n.Safe, n.Free, n.Staged, n.Next} {
		if place%word != 0 || place > capacity {
			return nil
		}
	}
	if n.Free < NoteLength || n.Period == 0 || (n.Histograms == 0) != (n.Buckets == 0) || n.Buckets > packet.HistogramBuckets {
		return nil
	}
	if n.Histograms != 0 && uint64(n.Histograms)+uint64(HistogramLength(int(n.Buckets))) > uint64(n.Free) {
		return nil
	}
	return n
}

// Append appends it as it lies in live memory.
func (n *NextNote) Append(dst []byte) []byte {
	for _, v := range []uint32{n.Tasks, n.Safe, n.Code, n.Data} {
		dst = binary.LittleEndian.AppendUint32(dst, v)
	}
	return append(dst, n.Digest[:]...)
}

// GoOver takes over what NextLength bytes say, if they are about the program with this digest.
func (n *Note) GoOver(b []byte, digest [packet.DigestLength]byte, capacity uint32) bool {
	at := func(i int) uint32 { return binary.LittleEndian.Uint32(b[i*word:]) }
	if len(b) != NextLength || [packet.DigestLength]byte(b[4*word:]) != digest || max(at(0), at(1)) > capacity || (at(0)|at(1))%word != 0 {
		return false
	}
	n.Tasks, n.Safe, n.Code, n.Data, n.Digest, n.Next = at(0), at(1), at(2), at(3), digest, 0
	return true
}
