package frame

import (
	"encoding/binary"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/internal/vectors"
	"github.com/copaflash/copaflash/protocol/packet"
)

func TestVectors(t *testing.T) {
	for _, r := range vectors.Read(t, "frames.txt", 5) {
		t.Run(r.Name, func(t *testing.T) {
			wire := r.Bytes(t, 1)
			got, c := collect(int(r.Uint(t, 0)), 5, wire)
			want := r.List(t, 2)
			require.Len(t, got, len(want))
			for i, p := range got {
				raw := binary.LittleEndian.AppendUint16([]byte{byte(p.Kind), p.Version}, p.Session)
				raw = binary.LittleEndian.AppendUint16(raw, p.Seq)
				raw = binary.LittleEndian.AppendUint16(raw, p.Ack)
				assert.Equal(t, hex.EncodeToString(want[i]), hex.EncodeToString(append(raw, p.Body...)))
			}
			assert.Equal(t, Counters{uint64(len(want)), r.Uint(t, 3), r.Uint(t, 4)}, c)
			if len(want) == 1 && len(wire) <= EncodedLength(len(want[0])+packet.TrailerLength) && wire[0] != 0 && wire[len(wire)-1] == 0 && r.Name != "empty last block" {
				assert.Equal(t, hex.EncodeToString(wire), hex.EncodeToString(Append(nil, got[0].Header, got[0].Body)), "encoding")
			}
		})
	}
}
