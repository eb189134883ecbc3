package sessiontest

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"

	"github.com/copaflash/copaflash/protocol/packet"
)

// A Flash keeps programs over restarts of runners. It is erased in pages and written in units, each of which only once.
type Flash struct {
	Page, Unit, Pages uint32 // bytes, bytes, and pages of a slot
	// Cut is after how many erased pages and written units the power fails, half-way through the next; 0: it does not.
	Cut  int
	Dead bool // it has failed

	slots [2][]byte
	hold  bool
}

// HoldButton presses a button, or lets it go, that keeps a runner from carrying a program out when it starts.
func (r *Runner) HoldButton(down bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Store.hold = down
}

// NewFlash is one like that of a small board, with so many pages in a slot.
func NewFlash(pages uint32) *Flash {
	f := &Flash{Page: 1024, Unit: 4, Pages: pages}
	for i := range f.slots {
		f.slots[i] = bytes.Repeat([]byte{0xff}, int(f.Page*f.Pages))
	}
	return f
}

const (
	storeMagic  = 0x53706f63
	headerBytes = 32
)

func sum(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}

// header is where the records begin.
func (f *Flash) header() uint32 { return (headerBytes + f.Unit - 1) / f.Unit * f.Unit }

// stored is a valid slot.
type stored struct {
	slot             int
	sequence, flags  uint32
	records, digest8 []byte
}

// valid reads a slot, nil if it holds no program.
func (f *Flash) valid(slot int) *stored {
	b := f.slots[slot]
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }
	length := word(3)
	if word(0) != storeMagic || binary.LittleEndian.Uint64(b[24:]) != sum(b[:24]) || length == 0 || uint64(f.header())+uint64(length) > uint64(len(b)) {
		return nil
	}
	records := b[f.header() : f.header()+length]
	if binary.LittleEndian.Uint64(b[16:]) != sum(records) {
		return nil
	}
	return &stored{slot, word(1), word(2), records, b[16:24]}
}

// current is the newest program, nil if there is none.
func (f *Flash) current() *stored {
	a, b := f.valid(0), f.valid(1)
	if a == nil || b != nil && int32(b.sequence-a.sequence) > 0 {
		return b
	}
	return a
}

// other is the slot that the next program goes to.
func (f *Flash) other() []byte {
	if c := f.current(); c != nil {
		return f.slots[1-c.slot]
	}
	return f.slots[0]
}

// change carries out one operation on flash, or the first half of it if the power fails.
func (f *Flash) change(part []byte, to func(i int) byte) bool {
	if f.Dead {
		return false
	}
	n := len(part)
	if f.Cut > 0 {
		if f.Cut--; f.Cut == 0 {
			n, f.Dead = n/2, true
		}
	}
	for i := range part[:n] {
		part[i] = to(i)
	}
	return !f.Dead
}

func (f *Flash) erase(part []byte) bool { return f.change(part, func(int) byte { return 0xff }) }

// write programs units. Those that were not erased are refused.
func (f *Flash) write(into, b []byte) packet.Status {
	for i := 0; i < len(b); i += int(f.Unit) {
		unit := into[i : i+int(f.Unit)]
		if !bytes.Equal(unit, bytes.Repeat([]byte{0xff}, len(unit))) {
			return packet.StatusNotStored
		}
		if !f.change(unit, func(k int) byte { return b[i+k] }) {
			return packet.StatusNotStored
		}
	}
	return packet.StatusOK
}

// carryOutStore answers STORE.
func (r *Runner) carryOutStore(q *packet.StoreRequest) packet.Response {
	f := r.Store
	if f == nil {
		return &packet.StoreResponse{Status: packet.StatusUnsupported}
	}
	status := packet.StatusOK
	if q.Action != packet.StoreLook && (r.state == packet.StateTicking || r.state == packet.StateRunning) {
		return &packet.StoreResponse{Status: packet.StatusBadState}
	}
	slot := f.other()
	switch q.Action {
	case packet.StoreLook:
	case packet.StoreErase:
		if q.Offset%f.Page != 0 || q.Offset >= uint32(len(slot)) {
			status = packet.StatusOutOfRange
		} else if !f.erase(slot[q.Offset : q.Offset+f.Page]) {
			status = packet.StatusNotStored
		}
	case packet.StoreWrite:
		n := uint32(len(q.Bytes))
		switch {
		case n == 0 || n%f.Unit != 0 || q.Offset%f.Unit != 0:
			status = packet.StatusBadLength
		case q.Offset < f.header() || uint64(q.Offset)+uint64(n) > uint64(len(slot)):
			status = packet.StatusOutOfRange
		default:
			status = f.write(slot[q.Offset:q.Offset+n], q.Bytes)
		}
	case packet.StoreCommit:
		status = r.commitStore(slot, q)
	case packet.StoreClear:
		c := f.current()
		for _, s := range [][]byte{f.slots[1], f.slots[0]} {
			if c != nil && &s[0] == &f.slots[c.slot][0] {
				continue
			}
			f.erase(s[:f.Page])
		}
		if c != nil {
			f.erase(f.slots[c.slot][:f.Page])
		}
		r.outcome = packet.StoreResponse{State: packet.StoredNone}
	default:
		status = packet.StatusBadMessage
	}
	if status != packet.StatusOK {
		return &packet.StoreResponse{Status: status}
	}
	return r.lookStore()
}

