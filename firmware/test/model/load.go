package model

import (
	"bytes"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/patch"
)

// An image is what BEGIN has announced and how much of it has come.
type image struct {
	packet.BeginRequest
	codeAt  uint32 // where it lies in its memory
	dataAt  uint32
	missing uint32
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

func (r *Runner) drop() packet.Status {
	if r.swapping {
		return packet.StatusBusy
	}
	m, state := r.loading()
	*state, *m = packet.StateIdle, image{}
	if r.state != packet.StateTicking {
		r.loop.known, r.stream.on = false, false
	}
	return packet.StatusOK
}

// block is where the image's data lie.
func (m *image) block() block { return block{m.dataAt, m.DataLength + m.BSSLength} }

func (r *Runner) begin(q *packet.BeginRequest) (packet.Status, []any) {
	if status := r.drop(); status != packet.StatusOK {
		return status, nil
	}
	m, state := r.loading()
	if r.state != packet.StateTicking {
		r.fault = nil
		r.job.runs = 0
	}
	block := uint64(q.DataLength) + uint64(q.BSSLength) + uint64(q.PatchLength)
	codeAt, codeRoom, dataAt, dataRoom := uint32(0), r.CodeSize, uint32(0), r.DataSize
	if r.state == packet.StateTicking {
		codeAt, codeRoom = place(r.CodeSize, r.image.codeAt, r.image.CodeLength, uint64(q.CodeLength))
		dataAt, dataRoom = place(r.DataSize, r.image.dataAt, r.image.block().length, block)
	}
	switch missing := q.Features &^ r.Features; {
	case q.Arch != r.Arch:
		return packet.StatusWrongArch, detail(uint32(r.Arch))
	case missing != 0:
		return packet.StatusMissingFeature, detail(uint32(missing))
	case q.CodeLength > codeRoom:
		return packet.StatusNoMemory, detail(codeRoom)
	case block > uint64(dataRoom):
		return packet.StatusNoMemory, detail(dataRoom)
	case q.CodeLength == 0 || len(q.Entries) == 0 || len(q.Entries) > packet.MaxEntries || len(q.Digest) != packet.DigestLength:
		return packet.StatusBadLength, nil
	}
	for _, e := range q.Entries {
		if e >= q.CodeLength {
			return packet.StatusOutOfRange, detail(e)
		}
	}
	*m = image{BeginRequest: *q, codeAt: codeAt, dataAt: dataAt, missing: q.CodeLength + q.DataLength + q.PatchLength}
	clear(r.code[codeAt:][:q.CodeLength])
	clear(r.data[dataAt:][:block])
	*state = packet.StateLoading
	return packet.StatusOK, nil
}

// region returns the memory that CHUNKs of a region fill.
func (r *Runner) region(region packet.Region) []byte {
	m, _ := r.loading()
	switch region {
	case packet.RegionCode:
		return r.code[m.codeAt:][:m.CodeLength]
	case packet.RegionData:
		return r.data[m.dataAt:][:m.DataLength]
	}
	return r.data[m.dataAt+m.DataLength+m.BSSLength:][:m.PatchLength]
}

func (r *Runner) chunk(seq uint16, q *packet.ChunkRequest) {
	if status := r.store(q); status != packet.StatusOK {
		r.answer(r.session, seq, append(Map{0, packet.MsgChunk, 1, status}, detail(q.Offset)...))
	}
}

func (r *Runner) store(q *packet.ChunkRequest) packet.Status {
	n := uint32(len(q.Bytes))
	m, state := r.loading()
	switch {
	case *state != packet.StateLoading:
		return packet.StatusBadState
	case q.Region > packet.RegionPatches:
		return packet.StatusOutOfRange
	case !within(q.Offset, n, uint32(len(r.region(q.Region)))):
		return packet.StatusOutOfRange
	}
	copy(r.region(q.Region)[q.Offset:], q.Bytes)
	m.missing -= min(n, m.missing)
	return packet.StatusOK
}

func (r *Runner) seal() (packet.Status, []any) {
	m, state := r.loading()
	if *state != packet.StateLoading {
		return packet.StatusBadState, nil
	}
	if m.missing > 0 {
		return packet.StatusIncomplete, detail(m.missing)
	}
	*state = packet.StateIdle
	section := bytes.Clone(r.region(packet.RegionPatches))
	digest := m.Sum(r.region(packet.RegionCode), r.region(packet.RegionData), section)
	if !bytes.Equal(digest[:], m.Digest) {
		return packet.StatusDigestMismatch, nil
	}
	memory := patch.Memory{
		Code:     patch.Region{Bytes: r.region(packet.RegionCode), Address: r.CodeAddress + uint64(m.codeAt)},
		Data:     patch.Region{Bytes: r.data[m.dataAt:][:m.DataLength+m.BSSLength], Address: r.DataAddress + uint64(m.dataAt)},
		Services: r.Services,
	}
	if patch.Apply(section, memory) != nil {
		return packet.StatusBadPatch, []any{2, Any{}}
	}
	*state = packet.StateReady
	return packet.StatusOK, nil
}
