package test

import (
	"fmt"
	"math/rand/v2"

	"github.com/copaflash/copaflash/firmware/test/model"
	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
)

// A generator makes up frames and tells the model of each.
type generator struct {
	*rand.Rand
	m       *model.Runner
	planned []packet.Request // to come in this order, mostly
	data    uint32           // bytes of the data block that was last announced
	pins    uint32           // place of the lists in its code block
}

func (g *generator) oneIn(n int) bool { return g.IntN(n) == 0 }

// edge is v or, at times, a number at an edge of something.
func (g *generator) edge(v uint32) uint32 {
	edges := []uint32{
		0, 1, 3, 4, 23, 24, 31, 32, 255, 256, 491, 492, 511, 512, 513, 1023, 1024, 1025, 65535, 65536, 1<<31 - 1, 1 << 31, 1<<32 - 2, 1<<32 - 1,
	}
	switch g.IntN(8) {
	case 0:
		return edges[g.IntN(len(edges))]
	case 1:
		return v + uint32(g.IntN(5)) - 2
	}
	return v
}

func (g *generator) rarely(v uint32) uint32 {
	if g.oneIn(20) {
		return g.edge(v)
	}
	return v
}

// frame makes a frame, or garbage, and what to call it in a report.
func (g *generator) frame() (wire []byte, what string) {
	if g.oneIn(60) {
		g.m.Garbage()
		return []byte{byte(3 + g.IntN(250)), 1, 0}, "garbage"
	}
	session, next := g.m.Session()
	h := frame.Header{Kind: packet.KindReq, Version: packet.ProtocolVersion, Session: session, Seq: next}
	q := g.request()
	if _, ok := q.(*packet.HelloRequest); ok && !g.oneIn(20) {
		h.Session, h.Seq = 0, 0
	}
	_, chunk := q.(*packet.ChunkRequest)
	switch {
	case g.oneIn(8) || chunk && g.oneIn(3):
		h.Seq += uint16(g.IntN(7) - 3)
	case g.oneIn(30):
		h.Seq += []uint16{30, 31, 32, 33, 34, 1<<15 - 1, 1 << 15, 1<<15 + 1}[g.IntN(8)]
	case g.oneIn(60):
		h.Seq = 0
	}
	if g.oneIn(40) {
		h.Session = []uint16{0, session + 1, session - 1, uint16(g.Uint32())}[g.IntN(4)]
	}
	if g.oneIn(60) {
		h.Kind = packet.Kind(g.IntN(5))
	}
	if g.oneIn(60) {
		h.Version = uint8(g.Uint32())
	}
	body, means := g.body(q)
	wire = frame.Append(nil, h, body)
	what = fmt.Sprintf("%+v %T%+v in state %v, %x", h, means, means, g.m.State(), body)
	if g.oneIn(60) {
		if wire[g.IntN(len(wire)-1)]--; g.damaged(wire) {
			return wire, what + " damaged"
		}
		return []byte{0}, "nothing"
	}
	g.m.Take(h, means)
	if g.oneIn(30) {
		g.m.Take(h, means)
		return append(wire, wire...), what + " twice"
	}
	return wire, what
}

// damaged tells the model of a frame with something wrong in it, unless it is none, or more than one.
func (g *generator) damaged(wire []byte) bool {
	dec := frame.NewDecoder(int(bench.MaxPacket))
	dec.Feed(wire, func(frame.Packet) {})
	switch {
	case dec.CRCErrors == 1 && dec.FramingErrors == 0:
		g.m.Damaged()
	case dec.FramingErrors == 1 && dec.CRCErrors == 0:
		g.m.Garbage()
	default:
		return false
	}
	return true
}

