package model

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"

	"github.com/copaflash/copaflash/protocol/packet"
)

// The memory of stored programs that the bench has.
const (
	SlotLength = 2048
	PageLength = 256
	StoreUnit  = 4
	FirstByte  = 32 // of the records in a slot

	eraseMS    = 7
	storeMagic = 0x746f4c53
)

// stored is what STORE tells, and which slot is the current one.
type stored struct {
	valid   bool
	slot    int
	state   packet.StoreState
	record  uint32
	refusal packet.Status
}

func erased() (slots [2][]byte) {
	for i := range slots {
		slots[i] = bytes.Repeat([]byte{0xff}, SlotLength)
	}
	return slots
}

func storeSum(b []byte) []byte {
	h := fnv.New64a()
	h.Write(b)
	return binary.LittleEndian.AppendUint64(nil, h.Sum64())
}

// header is a number of a slot's header.
func header(slot []byte, place int) uint32 { return binary.LittleEndian.Uint32(slot[4*place:]) }

// recordsOf are those of a slot, nil if it is not valid.
func recordsOf(slot []byte) []byte {
	n := header(slot, 3)
	if header(slot, 0) != storeMagic || !bytes.Equal(storeSum(slot[:24]), slot[24:32]) || n == 0 || n > SlotLength-FirstByte ||
		!bytes.Equal(storeSum(slot[FirstByte:][:n]), slot[16:24]) {
		return nil
	}
	return slot[FirstByte:][:n]
}

// Other is the slot that is not the current one.
func (r *Runner) Other() []byte {
	if r.stored.valid {
		return r.slots[1-r.stored.slot]
	}
	return r.slots[0]
}

// Foreseen reports whether the model knows what so many bytes of records in that slot ask for.
func (r *Runner) Foreseen(length uint32) bool {
	for left := r.Other()[FirstByte:][:min(length, SlotLength-FirstByte)]; len(left) >= 2; {
		n := int(binary.LittleEndian.Uint16(left))
		if left = left[2:]; n == 0 || n > len(left) {
			break
		}
		if _, ok := r.Recorded[string(left[:n])]; !ok && !isNote(left[:n]) {
			return false
		}
		left = left[n:]
	}
	return true
}

func isNote(record []byte) bool { return len(record) >= 3 && record[1]|record[2] == 0 }

// StoredState tells what has become of the stored program.
func (r *Runner) StoredState() packet.StoreState { return r.stored.state }

// kept are the records of the current slot.
func (r *Runner) kept() []byte {
	if !r.stored.valid {
		return nil
	}
	return r.slots[r.stored.slot][FirstByte:][:header(r.slots[r.stored.slot], 3)]
}

// startStored carries out what is stored.
func (r *Runner) startStored() {
	for i, slot := range r.slots {
		if recordsOf(slot) != nil && (!r.stored.valid || int32(header(slot, 1)-header(r.slots[0], 1)) > 0) {
			r.stored = stored{valid: true, slot: i, state: packet.StoredDone}
		}
	}
	if !r.stored.valid {
		return
	}
	record := uint32(0)
	for left := r.kept(); len(left) >= 2; {
		n := int(binary.LittleEndian.Uint16(left))
		if left = left[2:]; n == 0 {
			break
		}
		record++
		status, end := packet.StatusBadLength, false
		if n <= len(left) {
			status, end = r.replay(left[:n])
			left = left[n:]
		}
		if end {
			break
		}
		if status != packet.StatusOK {
			r.stored.state, r.stored.record, r.stored.refusal = packet.StoredRefused, record, status
			r.stopLoop()
			r.drop()
			break
		}
	}
	r.out = nil
}

// replay carries out a record; end if it is a START that is not wanted.
func (r *Runner) replay(body []byte) (status packet.Status, end bool) {
	if isNote(body) {
		return packet.StatusOK, false
	}
	q := r.Recorded[string(body)]
	r.notice()
	switch q := q.(type) {
	case *packet.HelloRequest, *packet.RunRequest, *packet.BaudRequest, *packet.SubscribeRequest, *packet.StoreRequest:
		return packet.StatusBadMessage, false
	case *packet.StartRequest:
		if header(r.slots[r.stored.slot], 2)&uint32(packet.StoreAutostart) == 0 {
			return packet.StatusOK, true
		}
	case *packet.ChunkRequest:
		return r.store(q), false
	}
	status, _ = r.perform(q)
	return status, false
}

// program writes bytes to a slot, whose ones can become zeros.
func program(slot []byte, at uint32, b []byte) packet.Status {
	status := packet.StatusOK
	for i, v := range b {
		if slot[int(at)+i] &= v; slot[int(at)+i] != v {
			status = packet.StatusNotStored
		}
	}
	return status
}

func (r *Runner) storeRequest(q *packet.StoreRequest) (packet.Status, []any) {
	if status := r.act(q); status != packet.StatusOK {
		return status, nil
	}
	s := &r.stored
	var sequence, flags, length uint32
	digest := make([]byte, packet.DigestLength)
	if s.valid {
		slot := r.slots[s.slot]
		sequence, flags, length, digest = header(slot, 1), header(slot, 2), header(slot, 3), slot[16:24]
	}
	more := words(uint32(SlotLength), uint32(PageLength), uint32(StoreUnit), uint32(eraseMS), uint32(s.state), sequence, flags, length)
	return packet.StatusOK, []any{2, append(append(more, digest...), words(s.record, uint32(int32(s.refusal)))...)}
}

func (r *Runner) act(q *packet.StoreRequest) packet.Status {
	n := uint32(len(q.Bytes))
	switch {
	case q.Action == packet.StoreLook:
	case r.state == packet.StateTicking:
		return packet.StatusBadState
	case q.Action == packet.StoreErase:
		if q.Offset%PageLength != 0 || q.Offset >= SlotLength {
			return packet.StatusOutOfRange
		}
		copy(r.Other()[q.Offset:][:PageLength], erased()[0])
	case q.Action == packet.StoreWrite:
		if (q.Offset|n)%StoreUnit != 0 || q.Offset < FirstByte || !within(q.Offset, n, SlotLength) {
			return packet.StatusOutOfRange
		}
		return program(r.Other(), q.Offset, q.Bytes)
	case q.Action == packet.StoreCommit:
		return r.commit(q)
	case q.Action == packet.StoreClear:
		for _, slot := range r.slots {
			if header(slot, 0) == storeMagic {
				copy(slot[:PageLength], erased()[0])
			}
		}
		r.stored = stored{}
	default:
		return packet.StatusBadMessage
	}
	return packet.StatusOK
}

func (r *Runner) commit(q *packet.StoreRequest) packet.Status {
	slot := r.Other()
	switch {
	case len(q.Bytes) != packet.DigestLength || q.Length == 0 || q.Length > SlotLength-FirstByte:
		return packet.StatusBadLength
	case q.Flags&^packet.StoreAutostart != 0:
		return packet.StatusUnsupported
	case !bytes.Equal(storeSum(slot[FirstByte:][:q.Length]), q.Bytes):
		return packet.StatusDigestMismatch
	}
	sequence := uint32(1)
	if r.stored.valid {
		sequence = header(r.slots[r.stored.slot], 1) + 1
	}
	head := append(words(uint32(storeMagic), sequence, uint32(q.Flags), q.Length), q.Bytes...)
	status := program(slot, 0, append(head, storeSum(head)...))
	if status == packet.StatusOK {
		next := stored{valid: true, state: packet.StoredNext}
		if &slot[0] == &r.slots[1][0] {
			next.slot = 1
		}
		r.stored = next
	}
	return status
}
