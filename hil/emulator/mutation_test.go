//go:build linux

package emulator_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
)

// The core's own tests send a hundred thousand broken streams under sanitizers
// (firmware/test); here a few hundred reach the real machine: bodies are
// changed, the frames around them are good.
func TestMutatedRequests(t *testing.T) {
	const (
		sessions = 30
		each     = 12 // requests in one session
	)
	digest, zeros, samples := make([]byte, packet.DigestLength), make([]byte, 16), packet.RegionSamples
	for _, b := range emulated(t) {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			_, c := boot(t, b.Name, emulator.Options{})
			requests := []packet.Request{
				&packet.BeginRequest{Arch: c.isa.arch, CodeLength: 64, DataLength: 64, BSSLength: 64, PatchLength: 16, Entries: []uint32{0, 4}, Digest: digest},
				&packet.ChunkRequest{Region: packet.RegionCode, Bytes: c.isa.counter},
				&packet.ChunkRequest{Region: packet.RegionPatches, Offset: 4, Bytes: zeros[:12]},
				&packet.SealRequest{},
				&packet.RunRequest{Count: 1},
				&packet.ReadRequest{Offset: 16, Length: 32},
				&packet.WriteRequest{Offset: 16, Bytes: zeros},
				&packet.ReadRequest{Length: 12, Region: &samples},
				&packet.StatusRequest{},
				&packet.DropRequest{},
			}
			random := rand.New(rand.NewPCG(3, 4))
			nonce := c.hello(1).BootNonce
			for i := range sessions {
				c.hello(uint32(i + 2))
				for range each {
					body, err := packet.EncodeRequest(requests[random.IntN(len(requests))])
					require.NoError(t, err)
					c.seq++
					h := frame.Header{Kind: packet.KindReq, Version: packet.ProtocolVersion, Session: c.session, Seq: c.seq}
					c.write(frame.Append(nil, h, mutate(random, body)))
				}
			}
			require.Equal(t, nonce, c.hello(sessions+2).BootNonce, "the runner has restarted")
			require.GreaterOrEqual(t, c.status().Counters.FramesOK, uint32(sessions*each), "frames that reached the core")
			runCounter(c)
		})
	}
}

// mutate changes, removes or adds a few bytes behind the message code.
func mutate(random *rand.Rand, body []byte) []byte {
	const head = 3 // map, key 0, message code
	for range 1 + random.IntN(3) {
		at := head + random.IntN(len(body)-head+1)
		switch random.IntN(4) {
		case 0:
			body = body[:at]
		case 1:
			body = append(body[:at:at], append([]byte{byte(random.Uint32())}, body[at:]...)...)
		default:
			if at < len(body) {
				body[at] ^= 1 << random.IntN(8)
			}
		}
	}
	return body
}
