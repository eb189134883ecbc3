package packet

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/internal/vectors"
)

func TestVectors(t *testing.T) {
	for _, r := range vectors.Read(t, "bodies.txt", 4) {
		t.Run(r.Text(0)+" "+r.Name, func(t *testing.T) {
			body := r.Bytes(t, 1)
			var got, again any
			var err error
			var back []byte
			if r.Text(0) == "request" {
				var q Request
				if q, err = DecodeRequest(body); err == nil {
					got = q
					back, again = must(EncodeRequest(q)), q
				}
			} else {
				var q Response
				if q, err = DecodeResponse(body); err == nil {
					got = q
					back, again = must(EncodeResponse(q)), q
				}
			}
			if r.Text(2) == "bad" {
				require.ErrorIs(t, err, ErrMalformed)
				return
			}
			require.NoError(t, err)
			says, err := json.Marshal(got)
			require.NoError(t, err)
			assert.Equal(t, r.Text(3), string(says))
			// A key that is not known is not kept, nor how many bits a fault's numbers have.
			if !strings.HasPrefix(r.Name, "key ") && !strings.HasSuffix(r.Name, "of 32 bits") {
				assert.Equal(t, hex.EncodeToString(body), hex.EncodeToString(back), "%+v", again)
			}
		})
	}
}
