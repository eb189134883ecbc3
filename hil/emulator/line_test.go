//go:build linux

package emulator_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/hil/emulator"
)

// A UART that takes single bytes costs the machine it is emulated on much less behind a
// line that keeps the next bytes ready, and every byte still gets through.
func TestSingleByteLine(t *testing.T) {
	const size = 24 << 10 // random bytes, so all 256 values
	b, err := boards.Find("mps2-an386")
	require.NoError(t, err)
	needQEMU(t, b)
	require.True(t, b.QEMU.SingleByte)
	load := func(opts emulator.Options) time.Duration {
		m, err := emulator.Start(t.Context(), b, opts)
		require.NoError(t, err)
		defer m.Close()
		s := open(t, m)
		stat := fmt.Sprintf("/proc/%d/stat", m.PID())
		before := processorTime(t, stat)
		_, err = s.Load(t.Context(), bigImage(isaOf(t, b), size), nil)
		require.NoError(t, err)
		return processorTime(t, stat) - before
	}
	for range 5 { // on a busy machine bytes wait for QEMU, and are cheap behind any line
		with, without := load(emulator.Options{}), load(emulator.Options{PlainLine: true})
		t.Logf("%v of processor time, %v without", with, without)
		if with < without*3/4 {
			return
		}
	}
	require.Fail(t, "bytes cost as much behind the line that keeps the next ones ready")
}

// Bytes for a UART that QEMU's main loop hears nothing of do not wait for anything else to wake it: at 115 200 baud these take 0.7 s.
func TestDeafLine(t *testing.T) {
	b, err := boards.Find("b-l475e-iot01a")
	require.NoError(t, err)
	require.True(t, b.QEMU.Deaf)
	s := open(t, power(t, b.Name, emulator.Options{}))
	image := bigImage(isaOf(t, b), 8<<10)
	for range 5 { // on a busy machine
		start := time.Now()
		_, err := s.Load(t.Context(), image, nil)
		require.NoError(t, err)
		took := time.Since(start)
		t.Logf("%v", took)
		if took < 4*time.Second {
			return
		}
	}
	require.Fail(t, "bytes wait")
}
