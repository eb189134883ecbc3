package libfile

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTemplates packs some, and cuts and lengthens what is packed.
func TestTemplates(t *testing.T) {
	some := Templates{{Code: []byte{1, 2, 3}, Fields: PackFields([]Field{{Len: 4, Dst: 300}}), Origin: -8}, {Code: []byte{}, Fields: []byte{}}, {Code: make([]byte, 200), Fields: []byte{}, Origin: 1 << 20}}
	packed, err := some.MarshalBinary()
	require.NoError(t, err)
	var got Templates
	require.NoError(t, got.UnmarshalBinary(packed))
	assert.Equal(t, some, got)
	for n := range packed {
		assert.Error(t, new(Templates).UnmarshalBinary(packed[:n]), "%d bytes of %d", n, len(packed))
	}
	assert.Error(t, new(Templates).UnmarshalBinary(append(packed, 0)))
	for _, number := range [][]byte{{0xff, 0xff, 0xff, 0xff, 0x0f}, {1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, {1, 0, 0x80}} {
		assert.Error(t, new(Templates).UnmarshalBinary(number), "% x", number)
	}
}