func (r *Runner) commitStore(slot []byte, q *packet.StoreRequest) packet.Status {
	f := r.Store
	if q.Length == 0 || uint64(f.header())+uint64(q.Length) > uint64(len(slot)) {
		return packet.StatusBadLength
	}
	if binary.LittleEndian.Uint64(q.Bytes) != sum(slot[f.header():f.header()+q.Length]) {
		return packet.StatusDigestMismatch
	}
	sequence := uint32(1)
	if c := f.current(); c != nil {
		sequence = c.sequence + 1
	}
	var b []byte
	for _, v := range []uint32{storeMagic, sequence, uint32(q.Flags), q.Length} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	b = append(b, q.Bytes...)
	b = binary.LittleEndian.AppendUint64(b, sum(b))
	for uint32(len(b))%f.Unit != 0 {
		b = append(b, 0xff)
	}
	status := f.write(slot[:len(b)], b)
	if status == packet.StatusOK {
		r.outcome = packet.StoreResponse{State: packet.StoredNext}
	}
	return status
}

func (r *Runner) lookStore() *packet.StoreResponse {
	f := r.Store
	answer := r.outcome
	answer.SlotLength, answer.Page, answer.Unit, answer.EraseMS = f.Page*f.Pages, f.Page, f.Unit, 25
	if c := f.current(); c != nil {
		answer.Sequence, answer.Flags, answer.Length = c.sequence, packet.StoreFlags(c.flags), uint32(len(c.records))
		answer.Digest = [packet.DigestLength]byte(c.digest8)
	}
	return &answer
}

// readStore answers READ of records.
func (r *Runner) readStore(q *packet.ReadRequest) packet.Response {
	var records []byte
	if r.Store != nil {
		if c := r.Store.current(); c != nil {
			records = c.records
		}
	}
	if uint64(q.Offset)+uint64(q.Length) > uint64(len(records)) {
		return &packet.ReadResponse{Status: packet.StatusOutOfRange}
	}
	return &packet.ReadResponse{Bytes: bytes.Clone(records[q.Offset : q.Offset+q.Length])}
}

// boot carries out what is stored.
func (r *Runner) boot() {
	r.outcome = packet.StoreResponse{State: packet.StoredNone}
	if r.Store == nil || r.Store.current() == nil {
		return
	}
	c := r.Store.current()
	if r.Store.hold {
		r.outcome.State = packet.StoredHeld
		return
	}
	r.outcome.State = packet.StoredDone
	bodies, err := packet.Records(c.records)
	for i, body := range bodies {
		status := packet.StatusBadMessage
		if packet.PeekCode(body) == 0 {
			continue
		}
		if q, wrong := packet.DecodeRequest(body); wrong == nil {
			if _, start := q.(*packet.StartRequest); start && packet.StoreFlags(c.flags)&packet.StoreAutostart == 0 {
				return
			}
			status = r.replay(q)
		}
		if status != packet.StatusOK {
			r.refuse(i+1, status)
			return
		}
	}
	if err != nil {
		r.refuse(len(bodies)+1, packet.StatusBadLength)
	}
}

func (r *Runner) replay(q packet.Request) packet.Status {
	if chunk, ok := q.(*packet.ChunkRequest); ok {
		if answer := r.chunk(chunk); answer != nil {
			return answer.Result()
		}
		return packet.StatusOK
	}
	switch q.(type) {
	case *packet.HelloRequest, *packet.RunRequest, *packet.BaudRequest, *packet.SwapRequest, *packet.StoreRequest:
		return packet.StatusBadMessage
	}
	return r.carryOut(q).Result()
}

func (r *Runner) refuse(record int, status packet.Status) {
	r.halt()
	r.image, r.state = image{}, packet.StateIdle
	r.outcome = packet.StoreResponse{State: packet.StoredRefused, Record: uint32(record), Refusal: status}
}
