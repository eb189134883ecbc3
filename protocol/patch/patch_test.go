package patch

import (
	"encoding/binary"
	"encoding/hex"
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

func FuzzApply(f *testing.F) {
	for _, r := range vectors.Read(f, "patches.txt", 9) {
		f.Add(r.Bytes(f, 5), r.Bytes(f, 2), r.Bytes(f, 3))
	}
	f.Fuzz(func(t *testing.T, section, code, data []byte) {
		err := Apply(section, Memory{Code: Region{code, 0x1000}, Data: Region{data, 0x2000}, Services: []uint64{5}})
		var bad *Error
		if err != nil && (!assert.ErrorAs(t, err, &bad) || bad.Offset > len(section)) {
			t.Fatal(err)
		}
	})
}
