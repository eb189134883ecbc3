package stm32

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/firmware/flash/stm32/romtest"
)

var fast = Timing{Answer: 150 * time.Millisecond, Wake: 20 * time.Millisecond, Erase: 100 * time.Millisecond, Unlock: 100 * time.Millisecond}

// chip is that of romtest.New.
func chip() Chip {
	c := Chip{ID: 0x413, Flash: romtest.Base}
	for range 16 {
		c.Sectors = append(c.Sectors, 1024)
	}
	return c
}

func program() []byte {
	data := make([]byte, 1501)
	for i := range data {
		data[i] = byte(i*31 + i>>8)
	}
	return data
}

// try programs a simulated chip and waits until that is done with the line.
func try(t *testing.T, ctx context.Context, set func(*romtest.ROM), o Options) (*romtest.ROM, error) {
	t.Helper()
	host, board := net.Pipe()
	r := romtest.New(board)
	if set != nil {
		set(r)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Serve()
	}()
	o.Timing = fast
	err := Program(ctx, host, chip(), romtest.Base+1024, program(), o)
	host.Close()
	<-done
	return r, err
}

// stored checks that the program is there, started, and nothing else was touched.
func stored(t *testing.T, r *romtest.ROM) {
	t.Helper()
	data := program()
	require.Equal(t, data, r.Flash[1024:1024+len(data)])
	rest := append(bytes.Clone(r.Flash[:1024]), r.Flash[1024+len(data):]...)
	require.Equal(t, bytes.Repeat([]byte{0xFF}, len(rest)), rest)
	require.EqualValues(t, romtest.Base+1024, r.Started)
}

func TestProgram(t *testing.T) {
	for _, command := range []byte{0x43, 0x44} {
		stages := map[string]bool{}
		r, err := try(t, t.Context(), func(r *romtest.ROM) {
			r.Erase = command
			for i := 1024; i < 3072; i++ {
				r.Flash[i] = 0x55
			}
		}, Options{Progress: func(stage string, done, total int) { stages[stage] = done == total }})
		require.NoError(t, err)
		stored(t, r)
		require.Equal(t, []int{1, 2}, r.Erased, "only the sectors that are needed")
		require.Equal(t, map[string]bool{"erase": true, "write": true, "verify": true}, stages)
		require.Zero(t, r.Unlocked)
	}
}

// TestLineFaults loses and changes each byte of the first messages, in both
// directions, and some later ones: the chip is programmed all the same.
func TestLineFaults(t *testing.T) {
	type result struct {
		name string
		r    *romtest.ROM
		err  error
	}
	results := make(chan result)
	cases := 0
	slots := make(chan struct{}, 24)
	for i := range 1900 {
		if i >= 64 && i%97 != 0 {
			continue
		}
		once := map[int]bool{i: true}
		for name, set := range map[string]func(*romtest.ROM){
			"byte to the chip lost":      func(r *romtest.ROM) { r.Lose = once },
			"byte to the chip changed":   func(r *romtest.ROM) { r.Flip = once },
			"byte from the chip lost":    func(r *romtest.ROM) { r.LoseAnswer = once },
			"byte from the chip is NACK": func(r *romtest.ROM) { r.Change = map[int]byte{i: 0x1F} },
		} {
			cases++
			go func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				r, err := try(t, t.Context(), set, Options{})
				results <- result{fmt.Sprintf("%s, number %d", name, i), r, err}
			}()
		}
	}
	for range cases {
		c := <-results
		// The last message starts the runner: an answer lost there leaves nobody
		// to ask again.
		if c.err != nil {
			assert.ErrorIs(t, c.err, ErrStart, c.name)
		}
		data := program()
		assert.True(t, bytes.Equal(data, c.r.Flash[1024:1024+len(data)]), c.name)
		assert.EqualValues(t, romtest.Base+1024, c.r.Started, c.name)
	}
}

func TestRefused(t *testing.T) {
	r, err := try(t, t.Context(), func(r *romtest.ROM) { r.Refuse[0x31] = 2 }, Options{})
	require.NoError(t, err)
	stored(t, r)

	_, err = try(t, t.Context(), func(r *romtest.ROM) { r.Refuse[0x31] = 1000 }, Options{})
	require.ErrorIs(t, err, errNack)
	require.ErrorContains(t, err, "write 0x8000400")

	_, err = try(t, t.Context(), func(r *romtest.ROM) { r.Refuse[0x21] = 1000 }, Options{})
	require.ErrorIs(t, err, ErrStart)

	_, err = try(t, t.Context(), func(r *romtest.ROM) { r.Erase = 0x99 }, Options{})
	require.ErrorContains(t, err, "erase sector 1: the boot loader has no command for it")
}

func TestWrongChip(t *testing.T) {
	r, err := try(t, t.Context(), func(r *romtest.ROM) { r.ID = 0x420 }, Options{})
	require.EqualError(t, err, "the chip has number 0x420, the board's has 0x413")
	require.Empty(t, r.Erased)
}

func TestProtection(t *testing.T) {
	r, err := try(t, t.Context(), func(r *romtest.ROM) { r.Protected = true }, Options{})
	require.ErrorIs(t, err, ErrProtected)
	require.Zero(t, r.Unlocked, "never without being told")
	require.Empty(t, r.Erased)

	r, err = try(t, t.Context(), func(r *romtest.ROM) { r.Protected = true }, Options{Unlock: true})
	require.NoError(t, err)
	require.Equal(t, 1, r.Unlocked)
	stored(t, r)

	r, err = try(t, t.Context(), nil, Options{Unlock: true})
	require.NoError(t, err)
	require.Zero(t, r.Unlocked, "there was nothing to unlock")
	stored(t, r)
}

func TestVerify(t *testing.T) {
	r, err := try(t, t.Context(), func(r *romtest.ROM) { r.Stuck = 1024 + 700 }, Options{})
	var v *VerifyError
	require.ErrorAs(t, err, &v)
	require.Equal(t, VerifyError{romtest.Base + 1024 + 700, program()[700], 0}, *v)
	require.Equal(t, []int{1, 2, 1, 2}, r.Erased, "erased and written once more")
	require.Zero(t, r.Started)
}

func TestSilence(t *testing.T) {
	host, board := net.Pipe()
	go func() {
		for b := make([]byte, 64); ; {
			if _, err := board.Read(b); err != nil {
				return
			}
		}
	}()
	require.ErrorIs(t, Program(t.Context(), host, chip(), romtest.Base, program(), Options{Timing: fast}), ErrSilent)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := try(t, ctx, nil, Options{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestCover(t *testing.T) {
	c := Chip{Flash: 0x100, Sectors: []uint32{16, 16, 64}}
	for _, tt := range []struct {
		address      uint32
		size         int
		first, count int
	}{
		{0x100, 1, 0, 1}, {0x100, 16, 0, 1}, {0x10f, 2, 0, 2}, {0x110, 80, 1, 2}, {0x15f, 1, 2, 1},
		{0x100, 97, 0, 0}, {0xff, 2, 0, 0}, {0x160, 1, 0, 0}, {0x100, 0, 0, 0},
	} {
		first, count, err := c.cover(tt.address, tt.size)
		require.Equal(t, tt.count == 0, err != nil, "%+v", tt)
		require.Equal(t, [2]int{tt.first, tt.count}, [2]int{first, count}, "%+v", tt)
	}
}
