package ihex

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// parse reads a file by the specification. It shares nothing with Encode.
func parse(t *testing.T, file string) map[uint32]byte {
	t.Helper()
	memory := map[uint32]byte{}
	base, ended := uint32(0), false
	for line := range strings.SplitSeq(strings.TrimSuffix(file, "\r\n"), "\r\n") {
		require.False(t, ended, "a record behind the end")
		require.True(t, strings.HasPrefix(line, ":"), line)
		raw, err := hex.DecodeString(line[1:])
		require.NoError(t, err)
		require.Equal(t, strings.ToUpper(line), line)
		require.Len(t, raw, int(raw[0])+5)
		sum := 0
		for _, v := range raw {
			sum += int(v)
		}
		require.Zero(t, sum%256, line)
		at, data := uint32(raw[1])<<8|uint32(raw[2]), raw[4:len(raw)-1]
		switch raw[3] {
		case 0:
			require.LessOrEqual(t, int(at)+len(data), 1<<16, "a record that wraps around")
			for i, v := range data {
				_, twice := memory[base+at+uint32(i)]
				require.False(t, twice)
				memory[base+at+uint32(i)] = v
			}
		case 1:
			ended = true
		case 4:
			require.Len(t, data, 2)
			base = uint32(data[0])<<24 | uint32(data[1])<<16
		default:
			t.Fatalf("type %d", raw[3])
		}
	}
	require.True(t, ended)
	return memory
}

func TestEncode(t *testing.T) {
	file, err := Encode(0, []byte{0x21, 0x46, 0x01, 0x36})
	require.NoError(t, err)
	require.Equal(t, ":04000000214601365E\r\n:00000001FF\r\n", string(file))

	random := rand.New(rand.NewPCG(1, 2))
	for _, address := range []uint32{0, 0x0800_0000, 0xfff3, 0x1_fff0, 0x1000_fffd} {
		for _, size := range []int{1, 15, 16, 17, 1000, 70_000} {
			data := make([]byte, size)
			for i := range data {
				data[i] = byte(random.Uint32())
			}
			file, err := Encode(address, data)
			require.NoError(t, err)
			memory := parse(t, string(file))
			require.Len(t, memory, size)
			for i, v := range data {
				require.Equal(t, v, memory[address+uint32(i)])
			}
		}
	}
	for _, bad := range []struct {
		address uint32
		data    []byte
	}{{0, nil}, {0xffff_fff0, make([]byte, 32)}} {
		_, err := Encode(bad.address, bad.data)
		require.Error(t, err)
	}
}