// request chooses what to ask for.
func (g *generator) request() packet.Request {
	if len(g.planned) > 0 && !g.oneIn(15) {
		q := g.planned[0]
		g.planned = g.planned[1:]
		return q
	}
	state := g.m.State()
	if id, next := g.m.Session(); next == 0 && !g.oneIn(6) || g.oneIn(40) {
		return &packet.HelloRequest{Version: packet.ProtocolVersion + g.rarely(0), Nonce: uint32(id)%2 + uint32(g.IntN(2))}
	}
	if (state == packet.StateIdle || state == packet.StateFaulted) && g.oneIn(3) || g.oneIn(40) {
		g.load()
	}
	if g.oneIn(4) || state == packet.StateTicking && !g.oneIn(6) {
		return g.loop()
	}
	if g.oneIn(12) {
		return g.keep()
	}
	longest := uint32(packet.RunLimitS * bench.TimerHz)
	switch g.IntN(11) {
	case 0, 1, 2:
		return &packet.RunRequest{
			Entry: g.rarely(uint32(g.IntN(2))), Count: min(g.edge(uint32(g.IntN(12))), 40), Period: uint64(g.IntN(2) * g.IntN([]int{40, 40, 9000}[g.IntN(3)])),
			Rest: g.rarely(0), Limit: uint64([]uint32{0, 1000, longest, g.edge(longest)}[g.IntN(4)]),
			Silence: uint64(uint32(g.IntN(2)) * g.edge([]uint32{1, 7812, 7813, 20_000, 3_000_000}[g.IntN(5)])),
		}
	case 3, 4:
		return &packet.ReadRequest{Offset: g.edge(uint32(g.IntN(int(g.data) + 1))), Length: g.edge(uint32(g.IntN(int(g.data) + 1)))}
	case 5:
		return &packet.WriteRequest{Offset: g.edge(uint32(g.IntN(int(g.data) + 1))), Bytes: g.bytes(g.IntN(min(int(g.data)/2, 400) + 2))}
	case 6:
		samples := packet.RegionSamples
		if g.oneIn(6) { // only READ has them
			return &packet.WriteRequest{Offset: g.edge(0), Bytes: g.bytes(g.IntN(5)), Region: &samples}
		}
		return &packet.ReadRequest{Offset: g.edge(uint32(g.IntN(12))), Length: g.edge(uint32(g.IntN(36))), Region: &samples}
	case 7:
		return &packet.BaudRequest{Baud: g.rarely(bench.Bauds[g.IntN(3)])}
	case 8:
		if g.oneIn(3) {
			return &packet.DropRequest{}
		}
		return &packet.ChunkRequest{Region: packet.Region(g.IntN(4)), Offset: g.edge(0), Bytes: g.bytes(g.IntN(5))}
	case 9:
		if g.oneIn(3) {
			return &packet.SealRequest{}
		}
	}
	return &packet.StatusRequest{}
}

func (g *generator) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}

// load plans BEGIN, CHUNKs and SEAL of a program that does something.
func (g *generator) load() { g.loadProgram(byte(g.IntN(2) * g.IntN(2) * g.IntN(model.Later+1))) }

// loadProgram plans them for one whose first entry does a certain thing.
func (g *generator) loadProgram(first byte) {
	code := g.bytes(2 + g.IntN(60))
	code[0], code[1] = first, model.Sticky
	if g.oneIn(40) {
		code = g.bytes(int(bench.CodeSize) - 1 + g.IntN(3))
		code[0] = model.Return
	}
	data := g.bytes(g.IntN(60))
	bss := uint32(g.IntN(60))
	code = g.appendPins(code, uint32(len(data))+bss)
	var section []byte
	if g.oneIn(3) {
		section = []byte{
			1, byte(g.IntN(4)), 1 << g.IntN(4), byte(g.IntN(13)), byte(g.IntN(4) * 33), byte(g.IntN(16)), byte(g.IntN(2)), byte(g.IntN(3)),
			1, byte(g.IntN(5)), byte(1 + g.IntN(8)), byte(g.IntN(2)), byte(1 + g.IntN(2)), byte(g.IntN(6)), byte(2 * g.IntN(2)),
		}
		for range section[12] - 1 {
			section = append(section, 1, 0)
		}
		if g.oneIn(5) {
			section[g.IntN(len(section))] ^= 1 << g.IntN(8)
		}
	}
	q := &packet.BeginRequest{
		Arch: packet.Arch(g.rarely(uint32(bench.Arch))), CodeLength: uint32(len(code)), DataLength: uint32(len(data)),
		BSSLength: bss, PatchLength: uint32(len(section)), Entries: []uint32{0, 1},
	}
	if g.oneIn(15) {
		q.BSSLength = g.edge(bench.DataSize - q.DataLength - q.PatchLength)
	}
	if g.oneIn(30) {
		q.Features = packet.Features(g.Uint64() >> g.IntN(64))
	}
	if g.oneIn(20) {
		q.Entries = make([]uint32, g.IntN(packet.MaxEntries+3))
	} else if g.oneIn(20) {
		q.Entries[1] = g.edge(q.CodeLength)
	}
	digest := q.Sum(code, data, section)
	q.Digest = digest[:]
	switch g.IntN(30) {
	case 0:
		q.Digest[g.IntN(packet.DigestLength)] ^= 1 << g.IntN(8)
	case 1:
		q.Digest = q.Digest[:packet.DigestLength-1]
	case 2:
		q.Digest = append(q.Digest, 0)
	}
	g.data = min(q.DataLength+q.BSSLength, bench.DataSize)
	g.planned = []packet.Request{q}
	var chunks []packet.Request
	for region, b := range [][]byte{code, data, section} {
		for at := 0; at < len(b); {
			n := min(1+g.IntN(400), len(b)-at)
			chunks = append(chunks, &packet.ChunkRequest{Region: packet.Region(region), Offset: uint32(at), Bytes: b[at : at+n]})
			at += n
		}
	}
	g.Shuffle(len(chunks), func(i, j int) { chunks[i], chunks[j] = chunks[j], chunks[i] })
	if g.oneIn(15) {
		chunks = chunks[1:]
	}
	g.planned = append(append(g.planned, chunks...), &packet.SealRequest{})
}

