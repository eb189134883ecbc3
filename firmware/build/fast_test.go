package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/build/runner"
	"github.com/copaflash/copaflash/protocol/packet"
)

// A chip whose moments have 32 bits says that it is fast (core/small.h) if the longest limit of a run is too long for them, and only then.
func TestFastClocks(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	tools, err := runner.ReadToolchains(root, "firmware/arch")
	require.NoError(t, err)
	all, err := boards.Descriptions()
	require.NoError(t, err)
	fast := 0
	for i := range all {
		if !strings.HasPrefix(all[i].Arch, "thumb") {
			continue
		}
		target, err := runner.BoardTarget(tools, &all[i])
		require.NoError(t, err)
		says := slices.Contains(target.Flags, "-DCF_FAST=1")
		require.Equal(t, all[i].Timer.Hz > math.MaxInt32/packet.RunLimitS, says, all[i].Name)
		if says {
			fast++
		}
	}
	require.NotZero(t, fast, "boards with a fast clock")
}
