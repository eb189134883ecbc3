package live

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
)

func TestLists(t *testing.T) {
	spans := []Span{{8, 4}, {12, 8}, {100, 0}, {40, 4}, {36, 4}}
	joined := Join(spans)
	assert.Equal(t, []Span{{8, 12}, {40, 4}, {36, 4}}, joined, "values stay in their order")
	assert.Equal(t, Bytes(spans), Bytes(joined))
	list := List(joined)
	assert.Len(t, list, ListLength(joined))
	assert.Equal(t, []byte{3, 0, 0, 0, 8, 0, 0, 0, 12, 0, 0, 0, 40, 0, 0, 0, 4, 0, 0, 0, 36, 0, 0, 0, 4, 0, 0, 0}, list)
	pieces := []Piece{{8, []byte{1, 2, 3, 4}}, {12, []byte{5, 6, 7, 8}}, {4, []byte{9, 9, 9, 9}}}
	assert.Equal(t, []byte{2, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9}, Set(pieces))
	assert.Equal(t, []byte{1, 2, 3, 4}, pieces[0].Bytes, "what was given is left alone")
	assert.Equal(t, []byte{0, 0, 0, 0}, Set(nil))
	assert.Equal(t, []byte{2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 10, 0, 0, 0}, Tasks([]uint32{0, 1, 1, 10}))

	require.NoError(t, CheckSpans([]Span{{0, 16}, {12, 4}}, 16))
	for _, bad := range []Span{{2, 4}, {4, 2}, {12, 8}, {math.MaxUint32 - 3, 8}, {4, -4}} {
		require.Error(t, CheckSpans([]Span{bad}, 16), "%+v", bad)
	}
}

func someNote() *Note {
	n := &Note{Start: 1 << 40, Period: 5 << 32, Rest: 7, Tasks: 100, Histograms: 120, Buckets: 96, Safe: 2000, Free: 2048, Staged: 2048, Code: 64, Data: 128, Next: 2060}
	for i := range n.Digest {
		n.Digest[i] = byte(i)
	}
	return n
}

func TestNote(t *testing.T) {
	const capacity = 4096
	b := someNote().Append(nil)
	require.Len(t, b, NoteLength)
	require.Equal(t, someNote(), ReadNote(b, capacity))
	require.Equal(t, []byte{0, 8, 0, 0}, b[StagedAt:StagedAt+4])
	require.Equal(t, []byte{0x0c, 8, 0, 0}, b[NextAt:NextAt+4])
	for name, change := range map[string]func(*Note){
		"next beyond":           func(n *Note) { n.Next = capacity + 4 },
		"no period":             func(n *Note) { n.Period = 0 },
		"free beyond":           func(n *Note) { n.Free = capacity + 4 },
		"free in the note":      func(n *Note) { n.Free = 64 },
		"odd place":             func(n *Note) { n.Safe = 2001 },
		"histograms beyond":     func(n *Note) { n.Buckets = 1 << 30 },
		"histograms in the way": func(n *Note) { n.Buckets = 200 },
		"buckets of nothing":    func(n *Note) { n.Histograms = 0 },
		"no buckets":            func(n *Note) { n.Buckets = 0 },
	} {
		n := someNote()
		change(n)
		assert.Nil(t, ReadNote(n.Append(nil), capacity), name)
	}
	assert.Nil(t, ReadNote(b[:NoteLength-1], capacity))
	for _, at := range []int{0, 4} {
		bad := slices.Clone(b)
		bad[at]++
		assert.Nil(t, ReadNote(bad, capacity), "magic and version")
	}
}

func TestNextNote(t *testing.T) {
	const capacity = 4096
	next := NextNote{Tasks: 2100, Safe: 2200, Code: 640, Data: 1280, Digest: [packet.DigestLength]byte{9, 8, 7}}
	b := next.Append(nil)
	require.Len(t, b, NextLength)
	n := someNote()
	require.True(t, n.GoOver(b, next.Digest, capacity))
	want := someNote()
	want.Tasks, want.Safe, want.Code, want.Data, want.Digest, want.Next = 2100, 2200, 640, 1280, next.Digest, 0
	require.Equal(t, want, n)

	for name, refused := range map[string]func() bool{
		"another program": func() bool { return n.GoOver(b, someNote().Digest, capacity) },
		"too short":       func() bool { return n.GoOver(b[:NextLength-1], next.Digest, capacity) },
		"tasks beyond":    func() bool { return n.GoOver(b, next.Digest, 2096) },
		"safe beyond":     func() bool { return n.GoOver(b, next.Digest, 2196) },
		"odd place":       func() bool { odd := next; odd.Safe++; return n.GoOver(odd.Append(nil), next.Digest, capacity) },
	} {
		require.False(t, refused(), name)
		require.Equal(t, want, n, name)
	}
}

func FuzzNote(f *testing.F) {
	f.Add(someNote().Append(nil), uint32(4096))
	f.Fuzz(func(t *testing.T, b []byte, capacity uint32) {
		n := ReadNote(b, capacity)
		if n == nil {
			return
		}
		require.True(t, bytes.Equal(b[:NoteLength], n.Append(nil)))
		require.LessOrEqual(t, n.Free, capacity)
		require.LessOrEqual(t, uint64(n.Histograms)+12*uint64(n.Buckets), uint64(capacity))
	})
}

