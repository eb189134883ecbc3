package packet

import (
	"bytes"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/internal/vectors"
)

func TestTelVectors(t *testing.T) {
	for _, r := range vectors.Read(t, "tel.txt", 10) {
		t.Run(r.Name, func(t *testing.T) {
			record := int(r.Uint(t, 0))
			packet := r.Bytes(t, 4)
			assert.Equal(t, byte(KindTel), packet[0])
			body := packet[HeaderLength:]
			got, err := DecodeTel(body, record)
			if r.Text(5) == "bad" {
				require.ErrorIs(t, err, ErrMalformed)
				return
			}
			require.NoError(t, err)
			want := Tel{uint32(r.Uint(t, 6)), uint32(r.Uint(t, 7)), uint32(r.Uint(t, 8)), slices.Concat(r.List(t, 9)...)}
			assert.Equal(t, want, got)
			assert.Equal(t, hex.EncodeToString(body), hex.EncodeToString(got.Append(nil)))
		})
	}
	for _, record := range []int{-4, 0, 3, 6} {
		_, err := DecodeTel(make([]byte, TelHead+12), record)
		assert.Error(t, err)
	}
}

func FuzzTel(f *testing.F) {
	for _, r := range vectors.Read(f, "tel.txt", 10) {
		f.Add(r.Bytes(f, 4)[HeaderLength:], int(r.Uint(f, 0)))
	}
	f.Fuzz(func(t *testing.T, body []byte, record int) {
		tel, err := DecodeTel(body, record)
		if err != nil {
			return
		}
		require.NotEmpty(t, tel.Values)
		require.Zero(t, len(tel.Values)%record)
		require.True(t, bytes.Equal(body, tel.Append(nil)))
	})
}

// TestTasksAreNumbers: a runner sees that when its state lets it look at them, so these are no vectors.
func TestTasksAreNumbers(t *testing.T) {
	for _, task := range []string{"6131", "1b0000000100000000", "20", "f5", "80"} {
		_, err := DecodeRequest(unhex(t, "a9000c011903e80200031903e8048200"+task+"0500060007000800"))
		require.ErrorIs(t, err, ErrMalformed, task)
	}
	_, err := DecodeRequest(unhex(t, "a9000c011903e80200031903e8048200"+"01"+"0500060007000800"))
	require.NoError(t, err)
}

// TestTasksComeInPairs: what START and SWAP name is checked by both ends.
func TestTasksComeInPairs(t *testing.T) {
	for _, n := range []int{0, 1, 3, 33, 34} {
		for _, r := range []Request{&StartRequest{Tasks: make([]uint32, n)}, &SwapRequest{Tasks: make([]uint32, n)}} {
			_, err := EncodeRequest(r)
			require.Error(t, err, n)
			body, err := encode(r.Code(), r)
			require.NoError(t, err)
			_, err = DecodeRequest(body)
			require.ErrorIs(t, err, ErrMalformed, n)
		}
	}
	_, err := EncodeRequest(&StartRequest{Tasks: make([]uint32, 2*MaxTasks)})
	require.NoError(t, err)
}

func TestFigures(t *testing.T) {
	figures := [3]Figure{{1, 2, 3}, {4, 5, 1 << 40}, {}}
	assert.Equal(t, figures, (&StopResponse{Figures: AppendFigures(nil, figures)}).Times())
}
