package test

import (
	"encoding/binary"
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

// Where the lists and rings of the generator lie in live memory, mostly.
const (
	setAt, telemetryAt, gatherAt, scatterAt, histogramsAt, scratchAt, ringAt, captureAt = 8, 64, 128, 192, 256, 800, 1024, 1536
)

// spans are those of a list, of at most this many, in a data block of so many bytes, with so many in all.
func (g *generator) spans(most int, data uint32) (words []uint32, bytes uint32) {
	words = []uint32{uint32(g.IntN(most) + 1)}
	for range words[0] {
		n := uint32(4 * (g.IntN(3) + 1))
		words = append(words, g.rarely(4*uint32(g.IntN(int(max(data, n)-n)/4+1))), n)
		bytes += n
	}
	words[0] = g.rarely(words[0])
	return words, bytes
}

// store writes words to live memory.
func (g *generator) store(at uint32, words ...uint32) packet.Request {
	live := packet.RegionLive
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return &packet.WriteRequest{Offset: g.rarely(at), Bytes: b, Region: &live}
}

// appendPins puts lists for the pins behind the code of a program with so many bytes of data, mostly such that are allowed.
func (g *generator) appendPins(code []byte, data uint32) []byte {
	code = append(code, make([]byte, -len(code)&3)...)
	g.pins = uint32(len(code))
	var counts, entries []byte
	wrong := g.oneIn(6)
	for list := range 4 {
		n := g.IntN(3)
		for range n {
			entries = append(entries, g.pin(data, list == 3, wrong)...)
		}
		if wrong && g.oneIn(15) {
			n = int(g.edge(uint32(n)))
		}
		counts = binary.LittleEndian.AppendUint32(counts, uint32(n))
	}
	return append(append(code, counts...), entries...)
}

// pin is an entry of a list, or of that of safe values; if wrong, there is at times something in it that is not allowed.
func (g *generator) pin(data uint32, safe, wrong bool) []byte {
	window := bench.Windows[g.IntN(len(bench.Windows))]
	width := uint32(2)
	if window.Bits == 1<<32-1 {
		width = uint32(g.IntN(3))
	}
	bits := []packet.PinBits{
		packet.PinWrite, packet.PinWrite | packet.PinRead, packet.PinRead, packet.PinRead | packet.PinSlot,
		packet.PinWrite | packet.PinRead | packet.PinSlot, packet.PinWrite | packet.PinSlot, packet.PinSlot, 0,
	}[g.IntN(8)]
	if window.Bits != 1<<32-1 && bits&packet.PinWrite != 0 {
		bits |= packet.PinRead
	}
	if safe || data < 4 {
		bits &^= packet.PinSlot
	}
	control := uint32(bits) | width<<4
	mask, value := g.Uint32()&g.Uint32()&window.Bits, g.Uint32()&uint32(g.IntN(4))
	if bits&packet.PinSlot != 0 {
		value = 4 * uint32(g.IntN(int(data/4)))
	}
	if !safe && bits&packet.PinSlot != 0 {
		control |= uint32(g.IntN(32)) << 8
	}
	if !safe && bits == packet.PinRead { // a wait, for what may come
		control |= []uint32{1, 2, 9, 65535}[g.IntN(4)] << 16
		mask = []uint32{0, 1, 3, 7, 1 << 8, g.Uint32()}[g.IntN(6)]
		value &= mask
	}
	words := [4]uint32{control, window.Address + uint32(g.IntN(int(window.Length>>width)))<<width, mask, value}
	if wrong && g.oneIn(2) {
		words[g.IntN(4)] ^= 1 << g.IntN(32)
	}
	if wrong && g.oneIn(10) {
		words[1] = window.Address + []uint32{window.Length, window.Length - 1, window.Length - 2, ^uint32(0), ^uint32(3)}[g.IntN(5)]
	}
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// loop chooses what to ask for about a loop.
func (g *generator) loop() packet.Request {
	ticking := g.m.State() == packet.StateTicking
	if g.m.State() == packet.StateReady && !g.oneIn(6) {
		return g.startLoop()
	}
	switch g.IntN(13) {
	case 0, 1:
		return g.startLoop()
	case 2, 3: // a list and its values, or histograms
		if g.oneIn(3) {
			return g.store(histogramsAt, g.edge(40), 0)
		}
		return g.store(setAt, g.rarely(1), g.rarely(uint32(4*g.IntN(int(g.data)/4+1))), g.rarely(4), g.Uint32(), g.Uint32())
	case 4:
		region := packet.Region(g.IntN(6))
		return &packet.ReadRequest{Offset: g.rarely(uint32(g.IntN(100))), Length: g.edge(uint32(g.IntN(400))), Region: &region}
	case 5, 6:
		if g.oneIn(8) {
			return &packet.StopRequest{}
		}
		return &packet.LiveRequest{}
	case 7, 8:
		list, bytes := g.spans(3, g.data)
		g.planned = append(g.planned, &packet.SubscribeRequest{
			List: g.rarely(telemetryAt), Every: g.rarely(uint32(1 + g.IntN(3))), Ring: g.rarely(ringAt),
			Length: g.rarely((8 + bytes) * uint32(1+g.IntN(8))), Batch: g.rarely(uint32(1 + g.IntN(2))),
		})
		return g.store(telemetryAt, list...)
	case 9, 10:
		return &packet.CaptureRequest{
			List: []uint32{telemetryAt, telemetryAt, setAt, g.edge(0)}[g.IntN(4)], Ring: g.rarely(captureAt), Length: g.rarely(uint32(60 + g.IntN(400))),
			Offset: g.rarely([]uint32{16, 20, 0}[g.IntN(3)]), Trigger: packet.Trigger(g.rarely(uint32(g.IntN(int(packet.TriggerFalling) + 1)))),
			Threshold: []uint32{0, 1, 3, 0x80000000, 0x3f000000, 0x7fc00000, g.Uint32()}[g.IntN(7)], After: g.rarely(uint32(g.IntN(4))),
			Type: packet.TriggerType(g.rarely(uint32(g.IntN(2)))),
		}
	case 11:
		if ticking {
			return g.swap()
		}
		return []packet.Request{&packet.SubscribeRequest{}, &packet.CaptureRequest{}, &packet.SwapRequest{}}[g.IntN(3)]
	}
	return &packet.ApplyRequest{List: g.rarely(setAt), Tick: g.edge(0)}
}

func (g *generator) startLoop() packet.Request {
	q := &packet.StartRequest{
		Period: uint64(g.rarely(1000)), Rest: g.Uint32(), Limit: uint64(g.rarely(0)), Tasks: []uint32{g.rarely(0), g.rarely(1)},
		Misses: []uint32{0, 1, 2, g.Uint32()}[g.IntN(4)], Silence: uint64(g.IntN(2)) * g.Uint64() >> (20 + g.IntN(40)),
	}
	if g.oneIn(3) {
		q.Tasks = append(q.Tasks, 1, uint32(1+g.IntN(3)))
	}
	if g.oneIn(20) {
		q.Tasks = make([]uint32, g.IntN(2*packet.MaxEntries+4))
	}
	if g.oneIn(20) {
		q.Period <<= g.IntN(64)
	}
	if g.oneIn(2) {
		q.Safe = g.rarely(setAt)
	}
	if g.oneIn(4) {
		q.Histograms = g.rarely(histogramsAt)
	}
	if g.oneIn(2) {
		q.Pins = g.rarely(g.pins)
		g.planned = append(g.planned, &packet.LiveRequest{}, &packet.LiveRequest{})
	}
	return q
}

// swap plans another program beside the one that runs, what is carried over, and going on with it.
func (g *generator) swap() packet.Request {
	from, bytes := g.spans(2, g.data)
	fails := g.oneIn(2) // within 8 ticks
	if fails {
		g.loadProgram(model.Later)
	} else {
		g.load()
	}
	to := []uint32{1, g.rarely(4 * uint32(g.IntN(int(max(g.data, bytes)-bytes)/4+1))), bytes}
	q := &packet.SwapRequest{
		Gather: g.rarely(gatherAt), Scatter: g.rarely(scatterAt), Scratch: g.rarely(scratchAt), Tasks: []uint32{g.rarely(uint32(g.IntN(2))), g.rarely(1)},
		Trial: g.rarely([]uint32{0, 1, 1, uint32(g.IntN(12))}[g.IntN(4)]),
	}
	if fails {
		q.Tasks, q.Trial = []uint32{0, 1}, 12
	}
	if g.oneIn(4) {
		q.Gather = 0
	}
	if g.oneIn(3) {
		q.Safe = g.rarely(setAt)
	}
	if g.oneIn(3) {
		q.Telemetry = telemetryAt
	}
	if g.oneIn(3) {
		q.Pins = g.rarely(g.pins)
	}
	g.planned = append(g.planned, g.store(gatherAt, from...), g.store(scatterAt, to...), q)
	if g.oneIn(2) { // a set that waits while there is a trial
		g.planned = append(g.planned, &packet.ApplyRequest{List: setAt, Tick: uint32(g.IntN(100))})
	}
	g.planned = append(g.planned, &packet.LiveRequest{}, &packet.LiveRequest{})
	return &packet.LiveRequest{}
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

func numbers(list []uint32) []any {
	items := []any{}
	for _, v := range list {
		items = append(items, v)
	}
	return items
}

// fields are those of a request from key 1 on.
func fields(q packet.Request) []any {
	switch q := q.(type) {
	case *packet.HelloRequest:
		return []any{q.Version, q.Nonce}
	case *packet.BeginRequest:
		return []any{q.Arch, q.Features, q.CodeLength, q.DataLength, q.BSSLength, q.PatchLength, numbers(q.Entries), q.Digest}
	case *packet.ChunkRequest:
		return []any{q.Region, q.Offset, q.Bytes}
	case *packet.RunRequest:
		return []any{q.Entry, q.Count, q.Period, q.Rest, q.Limit, q.Silence}
	case *packet.ReadRequest:
		if q.Region != nil {
			return []any{q.Offset, q.Length, *q.Region}
		}
		return []any{q.Offset, q.Length}
	case *packet.WriteRequest:
		if q.Region != nil {
			return []any{q.Offset, q.Bytes, *q.Region}
		}
		return []any{q.Offset, q.Bytes}
	case *packet.StoreRequest:
		return []any{q.Action, q.Offset, q.Bytes, q.Length, q.Flags}
	case *packet.StartRequest:
		f := []any{q.Period, q.Rest, q.Limit, numbers(q.Tasks), q.Misses, q.Silence, q.Safe, q.Histograms}
		if q.Pins != 0 {
			f = append(f, q.Watchdog, q.Pins)
		}
		return f
	case *packet.ApplyRequest:
		return []any{q.List, q.Tick}
	case *packet.SubscribeRequest:
		return []any{q.List, q.Every, q.Ring, q.Length, q.Batch}
	case *packet.CaptureRequest:
		return []any{q.List, q.Ring, q.Length, q.Offset, q.Trigger, q.Threshold, q.After, q.Type}
	case *packet.SwapRequest:
		f := []any{q.Gather, q.Scatter, q.Scratch, numbers(q.Tasks), q.Trial, q.Safe, q.Telemetry}
		if q.Pins != 0 {
			f = append(f, uint32(0), uint32(0), q.Pins) // 8 and 9 are no keys of SWAP
		}
		return f
	case *packet.BaudRequest:
		return []any{q.Baud}
	}
	return nil
}

// optional reports whether a key may be missing.
func optional(q packet.Request, key int) bool {
	switch q.(type) {
	case *packet.ReadRequest, *packet.WriteRequest:
		return key == 3 // region
	case *packet.StartRequest:
		return key > 8 // watchdog, pins
	case *packet.StoreRequest:
		return key > 3 // length, flags
	case *packet.SwapRequest:
		return key > 7 // pins
	}
	return false
}

// body encodes a request, wrong in some way at times, and says what a runner must take it for.
func (g *generator) body(q packet.Request) (body []byte, means any) {
	pairs := model.Map{0, q.Code()}
	for i, v := range fields(q) {
		pairs = append(pairs, i+1, v)
	}
	if !g.oneIn(20) {
		if g.oneIn(30) { // what nobody knows is passed over
			pairs = append(pairs, 11+g.IntN(1000), []any{[]any{1, 300}, "x", []byte{2}, -5, uint64(1) << 40}[g.IntN(5)])
		}
		return model.Append(nil, pairs), q
	}
	code := uint32(q.Code())
	at := 2 + 2*g.IntN(max(1, len(pairs)/2-1)) // a field that must be there
	switch g.IntN(9) {
	case 0: // one missing
		if optional(q, at/2) {
			at = 2
		}
		if len(pairs) > 2 {
			return model.Append(nil, append(pairs[:at:at], pairs[at+2:]...)), model.Malformed{Code: code}
		}
		return model.Append(nil, model.Map{}), model.Malformed{}
	case 1: // another type
		if len(pairs) > 2 {
			pairs[at+1] = []any{"text", -1}[g.IntN(2)]
			return model.Append(nil, pairs), model.Malformed{Code: code}
		}
		return model.Append(nil, model.Map{0, "text"}), model.Malformed{}
	case 2: // more than 32 bits where there are 32
		if len(pairs) > 2 && pairs[at] != 2 {
			if _, isInt := pairs[at+1].(uint32); isInt {
				pairs[at+1] = uint64(1)<<32 + uint64(g.Uint32())
				return model.Append(nil, pairs), model.Malformed{Code: code}
			}
		}
		return model.Append(nil, model.Map{0, uint64(1)<<32 + uint64(code)}), model.Malformed{}
	case 3: // a code that nobody has
		code = g.edge(20 + uint32(g.IntN(300)*g.IntN(2)))
		if code <= uint32(packet.MsgStore) {
			code = 8
		}
		return model.Append(nil, model.Map{0, code}), model.Malformed{Code: code}
	case 4: // more bytes behind it
		return append(model.Append(nil, pairs), 0), model.Malformed{}
	case 5: // cut short
		body = model.Append(nil, pairs)
		return body[:g.IntN(len(body))], model.Malformed{}
	case 6: // a head that is not the shortest
		body = model.Append(nil, pairs)
		return append(append(body[:2:2], 24, byte(code)), body[3:]...), model.Malformed{}
	case 7: // keys not in ascending order
		return model.Append(nil, append(pairs, len(pairs)/2-1, 0)), model.Malformed{}
	default: // what no request has
		odd := []any{[]any{[]any{}}, model.Map{}, true, []any{-5}, []any{"x"}, []any{uint64(1) << 40}}
		return model.Append(nil, append(pairs, 99, odd[g.IntN(len(odd))])), model.Malformed{}
	}
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
