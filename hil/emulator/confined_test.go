//go:build linux

package emulator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/protocol/packet"
)

// A board says that nothing confines its programs if that is so, and only then.
func TestConfinementIsTold(t *testing.T) {
	for _, b := range emulated(t) {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			s := open(t, power(t, b.Name, emulator.Options{}))
			conditions := s.Info().Conditions
			require.Equal(t, placeOf(t, b.Name).open, conditions&packet.ConditionUnconfined != 0)
			require.Zero(t, conditions&packet.ConditionInternalClock)
		})
	}
}
