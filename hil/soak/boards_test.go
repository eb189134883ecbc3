package soak

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/hil/emulator/emulatortest"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/internal/extent"
)

// TestBoards puts emulated boards to the test, whose time is exact: an instruction takes a nanosecond of it.
func TestBoards(t *testing.T) {
	for _, c := range []struct {
		board string
		rate  float64
		swaps bool
	}{
		{"rpi3", 1000, true}, {"mps2-an386", 1000, true}, {"riscv-virt32", 1000, true}, {"microbit", 250, false},
	} {
		t.Run(c.board, func(t *testing.T) {
			defer emulatortest.Alone(t)()
			board, err := boards.Find(c.board)
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
			defer cancel()
			m, err := emulator.Start(ctx, board, emulator.Options{Args: []string{"-icount", "shift=0,sleep=off"}})
			require.NoError(t, err)
			defer m.Close()
			dev, err := target.Open(ctx, m.TTY(), target.Options{})
			require.NoError(t, err)
			defer dev.Close()
			opt := Options{Rate: c.rate, For: time.Duration(extent.Of(3, 60)) * time.Second, Sets: extent.Of(10, 100), Every: 5, Trial: 5}
			if c.swaps {
				opt.Swaps = extent.Of(3, 10)
			}
			began := time.Now()
			r, err := Run(ctx, dev, opt)
			require.NoError(t, err)
			assert.Empty(t, r.Failures)
			assert.Zero(t, r.Drops)
			assert.Zero(t, r.Status.Missed)
			assert.Equal(t, opt.Sets, r.Sets)
			assert.Equal(t, opt.Swaps, r.Swaps)
			s := r.Status
			t.Logf("%v of the board's time in %v: %d records, %d words compared; lateness %v to %v, execution %v to %v", opt.For,
				time.Since(began).Round(time.Millisecond), r.Records, r.Compared, s.Lateness.Min, s.Lateness.Max, s.Execution.Min, s.Execution.Max)
		})
	}
}
