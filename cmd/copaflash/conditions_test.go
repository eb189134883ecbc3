package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
)

// Each thing that a runner may tell has a text and a name of its own; bits that this program does not know have none.
func TestConditionsOfARunner(t *testing.T) {
	var all packet.Conditions
	for i, c := range conditions {
		require.Equal(t, packet.Conditions(1)<<i, c.bit, "in the order of messages.cddl, without a gap")
		all |= c.bit
		h := &packet.HelloResponse{Conditions: c.bit | 1<<31}
		require.Equal(t, []string{c.name}, conditionNames(h))
		require.Equal(t, []string{c.text}, conditionTexts(h))
	}
	require.Equal(t, 2*packet.ConditionWasLowVoltage-1, all, "the last one of messages.cddl has a row")
	require.Empty(t, conditionTexts(&packet.HelloResponse{}))
}
