package local_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/internal/noise"
	"github.com/copaflash/copaflash/internal/seed"
	"github.com/copaflash/copaflash/protocol/packet"
)

// noiseLimit is how long a random program may run; under emulation, where the start of one may take longer than that, emulatedLimit.
const (
	noiseLimit    = time.Millisecond
	emulatedLimit = 30 * time.Millisecond
)

// checkNoise runs random machine code. Every program ends, within its limit and what the
// runner needs to end it, the runner never restarts, and right programs give right results between them.
func checkNoise(t *testing.T, c *client, p programs, n int, limit time.Duration, harmless bool) {
	base := seed.Of(t)
	ends := map[packet.Status]int{}
	var longest time.Duration
	arch := c.about.Arch.String()
	at, code := 0, []byte(nil)
	defer func() {
		if t.Failed() {
			t.Logf("up to program %d: %x", at, code)
		}
	}()
	for i := range n {
		at = i
		var err error
		code, err = noise.Program(arch, base, i, harmless)
		require.NoError(t, err)
		c.load(code)
		began := time.Now()
		r := request[*packet.RunResponse](c, &packet.RunRequest{Count: 2, Limit: c.counts(limit)})
		took := time.Since(began)
		require.Less(t, took, patience)
		require.Contains(t, []packet.Status{packet.StatusOK, packet.StatusFault, packet.StatusTimeLimit}, r.Status)
		longest = max(longest, took)
		ends[r.Status]++
		if i%100 == 99 {
			c.works(p)
		}
	}
	c.works(p)
	nonce := c.about.BootNonce
	c.session, c.seq = 0, 0
	about := request[*packet.HelloResponse](c, &packet.HelloRequest{Version: packet.ProtocolVersion, Nonce: 0x4321})
	require.Equal(t, nonce, about.BootNonce, "the runner has restarted")
	c.session, c.seq = about.Session, 1
	t.Logf("%d programs on %s: %v; the longest took %v", n, arch, ends, longest)
	statuses := []packet.Status{packet.StatusOK, packet.StatusFault}
	if n >= 1000 { // one in fifty
		statuses = append(statuses, packet.StatusTimeLimit)
	}
	for _, status := range statuses {
		require.NotZero(t, ends[status], "none ended with %v: that is not random enough", status)
	}
}

func TestRandomMachineCode(t *testing.T) {
	t.Run("native", func(t *testing.T) { checkNoise(t, start(t), native, extent.Of(1000, 100_000), noiseLimit, false) })
	t.Run("other width", func(t *testing.T) {
		if c := otherWidth(t); c != nil {
			checkNoise(t, c, x8632, extent.Of(1000, 100_000), noiseLimit, false)
		}
	})
	t.Run("emulated", func(t *testing.T) {
		// No filter is there to hold system calls back, so the programs have none.
		checkNoise(t, underEmulation(t, packet.ArchAarch64, "qemu-aarch64-static"), arm, extent.Of(200, 100_000), emulatedLimit, true)
	})
}
