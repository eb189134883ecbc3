package session

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/protocol/packet"
)

// TestLedger: whatever is dropped, lost, sent twice and missed, no loss goes untold, and none is told that there was not unless
// ticks were missed and packets lost.
func TestLedger(t *testing.T) {
	for seed := range uint64(extent.Of(3000, 100_000)) {
		rng := rand.New(rand.NewPCG(seed, 7))
		every, batch := 1+rng.Uint32N(5), 1+rng.Uint32N(6)
		g := ledger{every: every, batch: batch}
		missing, losing, dropping := rng.IntN(2) == 0, rng.IntN(2) == 0, rng.IntN(2) == 0
		tick := rng.Uint32()
		for tick%every != 0 {
			tick++
		}
		next := tick // of the record that follows in the packet
		var a arrival
		var records, drops, truly, told uint32
		flush := func(always bool) {
			if records == 0 {
				return
			}
			// The runner may have dropped more since.
			a.Drops = drops
			keep := always || !losing || rng.IntN(4) != 0
			if !keep {
				truly += records
			}
			for range 1 + rng.IntN(2) {
				if keep {
					lost, again := g.enter(a, records)
					told += lost
					_ = again
				}
			}
			a.seq++
			records = 0
		}
		first := true
		for range 300 {
			if missing && rng.IntN(20) == 0 {
				tick += 1 + rng.Uint32N(3*every)
			}
			if tick%every == 0 {
				switch {
				case !first && dropping && rng.IntN(6) == 0:
					drops++
					truly++
				default:
					if records > 0 && tick != next {
						flush(first)
						first = false
					}
					if records == 0 {
						a.Tel = packet.Tel{Tick: tick}
					}
					records++
					next = tick + every
					if records == batch {
						flush(first)
						first = false
					}
				}
			}
			tick++
		}
		flush(first)
		told += g.end(tick, drops, 0, !losing)
		require.Equal(t, told, g.lost)
		if missing && losing {
			require.GreaterOrEqual(t, told, truly, "seed %d", seed)
		} else {
			require.Equal(t, truly, told, "seed %d, every %d, batch %d", seed, every, batch)
		}
	}
}

// TestLedgerBegins: packets that were lost before the first one are told as full ones.
func TestLedgerBegins(t *testing.T) {
	g := ledger{every: 2, batch: 10}
	lost, again := g.enter(arrival{Tel: packet.Tel{Tick: 100}, seq: 3}, 10)
	require.False(t, again)
	require.EqualValues(t, 30, lost)
	_, again = g.enter(arrival{Tel: packet.Tel{Tick: 100}, seq: 3}, 10)
	require.True(t, again)
	g.renew()
	lost, _ = g.enter(arrival{Tel: packet.Tel{Tick: 200}, seq: 0}, 10)
	require.EqualValues(t, (200-118)/2-1, lost, "what another session has lost")
}
