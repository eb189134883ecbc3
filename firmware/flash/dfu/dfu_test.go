package dfu_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/firmware/flash/dfu"
	"github.com/copaflash/copaflash/firmware/flash/dfu/dfutest"
)

const layout = "@Internal Flash  /0x08000000/04*016Kg,01*064Kg,03*128Kg"

// program stores bytes on a device, and returns them.
func program(t *testing.T, d *dfutest.Device, size int) ([]byte, error) {
	t.Helper()
	l, err := dfu.ParseLayout(layout)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(3, uint64(size)))
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(random.UintN(255)) // none like erased flash
	}
	stages := map[string]int{}
	return data, dfu.Program(t.Context(), d, l, d.Base, data, dfu.Options{
		Transfer: d.Transfer,
		Wait: func(_ context.Context, t time.Duration) error {
			d.Wait(t)
			return nil
		},
		Progress: func(stage string, done, total int) {
			require.LessOrEqual(t, stages[stage], done)
			require.LessOrEqual(t, done, total)
			stages[stage] = done
		},
	})
}

func TestProgram(t *testing.T) {
	for _, size := range []int{4, 2047, 2048, 2049, 16384, 70_001} {
		for _, vanish := range []bool{false, true} {
			d := dfutest.New()
			d.Vanish, d.Slow = vanish, 2
			data, err := program(t, d, size)
			require.NoError(t, err)
			require.Equal(t, data, d.Flash[:size])
			require.Equal(t, d.Base, d.Started)
			require.Empty(t, d.Wrong)
			require.Len(t, d.Erased, (size+16383)/16384-max(0, (size-65536+16383)/16384-1))
			require.Equal(t, byte(0), d.Flash[len(d.Flash)-1], "a sector that is not needed keeps what is there")
			require.Positive(t, d.Waited)
		}
	}
}

// Wherever an earlier host has left the boot loader, it is brought back.
func TestFromAnyState(t *testing.T) {
	for _, state := range []byte{2, 5, 9, 10} {
		d := dfutest.New()
		d.State = state
		data, err := program(t, d, 3000)
		require.NoError(t, err, "state %d", state)
		require.Equal(t, data, d.Flash[:3000])
		require.Empty(t, d.Wrong)
	}
	for _, state := range []byte{0, 1, 8, 11} {
		d := dfutest.New()
		d.State = state
		_, err := program(t, d, 3000)
		var wrong *dfu.StateError
		require.ErrorAs(t, err, &wrong, "state %d", state)
		require.Empty(t, d.Erased)
	}
}

func TestFailures(t *testing.T) {
	var status *dfu.StatusError
	var verify *dfu.VerifyError

	d := dfutest.New()
	d.Protected = true
	_, err := program(t, d, 100)
	require.ErrorIs(t, err, dfu.ErrProtected)
	require.ErrorAs(t, err, &status)

	d = dfutest.New()
	d.Stuck = 2500
	_, err = program(t, d, 3000)
	require.ErrorAs(t, err, &verify)
	require.Equal(t, d.Base+2500, verify.Address)
	require.Zero(t, d.Started)

	d = dfutest.New()
	d.Hang = true
	_, err = program(t, d, 100)
	require.ErrorContains(t, err, "does not come to an end")

	l, err := dfu.ParseLayout(layout)
	require.NoError(t, err)
	for _, at := range []uint32{0, 0x0800_0000 - 1, 0x0808_0000 - 50} {
		require.ErrorContains(t, dfu.Program(t.Context(), dfutest.New(), l, at, make([]byte, 100), dfu.Options{Transfer: 2048}), "not within the flash")
	}
	require.Error(t, dfu.Program(t.Context(), dfutest.New(), l, l.Start, make([]byte, 100), dfu.Options{}))

	// A host that is interrupted while the device is busy.
	d = dfutest.New()
	d.Hang = true
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	require.ErrorIs(t, dfu.Program(ctx, d, l, l.Start, make([]byte, 100), dfu.Options{Transfer: 2048}), context.Canceled)
}

// A device that does not take a request, or is unplugged, at any point: an error unless everything was done, and no panic.
func TestEveryRequestMayFail(t *testing.T) {
	for at := 1; ; at++ {
		stalled, pulled := dfutest.New(), dfutest.New()
		stalled.StallAt, pulled.PullAt = at, at
		whole, err := program(t, pulled, 5000)
		data, stallErr := program(t, stalled, 5000)
		if stallErr == nil {
			require.Equal(t, data, stalled.Flash[:5000], "request %d", at)
		}
		if err == nil {
			require.Equal(t, whole, pulled.Flash[:5000], "only the answer to the last question may be missing")
			require.Greater(t, at, 20)
			return
		}
		require.ErrorIs(t, err, dfu.ErrGone, "request %d", at)
		require.Less(t, at, 1000)
	}
}

func TestParseLayout(t *testing.T) {
	l, err := dfu.ParseLayout("@Internal Flash  /0x08000000/04*016Kg,01*064Kg,07*128Kg")
	require.NoError(t, err)
	require.Equal(t, "Internal Flash", l.Name)
	require.EqualValues(t, 0x0800_0000, l.Start)
	require.Len(t, l.Sectors, 12)
	require.EqualValues(t, 16384, l.Sectors[3])
	require.EqualValues(t, 131072, l.Sectors[11])
	for _, bad := range []string{
		"", "@", "Internal Flash", "@Option Bytes  /0x1FFFC000/01*016 e", "@OTP Memory /0x1FFF7800/01*512 e,01*016 e",
		"@x/0x08000000/9999*9999Mg", "@x/0xfffff000/2*4Kg", "@x/0x08000000/0*0Kg", "@x/0x08000000/", "@x/0x08000000/4*16Kg/0x1/1*1Kg",
	} {
		_, err := dfu.ParseLayout(bad)
		require.Error(t, err, bad)
	}
}

func FuzzLayout(f *testing.F) {
	f.Add(layout)
	f.Add("@x/0x0/1*1 g,")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := dfu.ParseLayout(text)
		if err != nil {
			return
		}
		total := uint64(l.Start)
		for _, s := range l.Sectors {
			require.NotZero(t, s)
			total += uint64(s)
		}
		require.Less(t, total, uint64(1)<<32)
		require.True(t, strings.Contains(text, "@"))
	})
}
