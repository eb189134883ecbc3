package target

import (
	"math"
	"math/big"
	"time"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/protocol/session"
)

// countsOf is a time in counts of a timer, of which there are hz a second; to the next one.
func countsOf(d time.Duration, hz uint64) uint64 {
	n := new(big.Int).Mul(big.NewInt(int64(d)), new(big.Int).SetUint64(hz))
	n.Add(n, big.NewInt(int64(time.Second)-1)).Quo(n, big.NewInt(int64(time.Second)))
	if !n.IsUint64() {
		return math.MaxUint64
	}
	return n.Uint64()
}

// tasksOf are tasks as a runner knows them; none are the first entry in every tick.
func tasksOf(tasks []device.Task) []session.Task {
	if len(tasks) == 0 {
		return []session.Task{{Entry: 0, Divisor: 1}}
	}
	list := make([]session.Task, len(tasks))
	for i, t := range tasks {
		list[i] = session.Task{Entry: uint32(t.Entry), Divisor: uint32(t.Divisor)}
	}
	return list
}

// piecesOf are pieces in the order in which they are stored, none of which overlap.
func piecesOf(pieces []device.Piece) []session.Piece {
	var noted device.Pieces
	for _, p := range pieces {
		noted.Note(p)
	}
	return joinWrites(noted)
}

func linkSpan(s device.Span) session.Span {
	return session.Span{Offset: s.Offset, Length: int(s.Length)}
}

func linkSpans(spans []device.Span) []session.Span {
	list := make([]session.Span, len(spans))
	for i, s := range spans {
		list[i] = linkSpan(s)
	}
	return list
}
