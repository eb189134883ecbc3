package test

import (
	"github.com/copaflash/copaflash/firmware/test/model"
	"github.com/copaflash/copaflash/protocol/packet"
)

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
