package model

import (
	"bytes"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/patch"
)

// An image is what BEGIN has announced and how much of it has come.
type image struct {
	packet.BeginRequest
	missing  uint32
	failed   packet.Status // of the first CHUNK that could not be taken
	failedAt uint32
}

// within reports whether n bytes or items from offset on lie within length.
func within(offset, n, length uint32) bool { return uint64(offset)+uint64(n) <= uint64(length) }

// detail is the pair that belongs to a failure, which 0 is not worth.
func detail(v uint32) []any {
	if v == 0 {
		return nil
	}
	return []any{2, v}
}

func (r *Runner) drop() {
	r.state, r.image = packet.StateIdle, image{}
}

func (r *Runner) dataLength() uint32 { return r.image.DataLength + r.image.BSSLength }

func (r *Runner) begin(q *packet.BeginRequest) (packet.Status, []any) {
	r.drop()
	r.fault = nil
	r.job.runs = 0
	// What a refused BEGIN has announced is of no consequence but for faults, of which there is none.
	block := uint64(q.DataLength) + uint64(q.BSSLength) + uint64(q.PatchLength)
	switch missing := q.Features &^ r.Features; {
	case q.Arch != r.Arch:
		return packet.StatusWrongArch, detail(uint32(r.Arch))
	case missing != 0:
		return packet.StatusMissingFeature, detail(uint32(missing))
	case q.CodeLength > r.CodeSize:
		return packet.StatusNoMemory, detail(r.CodeSize)
	case block > uint64(r.DataSize):
		return packet.StatusNoMemory, detail(r.DataSize)
	case q.CodeLength == 0 || len(q.Entries) == 0 || len(q.Entries) > packet.MaxEntries || len(q.Digest) != packet.DigestLength:
		return packet.StatusBadLength, nil
	}
	for _, e := range q.Entries {
		if e >= q.CodeLength {
			return packet.StatusOutOfRange, detail(e)
		}
	}
	r.image = image{BeginRequest: *q, missing: q.CodeLength + q.DataLength + q.PatchLength}
	clear(r.code[:q.CodeLength])
	clear(r.data[:block])
	r.state = packet.StateLoading
	return packet.StatusOK, nil
}

// region returns the memory that CHUNKs of a region fill.
func (r *Runner) region(region packet.Region) []byte {
	switch region {
	case packet.RegionCode:
		return r.code[:r.image.CodeLength]
	case packet.RegionData:
		return r.data[:r.image.DataLength]
	}
	return r.data[r.dataLength():][:r.image.PatchLength]
}

func (r *Runner) chunk(seq uint16, q *packet.ChunkRequest) {
	if r.image.failed != packet.StatusOK {
		return
	}
	if r.image.failed = r.store(q); r.image.failed != packet.StatusOK {
		r.image.failedAt = q.Offset
		r.answer(r.session, seq, append(Map{0, packet.MsgChunk, 1, r.image.failed}, detail(q.Offset)...))
	}
}

func (r *Runner) store(q *packet.ChunkRequest) packet.Status {
	n := uint32(len(q.Bytes))
	switch {
	case r.state != packet.StateLoading:
		return packet.StatusBadState
	case !q.Region.Valid():
		return packet.StatusOutOfRange
	case !within(q.Offset, n, uint32(len(r.region(q.Region)))):
		return packet.StatusOutOfRange
	case n == 0:
		return packet.StatusBadLength
	}
	copy(r.region(q.Region)[q.Offset:], q.Bytes)
	r.image.missing -= min(n, r.image.missing)
	return packet.StatusOK
}

func (r *Runner) seal() (packet.Status, []any) {
	if r.state != packet.StateLoading {
		return packet.StatusBadState, nil
	}
	m := &r.image
	if m.failed == packet.StatusOK && m.missing > 0 {
		return packet.StatusIncomplete, detail(m.missing)
	}
	r.state = packet.StateIdle
	if m.failed != packet.StatusOK {
		return m.failed, detail(m.failedAt)
	}
	section := bytes.Clone(r.region(packet.RegionPatches))
	digest := m.Sum(r.region(packet.RegionCode), r.region(packet.RegionData), section)
	if !bytes.Equal(digest[:], m.Digest) {
		return packet.StatusDigestMismatch, nil
	}
	memory := patch.Memory{
		Code:     patch.Region{Bytes: r.region(packet.RegionCode), Address: r.CodeAddress},
		Data:     patch.Region{Bytes: r.data[:r.dataLength()], Address: r.DataAddress},
		Services: r.Services,
	}
	if patch.Apply(section, memory) != nil {
		return packet.StatusBadPatch, []any{2, Any{}}
	}
	r.state = packet.StateReady
	return packet.StatusOK, nil
}
