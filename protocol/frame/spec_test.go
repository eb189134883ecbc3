package frame

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
)

// TestExamplesOfTheSpecification encodes the bytes that SPEC.md shows.
func TestExamplesOfTheSpecification(t *testing.T) {
	text, err := os.ReadFile("../SPEC.md")
	require.NoError(t, err)
	example := regexp.MustCompile(`(?m)^    header (.*)\n    body   (.*)\n    frame  (.*)$`)
	found := example.FindAllSubmatch(text, -1)
	require.Len(t, found, 10)
	for _, m := range found {
		header, body, frame := spaced(t, m[1]), spaced(t, m[2]), spaced(t, m[3])
		h := Header{
			Kind: packet.Kind(header[0]), Version: header[1],
			Session: binary.LittleEndian.Uint16(header[2:]), Seq: binary.LittleEndian.Uint16(header[4:]), Ack: binary.LittleEndian.Uint16(header[6:]),
		}
		assert.Equal(t, hex.EncodeToString(frame), hex.EncodeToString(Append(nil, h, body)))
		switch h.Kind {
		case packet.KindReq:
			_, err = packet.DecodeRequest(body)
		case packet.KindRsp:
			_, err = packet.DecodeResponse(body)
		case packet.KindAck:
			_, err = packet.DecodeAck(body)
		}
		assert.NoError(t, err)
	}
}

func spaced(t *testing.T, s []byte) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(string(s), " ", ""))
	require.NoError(t, err)
	return b
}