// TestArena: no two places overlap, and what was given back is free again.
func TestArena(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a := NewArena(13, 1003)
	require.Equal(t, 984, a.Largest(), "whole words")
	var taken []Block
	for range 5000 {
		if len(taken) > 0 && rng.IntN(2) == 0 {
			i := rng.IntN(len(taken))
			a.Give(taken[i])
			taken = slices.Delete(taken, i, i+1)
			continue
		}
		n := rng.IntN(200)
		b, err := a.Take("a test", n)
		if err != nil {
			require.Less(t, a.Largest(), n)
			continue
		}
		require.Zero(t, b.At%4)
		require.GreaterOrEqual(t, int(b.Length), n)
		require.True(t, b.At >= 16 && b.end() <= 1000, "%+v", b)
		for _, other := range taken {
			require.True(t, b.end() <= other.At || other.end() <= b.At, "%+v %+v", b, other)
		}
		if b.Length > 0 {
			taken = append(taken, b)
		}
	}
	a.Give(taken...)
	a.Give(Block{}, Block{500, 4})
	require.Equal(t, 984, a.Largest())
	a.Reserve(Block{16, 100})
	b, err := a.Take("a test", 4)
	require.NoError(t, err)
	require.EqualValues(t, 116, b.At)
	_, err = a.Take("a test", 1000)
	require.EqualError(t, err, "a test needs 1000 bytes of the runner's live memory, which has 880 left in one piece")
	_, err = a.Take("a test", math.MaxInt-8)
	require.Error(t, err)
}

func TestBuckets(t *testing.T) {
	assert.Equal(t, packet.HistogramBuckets, Bucket(math.MaxUint32, packet.HistogramBuckets)+1)
	for _, c := range []struct {
		longest    uint64
		room, want int
	}{
		{100, 1 << 20, 96}, {127, 1 << 20, 96}, {128, 1 << 20, 128}, {4000, 1 << 20, 256}, {1 << 31, 1 << 20, 896}, {math.MaxUint64, 1 << 20, 896},
		{4000, 256*12 + 4, 256}, {4000, 256*12 + 3, 224}, {4000, 96*12 + 4, 96}, {4000, 96*12 + 3, 0}, {4000, 0, 0}, {4000, -8, 0},
	} {
		n := Buckets(c.longest, c.room)
		assert.Equal(t, c.want, n, "%+v", c)
		if n > 0 {
			assert.LessOrEqual(t, HistogramLength(n), c.room)
		}
	}
	offset, length, first := Part(1, 100, 10, 12)
	assert.Equal(t, []int{4 + 4*110, 12, 10}, []int{offset, length, first})
	offset, length, first = Part(2, 100, 1e6, 2e6) // beyond the last
	assert.Equal(t, []int{4 + 4*299, 4, 99}, []int{offset, length, first})
	offset, length, _ = Part(0, 100, math.MaxUint32, 0) // of no ticks
	assert.True(t, offset+length <= HistogramLength(100))
	h := make([]uint32, 100)
	Counts(h, 98, []byte{1, 0, 0, 0, 2, 0, 0, 0})
	assert.Equal(t, []uint32{1, 2}, h[98:])
}

func TestCost(t *testing.T) {
	fast := Carrier{Baud: 115200, MaxPacket: 512, Ring: 1 << 16}
	for name, c := range map[string]struct {
		d    Demand
		c    Carrier
		want string
	}{
		"nothing":         {Demand{0, 1000, 1}, fast, "at least one variable"},
		"never":           {Demand{4, 1000, 0}, fast, "at least one"},
		"no rate":         {Demand{4, math.NaN(), 1}, fast, "at least one"},
		"a huge record":   {Demand{512, 1000, 1}, fast, "one packet"},
		"no ring":         {Demand{32, 1000, 1}, Carrier{115200, 512, 79}, "telemetry needs 80 bytes"},
		"a negative ring": {Demand{32, 1000, 1}, Carrier{115200, 512, -4}, "telemetry needs"},
	} {
		_, err := c.d.Cost(c.c)
		assert.ErrorContains(t, err, c.want, name)
	}
	// Where any rate fits there is no limit, and packets are still short ones.
	cost, err := (&Demand{4, 1e6, 1}).Cost(Carrier{MaxPacket: 65535, Ring: 1 << 20})
	require.NoError(t, err)
	assert.True(t, cost.Fits() && math.IsInf(cost.Greatest, 1) && cost.LeastEvery == 1 && cost.Line == 0)
	// Little memory makes short packets.
	cost, err = (&Demand{4, 1000, 1}).Cost(Carrier{Baud: 921600, MaxPacket: 512, Ring: 100})
	require.NoError(t, err)
	assert.Equal(t, 4, cost.Batch)
	for _, rate := range []float64{0.01, 1, 20, 1000, 1e6} {
		for _, record := range []int{4, 32, 400} {
			d := Demand{record, rate, 1}
			cost, err := d.Cost(fast)
			require.NoError(t, err)
			d.Every = cost.LeastEvery
			fits, err := d.Cost(fast)
			require.NoError(t, err)
			assert.True(t, fits.Fits(), "what is said to fit does: %+v %+v", d, fits)
			assert.LessOrEqual(t, fits.Batch, d.RingLength(fits.Batch, fast.Ring)/(RecordHead+record)/2)
			if d.Every > 1 {
				d.Every--
				less, err := d.Cost(fast)
				require.NoError(t, err)
				assert.False(t, less.Fits(), "and no less does: %+v %+v", d, less)
			}
		}
	}
}
