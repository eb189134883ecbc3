package target

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device/devicetest"
	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
)

func TestLoopsInTheSandbox(t *testing.T) {
	dev, err := OpenRunner(t.Context(), SandboxName, Options{})
	require.NoError(t, err)
	t.Cleanup(dev.Close)
	devicetest.Loops{Device: dev, Hz: 200, Limit: 10 * time.Second}.Run(t)
}

// TestHostsOfVersion1AreTold: a host that speaks version 1 only learns which one the runner speaks.
func TestHostsOfVersion1AreTold(t *testing.T) {
	conn, err := local.Start(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	body, err := packet.EncodeRequest(&packet.HelloRequest{Version: 1, Nonce: 5})
	require.NoError(t, err)
	_, err = conn.Write(frame.Append([]byte{0}, frame.Header{Kind: packet.KindReq, Version: 1}, body))
	require.NoError(t, err)
	d := frame.NewDecoder(packet.InitialPacketLength)
	var answers []frame.Packet
	buf := make([]byte, 512)
	for len(answers) == 0 {
		n, err := conn.Read(buf)
		require.NoError(t, err)
		d.Feed(buf[:n], func(p frame.Packet) {
			answers = append(answers, frame.Packet{Header: p.Header, Body: append([]byte{}, p.Body...)})
		})
	}
	assert.Equal(t, frame.Header{Kind: packet.KindRsp, Version: packet.ProtocolVersion}, frame.Header{Kind: answers[0].Kind, Version: answers[0].Version})
	answer, err := packet.DecodeResponse(answers[0].Body)
	require.NoError(t, err)
	assert.Equal(t, packet.StatusBadVersion, answer.Result())
	assert.EqualValues(t, 2, answer.(*packet.HelloResponse).Version)
}