// keep chooses what to ask for about stored programs.
func (g *generator) keep() packet.Request {
	digest := func(length uint32) []byte {
		if g.oneIn(10) || !g.m.Foreseen(length) {
			return g.bytes(g.IntN(12))
		}
		return packet.StoreDigest(g.m.Other()[model.FirstByte:][:min(length, model.SlotLength-model.FirstByte)])
	}
	store := packet.RegionStore
	switch g.IntN(10) {
	case 0:
		return &packet.StoreRequest{}
	case 1:
		return &packet.ReadRequest{Offset: g.edge(uint32(g.IntN(40))), Length: g.edge(uint32(g.IntN(400))), Region: &store}
	case 2:
		return &packet.StoreRequest{Action: packet.StoreErase, Offset: g.rarely(model.PageLength * uint32(g.IntN(9)))}
	case 3:
		return &packet.StoreRequest{Action: packet.StoreWrite, Offset: g.edge(4 * uint32(g.IntN(512))), Bytes: g.bytes(g.IntN(4) + 4*g.IntN(9)*g.IntN(2))}
	case 4:
		length := g.edge(uint32(1 + g.IntN(300)))
		return &packet.StoreRequest{Action: packet.StoreCommit, Bytes: digest(length), Length: length, Flags: packet.StoreFlags(g.rarely(uint32(g.IntN(2))))}
	case 5:
		if g.oneIn(3) {
			return &packet.StoreRequest{Action: packet.StoreAction(g.rarely(uint32(packet.StoreClear)))}
		}
	}
	g.plan()
	return &packet.StopRequest{}
}

// plan plans to store a program, whose loop starts, or what else comes along.
func (g *generator) plan() {
	before := g.planned
	g.planned = nil
	g.load()
	recorded := append(g.planned, &packet.StartRequest{Period: 1000, Tasks: []uint32{0, 1}})
	for g.oneIn(3) {
		g.planned = nil
		recorded = append(recorded, g.loop())
	}
	var records []byte
	for _, q := range recorded {
		if g.oneIn(20) {
			records = packet.AppendRecord(records, []byte{0xa1, 0, 0})
		}
		pairs := model.Map{0, q.Code()}
		for i, v := range fields(q) {
			pairs = append(pairs, i+1, v)
		}
		body := model.Append(nil, pairs)
		g.m.Recorded[string(body)] = q
		records = packet.AppendRecord(records, body)
	}
	if g.oneIn(10) && len(records) > 0 {
		records = records[:g.IntN(len(records))]
	}
	g.planned = before
	if len(records) == 0 || len(records) > model.SlotLength-model.FirstByte {
		return
	}
	padded := append(append([]byte(nil), records...), make([]byte, -len(records)&(model.StoreUnit-1))...)
	steps := []packet.Request{}
	for at := 0; at < model.FirstByte+len(padded); at += model.PageLength {
		steps = append(steps, &packet.StoreRequest{Action: packet.StoreErase, Offset: uint32(at)})
	}
	for at := 0; at < len(padded); at += 400 {
		piece := padded[at:min(at+400, len(padded))]
		steps = append(steps, &packet.StoreRequest{Action: packet.StoreWrite, Offset: uint32(model.FirstByte + at), Bytes: piece})
	}
	g.planned = append(steps, &packet.StoreRequest{
		Action: packet.StoreCommit, Bytes: packet.StoreDigest(records), Length: uint32(len(records)), Flags: packet.StoreFlags(g.IntN(2)),
	})
}
