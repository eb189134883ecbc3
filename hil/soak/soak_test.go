package soak

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/internal/extent"
)

// held tells of what a busy machine does now and then, and no more: a tick of a trial is missed, or this process reads too late.
func held(r *Report, err error) bool {
	var back *BackError
	return errors.As(err, &back) || err == nil && r.Drops > 0
}

// TestLocal puts the loops of this process and of the oracle to the test.
func TestLocal(t *testing.T) {
	for _, name := range []string{target.LocalName, target.Oracle} {
		t.Run(name, func(t *testing.T) {
			dev, err := target.Open(context.Background(), name, target.Options{})
			require.NoError(t, err)
			defer dev.Close()
			opt := Options{Rate: 1000, For: time.Duration(extent.Of(2, 60)) * time.Second, Sets: extent.Of(20, 100), Swaps: extent.Of(4, 10), Every: 1, Trial: 5}
			r, err := Run(context.Background(), dev, opt)
			for deadline := time.Now().Add(time.Minute); held(r, err) && time.Now().Before(deadline); {
				r, err = Run(context.Background(), dev, opt)
			}
			require.NoError(t, err)
			assert.Empty(t, r.Failures)
			assert.Positive(t, r.Compared)
			assert.Zero(t, r.Drops)
			assert.Equal(t, extent.Of(20, 100), r.Sets)
			assert.Equal(t, extent.Of(4, 10), r.Swaps)
			t.Logf("%d records, %d words compared, %d ticks missed", r.Records, r.Compared, r.Status.Missed)
		})
	}
}
