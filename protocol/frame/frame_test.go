package frame

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/internal/vectors"
	"github.com/copaflash/copaflash/protocol/packet"
)

var someHeader = Header{Kind: packet.KindReq, Version: 1, Session: 0x1234, Seq: 7, Ack: 0}

// collect feeds wire to a fresh decoder in pieces of the given size.
func collect(max, piece int, wire []byte) ([]Packet, Counters) {
	d := NewDecoder(max)
	var got []Packet
	for len(wire) > 0 {
		n := min(piece, len(wire))
		d.Feed(wire[:n], func(p Packet) {
			p.Body = bytes.Clone(p.Body)
			got = append(got, p)
		})
		wire = wire[n:]
	}
	return got, d.Counters
}

func TestRoundTripOfEveryLength(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	fills := map[string]func() byte{
		"zeros":    func() byte { return 0 },
		"nonzeros": func() byte { return byte(1 + rng.IntN(255)) },
		"mixed":    func() byte { return byte(rng.IntN(3)) },
	}
	for name, fill := range fills {
		t.Run(name, func(t *testing.T) {
			for n := range 1100 {
				body := make([]byte, n)
				for i := range body {
					body[i] = fill()
				}
				wire := Append(nil, someHeader, body)
				require.LessOrEqual(t, len(wire), EncodedLength(n+overhead))
				require.Equal(t, len(wire)-1, bytes.IndexByte(wire, delimiter))
				got, c := collect(n+overhead, 7, wire)
				require.Equal(t, Counters{Frames: 1}, c)
				require.Equal(t, someHeader, got[0].Header)
				require.True(t, bytes.Equal(body, got[0].Body))
			}
		})
	}
}

func TestAppendKeepsWhatIsThere(t *testing.T) {
	one := Append(nil, someHeader, []byte{1})
	two := Append(bytes.Clone(one), someHeader, []byte{1})
	assert.Equal(t, append(bytes.Clone(one), one...), two)
}

func TestPlainBytes(t *testing.T) {
	wire := Append(nil, Header{Kind: packet.KindReq, Version: 1}, []byte{0xa1, 0, 9})
	// header 01 01 0000 0000 0000, body a1 00 09, CRC-32C over these 11 bytes
	assert.Equal(t, "0301010101010101"+"02a1"+"0609", hex.EncodeToString(wire)[:24])
}

func TestLongestRunNeedsNoEmptyBlock(t *testing.T) {
	s := newStuffer(nil)
	s.write(bytes.Repeat([]byte{1}, maxRun))
	assert.Equal(t, maxRun+2, len(s.end()))
}

func TestBadFramesAreDroppedAndTheNextOneIsFound(t *testing.T) {
	good := Append(nil, someHeader, []byte("body"))
	flipped := bytes.Clone(good)
	flipped[len(flipped)-2] ^= 0x55
	cases := map[string]struct {
		wire []byte
		want Counters
	}{
		"delimiters only":       {[]byte{0, 0, 0}, Counters{}},
		"garbage":               {[]byte{0xff, 1, 2, 3, 0}, Counters{FramingErrors: 1}},
		"cut short":             {append(bytes.Clone(good[:9]), 0), Counters{FramingErrors: 1}},
		"shorter than overhead": {append(bytes.Repeat([]byte{1}, overhead-1), 0), Counters{FramingErrors: 1}},
		"flipped bit":           {flipped, Counters{CRCErrors: 1}},
		"too long":              {Append(nil, someHeader, make([]byte, 100)), Counters{FramingErrors: 1}},
		"endless":               {append(bytes.Repeat([]byte{0xff}, 5000), 0), Counters{FramingErrors: 1}},
		"empty crc only":        {append(bytes.Repeat([]byte{1}, overhead+1), 0), Counters{CRCErrors: 1}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, piece := range []int{1, 3, 10000} {
				got, counters := collect(64, piece, append(bytes.Clone(c.wire), good...))
				c.want.Frames = 1
				assert.Equal(t, c.want, counters)
				require.Len(t, got, 1)
				assert.Equal(t, "body", string(got[0].Body))
			}
		})
	}
}

func TestDecoderMemoryIsBounded(t *testing.T) {
	d := NewDecoder(64)
	for range 1000 {
		d.Feed(bytes.Repeat([]byte{0x80}, 1000), func(Packet) { t.Fatal("no packet was sent") })
	}
	assert.LessOrEqual(t, cap(d.buf), 128)
}

func TestSetMax(t *testing.T) {
	wire := Append(nil, someHeader, make([]byte, 100))
	d := NewDecoder(64)
	frames := 0
	d.Feed(wire, func(Packet) { frames++ })
	d.SetMax(200)
	d.Feed(wire, func(Packet) { frames++ })
	assert.Equal(t, 1, frames)
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte{}, uint8(1))
	f.Add(Append(nil, someHeader, []byte{0xa1, 0, 9}), uint8(3))
	f.Add(append([]byte{1, 2, 3, 0, 0xff}, Append(nil, someHeader, make([]byte, 300))...), uint8(200))
	for _, r := range vectors.Read(f, "frames.txt", 5) {
		f.Add(r.Bytes(f, 1), uint8(17))
	}
	f.Fuzz(func(t *testing.T, wire []byte, piece uint8) {
		const max = 256
		whole, counters := collect(max, len(wire)+1, wire)
		pieces, again := collect(max, int(piece)+1, wire)
		if counters != again || len(whole) != len(pieces) {
			t.Fatalf("in pieces %+v, at once %+v", again, counters)
		}
		for i, p := range whole {
			if len(p.Body) > BodyLength(max) {
				t.Fatalf("body of %d bytes", len(p.Body))
			}
			if p.Header != pieces[i].Header || !bytes.Equal(p.Body, pieces[i].Body) {
				t.Fatalf("packet %d differs", i)
			}
			// What was accepted can be sent again and is the same.
			back, _ := collect(max, 1, Append(nil, p.Header, p.Body))
			if len(back) != 1 || back[0].Header != p.Header || !bytes.Equal(back[0].Body, p.Body) {
				t.Fatalf("packet %d does not survive", i)
			}
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	body := make([]byte, 2000)
	for i := range body {
		body[i] = byte(i)
	}
	var dst []byte
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		dst = Append(dst[:0], someHeader, body)
	}
}

func BenchmarkDecode(b *testing.B) {
	body := make([]byte, 2000)
	for i := range body {
		body[i] = byte(i)
	}
	wire := Append(nil, someHeader, body)
	d := NewDecoder(4096)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		d.Feed(wire, func(Packet) {})
	}
}
