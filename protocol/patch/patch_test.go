package patch

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/internal/vectors"
)

func TestVectors(t *testing.T) {
	for _, r := range vectors.Read(t, "patches.txt", 9) {
		t.Run(r.Name, func(t *testing.T) {
			m := Memory{
				Code: Region{r.Bytes(t, 2), r.Uint(t, 0)},
				Data: Region{r.Bytes(t, 3), r.Uint(t, 1)},
			}
			for _, s := range r.List(t, 4) {
				m.Services = append(m.Services, binary.BigEndian.Uint64(s))
			}
			section := r.Bytes(t, 5)
			err := Apply(section, m)
			if r.Text(6) == "bad" {
				var bad *Error
				require.ErrorAs(t, err, &bad)
				assert.LessOrEqual(t, bad.Offset, len(section))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, hex.EncodeToString(r.Bytes(t, 7)), hex.EncodeToString(m.Code.Bytes))
			assert.Equal(t, hex.EncodeToString(r.Bytes(t, 8)), hex.EncodeToString(m.Data.Bytes))
		})
	}
}

// FuzzApply applies anything to blocks of any size: no patch may reach outside its own
// block. What can be decoded has one encoding.
func FuzzApply(f *testing.F) {
	for _, r := range vectors.Read(f, "patches.txt", 9) {
		f.Add(r.Bytes(f, 5), r.Bytes(f, 2), r.Bytes(f, 3))
	}
	f.Fuzz(func(t *testing.T, section, code, data []byte) {
		block := slices.Concat(code, data)
		m := Memory{Code: Region{block[:len(code):len(code)], 0x1000}, Data: Region{block[len(code):], 0x2000}, Services: []uint64{5}}
		err := Apply(section, m)
		var bad *Error
		if err != nil && (!assert.ErrorAs(t, err, &bad) || bad.Offset > len(section)) {
			t.Fatal(err)
		}
		kinds, unreadable := Decode(section)
		if err == nil {
			require.NoError(t, unreadable)
		}
		if len(kinds) == 0 {
			return
		}
		again, err := Encode(kinds)
		require.NoError(t, err)
		require.Equal(t, section, again)
	})
}
