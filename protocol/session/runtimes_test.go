package session

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/copaflash/copaflash/protocol/packet"
)

// TestTimesOfARunAreCounts: exact to 2^-32 counts, a limit rounded up, a silence no longer than a microcontroller can state.
func TestTimesOfARunAreCounts(t *testing.T) {
	for _, tt := range []struct {
		d     time.Duration
		hz    uint64
		whole uint64
		rest  uint32
	}{
		{0, 1_000_000, 0, 0}, {time.Second, 16_000_000, 16_000_000, 0}, {time.Millisecond, 1_234_567, 1234, 0x9126e979},
		{time.Microsecond, 1, 0, 4295}, {1, 1_000_000_000, 1, 0}, {math.MaxInt64, math.MaxUint32, math.MaxUint64, 0},
	} {
		whole, rest := counts(tt.d, tt.hz)
		assert.Equal(t, tt.whole, whole, "%v of %d", tt.d, tt.hz)
		assert.Equal(t, tt.rest, rest, "%v of %d", tt.d, tt.hz)
	}
	s := &Session{}
	r := &Run{Entry: 1, Count: 2, Period: time.Millisecond, Limit: time.Microsecond}
	for hz, want := range map[uint64]packet.RunRequest{
		1_234_567:     {Entry: 1, Count: 2, Period: 1234, Rest: 0x9126e979, Limit: 2, Silence: 123_456_700},
		168_000_000:   {Entry: 1, Count: 2, Period: 168_000, Limit: 168, Silence: math.MaxInt32},
		1_000_000_000: {Entry: 1, Count: 2, Period: 1_000_000, Limit: 1000, Silence: 100_000_000_000},
	} {
		s.info.Store(&packet.HelloResponse{TimerHz: hz, Arch: map[bool]packet.Arch{true: packet.ArchThumbv7m, false: packet.ArchX86_64}[hz < 1e9]})
		assert.Equal(t, &want, s.runRequest(r, 100*time.Second))
	}
}
