package test

import (
	"encoding/binary"

	"github.com/copaflash/copaflash/firmware/test/model"
	"github.com/copaflash/copaflash/protocol/packet"
)

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
